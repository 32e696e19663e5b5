"""`Dirichlet`: random probabilities of several classes."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..errors import ArgumentError
from . import constraints
from .distribution import ExponentialFamily
from .draws import dirichlet


class Dirichlet(ExponentialFamily):
    """A distribution over rows that sum to 1, with parameters `concentration` (α).

    log p(x) = Σ (αᵢ - 1) log xᵢ + log Γ(Σαᵢ) - Σ log Γ(αᵢ)

    >>> import minigrad as mg
    >>> Dirichlet(mg.tensor([1.0, 3.0])).mean
    tensor([0.2500, 0.7500])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, concentration: Tensor, validate_args: bool | None = None) -> None:
        if concentration.dim() < 1:
            raise ArgumentError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """α / Σα."""
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self) -> Tensor:
        """(α - 1) / (Σα - n); if an α is below 1, the corner of the largest α."""
        a = self.concentration
        top = (a - 1).clamp(min=0)
        mode = top / top.sum(-1, True)
        flat = (a < 1).all(-1, keepdim=True)
        corner = (a == a.amax(-1, keepdim=True)).to(a.dtype)
        return mode.where(~flat, corner)

    @property
    def variance(self) -> Tensor:
        """α (Σα - α) / (Σα² (Σα + 1))."""
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total**2 * (total + 1))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw gamma numbers, and divide them by their sum."""
        return dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        a = self.concentration
        return (a - 1).xlogy(self._checked(value)).sum(-1) + a.sum(-1).lgamma() - a.lgamma().sum(-1)

    def entropy(self) -> Tensor:
        """Σ log Γ(αᵢ) - log Γ(Σα) - (n - Σα) ψ(Σα) - Σ (αᵢ - 1) ψ(αᵢ)."""
        a, n = self.concentration, self.concentration.shape[-1]
        total = a.sum(-1)
        return a.lgamma().sum(-1) - total.lgamma() - (n - total) * total.digamma() - ((a - 1) * a.digamma()).sum(-1)

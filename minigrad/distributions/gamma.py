"""`Gamma`: sums of waiting times."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import dtypes
from ..core.tensor import Tensor
from ..ops.create.factories import as_tensor
from ..ops.special.incomplete_gamma import igamma
from . import constraints
from .distribution import ExponentialFamily
from .draws import standard_gamma
from .utils import broadcast_all


class Gamma(ExponentialFamily):
    """The gamma distribution with shape `concentration` (α) and `rate` (β).

    log p(x) = α log β + (α - 1) log x - β x - log Γ(α)

    >>> import minigrad as mg
    >>> Gamma(2.0, 1.0).log_prob(mg.tensor(1.0))
    tensor(-1.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration": constraints.positive, "rate": constraints.positive,
    }  # fmt: skip
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """α / β."""
        return self.concentration / self.rate

    @property
    def mode(self) -> Tensor:
        """(α - 1) / β, but at least 0."""
        return ((self.concentration - 1) / self.rate).clamp(min=0)

    @property
    def variance(self) -> Tensor:
        """α / β²."""
        return self.concentration / self.rate**2

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw gamma numbers of rate 1, divided by `rate`."""
        drawn = standard_gamma(self.concentration.expand(self._extended_shape(sample_shape))) / self.rate
        return drawn.clamp(min=dtypes.finfo(drawn.dtype).tiny)

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of the density; `value` may be a number."""
        value = as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        a, b = self.concentration, self.rate
        return b.log().mul(a) + (a - 1).xlogy(self._checked(value)) - b * value - a.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return igamma(self.concentration, self.rate * self._checked(value))

    def entropy(self) -> Tensor:
        """α - log β + log Γ(α) + (1 - α) ψ(α)."""
        a = self.concentration
        return a - self.rate.log() + a.lgamma() + (1 - a) * a.digamma()

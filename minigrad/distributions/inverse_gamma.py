"""`InverseGamma`: the reciprocal of a gamma number."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.elementwise.where import where
from ..ops.special.incomplete_gamma import igammac
from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import broadcast_all


class InverseGamma(Distribution):
    """The distribution of 1 / x for gamma numbers x with shape `concentration` (α) and rate `rate` (β).

    log p(x) = α log β - (α + 1) log x - β / x - log Γ(α)

    >>> InverseGamma(3.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration": constraints.positive, "rate": constraints.positive,
    }  # fmt: skip
    support = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        self.concentration, self.rate = broadcast_all(concentration, rate)
        super().__init__(self.concentration.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """β / (α - 1), infinite for α up to 1."""
        a = self.concentration
        return where(a > 1, self.rate / (a - 1), float("inf"))

    @property
    def mode(self) -> Tensor:
        """β / (α + 1)."""
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        """β² / ((α - 1)² (α - 2)), infinite for α up to 2."""
        a = self.concentration
        return where(a > 2, self.rate**2 / ((a - 1) ** 2 * (a - 2)), float("inf"))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw reciprocals of gamma numbers."""
        return Gamma(self.concentration, self.rate, validate_args=False).rsample(sample_shape).reciprocal()

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        a, b = self.concentration, self.rate
        return a * b.log() - (a + 1) * self._checked(value).log() - b / value - a.lgamma()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return igammac(self.concentration, self.rate / self._checked(value))

    def entropy(self) -> Tensor:
        """α + log β + log Γ(α) - (1 + α) ψ(α)."""
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()

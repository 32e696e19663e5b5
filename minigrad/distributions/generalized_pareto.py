"""`GeneralizedPareto`: how far draws of another distribution exceed a high threshold."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.elementwise.where import where
from . import constraints
from .distribution import Distribution
from .draws import uniform
from .utils import broadcast_all


class GeneralizedPareto(Distribution):
    """The generalised Pareto distribution: P(x > z) = (1 + k z)^(-1/k) for z = (x - loc) / scale, or e^-z if k is 0.

    k is the `concentration`. If it is negative, draws are at most loc - scale / k.

    >>> import minigrad as mg
    >>> GeneralizedPareto(0.0, 1.0, 0.5).cdf(mg.tensor(2.0))
    tensor(0.7500)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real,
    }  # fmt: skip
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """From `loc` on; to loc - scale / concentration where the concentration is negative."""
        ends = where(self.concentration < 0, self.loc - self.scale / self._divisor, math.inf)
        return constraints.interval(self.loc, ends)

    @property
    def mean(self) -> Tensor:
        """loc + scale / (1 - concentration); NaN for a concentration of 1 or more."""
        k = self.concentration
        return where(k < 1, self.loc + self.scale / (1 - k), math.nan)

    @property
    def variance(self) -> Tensor:
        """scale² / ((1 - concentration)² (1 - 2 concentration)); NaN for a concentration of 1/2 or more."""
        k = self.concentration
        return where(k < 0.5, self.scale**2 / ((1 - k) ** 2 * (1 - 2 * k)), math.nan)

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw the quantile of u, with u uniform in [0, 1)."""
        return self.icdf(uniform(self._extended_shape(sample_shape), self.loc))

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        z = (self._checked(value) - self.loc) / self.scale
        k = self._divisor
        return where(self._exponential, -z, -(1 + 1 / k) * (k * z).log1p()) - self.scale.log()

    def log_survival_function(self, value: Tensor) -> Tensor:
        """The logarithm of the probability that a draw is above `value`."""
        z = (self._checked(value) - self.loc) / self.scale
        k = self._divisor
        return where(self._exponential, -z, -(k * z).log1p() / k)

    def log_cdf(self, value: Tensor) -> Tensor:
        """The logarithm of the probability that a draw is at most `value`."""
        return (-self.log_survival_function(value).exp()).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return self.log_cdf(value).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        log, k = (-value).log1p(), self._divisor
        return self.loc + self.scale * where(self._exponential, -log, (-k * log).expm1() / k)

    def entropy(self) -> Tensor:
        """log scale + concentration + 1."""
        return self.scale.log() + self.concentration + 1

    @property
    def _exponential(self) -> Tensor:
        """Where the concentration is 0, so that the distribution is exponential."""
        return self.concentration.isclose(self.concentration.new_zeros(()))

    @property
    def _divisor(self) -> Tensor:
        """The concentration, with 1 in the place of 0."""
        return where(self._exponential, 1.0, self.concentration)

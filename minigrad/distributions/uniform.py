"""`Uniform`: equal density between two bounds."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from . import constraints
from .distribution import Distribution
from .draws import uniform
from .utils import broadcast_all


class Uniform(Distribution):
    """The uniform distribution over [low, high).

    log p(x) = -log(high - low), and -inf outside.

    >>> import minigrad as mg
    >>> Uniform(0.0, 2.0).entropy()
    tensor(0.6931)
    """

    has_rsample = True

    @property
    def arg_constraints(self) -> dict[str, Any]:  # type: ignore[override]
        """Constraints: `low` is less than `high`."""
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """Values from `low` to `high`."""
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        """The mean, (low + high) / 2."""
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        """NaN: no value is more probable than the others."""
        return float("nan") * self.high

    @property
    def stddev(self) -> Tensor:
        """The standard deviation."""
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        """(high - low)² / 12."""
        return (self.high - self.low) ** 2 / 12

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw low + (high - low) · u, with u uniform in [0, 1)."""
        return self.low + uniform(self._extended_shape(sample_shape), self.low) * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        inside = (self.low <= self._checked(value)) & (self.high > value)
        return inside.type_as(self.low).log() - (self.high - self.low).log()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return ((self._checked(value) - self.low) / (self.high - self.low)).clamp(0, 1)

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        """log(high - low)."""
        return (self.high - self.low).log()

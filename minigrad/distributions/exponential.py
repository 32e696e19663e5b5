"""`Exponential`: waiting times between random events."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.create.like import zeros_like
from . import constraints
from .distribution import ExponentialFamily
from .utils import broadcast_all


class Exponential(ExponentialFamily):
    """Waiting times for events with `rate`: log p(x) = log rate - rate · x.

    >>> import minigrad as mg
    >>> Exponential(2.0).mean
    tensor(0.5000)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, rate: Any, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(self.rate.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def mode(self) -> Tensor:
        """0."""
        return zeros_like(self.rate)

    @property
    def stddev(self) -> Tensor:
        """1 / rate."""
        return self.rate.reciprocal()

    @property
    def variance(self) -> Tensor:
        """1 / rate²."""
        return self.rate.pow(-2)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw waiting times of rate 1, divided by `rate`."""
        return self.rate.new_empty(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        return self.rate.log() - self.rate * self._checked(value)

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return 1 - (-self.rate * self._checked(value)).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        return -(-value).log1p() / self.rate

    def entropy(self) -> Tensor:
        """1 - log rate."""
        return 1 - self.rate.log()

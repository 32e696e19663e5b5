"""`Normal`: the normal (Gaussian) distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..ops.random.distributions import normal
from . import constraints
from .distribution import ExponentialFamily
from .draws import standard_normal
from .utils import broadcast_all


class Normal(ExponentialFamily):
    """The normal distribution with mean `loc` and standard deviation `scale`.

    log p(x) = -(x - loc)² / (2 scale²) - log scale - log √(2π)

    >>> import minigrad as mg
    >>> Normal(0.0, 1.0).log_prob(mg.tensor(0.0))
    tensor(-0.9189)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """The mean, `loc`."""
        return self.loc

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """The standard deviation, `scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """The variance, scale²."""
        return self.scale**2

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers. No gradient flows through them."""
        shape = self._extended_shape(sample_shape)
        with no_grad():
            return normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw loc + scale · standard normal numbers."""
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        distance = self._checked(value) - self.loc
        return -(distance**2) / (2 * self.scale**2) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return 0.5 * (1 + ((self._checked(value) - self.loc) / (self.scale * math.sqrt(2))).erf())

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        return self.loc + self.scale * (2 * value - 1).erfinv() * math.sqrt(2)

    def entropy(self) -> Tensor:
        """½ + ½ log 2π + log scale."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()

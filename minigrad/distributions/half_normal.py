"""`HalfNormal`: absolute values of normal numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.create.like import zeros_like
from ..ops.elementwise.where import where
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform


class HalfNormal(TransformedDistribution):
    """The distribution of |x| for normal numbers x with mean 0 and standard deviation `scale`.

    >>> HalfNormal(1.0).mean
    tensor(0.7979)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)
        if self._validate_args:
            self._check_parameter("scale")

    @property
    def scale(self) -> Tensor:
        """The scale of the normal numbers."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        """0."""
        return zeros_like(self.scale)

    @property
    def mean(self) -> Tensor:
        """scale √(2 / π)."""
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        """scale² (1 - 2 / π)."""
        return self.scale**2 * (1 - 2 / math.pi)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density, which is the sum of those for both signs."""
        both = self.base_dist.log_prob(self._checked(value)) + math.log(2)
        return where(value >= 0, both, -float("inf"))

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return 2 * self.base_dist.cdf(self._checked(value)) - 1

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        """The entropy of the normal distribution, minus log 2."""
        return self.base_dist.entropy() - math.log(2)

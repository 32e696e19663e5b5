"""`HalfCauchy`: absolute values of Cauchy numbers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.create.like import full_like, zeros_like
from ..ops.elementwise.where import where
from . import constraints
from .cauchy import Cauchy
from .transformed_distribution import TransformedDistribution
from .transforms import AbsTransform


class HalfCauchy(TransformedDistribution):
    """The distribution of |x| for Cauchy numbers x with median 0.

    >>> import minigrad as mg
    >>> HalfCauchy(1.0).cdf(mg.tensor(1.0))
    tensor(0.5000)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Cauchy(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)
        if self._validate_args:
            self._check_parameter("scale")

    @property
    def scale(self) -> Tensor:
        """The scale of the Cauchy numbers."""
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        """0."""
        return zeros_like(self.scale)

    @property
    def mean(self) -> Tensor:
        """Infinite."""
        return full_like(self.scale, float("inf"))

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return full_like(self.scale, float("inf"))

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
        """The entropy of the Cauchy distribution, minus log 2."""
        return self.base_dist.entropy() - math.log(2)

"""`LogNormal`: numbers whose logarithms are normal."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import ExpTransform


class LogNormal(TransformedDistribution):
    """The distribution of exp x for normal numbers x with mean `loc` and standard deviation `scale`.

    >>> LogNormal(0.0, 1.0).mean
    tensor(1.6487)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The mean of the logarithm."""
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviation of the logarithm."""
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        """exp(loc + scale² / 2)."""
        return (self.loc + self.scale**2 / 2).exp()

    @property
    def mode(self) -> Tensor:
        """exp(loc - scale²)."""
        return (self.loc - self.scale**2).exp()

    @property
    def variance(self) -> Tensor:
        """(exp(scale²) - 1) exp(2 loc + scale²)."""
        return (self.scale**2).expm1() * (2 * self.loc + self.scale**2).exp()

    def entropy(self) -> Tensor:
        """The entropy of the normal distribution, plus loc."""
        return self.base_dist.entropy() + self.loc

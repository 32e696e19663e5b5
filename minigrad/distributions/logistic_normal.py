"""`LogisticNormal`: random probabilities computed from normal numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import constraints
from .normal import Normal
from .transformed_distribution import TransformedDistribution
from .transforms import StickBreakingTransform


class LogisticNormal(TransformedDistribution):
    """The distribution of n probabilities computed from n - 1 normal numbers by `StickBreakingTransform`.

    >>> import minigrad as mg
    >>> LogisticNormal(mg.zeros(2), mg.ones(2)).event_shape
    minigrad.Size([3])
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        normal = Normal(loc, scale, validate_args=validate_args)
        if not normal.batch_shape:
            normal = normal.expand([1])
        super().__init__(normal, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        """The means of the normal numbers."""
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        """The standard deviations of the normal numbers."""
        return self.base_dist.base_dist.scale

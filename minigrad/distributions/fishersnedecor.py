"""`FisherSnedecor`: the ratio of two variances."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import dtypes
from ..core.tensor import Tensor
from ..ops.elementwise.where import where
from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import broadcast_all


class FisherSnedecor(Distribution):
    """The F distribution with `df1` and `df2` degrees of freedom.

    >>> FisherSnedecor(2.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(self, df1: Any, df2: Any, validate_args: bool | None = None) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        super().__init__(self.df1.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """df2 / (df2 - 2), NaN for df2 up to 2."""
        return where(self.df2 > 2, self.df2 / (self.df2 - 2), float("nan"))

    @property
    def mode(self) -> Tensor:
        """(df1 - 2) / df1 · df2 / (df2 + 2), NaN for df1 up to 2."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return where(self.df1 > 2, mode, float("nan"))

    @property
    def variance(self) -> Tensor:
        """2 df2² (df1 + df2 - 2) / (df1 (df2 - 2)² (df2 - 4)), NaN for df2 up to 4."""
        a, b = self.df1, self.df2
        return where(b > 4, 2 * b**2 * (a + b - 2) / (a * (b - 2) ** 2 * (b - 4)), float("nan"))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw the ratio of two gamma numbers."""
        above = Gamma(0.5 * self.df1, self.df1, validate_args=False).rsample(sample_shape)
        below = Gamma(0.5 * self.df2, self.df2, validate_args=False).rsample(sample_shape)
        return above / below.clamp(min=dtypes.finfo(below.dtype).tiny)

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        a, b, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        scale = (a + b).lgamma() - a.lgamma() - b.lgamma()
        return scale + a * ratio.log() + (a - 1) * self._checked(value).log() - (a + b) * (ratio * value).log1p()

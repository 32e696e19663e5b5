"""`StudentT`: Student's t distribution, with heavier tails than the normal distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.elementwise.where import where
from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .draws import standard_normal
from .utils import broadcast_all


class StudentT(Distribution):
    """Student's t distribution with `df` degrees of freedom (ν).

    log p(x) = -½ (ν + 1) log(1 + y² / ν) - log scale - ½ log(πν) - log Γ(ν/2) + log Γ((ν + 1)/2), y = (x - loc) / scale

    >>> StudentT(4.0).variance
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "df": constraints.positive, "loc": constraints.real, "scale": constraints.positive,
    }  # fmt: skip
    support = constraints.real
    has_rsample = True

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        super().__init__(self.df.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """loc; NaN for ν up to 1."""
        return where(self.df > 1, self.loc, float("nan"))

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """scale² ν / (ν - 2); infinite for ν up to 2, NaN for ν up to 1."""
        wide = where(self.df > 1, float("inf"), float("nan"))
        return where(self.df > 2, self.scale**2 * self.df / (self.df - 2), wide)

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw loc + scale · X / √(Z / ν), with X standard normal and Z χ²-distributed with ν degrees of freedom."""
        X = standard_normal(self._extended_shape(sample_shape), self.df)
        Z = Chi2(self.df, validate_args=False).rsample(sample_shape)
        return self.loc + self.scale * X * (Z / self.df).rsqrt()

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        y = (self._checked(value) - self.loc) / self.scale
        area = self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
        area = area + (0.5 * self.df).lgamma() - (0.5 * (self.df + 1)).lgamma()
        return -0.5 * (self.df + 1) * (y**2 / self.df).log1p() - area

    def entropy(self) -> Tensor:
        """log scale + ½(ν+1)(ψ(½(ν+1)) - ψ(½ν)) + ½ log ν + log B(½ν, ½)."""
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        beta = half.lgamma() + math.lgamma(0.5) - more.lgamma()
        return self.scale.log() + more * (more.digamma() - half.digamma()) + 0.5 * self.df.log() + beta

"""`Laplace`: a two-sided exponential distribution."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import dtypes
from ..core.tensor import Tensor
from . import constraints
from .distribution import Distribution
from .draws import uniform
from .utils import broadcast_all


class Laplace(Distribution):
    """The Laplace distribution with mean `loc`.

    log p(x) = -|x - loc| / scale - log(2 scale)

    >>> import minigrad as mg
    >>> Laplace(0.0, 1.0).log_prob(mg.tensor(1.0))
    tensor(-1.6931)
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
    def variance(self) -> Tensor:
        """2 scale²."""
        return 2 * self.scale**2

    @property
    def stddev(self) -> Tensor:
        """√2 scale."""
        return math.sqrt(2) * self.scale

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw loc - scale · sign(u) · log(1 - |u|), with u uniform between -1 and 1."""
        eps = dtypes.finfo(self.loc.dtype).eps
        u = uniform(self._extended_shape(sample_shape), self.loc) * (2 - eps) + (eps - 1)
        return self.loc - self.scale * u.sign() * (-u.abs()).log1p()

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        return -(2 * self.scale).log() - (self._checked(value) - self.loc).abs() / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        distance = self._checked(value) - self.loc
        return 0.5 - 0.5 * distance.sign() * (-distance.abs() / self.scale).expm1()

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        term = value - 0.5
        return self.loc - self.scale * term.sign() * (-2 * term.abs()).log1p()

    def entropy(self) -> Tensor:
        """1 + log(2 scale)."""
        return 1 + (2 * self.scale).log()

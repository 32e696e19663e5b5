"""`Gumbel`: the distribution of the maximum of many draws."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import constraints
from .distribution import Distribution
from .draws import open_uniform
from .utils import broadcast_all

EULER = 0.57721566490153286060


class Gumbel(Distribution):
    """The Gumbel distribution: with y = (loc - x) / scale, log p(x) = y - e^y - log scale.

    >>> import minigrad as mg
    >>> Gumbel(0.0, 1.0).log_prob(mg.tensor(0.0))
    tensor(-1.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """loc + scale · Euler's constant."""
        return self.loc + self.scale * EULER

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    @property
    def stddev(self) -> Tensor:
        """π scale / √6."""
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        """π² scale² / 6."""
        return self.stddev**2

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw loc - scale · log(-log u), with u uniform between 0 and 1."""
        return self.loc - self.scale * (-open_uniform(self._extended_shape(sample_shape), self.loc).log()).log()

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        y = (self.loc - self._checked(value)) / self.scale
        return (y - y.exp()) - self.scale.log()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return (-((self.loc - self._checked(value)) / self.scale).exp()).exp()

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        return self.loc - self.scale * (-value.log()).log()

    def entropy(self) -> Tensor:
        """log scale + 1 + Euler's constant."""
        return self.scale.log() + (1 + EULER)

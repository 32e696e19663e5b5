"""`Cauchy`: a bell-shaped distribution with such heavy tails that it has no mean."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..ops.create.factories import empty
from ..ops.create.like import full_like
from . import constraints
from .distribution import Distribution
from .utils import broadcast_all


class Cauchy(Distribution):
    """The Cauchy distribution with median `loc` and half width `scale`.

    log p(x) = -log(π scale (1 + ((x - loc) / scale)²))

    >>> import minigrad as mg
    >>> Cauchy(0.0, 1.0).cdf(mg.tensor(1.0))
    tensor(0.7500)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        """NaN: a Cauchy distribution has no mean."""
        return full_like(self.loc, float("nan"))

    @property
    def mode(self) -> Tensor:
        """The value of highest density, `loc`."""
        return self.loc

    @property
    def variance(self) -> Tensor:
        """Infinite."""
        return full_like(self.loc, float("inf"))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw loc + scale · standard Cauchy numbers."""
        with no_grad():
            drawn = empty(self._extended_shape(sample_shape), dtype=self.loc.dtype, device=self.loc.device).cauchy_()
        return self.loc + self.scale * drawn

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density."""
        distance = (self._checked(value) - self.loc) / self.scale
        return -math.log(math.pi) - self.scale.log() - (distance**2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        return ((self._checked(value) - self.loc) / self.scale).atan() / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        return (math.pi * (value - 0.5)).tan() * self.scale + self.loc

    def entropy(self) -> Tensor:
        """log(4π scale)."""
        return math.log(4 * math.pi) + self.scale.log()

"""`Weibull`: lifetimes until a failure."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.create.like import ones_like
from . import constraints
from .exponential import Exponential
from .gumbel import EULER
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .utils import broadcast_all


class Weibull(TransformedDistribution):
    """The distribution of scale · t to the power 1 / k, with waiting times t of rate 1 and k = `concentration`.

    >>> Weibull(2.0, 1.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "scale": constraints.positive, "concentration": constraints.positive,
    }  # fmt: skip
    support = constraints.positive
    has_rsample = True

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        waiting = Exponential(ones_like(self.scale), validate_args=validate_args)
        super().__init__(waiting, self._steps(), validate_args=validate_args)

    def _steps(self) -> list[Any]:
        power = PowerTransform(exponent=self.concentration.reciprocal())
        return [power, AffineTransform(loc=0, scale=self.scale)]

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        super()._expanded(origin, batch_shape)
        self.transforms = self._steps()

    @property
    def mean(self) -> Tensor:
        """scale · Γ(1 + 1 / k)."""
        return self.scale * (1 + self.concentration.reciprocal()).lgamma().exp()

    @property
    def mode(self) -> Tensor:
        """scale · ((k - 1) / k) to the power 1 / k."""
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        """scale² (Γ(1 + 2 / k) - Γ(1 + 1 / k)²)."""
        one = self.concentration.reciprocal()
        return self.scale**2 * ((1 + 2 * one).lgamma().exp() - (2 * (1 + one).lgamma()).exp())

    def entropy(self) -> Tensor:
        """Euler's constant · (1 - 1 / k) + log(scale / k) + 1."""
        one = self.concentration.reciprocal()
        return EULER * (1 - one) + (self.scale * one).log() + 1

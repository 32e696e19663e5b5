"""`Kumaraswamy`: numbers between 0 and 1, like `Beta`, with a distribution function in closed form."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..ops.create.like import full_like
from . import constraints
from .gumbel import EULER
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, PowerTransform
from .uniform import Uniform
from .utils import broadcast_all


class Kumaraswamy(TransformedDistribution):
    """The distribution on (0, 1) with F(x) = 1 - (1 - xᵃ)ᵇ, a = `concentration1`, b = `concentration0`.

    >>> Kumaraswamy(1.0, 1.0).mean
    tensor(0.5000)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {
        "concentration1": constraints.positive, "concentration0": constraints.positive,
    }  # fmt: skip
    support = constraints.unit_interval
    has_rsample = True

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        even = Uniform(
            full_like(self.concentration0, 0), full_like(self.concentration0, 1), validate_args=validate_args
        )
        super().__init__(even, self._steps(), validate_args=validate_args)

    def _steps(self) -> list[Any]:
        turn = AffineTransform(loc=1.0, scale=-1.0)
        inner, outer = self.concentration0.reciprocal(), self.concentration1.reciprocal()
        return [PowerTransform(exponent=inner), turn, PowerTransform(exponent=outer)]

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        super()._expanded(origin, batch_shape)
        self.transforms = self._steps()

    def _moment(self, n: int) -> Tensor:
        a, b = self.concentration1, self.concentration0
        power = 1 + n / a
        return (b.log() + power.lgamma() + b.lgamma() - (power + b).lgamma()).exp()

    @property
    def mean(self) -> Tensor:
        """b · B(1 + 1 / a, b)."""
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        """((a - 1) / (ab - 1)) to the power 1 / a; NaN if a or b is below 1."""
        a, b = self.concentration1, self.concentration0
        mode = ((a - 1) / (a * b - 1)) ** a.reciprocal()
        return mode.masked_fill((a < 1) | (b < 1), float("nan"))

    @property
    def variance(self) -> Tensor:
        """The second moment minus the square of the mean."""
        return self._moment(2) - self._moment(1) ** 2

    def entropy(self) -> Tensor:
        """(1 - 1 / b) + (1 - 1 / a) H_b - log(ab), with H_b = ψ(b + 1) + Euler's constant."""
        t1, t0 = 1 - self.concentration1.reciprocal(), 1 - self.concentration0.reciprocal()
        H = (self.concentration0 + 1).digamma() + EULER
        return t0 + t1 * H - self.concentration1.log() - self.concentration0.log()

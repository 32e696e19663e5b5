"""`Pareto`: a distribution with a power-law tail."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from . import constraints
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .transforms import AffineTransform, ExpTransform
from .utils import broadcast_all


class Pareto(TransformedDistribution):
    """Numbers above `scale` (m) whose tail falls with the power `alpha`: log p(x) = log α + α log m - (α + 1) log x.

    >>> Pareto(1.0, 2.0).mean
    tensor(2.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"alpha": constraints.positive, "scale": constraints.positive}
    has_rsample = True

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        waiting = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(waiting, transforms, validate_args=validate_args)

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        super()._expanded(origin, batch_shape)
        self.transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        """Values of at least `scale`."""
        return constraints.greater_than_eq(self.scale)

    @property
    def mean(self) -> Tensor:
        """α m / (α - 1), infinite for α up to 1."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        """The smallest number, `scale`."""
        return self.scale

    @property
    def variance(self) -> Tensor:
        """m² α / ((α - 1)² (α - 2)), infinite for α up to 2."""
        a = self.alpha.clamp(min=2)
        return self.scale**2 * a / ((a - 1) ** 2 * (a - 2))

    def entropy(self) -> Tensor:
        """log(m / α) + 1 + 1 / α."""
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())

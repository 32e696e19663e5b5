"""`TransformedDistribution`: a distribution whose draws are transformed."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentError
from .distribution import Distribution
from .independent import Independent
from .transforms import ComposeTransform, Transform
from .utils import sum_rightmost


class TransformedDistribution(Distribution):
    """The distribution of draws of `base_distribution` after `transforms`: log p(y) = log p(x) - log |dy/dx|.

    >>> import minigrad as mg
    >>> from minigrad.distributions import ExpTransform, Normal
    >>> TransformedDistribution(Normal(0.0, 1.0), ExpTransform()).log_prob(mg.tensor(1.0))
    tensor(-0.9189)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        listed = [transforms] if isinstance(transforms, Transform) else transforms
        self.transforms = list(listed) if isinstance(listed, (list, tuple)) else [listed]
        if not all(isinstance(each, Transform) for each in self.transforms):
            raise ArgumentError(f"transforms must be a Transform or a list of Transforms, but was {transforms}")
        whole = ComposeTransform(self.transforms)
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        if len(base_shape) < whole.domain.event_dim:
            raise ArgumentError(
                f"base_distribution needs to have shape with size at least {whole.domain.event_dim}, "
                f"but got {tuple(base_shape)}."
            )
        shape = whole.forward_shape(base_shape)
        inner = whole.inverse_shape(shape)
        if tuple(inner) != tuple(base_shape):
            cut = len(inner) - len(base_distribution.event_shape)
            base_distribution = base_distribution.expand(inner[:cut])
        joined = whole.domain.event_dim - len(base_distribution.event_shape)
        self.base_dist: Any = Independent(base_distribution, joined) if joined > 0 else base_distribution
        change = whole.codomain.event_dim - whole.domain.event_dim
        cut = len(shape) - max(len(self.base_dist.event_shape) + change, whole.codomain.event_dim)
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        whole = ComposeTransform(self.transforms)
        inner = whole.inverse_shape(Size((*batch_shape, *origin.event_shape)))
        self.base_dist = origin.base_dist.expand(inner[: len(inner) - len(origin.base_dist.event_shape)])

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        """Whether the base distribution has `rsample`."""
        return bool(self.base_dist.has_rsample)

    @property
    def support(self) -> Any:
        """The codomain of the last transform."""
        if not self.transforms:
            return self.base_dist.support
        return ComposeTransform(self.transforms).codomain

    def sample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers. No gradient flows through them."""
        with no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape: Any = ()) -> Tensor:
        """Draw random numbers through which gradients flow to the parameters."""
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x: Tensor) -> Tensor:
        for each in self.transforms:
            x = each(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        """The logarithm of the density: that of the base minus the log-determinant of each transform."""
        y, dims = self._checked(value), len(self.event_shape)
        total: Any = 0.0
        for each in reversed(self.transforms):
            x = each.inv(y)
            dims += each.domain.event_dim - each.codomain.event_dim
            total = total - sum_rightmost(each.log_abs_det_jacobian(x, y), dims - each.domain.event_dim)
            y = x
        return total + sum_rightmost(self.base_dist.log_prob(y), dims - len(self.base_dist.event_shape))

    def _rises(self) -> Any:
        sign: Any = 1
        for each in self.transforms:
            sign = sign * each.sign
        return sign

    def cdf(self, value: Tensor) -> Tensor:
        """The probability that a draw is at most `value`."""
        value = self._checked(value)
        for each in reversed(self.transforms):
            value = each.inv(value)
        return _turned(self.base_dist.cdf(value), self._rises())

    def icdf(self, value: Tensor) -> Tensor:
        """The quantile: the number below which a draw lies with probability `value`."""
        return self._forward(self.base_dist.icdf(_turned(value, self._rises())))


def _turned(chance: Tensor, sign: Any) -> Tensor:
    """Return the probability if the transform increases, or 1 minus it if it decreases."""
    return chance if isinstance(sign, int) and sign == 1 else sign * (chance - 0.5) + 0.5

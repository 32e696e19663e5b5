"""Activations with kinks, thresholds or random slopes, as modules."""

from __future__ import annotations

from ...core.tensor import Tensor
from ...errors import ArgumentError
from .. import functional as F
from ..function_module import Configured
from ..module import Module
from .modules import MayBeInPlace


class CELU(MayBeInPlace):
    """An ELU whose slope is continuous for every `alpha`."""

    settings = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.keep(alpha)

    def forward(self, input: Tensor) -> Tensor:
        """max(0, x) + min(0, alpha (exp(x / alpha) - 1))"""
        return F.celu(input, self.alpha, self.inplace)


class Hardsigmoid(MayBeInPlace):
    """A piecewise linear approximation of the sigmoid."""

    def forward(self, input: Tensor) -> Tensor:
        """relu6(x + 3) / 6"""
        return F.hardsigmoid(input, self.inplace)


class RReLU(MayBeInPlace):
    """A leaky ReLU with random slopes in training."""

    settings = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.keep(lower, upper)

    def forward(self, input: Tensor) -> Tensor:
        """x where x > 0, slope x elsewhere"""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Threshold(MayBeInPlace):
    """Replaces elements that are not above a threshold by one value."""

    settings = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.keep(threshold, value)

    def forward(self, input: Tensor) -> Tensor:
        """x where x > threshold, value elsewhere"""
        return F.threshold(input, self.threshold, self.value, self.inplace)


class _Shrink(Configured):
    settings = ("lambd",)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.keep(lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """Replaces small elements by 0."""

    def forward(self, input: Tensor) -> Tensor:
        """x where |x| > lambd, 0 elsewhere"""
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """Moves elements towards 0 by `lambd`, and small ones to 0."""

    def forward(self, input: Tensor) -> Tensor:
        """x - lambd, 0, or x + lambd"""
        return F.softshrink(input, self.lambd)


class Softsign(Module):
    """Maps elements to the range from -1 to 1, with slower saturation than tanh."""

    def forward(self, input: Tensor) -> Tensor:
        """x / (1 + |x|)"""
        return F.softsign(input)


class Softmax2d(Module):
    """Softmax over the channels, at every position of (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return positive numbers that sum to 1 over the channels."""
        if input.ndim not in (3, 4):
            raise ArgumentError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3)

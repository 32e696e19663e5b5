"""Layers that pad their input."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.common.dims import pair
from . import functional as F
from .module import Module


class _Pad(Module):
    """Pads the last dimensions; `padding` is (before, after) of the last one, then of the one before, ..."""

    dimensions: ClassVar[int]
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = pair(padding, 2 * self.dimensions)

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, padded."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, padded."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Pads the last dimension with one number."""

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """Pads the last two dimensions with one number."""

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """Pads the last three dimensions with one number."""

    dimensions = 3


class ZeroPad1d(ConstantPad1d):
    """Pads the last dimension with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Pads the last two dimensions with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Pads the last three dimensions with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(_Pad):
    """Pads the last dimension with its mirror image."""

    dimensions = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Pads the last two dimensions with their mirror image."""

    dimensions = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Pads the last three dimensions with their mirror image."""

    dimensions = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Pads the last dimension by repeating its edge."""

    dimensions = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Pads the last two dimensions by repeating their edges."""

    dimensions = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Pads the last three dimensions by repeating their edges."""

    dimensions = 3
    mode = "replicate"


class _CircularPad(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, padded."""
        wanted = (self.dimensions + 1, self.dimensions + 2)
        if input.ndim not in wanted:
            raise ArgumentError(f"expected {wanted[0]}D or {wanted[1]}D input (got {input.ndim}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPad):
    """Pads the last dimension with elements of its other end."""

    dimensions = 1


class CircularPad2d(_CircularPad):
    """Pads the last two dimensions with elements of their other ends."""

    dimensions = 2


class CircularPad3d(_CircularPad):
    """Pads the last three dimensions with elements of their other ends."""

    dimensions = 3

"""Layers that put a frame around their input."""

from __future__ import annotations

from typing import Any, ClassVar

from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.common.dims import pair
from . import functional as F
from .module import Module


class _Pad(Module):
    """A frame around the last dimensions; `padding` is (before, after) of the last one, of the one before, ..."""

    dimensions: ClassVar[int]
    mode: ClassVar[str] = "constant"

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = pair(padding, 2 * self.dimensions)

    def forward(self, input: Tensor) -> Tensor:
        """`input`, with its frame."""
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return str(self.padding)


class _ConstantPad(_Pad):
    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """`input`, with its frame."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """One number around the last dimension."""

    dimensions = 1


class ConstantPad2d(_ConstantPad):
    """One number around the last two dimensions."""

    dimensions = 2


class ConstantPad3d(_ConstantPad):
    """One number around the last three dimensions."""

    dimensions = 3


class ZeroPad1d(ConstantPad1d):
    """Zeros around the last dimension."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Zeros around the last two dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Zeros around the last three dimensions."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ReflectionPad1d(_Pad):
    """The mirror image around the last dimension."""

    dimensions = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """The mirror image around the last two dimensions."""

    dimensions = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """The mirror image around the last three dimensions."""

    dimensions = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """The edge, repeated, around the last dimension."""

    dimensions = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """The edge, repeated, around the last two dimensions."""

    dimensions = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """The edge, repeated, around the last three dimensions."""

    dimensions = 3
    mode = "replicate"


class _CircularPad(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        """`input`, with its frame."""
        wanted = (self.dimensions + 1, self.dimensions + 2)
        if input.ndim not in wanted:
            raise ArgumentError(f"expected {wanted[0]}D or {wanted[1]}D input (got {input.ndim}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPad):
    """The other end around the last dimension."""

    dimensions = 1


class CircularPad2d(_CircularPad):
    """The other end around the last two dimensions."""

    dimensions = 2


class CircularPad3d(_CircularPad):
    """The other end around the last three dimensions."""

    dimensions = 3

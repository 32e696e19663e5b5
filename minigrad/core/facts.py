"""Facts about a tensor's array: shape, dtype and memory layout."""

from __future__ import annotations

import math
from typing import Any, overload

from .. import dtypes
from ..backend import Backend, device
from ..layout import contiguous_format
from .batch import Batch
from .size import Size


class Facts:
    """Attributes and methods that are attached to `Tensor`. None of them reads the graph."""

    __slots__ = ()

    _array: Any
    _backend: Backend
    _view: Any

    @overload
    def size(self, dim: None = None) -> Size: ...
    @overload
    def size(self, dim: int) -> int: ...
    def size(self, dim: int | None = None) -> Any:
        """The shape, or the size of dimension `dim`."""
        return Size(self._array.shape) if dim is None else self._array.shape[dim]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return int(self._array.ndim)

    def dim(self) -> int:
        """The number of dimensions."""
        return int(self._array.ndim)

    def numel(self) -> int:
        """The number of elements."""
        return math.prod(self._array.shape)

    nelement = numel

    @property
    def device(self) -> device:
        """The device that holds the elements."""
        return self._backend.device

    @property
    def itemsize(self) -> int:
        """The number of bytes of one element."""
        return int(self._array.itemsize)

    def element_size(self) -> int:
        """The number of bytes of one element."""
        return self.itemsize

    @property
    def nbytes(self) -> int:
        """The number of bytes of all elements."""
        return self.numel() * self.itemsize

    @overload
    def stride(self, dim: None = None) -> tuple[int, ...]: ...
    @overload
    def stride(self, dim: int) -> int: ...
    def stride(self, dim: int | None = None) -> Any:
        """The strides in elements: of all dimensions, or of one."""
        shape, steps = self._array.shape, [step // self._array.itemsize for step in self._array.strides]
        if 0 in shape or (1 in shape and 0 in steps):
            _fill_open_strides(shape, steps)
        return tuple(steps) if dim is None else steps[dim]

    def storage_offset(self) -> int:
        """The number of elements between the start of the base's memory and this tensor's first element."""
        if self._view is None:
            return 0
        here, base = (
            self._backend.address(array.everything() if type(array) is Batch else array)
            for array in (self._array, self._view.base._array)
        )
        return (here - base) // self.itemsize

    def data_ptr(self) -> int:
        """The address of the first element."""
        return self._backend.address(self._array)

    def is_contiguous(self, memory_format: Any = contiguous_format) -> bool:
        """Whether the elements lie without gaps, in the order of `memory_format`: by default row by row."""
        order = memory_format.order
        if order is None:
            return bool(self._array.flags.c_contiguous)
        array = self._array.example() if type(self._array) is Batch else self._array
        return len(order) == array.ndim and bool(array.transpose(order).flags.c_contiguous)

    def is_floating_point(self) -> bool:
        """Whether the dtype is a real floating-point type."""
        return dtypes.of(self._array.dtype).is_floating_point

    def is_complex(self) -> bool:
        """Whether the dtype is complex."""
        return dtypes.of(self._array.dtype).is_complex

    @property
    def is_cuda(self) -> bool:
        """Whether the tensor is on an NVIDIA GPU."""
        return self.device.type == "cuda"


def _fill_open_strides(shape: tuple[int, ...], steps: list[int]) -> None:
    """Write PyTorch's strides where no element depends on them: for sizes of 1, and in an empty tensor."""
    empty = 0 in shape
    for dim in reversed(range(len(shape))):
        if empty or (shape[dim] == 1 and not steps[dim]):
            inside = dim + 1 < len(shape)
            steps[dim] = max(shape[dim + 1], 1) * steps[dim + 1] if inside else 1

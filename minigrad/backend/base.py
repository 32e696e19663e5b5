"""The interface between minigrad and an array library.

A `Backend` *is* the namespace that ops compute with: every op's ``forward(self, xp, ...)`` gets one as ``xp``. Names
that the libraries share (``xp.tanh``, ``xp.matmul``) come directly from the library's module. The few that differ, or
that go below the array interface, are methods here; a new backend overrides those that its library does differently.
`registry` finds the backend of a device.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from .device import device
from .layout import arranged, channels_last, dense_strides, innermost_first, strides_in


class Backend(ABC):
    """An array library on one device. A new backend must define the abstract methods."""

    has_elements = True
    """Whether its arrays hold elements; on the device ``meta`` they have only a shape, dtype and strides."""

    def __init__(self, module: Any, where: device, array_type: type) -> None:
        self.module = module
        self.device = where
        self.array_type = array_type

    def __getattr__(self, name: str) -> Any:
        """Return a name of the library's module, and cache it as an attribute."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.module, name)
        setattr(self, name, found)
        return found

    def at_least(self, array: Any, bound: float) -> Any:
        """Return the maximum of each element and a number."""
        return self.maximum(array, bound)

    def at_most(self, array: Any, bound: float) -> Any:
        """Return the minimum of each element and a number."""
        return self.minimum(array, bound)

    # Conversion

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        """Return `data` as an array of this library; an array is not copied."""
        return self.module.asarray(data, dtype=dtype)

    def from_host(self, host: Any) -> Any:
        """Convert a NumPy array to an array of this library. They may share memory."""
        return self.module.asarray(host)

    @abstractmethod
    def to_host(self, array: Any) -> Any:
        """Convert `array` to a NumPy array. They may share memory."""

    def copy(self, array: Any) -> Any:
        """Return a copy whose dimensions have the same order in memory."""
        if 0 in array.strides:  # with stride 0, NumPy would make that dimension the innermost
            made = self.like(array, array.dtype)
            made[...] = array
            return made
        return array.copy(order="K")

    def like(self, array: Any, dtype: Any, lead: tuple[int, ...] = ()) -> Any:
        """Return memory of shape (*lead, *array.shape) without gaps, its dimensions in the order of those of
        `array`.
        """
        shape = (*lead, *array.shape)
        if array.flags.c_contiguous:
            return self.empty(shape, dtype)
        steps = dense_strides(array.shape, array.strides)
        order = sorted(range(len(steps)), key=lambda dim: -steps[dim])
        return self.ordered(shape, (*range(len(lead)), *(len(lead) + dim for dim in order)), dtype)

    def ordered(self, shape: Sequence[int], order: Sequence[int], dtype: Any) -> Any:
        """Return memory without gaps, its dimensions in this order from the outermost to the innermost."""
        made = self.empty(tuple(shape[dim] for dim in order), dtype)
        return made.transpose(sorted(range(len(order)), key=order.__getitem__))

    def row_major(self, array: Any) -> Any:
        """Return `array` with its elements row by row in memory, copied if needed."""
        return array if array.ndim < 2 or array.flags.c_contiguous else array.copy(order="C")

    def column_major(self, array: Any) -> Any:
        """Return `array` with each matrix column by column in memory, copied if needed."""
        return array if array.ndim < 2 else self.row_major(array.swapaxes(-1, -2)).swapaxes(-1, -2)

    def arranged(self, result: Any, order: str, operands: Sequence[Any]) -> Any:
        """Return `result` in the memory order that its op declares, copied if needed. `operands` are the op's inputs.

        If the operands have different orders, NumPy's result is row by row. Random numbers, as of dropout, are drawn in
        memory order, so the order must be that of PyTorch.
        """
        shape = result.shape
        if len(shape) < 2:
            return result
        if order == "rows":
            return self.row_major(result)
        if order == "columns":
            return self.column_major(result) if len(shape) == operands[0].ndim else result
        if order in ("channels", "all channels"):
            images = [each for each in operands if getattr(each, "ndim", 0) == len(shape)]
            enough = all if order == "all channels" else any
            last = bool(images) and enough(channels_last(each.shape, each.strides) for each in images)
            return arranged(result, (0, *range(2, len(shape)), 1)) if last else self.row_major(result)
        known = [each for each in operands[: 1 if order == "first" else None] if hasattr(each, "strides")]
        if result.flags.c_contiguous and all(each.flags.c_contiguous for each in known):
            return result
        inner = innermost_first(shape, [strides_in(shape, each.shape, each.strides) for each in known])
        return arranged(result, inner[::-1])

    def pick(self, array: Any, index: Any, axis: int) -> Any:
        """Return the slices of `array` along `axis` at the positions `index`."""
        if array.flags.c_contiguous:
            return array.take(index, axis=axis)  # much faster than indexing, but copies
        return array[(slice(None),) * axis + (index,)]

    # Memory access

    def shares(self, view: Any, array: Any) -> bool:
        """Return whether `view`, just made from `array`, shares its memory."""
        return view is array or view.base is array or (array.base is not None and view.base is array.base)

    @abstractmethod
    def address(self, array: Any) -> int:
        """Return the address of the first element."""

    @abstractmethod
    def as_strided(self, array: Any, shape: Any, strides: Any, offset: int) -> Any:
        """Return a view of `array`'s memory; strides are in bytes, and so is offset, counted from its first element."""

    # Functions that differ between libraries

    @abstractmethod
    def scatter_add(self, target: Any, index: Any, source: Any) -> None:
        """Compute ``target[index] += source`` so that an index that occurs several times is added each time."""

    @abstractmethod
    def scatter(self, name: str, target: Any, index: Any, source: Any) -> None:
        """Do what `scatter_add` does with "multiply", "maximum" or "minimum" in place of the sum."""

    @abstractmethod
    def accumulate(self, name: str, array: Any, axis: int) -> Any:
        """Return the running result along `axis` of a function of two numbers: "maximum", "logaddexp", ..."""

    def compiled(self, name: str, *arrays: Any) -> Any:
        """Return a plug-in's routine that does several NumPy calls in one pass, or None if none fits `arrays`."""
        return None

    def errstate(self, **wishes: str) -> Any:
        """Return a context in which an inf or a NaN causes no warning."""
        return nullcontext()

    def broadcast_shapes(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape to which these shapes broadcast."""
        return np.broadcast_shapes(*shapes)

    @abstractmethod
    def special(self, name: str) -> Any:
        """Return a function that the library's main module lacks: erf, lgamma, digamma, ..."""

    @abstractmethod
    def new_generator(self, seed: int) -> Any:
        """Return a stream of random numbers on this device: a `DeviceDraws` or an object with the same methods."""

    # The device

    def synchronize(self) -> None:  # noqa: B027 - nothing to wait for, unless the device works on its own
        """Wait until all pending work is done."""

    def memory_allocated(self) -> int:
        """Return the bytes of device memory that arrays use."""
        return 0

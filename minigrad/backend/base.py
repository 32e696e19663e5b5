"""The interface between minigrad and an array library.

A `Backend` *is* the namespace that ops compute with: every op's ``forward(self, xp, ...)`` gets one as ``xp``. Names
that the libraries share (``xp.tanh``, ``xp.matmul``) come straight from the library's module; the few that differ, or
that reach below the array interface, are methods here, and a new backend overrides those that its library does
otherwise. `registry` says how a device finds its backend.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from .device import device
from .layout import arranged, dense_strides, innermost_first, strides_in


class Backend(ABC):
    """An array library on one device. What is abstract a backend must write; Python names what one leaves out."""

    has_elements = True
    """Whether its arrays hold numbers, and not their shapes alone."""

    def __init__(self, module: Any, where: device, array_type: type) -> None:
        self.module = module
        self.device = where
        self.array_type = array_type

    def __getattr__(self, name: str) -> Any:
        """A name of the library itself, kept so that the next look-up is an ordinary attribute."""
        if name.startswith("__"):
            raise AttributeError(name)
        found = getattr(self.module, name)
        setattr(self, name, found)
        return found

    def at_least(self, array: Any, bound: float) -> Any:
        """The larger of each element and a number."""
        return self.maximum(array, bound)

    def at_most(self, array: Any, bound: float) -> Any:
        """The smaller of each element and a number."""
        return self.minimum(array, bound)

    # Coming and going

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        """`data` as an array of this library, without a copy where it is one already."""
        return self.module.asarray(data, dtype=dtype)

    def from_host(self, host: Any) -> Any:
        """A NumPy array as an array of this library; it may share memory."""
        return self.module.asarray(host)

    @abstractmethod
    def to_host(self, array: Any) -> Any:
        """`array` as a NumPy array; it may share memory."""

    def copy(self, array: Any) -> Any:
        """A copy with the same order of strides."""
        if 0 in array.strides:  # NumPy would lay the repeated dimension innermost
            made = self.like(array, array.dtype)
            made[...] = array
            return made
        return array.copy(order="K")

    def like(self, array: Any, dtype: Any, lead: tuple[int, ...] = ()) -> Any:
        """Memory without gaps with the shape of `array`, its dimensions in the same order; `lead`: further sizes."""
        shape = (*lead, *array.shape)
        if array.flags.c_contiguous:
            return self.empty(shape, dtype)
        steps = dense_strides(array.shape, array.strides)
        order = sorted(range(len(steps)), key=lambda dim: -steps[dim])
        many = len(lead)
        made = self.empty((*lead, *(array.shape[dim] for dim in order)), dtype)
        return made.transpose((*range(many), *(many + order.index(dim) for dim in range(len(order)))))

    def row_major(self, array: Any) -> Any:
        """`array` with its elements row by row in memory: a copy where they lie otherwise."""
        return array if array.ndim < 2 or array.flags.c_contiguous else array.copy(order="C")

    def column_major(self, array: Any) -> Any:
        """`array` with each matrix column by column in memory: a copy where they lie otherwise."""
        return array if array.ndim < 2 else self.row_major(array.swapaxes(-1, -2)).swapaxes(-1, -2)

    def arranged(self, result: Any, order: str, operands: Sequence[Any]) -> Any:
        """`result` of `operands` in the memory order that its op declares: a copy where it lies otherwise.

        NumPy lays a result row by row where its operands do not agree. What is drawn for each element, as by dropout,
        follows memory, so it must lie as in PyTorch.
        """
        shape = result.shape
        if len(shape) < 2:
            return result
        if order == "rows":
            return self.row_major(result)
        if order == "columns":
            return self.column_major(result) if len(shape) == operands[0].ndim else result
        known = [each for each in operands[: 1 if order == "first" else None] if hasattr(each, "strides")]
        if result.flags.c_contiguous and all(each.flags.c_contiguous for each in known):
            return result
        inner = innermost_first(shape, [strides_in(shape, each.shape, each.strides) for each in known])
        return arranged(result, inner[::-1])

    def pick(self, array: Any, index: Any, axis: int) -> Any:
        """The slices of `array` along `axis` that `index` names."""
        if array.flags.c_contiguous:
            return array.take(index, axis=axis)  # several times as fast as an index, but it copies what lies otherwise
        return array[(slice(None),) * axis + (index,)]

    # Memory below the array interface

    def shares(self, view: Any, array: Any) -> bool:
        """Whether `view`, just made from `array`, looks into its memory."""
        return view is array or view.base is array or (array.base is not None and view.base is array.base)

    @abstractmethod
    def address(self, array: Any) -> int:
        """The address of the first element."""

    @abstractmethod
    def as_strided(self, array: Any, shape: Any, strides: Any, offset: int) -> Any:
        """A view of `array`'s memory; strides in bytes, offset in bytes from its first element."""

    # What the libraries do differently

    @abstractmethod
    def scatter_add(self, target: Any, index: Any, source: Any) -> None:
        """``target[index] += source`` where an index may occur many times: every occurrence counts."""

    @abstractmethod
    def scatter(self, name: str, target: Any, index: Any, source: Any) -> None:
        """As `scatter_add`, with "multiply", "maximum" or "minimum" for the sum."""

    @abstractmethod
    def accumulate(self, name: str, array: Any, axis: int) -> Any:
        """The running result of a function of two numbers along `axis`: of "maximum", "logaddexp", ..."""

    def compiled(self, name: str, *arrays: Any) -> Any:
        """A plug-in's routine that does in one pass what takes several here, None where there is none for `arrays`."""
        return None

    def errstate(self, **wishes: str) -> Any:
        """A ``with`` block in which an inf or a nan is no reason for a warning."""
        return nullcontext()

    def broadcast_shapes(self, *shapes: tuple[int, ...]) -> tuple[int, ...]:
        """The shape that arrays of these shapes have together."""
        return np.broadcast_shapes(*shapes)

    @abstractmethod
    def special(self, name: str) -> Any:
        """A function that the library's main module lacks: erf, lgamma, digamma, ..."""

    @abstractmethod
    def new_generator(self, seed: int) -> Any:
        """A stream of random numbers on this device: `DeviceDraws`, or what has its methods."""

    # The machine

    def synchronize(self) -> None:  # noqa: B027 - nothing to wait for, unless the device works on its own
        """Wait until everything asked for has been computed."""

    def memory_allocated(self) -> int:
        """Bytes of device memory in use by arrays."""
        return 0

"""The default backend: NumPy on the CPU."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from .base import Backend
from .compiled import ENOUGH, routine
from .device import device
from .scatter import add_at


class _Window:
    """Wraps memory of another library for NumPy, and keeps the owner alive."""

    def __init__(self, interface: dict[str, Any], owner: Any) -> None:
        self.__array_interface__ = interface
        self.owner = owner


NUMBERS = frozenset(np.sctypeDict.values()) - {np.object_, np.void, np.str_, np.bytes_}
"""The types of NumPy's scalars. A tensor treats each as a Python number, which does not change its dtype."""

MANY = 1024
"""Arrays with at least this many elements are selected from by their bits, and clipped by vector instructions."""

HUGE = 1e38
"""Bounds below this are finite in every float type that is clipped."""

_quiet = False


def let_numbers_be_infinite() -> None:
    """Ignore NumPy's warnings about inf and NaN in minigrad's modules, where both are ordinary numbers.

    The first NumPy function that a program uses installs the filter, so that ``import minigrad`` alone changes none.
    """
    global _quiet
    if not _quiet:
        _quiet = True
        warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"minigrad\.")


class NumpyBackend(Backend):
    """NumPy arrays in main memory."""

    def __init__(self, index: int | None = None) -> None:
        super().__init__(np, device("cpu"), np.ndarray)

    def __getattr__(self, name: str) -> Any:
        let_numbers_be_infinite()
        return super().__getattr__(name)

    def asarray(self, data: Any, dtype: Any = None) -> Any:
        return np.asarray(data, dtype)

    def to_host(self, array: Any) -> Any:
        return array

    # Shorter than NumPy's own functions, which would also warn from NumPy's modules.

    def sum(self, array: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        """Return the sum over `axis`; None means all axes."""
        return np.add.reduce(array, axis, dtype, keepdims=keepdims)

    def prod(self, array: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        """Return the product over `axis`; None means all axes."""
        return np.multiply.reduce(array, axis, dtype, keepdims=keepdims)

    def amax(self, array: Any, axis: Any = None, keepdims: Any = False) -> Any:
        """Return the largest element over `axis`; None means all axes."""
        return np.maximum.reduce(array, axis, keepdims=keepdims)

    def amin(self, array: Any, axis: Any = None, keepdims: Any = False) -> Any:
        """Return the smallest element over `axis`; None means all axes."""
        return np.minimum.reduce(array, axis, keepdims=keepdims)

    def at_least(self, array: Any, bound: float) -> Any:
        """Return the maximum of each element and a number. For many elements ``np.clip`` is faster: it uses vectors."""
        if array.size >= MANY and array.dtype.char in "fd" and abs(bound) < HUGE:
            return np.clip(array, bound, np.inf)
        return np.maximum(array, bound)

    def at_most(self, array: Any, bound: float) -> Any:
        """Return the minimum of each element and a number."""
        if array.size >= MANY and array.dtype.char in "fd" and abs(bound) < HUGE:
            return np.clip(array, -np.inf, bound)
        return np.minimum(array, bound)

    def where(self, condition: Any, *choice: Any) -> Any:
        """Do what ``np.where`` does; for many floats by bit masks, ten times as fast as its branch at every element."""
        if len(choice) == 2 and condition.__class__ is np.ndarray and condition.size >= MANY:
            x, y = [each[()] if each.__class__ is np.ndarray and not each.ndim else each for each in choice]
            like = x if x.__class__ is np.ndarray else y
            floats = like.__class__ is np.ndarray and like.dtype.char in "fd"
            if floats and condition.dtype.char == "?" and _alike(condition, x, like) and _alike(condition, y, like):
                return _chosen(condition, x, y, like)
        return np.where(condition, *choice)

    def address(self, array: Any) -> int:
        return int(array.__array_interface__["data"][0])

    def as_strided(self, array: Any, shape: Any, strides: Any, offset: int) -> Any:
        owner = array
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        if owner.size and owner.flags.forc:  # a view with `owner` as its base, so that `shares` recognises it
            start = self.address(array) - self.address(owner) + offset
            return np.ndarray(shape, array.dtype, owner.ravel(order="K").view(np.uint8), start, strides)
        # Memory that NumPy does not own: use the array interface, as NumPy's as_strided does, but with an offset.
        interface = dict(array.__array_interface__)
        start, read_only = interface["data"]
        interface.update(data=(start + offset, read_only), shape=tuple(shape), strides=tuple(strides))
        return np.asarray(_Window(interface, array)).view(array.dtype)

    def broadcast_to(self, array: Any, shape: Any) -> Any:
        """``np.broadcast_to``, but writable where the array is: `core.view` says whether a write makes sense."""
        if array.flags.c_contiguous and array.size == 1:  # by far the most frequent: a loss's gradient
            return np.ndarray(shape, array.dtype, array, 0, (0,) * len(shape))
        view = np.broadcast_to(array, shape)
        view.flags.writeable = array.flags.writeable
        return view

    def diagonal(self, array: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        """``np.diagonal``, but writable where the array is."""
        view = np.diagonal(array, offset, axis1, axis2)
        view.flags.writeable = array.flags.writeable
        return view

    def accumulate(self, name: str, array: Any, axis: int) -> Any:
        return getattr(np, name).accumulate(array, axis=axis)

    def compiled(self, name: str, *arrays: Any) -> Any:
        return routine(name, arrays) if arrays[0].size >= ENOUGH else None

    def errstate(self, **wishes: str) -> Any:
        return np.errstate(**wishes)  # type: ignore[arg-type]

    def scatter_add(self, target: Any, index: Any, source: Any) -> None:
        add_at(target, index, source)

    def scatter(self, name: str, target: Any, index: Any, source: Any) -> None:
        getattr(np, name).at(target, index, source)

    def special(self, name: str) -> Any:
        from . import special

        return getattr(special, name)

    def new_generator(self, seed: int) -> Any:
        from .twister import Twister

        return Twister(seed)


def _alike(condition: Any, value: Any, like: Any) -> bool:
    """Return whether `value` has the shape of the condition and the dtype of `like`, or is a number."""
    if value.__class__ is np.ndarray:
        return bool(value.shape == condition.shape and value.dtype is like.dtype)
    return value.__class__ is float or value.__class__ is int or type(value) is like.dtype.type


def _chosen(condition: Any, x: Any, y: Any, like: Any) -> Any:
    """Return `x` where the condition is true and `y` elsewhere, by bit masks."""
    kind = like.dtype
    bits = np.dtype(f"i{kind.itemsize}")
    x, y = [each.view(bits) if each.__class__ is np.ndarray else kind.type(each).view(bits) for each in (x, y)]
    truth = condition.view("i1")
    if x.__class__ is not np.ndarray and x == 0:
        mask = np.subtract(truth, 1, dtype=bits)
        mask &= y
    else:
        mask = np.negative(truth, dtype=bits)
        if y.__class__ is not np.ndarray and y == 0:
            mask &= x
        else:
            mask &= x ^ y
            mask ^= y
    return mask.view(kind)

"""Copy between tensors and the buffers for MPI: contiguous arrays, in a dtype that MPI can reduce.

A tensor in the memory of a GPU goes through pinned memory of the host, unless MPI reads the GPU's memory itself
(``MINIGRAD_MPI_ON_DEVICE=1``). Neither has been tested on a GPU yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import events
from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError, DtypeError, GradError, ShapeError
from ..events import LISTENERS, emit
from .transport import Transport

WIDER = {"float16": "float32", "bfloat16": "float32", "bool": "uint8"}
"""Dtypes that MPI cannot reduce, and the dtypes used in their place."""


def tensor_in(argument: Any, name: str) -> Tensor:
    """`argument`, if it is a tensor; else raises an error."""
    if not isinstance(argument, Tensor):
        raise ArgumentTypeError(
            f"Invalid function argument. Expected parameter `{name}` of type minigrad.Tensor but got {type(argument)} "
            "instead."
        )
    return argument


def tensors_in(argument: Any, name: str) -> list[Tensor]:
    """Return `argument` if it is a list of tensors of one dtype."""
    if not isinstance(argument, (list, tuple)) or not all(isinstance(each, Tensor) for each in argument):
        raise ArgumentTypeError(
            f"Invalid function argument. Expected parameter `{name}` of type list[minigrad.Tensor], got {argument!r}"
        )
    if len({each.dtype for each in argument}) > 1:
        raise DtypeError(f"Invalid usage of tensors with different dtypes: {[each.dtype for each in argument]}")
    return list(argument)


def one_each(tensors: Sequence[Tensor], size: int, name: str) -> None:
    """Raise an error unless there is one tensor for each of `size` ranks, all of one shape."""
    if len(tensors) != size:
        raise ArgumentError(f"{name} must have one tensor for each of {size} ranks, got {len(tensors)}")
    if len({tuple(each.shape) for each in tensors}) > 1:
        raise ShapeError(f"all tensors of {name} must have one shape, got {[tuple(each.shape) for each in tensors]}")


def words(tensor: Tensor) -> str:
    """The shape and dtype of a tensor as text."""
    return f"{tuple(tensor.shape)} {tensor.dtype.name}"


def packed(tensors: Sequence[Tensor], transport: Transport, reduced: bool = False) -> Any:
    """A new buffer with the elements of `tensors`, concatenated; with `reduced`, in a dtype that MPI can reduce."""
    dtype = np.dtype(WIDER.get(tensors[0].dtype.name, tensors[0]._array.dtype)) if reduced else tensors[0]._array.dtype
    buffer = room(sum(each.numel() for each in tensors), dtype, tensors[0], transport)
    start = 0
    for each in tensors:
        array = each._array if _stays(each, transport) else each._backend.to_host(each._array)
        buffer[start : start + array.size] = array.reshape(-1)
        start += array.size
    return buffer


def room(count: int, dtype: Any, like: Tensor, transport: Transport) -> Any:
    """A buffer of `count` elements that `transport` can write, for a tensor like `like`."""
    if _stays(like, transport):
        return like._backend.empty((count,), dtype)
    return _pinned(count, np.dtype(dtype), like)


def _stays(tensor: Tensor, transport: Transport) -> bool:
    return tensor._backend.device.type == "cpu" or transport.on_device


def _pinned(count: int, dtype: Any, like: Tensor) -> Any:
    """Host memory that the GPU copies to and from directly."""
    memory = like._backend.cuda.alloc_pinned_memory(max(count * dtype.itemsize, 1))
    return np.frombuffer(memory, dtype, count)


def written(buffer: Any, tensors: Sequence[Tensor]) -> None:
    """Put the elements of `buffer` into `tensors`, one after the other, as in-place changes."""
    start = 0
    for each in tensors:
        part = buffer[start : start + each.numel()].reshape(each._array.shape)
        start += each.numel()
        check_writable(each)
        each._array[...] = part if isinstance(part, type(each._array)) else each._backend.from_host(part)
        each._storage.version += 1
        if LISTENERS:
            emit(events.Mutated(each, None))


def check_writable(tensor: Tensor) -> None:
    """Raise GradError for a tensor made by broadcasting: several of its elements share memory."""
    if any(stride == 0 and size > 1 for stride, size in zip(tensor._array.strides, tensor._array.shape, strict=True)):
        raise GradError("a tensor that was expanded cannot be received into: call contiguous() first")

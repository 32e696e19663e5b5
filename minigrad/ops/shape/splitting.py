"""Splitting along the first, second or third dimension, and broadcasting tensors to one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...backend import CPU
from ...core.size import Size
from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, ShapeError
from ..common.dims import sizes_of
from .join import tensor_split

__all__ = ["broadcast_shapes", "broadcast_tensors", "dsplit", "hsplit", "vsplit"]


def _split(name: str, input: Tensor, parts: Any, least: int, dim: int) -> tuple[Tensor, ...]:
    shape = input._array.shape
    if len(shape) < least:
        raise ShapeError(
            f"torch.{name} requires a tensor with at least {least} dimension{'s' * (least > 1)}, but got a tensor with "
            f"{len(shape)} dimensions!"
        )
    if isinstance(parts, str):
        raise ArgumentTypeError(f"{name}(): expected a number of parts or the indices to split at, got {parts!r}")
    if isinstance(parts, int) and (parts == 0 or shape[dim] % parts):
        raise ShapeError(
            f"torch.{name} attempted to split along dimension {dim}, but the size of the dimension {shape[dim]} is not "
            f"divisible by the split_size {parts}!"
        )
    return tensor_split(input, parts, dim)


def hsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split along the second dimension (a vector along its first), into equal parts or at these indices.

    >>> import minigrad as mg
    >>> mg.hsplit(mg.tensor([1, 2, 3, 4]), 2)
    (tensor([1, 2]), tensor([3, 4]))
    """
    return _split("hsplit", input, indices_or_sections, 1, 1 if input._array.ndim > 1 else 0)


def vsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split along the first dimension, into equal parts or at these indices."""
    return _split("vsplit", input, indices_or_sections, 2, 0)


def dsplit(input: Tensor, indices_or_sections: Any) -> tuple[Tensor, ...]:
    """Split along the third dimension, into equal parts or at these indices."""
    return _split("dsplit", input, indices_or_sections, 3, 2)


def broadcast_shapes(*shapes: Any) -> Size:
    """The shape to which these shapes broadcast.

    >>> import minigrad as mg
    >>> mg.broadcast_shapes((2, 1), (3,))
    minigrad.Size([2, 3])
    """
    read = [sizes_of((each,)) for each in shapes]
    try:
        return Size(CPU.broadcast_shapes(*read))
    except ValueError:
        raise ShapeError(
            f"Shape mismatch: objects cannot be broadcast to a single shape: {[list(each) for each in read]}"
        ) from None


def broadcast_tensors(*tensors: Any) -> tuple[Tensor, ...]:
    """Views of the tensors, broadcast to their common shape."""
    given: Sequence[Any] = tensors[0] if len(tensors) == 1 and not isinstance(tensors[0], Tensor) else tensors
    try:
        shape = broadcast_shapes(*[each._array.shape for each in given])
    except ShapeError as error:
        raise _misfit([each._array.shape for each in given]) or error from None
    return tuple([each.expand(shape) for each in given])


def _misfit(shapes: Sequence[tuple[int, ...]]) -> ShapeError | None:
    """Return an error that names the last dimension of which two shapes have different sizes."""
    longest = max(map(len, shapes))
    for dim in reversed(range(longest)):
        sizes = [shape[dim - longest] for shape in shapes if len(shape) >= longest - dim and shape[dim - longest] != 1]
        for size in sizes:
            if size != sizes[0]:
                return ShapeError(
                    f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({size}) at non-singleton "
                    f"dimension {dim}: shapes {', '.join(str(list(shape)) for shape in shapes)} do not broadcast"
                )
    return None


METHODS = {"hsplit": hsplit, "vsplit": vsplit, "dsplit": dsplit}

"""Pools that choose their windows to reach a given output size."""

from __future__ import annotations

import itertools
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, ShapeError
from ...ops.common.dims import ints
from ...ops.common.halves import in_float32
from ...ops.shape.join import cat, stack
from .functions import avg_pool, checked, max_pool


def _bounds(size: int, count: int) -> list[tuple[int, int]]:
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def adaptive(dims: int, name: str, input: Any, output_size: Any, largest: bool, indices: bool = False) -> Any:
    if input._array.ndim < dims + 1:
        if isinstance(output_size, (tuple, list)) and dims > 1:  # there PyTorch raises a ValueError
            raise ArgumentError(f"Input dimension should be at least {dims + 1}, but got {list(input.shape)}")
        raise ShapeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got {list(input.shape)}")
    checked(name, dims, input)
    size = input._array.shape[-dims:]
    given = output_size if isinstance(output_size, (tuple, list)) else [output_size] * dims
    kept = [n if w is None else w for n, w in zip(size, given, strict=False)]
    wanted = ints("output_size", [*kept, *given[dims:]], dims, least=0)
    if 0 in wanted:
        return input.new_empty((*input._array.shape[:-dims], *wanted)) + input.sum() * 0
    if all(w and n % w == 0 for n, w in zip(size, wanted, strict=True)):  # windows of equal size, side by side
        kernel = tuple(n // w for n, w in zip(size, wanted, strict=True))
        if largest:
            return max_pool(dims, input, kernel, kernel, 0, 1, False, indices)
        return avg_pool(dims, input, kernel, kernel, 0, False, True, None)
    if largest and indices:
        return _uneven_max(dims, input, size, wanted)
    return _uneven(dims, input, size, wanted, largest)


@in_float32
def _uneven(dims: int, input: Any, size: Any, wanted: Any, largest: bool) -> Any:
    for i in reversed(range(dims)):  # last first: among equal elements, the first in memory gets the gradient
        dim = i - dims
        parts = [input.narrow(dim, a, b - a) for a, b in _bounds(size[i], wanted[i])]
        reduced = [part.max(dim, keepdim=True)[0] if largest else part.mean(dim, keepdim=True) for part in parts]
        input = cat(reduced, dim)
    return input


def _uneven_max(dims: int, input: Any, size: Any, wanted: Any) -> Any:
    """Return the maxima of windows of different sizes, and their indices, window by window."""
    values, where = [], []
    for bounds in itertools.product(*[_bounds(n, w) for n, w in zip(size, wanted, strict=True)]):
        window = input[(..., *[slice(a, b) for a, b in bounds])].flatten(-dims)
        best, at = window.max(-1)
        inside: Any = at
        position: Any = 0
        factor = 1
        for (a, b), n in zip(reversed(bounds), reversed(size), strict=True):
            position, inside, factor = position + (a + inside % (b - a)) * factor, inside // (b - a), factor * n
        values.append(best)
        where.append(position)
    shape = (*input._array.shape[:-dims], *wanted)
    return stack(values, -1).reshape(shape), stack(where, -1).reshape(shape)


def adaptive_avg_pool1d(input: Any, output_size: Any) -> Tensor:
    """The means of `output_size` windows that cover the last dimension."""
    return adaptive(1, "adaptive_avg_pool1d", input, output_size, False)


def adaptive_avg_pool2d(input: Any, output_size: Any) -> Tensor:
    """The means of windows that cover an image, in a grid of `output_size` (None keeps a size)."""
    return adaptive(2, "adaptive_avg_pool2d", input, output_size, False)


def adaptive_max_pool1d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of `output_size` windows that cover the last dimension."""
    return adaptive(1, "adaptive_max_pool1d", input, output_size, True, return_indices)


def adaptive_max_pool2d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of windows that cover an image, in a grid of `output_size` (None keeps a size)."""
    return adaptive(2, "adaptive_max_pool2d", input, output_size, True, return_indices)


def adaptive_avg_pool3d(input: Any, output_size: Any) -> Tensor:
    """The means of windows that cover a volume, in a grid of `output_size` (None keeps a size)."""
    return adaptive(3, "adaptive_avg_pool3d", input, output_size, False)


def adaptive_max_pool3d(input: Any, output_size: Any, return_indices: bool = False) -> Any:
    """The maxima of windows that cover a volume, in a grid of `output_size` (None keeps a size)."""
    return adaptive(3, "adaptive_max_pool3d", input, output_size, True, return_indices)

"""The partial inverse of a max pool: maxima are put back at their indices, with zeros elsewhere."""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, ShapeError
from .functions import windows


def _unpool(dims: int, input: Any, indices: Any, kernel: Any, stride: Any, padding: Any, output_size: Any) -> Tensor:
    name = f"max_unpool{dims}d"
    if indices._array.shape != input._array.shape:
        raise ShapeError(
            f"{name}: Expected shape of indices to be same as that of the input tensor ({list(input.shape)}) but got "
            f"indices tensor with shape: {list(indices.shape)}"
        )
    if input._array.ndim not in (dims + 1, dims + 2):
        raise ShapeError(f"{name}: Input to {name} should be a {dims + 1}d or {dims + 2}d Tensor, got {input.ndim}d")
    kernel, stride, padding = windows(dims, kernel, stride, padding)
    size = _size(input._array.shape[-dims:], kernel, stride, padding, output_size)
    lead = input._array.shape[:-dims]
    room = math.prod(size)
    if indices._array.size and (int(indices._array.max()) >= room or int(indices._array.min()) < 0):
        raise ShapeError(f"{name}: Found an invalid max index: the output has {room} places, {list(size)}")
    flat, where = input.flatten(-dims), indices.flatten(-dims)
    return input.new_zeros((*lead, room)).scatter(-1, where, flat).reshape(*lead, *size)


def _size(size: Any, kernel: Any, stride: Any, padding: Any, wanted: Any) -> tuple[int, ...]:
    """Return the size before the pool: the exact one, or `wanted` if the pool allows it."""
    exact = [(n - 1) * s + k - 2 * p for n, s, k, p in zip(size, stride, kernel, padding, strict=True)]
    if wanted is None:
        return tuple(exact)
    dims = len(exact)
    if len(wanted) == dims + 2:
        wanted = wanted[2:]
    if len(wanted) != dims:
        raise ArgumentError(f"output_size should be a sequence containing {dims} or {dims + 2} elements, got {wanted}")
    for n, e, s in zip(wanted, exact, stride, strict=True):
        if not e - s < n < e + s:
            raise ArgumentError(f"invalid output_size {list(wanted)} (dimension sizes must be near {exact})")
    return tuple(int(n) for n in wanted)


def max_unpool1d(
    input: Any, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Undo `max_pool1d`, given its indices: (N, C, L) -> (N, C, `output_size`).

    >>> import minigrad as mg
    >>> F = mg.nn.functional
    >>> F.max_unpool1d(*F.max_pool1d(mg.tensor([[1.0, 3.0, 2.0, 0.0]]), 2, return_indices=True), 2).tolist()
    [[0.0, 3.0, 2.0, 0.0]]
    """
    return _unpool(1, input, indices, kernel_size, stride, padding, output_size)


def max_unpool2d(
    input: Any, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Undo `max_pool2d`, given its indices: (N, C, H, W) -> (N, C, *`output_size`)."""
    return _unpool(2, input, indices, kernel_size, stride, padding, output_size)


def max_unpool3d(
    input: Any, indices: Tensor, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
) -> Tensor:
    """Undo `max_pool3d`, given its indices: (N, C, D, H, W) -> (N, C, *`output_size`)."""
    return _unpool(3, input, indices, kernel_size, stride, padding, output_size)

"""Pools as functions: they read sizes and modes like PyTorch; `minigrad.ops.nn.pooling` computes."""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...core.interpreter import reading
from ...core.tensor import Tensor, wrap
from ...errors import MissingRuleError, ShapeError
from ...ops.common.dims import ints, one_int
from ...ops.common.halves import in_float32
from ...ops.nn.pooling import AvgPool, MaxPool

INTEGERS = tuple(each for each in dtypes.ALL if each.kind == dtypes.INTEGER)


def windows(dims: int, kernel: Any, stride: Any, padding: Any) -> tuple[tuple[int, ...], ...]:
    """Return the window sizes, strides and padding, one for each of `dims` dimensions."""
    kernel = ints("kernel_size", kernel, dims)
    stride = kernel if stride is None or stride in ([], ()) else ints("stride", stride, dims)
    return kernel, stride, ints("padding", padding, dims, least=0)


def window_counts(size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> tuple[int, ...]:
    """Return the number of windows along each dimension."""
    output_size = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation, strict=True):
        if s <= 0 or k <= 0 or d <= 0:
            raise ShapeError(f"kernel_size, stride and dilation should be greater than zero, but got {k}, {s} and {d}")
        if p * 2 > k:
            raise ShapeError(f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k}")
        room = n + 2 * p - d * (k - 1) - 1
        count = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (count - 1) * s >= n + p:  # the last window must start inside
            count -= 1
        if count <= 0:
            raise ShapeError(
                f"Given input size: {tuple(size)}. Calculated output size is too small for kernel {tuple(kernel)}"
            )
        output_size.append(count)
    return tuple(output_size)


def checked(name: str, dims: int, input: Any, integers: tuple[Any, ...] = ()) -> None:
    """Raise unless `input` has channels and `dims` further dimensions, with or without a batch dimension.

    Its elements must be floats, or of one of the types `integers`.
    """
    if input._array.ndim not in (dims + 1, dims + 2):
        raise ShapeError(f"{name}: Expected {dims + 1}D or {dims + 2}D input, but got {list(input.shape)}")
    if 0 in input._array.shape[-dims - 1 :]:
        raise ShapeError(
            f"{name}: Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size for "
            f"input, but got: {list(input.shape)}"
        )
    if not input.dtype.is_floating_point and input.dtype not in integers:
        raise MissingRuleError(f"{name} is not implemented for {input.dtype.name}. Convert with .float() first.")


def max_pool(
    dims: int, input: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool, indices: bool
) -> Any:
    checked(f"max_pool{dims}d", dims, input, INTEGERS)
    kernel, stride, padding = windows(dims, kernel, stride, padding)
    dilation = ints("dilation", dilation, dims)
    output_size = window_counts(input._array.shape[-dims:], kernel, stride, padding, dilation, ceil)
    op = MaxPool(kernel, stride, padding, dilation, output_size)
    out, which = op(input)
    return (out, _positions(op, input._array.shape[-dims:], which)) if indices else out


@reading
def _positions(op: Any, size: tuple[int, ...], which: Tensor) -> Tensor:
    """Return the index of each maximum in its plane, counted row by row."""
    xp = which._backend
    rest, position, factor = which._array.astype("int64"), 0, 1
    for dim in reversed(range(len(size))):
        inside, rest = rest % op.kernel[dim], rest // op.kernel[dim]
        start = xp.arange(op.output_size[dim]) * op.stride[dim] - op.padding[dim]
        start = start.reshape(-1, *(1,) * (len(size) - 1 - dim))
        position = position + (start + inside * op.dilation[dim]) * factor
        factor *= size[dim]
    return wrap(position, xp)


def max_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The maximum of every window of the last dimension: (N, C, L) or (C, L)."""
    return max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The maximum of every window of an image, (N, C, H, W) or (C, H, W); with `return_indices` also its index.

    >>> import minigrad as mg
    >>> mg.nn.functional.max_pool2d(mg.arange(16.0).reshape(1, 1, 4, 4), 2).tolist()
    [[[[5.0, 7.0], [13.0, 15.0]]]]
    """
    return max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


def max_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil_mode: bool = False,
    return_indices: bool = False,
) -> Any:
    """The maximum of every window of a volume: (N, C, D, H, W) or (C, D, H, W)."""
    return max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@in_float32
def avg_pool(
    dims: int, input: Any, kernel: Any, stride: Any, padding: Any, ceil: bool, pads_count: bool, divisor: Any
) -> Any:
    checked(f"avg_pool{dims}d", dims, input, (dtypes.int64,))
    kernel, stride, padding = windows(dims, kernel, stride, padding)
    size = input._array.shape[-dims:]
    output_size = window_counts(size, kernel, stride, padding, (1,) * dims, ceil)
    if divisor is not None:
        divisor = one_int("divisor_override", divisor)
        if divisor == 0:
            raise ShapeError("divisor must be not zero")
        share: Any = 1 / divisor
    elif not any(padding) and not ceil:
        share = 1 / math.prod(kernel)
    else:
        share = 1 / _counts(input._backend, size, kernel, stride, padding, output_size, pads_count)
    return AvgPool(kernel, stride, padding, (1,) * dims, output_size, share)(input)


def _counts(xp: Any, size: Any, kernel: Any, stride: Any, padding: Any, output_size: Any, pads_count: bool) -> Any:
    """Return the number of elements of each window, with or without those of the padding."""
    counts: Any = 1.0
    for dim, (n, k, s, p, count) in enumerate(zip(size, kernel, stride, padding, output_size, strict=True)):
        start = xp.arange(count) * s - p
        end = xp.minimum(start + k, n + p)
        if not pads_count:
            start, end = xp.maximum(start, 0), xp.minimum(end, n)
        counts = counts * (end - start).reshape(-1, *(1,) * (len(size) - 1 - dim))
    return counts


def avg_pool1d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
) -> Tensor:
    """The mean of every window of the last dimension: (N, C, L) or (C, L)."""
    return avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, None)


def avg_pool2d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of every window of an image: (N, C, H, W) or (C, H, W)."""
    settings = (ceil_mode, count_include_pad, divisor_override)
    return avg_pool(2, input, kernel_size, stride, padding, *settings)


def avg_pool3d(
    input: Any,
    kernel_size: Any,
    stride: Any = None,
    padding: Any = 0,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor_override: int | None = None,
) -> Tensor:
    """The mean of every window of a volume: (N, C, D, H, W) or (C, D, H, W)."""
    settings = (ceil_mode, count_include_pad, divisor_override)
    return avg_pool(3, input, kernel_size, stride, padding, *settings)


def lp_pool1d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of every window of the last dimension."""
    return _lp_pool(1, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool2d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of every window of an image."""
    return _lp_pool(2, input, norm_type, kernel_size, stride, ceil_mode)


def lp_pool3d(input: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Tensor:
    """The p-norm of every window of a volume."""
    return _lp_pool(3, input, norm_type, kernel_size, stride, ceil_mode)


def _lp_pool(dims: int, input: Any, norm_type: float, kernel: Any, stride: Any, ceil: bool) -> Any:
    kernel = ints("kernel_size", kernel, dims)
    # A window that extends beyond the edge counts as a whole one: its mean times the window size.
    sums = avg_pool(dims, input**norm_type, kernel, stride, 0, ceil, True, None) * math.prod(kernel)
    return (sums.sgn() * sums.abs().relu()) ** (1.0 / norm_type)

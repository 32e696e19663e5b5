"""Images: resizing, cutting into patches and joining them, and moving elements between channels and positions."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from ... import dtypes
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, MissingRuleError, ShapeError
from ...ops.common.dims import MOST_ELEMENTS, ints, one_int, pair
from ...ops.common.halves import in_float32
from ...ops.index.slicing import SliceBackward
from ...ops.linalg.matmul import matmul
from ...ops.nn.pooling import AvgPoolBackward
from ...ops.shape.padding import pad
from ...ops.shape.strided import UnfoldBackward
from ...ops.shape.strided import unfold as slide
from ..pooling.adaptive import adaptive


def _has_pictures(name: str, input: Any) -> None:
    dims = input._array.ndim
    if dims < 3:
        raise ShapeError(
            f"{name} expects input to have at least 3 dimensions, but got input with {dims} dimension(s): "
            "give it (*, C, H, W)"
        )


def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """Move channels to positions: (*, C r², H, W) -> (*, C, H r, W r)."""
    _has_pictures("pixel_shuffle", input)
    *lead, channels, height, width = input._array.shape
    r = one_int("upscale_factor", upscale_factor, least=1)
    if channels % (r * r):
        raise ShapeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, "
            "but "
            f"input.size(-3)={channels} is not divisible by {r * r}"
        )
    n = len(lead)
    apart = input.reshape(*lead, channels // (r * r), r, r, height, width)
    order = (*range(n), n, n + 3, n + 1, n + 4, n + 2)
    return apart.permute(order).reshape(*lead, channels // (r * r), height * r, width * r)


def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """Move positions to channels: (*, C, H r, W r) -> (*, C r², H, W)."""
    _has_pictures("pixel_unshuffle", input)
    *lead, channels, height, width = input._array.shape
    r, n = one_int("downscale_factor", downscale_factor, least=1), len(lead)
    if height % r or width % r:
        raise ShapeError(
            f"pixel_unshuffle expects height and width to be divisible by downscale_factor, but got {height}x{width} "
            f"and {r}"
        )
    apart = input.reshape(*lead, channels, height // r, r, width // r, r)
    order = (*range(n), n, n + 2, n + 4, n + 1, n + 3)
    return apart.permute(order).reshape(*lead, channels * r * r, height // r, width // r)


def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Return every window as a column: (N, C, H, W) -> (N, C kH kW, positions)."""
    shape = input._array.shape
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise ShapeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(shape)}"
        )
    single = len(shape) == 3
    x = input.unsqueeze(0) if single else input
    kernel, stride = ints("kernel_size", kernel_size, 2, least=1), ints("stride", stride, 2, least=1)
    dilation, padding = ints("dilation", dilation, 2, least=1), ints("padding", padding, 2, least=0)
    blocks = _blocks(shape[-2:], kernel, dilation, padding, stride)
    if min(blocks) < 1:
        raise ShapeError(
            f"Given input with spatial size {shape[-2:]}, kernel_size={kernel}, dilation={dilation}, "
            f"padding={padding}, calculated shape of the array of sliding blocks as {blocks}, but its components must "
            "be at least one."
        )
    x = pad(x, (padding[1], padding[1], padding[0], padding[0])) if any(padding) else x
    for dim in (2, 3):
        reach = dilation[dim - 2] * (kernel[dim - 2] - 1) + 1
        x = slide(x, dim, reach, stride[dim - 2])  # (N, C, positions, positions, window, window)
        x = x[..., :: dilation[dim - 2]]
    count, channels, rows, columns = x._array.shape[:4]
    out = x.permute(0, 1, 4, 5, 2, 3).reshape(count, channels * kernel[0] * kernel[1], rows * columns)
    return out.squeeze(0) if single else out


def fold(
    input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Tensor:
    """The transpose of `unfold`: sum columns into their windows, (N, C kH kW, positions) -> (N, C, H, W)."""
    single = input._array.ndim == 2
    x = input.unsqueeze(0) if single else input
    size, kernel = ints("output_size", output_size, 2, least=1), ints("kernel_size", kernel_size, 2, least=1)
    stride, dilation = ints("stride", stride, 2, least=1), ints("dilation", dilation, 2, least=1)
    padding = ints("padding", padding, 2, least=0)
    positions = _blocks(size, kernel, dilation, padding, stride)
    count, rows, columns = x._array.shape
    if rows % (kernel[0] * kernel[1]):
        raise ShapeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={kernel}."
        )
    if columns != positions[0] * positions[1]:
        raise ShapeError(
            f"fold: Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
            f"stride={stride}, "
            f"expected size of input's dimension 2 to match the calculated number of sliding blocks {positions[0]} * "
            f"{positions[1]} = {positions[0] * positions[1]}, but got input.size(2)={columns}."
        )
    out = x.reshape(count, -1, *kernel, *positions)
    for i, dim in ((1, 4), (0, 2)):  # the reverse of `unfold`, rows first, so that long runs are added
        out = out.movedim(2 + i, -1)
        reach = dilation[i] * (kernel[i] - 1) + 1
        if dilation[i] > 1:
            out = SliceBackward((Ellipsis, slice(None, None, dilation[i])), (*out._array.shape[:-1], reach))(out)
        shape = list(out._array.shape[:-1])
        shape[dim] = size[i] + 2 * padding[i]
        out = UnfoldBackward(dim, reach, stride[i], tuple(shape))(out)
    out = out[..., padding[0] : padding[0] + size[0], padding[1] : padding[1] + size[1]] if any(padding) else out
    return out.squeeze(0) if single else out


def _blocks(size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> tuple[int, ...]:
    """Return how many windows there are along each dimension of an image of `size`."""
    each = zip(size, kernel, dilation, padding, stride, strict=True)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in each)


def channel_shuffle(input: Any, groups: int) -> Tensor:
    """Reorder the channels so that those of different `groups` alternate. (N, C, ...) keeps its shape."""
    if input._array.ndim < 3:
        raise ShapeError(
            f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input._array.shape)}"
        )
    count, channels, *positions = input._array.shape
    groups = one_int("groups", groups, least=1)
    if channels % groups:
        raise ShapeError(f"Number of channels must be divisible by groups. Got {channels} and {groups}.")
    return input.reshape(count, groups, channels // groups, *positions).transpose(1, 2).reshape(input._array.shape)


native_channel_shuffle = channel_shuffle


# Resizing -------------------------------------------------------------------------------------------------------------


@in_float32
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resize the positions of `input` (N, C, ...) to `size`, or by `scale_factor`.

    `mode` is "nearest", "nearest-exact", "linear", "bilinear", "trilinear", "bicubic" or "area". Each dimension is
    resized separately: by indexing for the nearest modes, by a product with a matrix of weights for the others.
    """
    dims = input._array.ndim - 2
    if dims not in (1, 2, 3):
        raise MissingRuleError(
            f"Only 3D, 4D and 5D input Tensors supported (got {dims + 2}D): give it (N, C, ...) with the positions last"
        )
    before = input._array.shape[2:]
    factors: list[Any] = [None] * dims if scale_factor is None else list(pair(scale_factor, dims))
    after = _sizes_after(before, size, factors)
    if mode == "area":
        return adaptive(dims, "interpolate", input, tuple(after), False)
    smooth = {1: ("linear",), 2: ("bilinear", "bicubic"), 3: ("trilinear",)}[dims]
    if mode not in ("nearest", "nearest-exact", *smooth):
        raise MissingRuleError(
            f"Got {dims + 2}D input, but {mode} mode is not for {dims} positions; use nearest or one of {smooth}"
        )
    if align_corners is not None and mode in ("nearest", "nearest-exact"):
        raise ArgumentError(
            "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    if antialias and not (mode in ("bilinear", "bicubic") and dims == 2):
        raise ArgumentError(
            "Anti-alias option is restricted to bilinear and bicubic modes and requires a 4-D tensor as input"
        )
    if min(*before, *after) < 1:
        raise ShapeError(
            f"Input and output sizes should be greater than 0, but got input {list(before)} and output {after}"
        )
    bytes_ = input.dtype is dtypes.uint8 and mode in smooth
    if not input.dtype.is_floating_point and (input.dtype is not dtypes.uint8 or (bytes_ and dims != 2)):
        raise MissingRuleError(
            f"interpolate: mode {mode} is not implemented for {input.dtype.name}. Convert with .float() first."
        )
    if mode == "nearest" and _multiples(before, after, [None] * dims if recompute_scale_factor else factors):
        return _repeated(input, tuple(after))
    for i in reversed(range(dims)) if bytes_ else range(dims):
        ratio = before[i] / after[i] if factors[i] is None or recompute_scale_factor else 1 / factors[i]
        input = input.double() if bytes_ else input
        input = _resized(input, i + 2, after[i], ratio, mode, bool(align_corners), antialias)
        input = (input + 0.5).floor().clamp(0, 255).to(dtypes.uint8) if bytes_ else input
    return input


def _sizes_after(before: tuple[int, ...], size: Any, factors: list[Any]) -> list[int]:
    """Return the sizes to resize to, given `size` or a factor for each dimension."""
    by_factor = any(factor is not None for factor in factors)
    if by_factor == (size is not None):
        raise ArgumentError(f"{'only one of' if by_factor else 'either'} size or scale_factor should be defined")
    given = factors if by_factor else list(pair(size, len(before)))
    if len(given) != len(before):
        raise ArgumentError(
            f"Input and {'scale_factor' if by_factor else 'output'} must have the same number of spatial dimensions, "
            f"but got input with spatial dimensions of {list(before)} and {given}: give it (N, C, d1, d2, ...)"
        )
    if not by_factor:
        return list(ints("size", given, len(before)))
    if not all(isinstance(factor, Real) and math.isfinite(factor) for factor in given):
        raise ArgumentError(f"scale_factor must be a finite number, or one for each dimension, got {given}")
    after = [math.floor(n * factor) for n, factor in zip(before, given, strict=True)]
    if any(abs(n) > MOST_ELEMENTS for n in after):
        raise ShapeError(f"scale_factor {given} makes sizes that no memory has room for")
    return after


def _multiples(before: Any, after: Any, factors: Any) -> bool:
    """Return whether every size is multiplied by an integer, and any given factor is exactly that integer."""
    sizes = zip(before, after, factors, strict=True)
    return all(a and b and not a % b and factor in (None, a // b) for b, a, factor in sizes)


def _repeated(input: Any, after: tuple[int, ...]) -> Any:
    """Repeat every element in a block, to the size `after`: the backward of an average pool."""
    before = input._array.shape[2:]
    blocks = tuple(a // b for a, b in zip(after, before, strict=True))
    still, places = (1,) * len(blocks), tuple(before)
    op: Any = AvgPoolBackward(blocks, blocks, (0,) * len(blocks), still, places, 1.0, (*input._array.shape[:2], *after))
    op.grad_name = f"UpsampleNearest{len(blocks)}DBackward0"
    return op(input)


def _resized(input: Any, dim: int, count: int, ratio: float, mode: str, align: bool, antialias: bool) -> Any:
    xp, size = input._backend, input._array.shape[dim]
    positions = xp.arange(count)
    if mode == "nearest":
        return input.index_select(dim, wrap(xp.minimum((positions * ratio).astype("int64"), size - 1), xp))
    if mode == "nearest-exact":
        return input.index_select(dim, wrap(xp.minimum(((positions + 0.5) * ratio).astype("int64"), size - 1), xp))
    step = (size - 1) / max(count - 1, 1) if align else ratio
    at = positions * step if align else (positions + 0.5) * step - 0.5
    if not antialias and not xp.isfinite(input._array).all():
        return _of_neighbours(input, dim, at, mode)
    if antialias:
        weights = _smoothed(xp, count, size, 0.0 if align and count < 2 else step, mode)
    else:
        weights = _cubic(xp, at, size) if mode == "bicubic" else _straight(xp, at, size)
    moved = matmul(input.movedim(dim, -1), wrap(weights.T.astype(input._array.dtype), xp))
    return moved.movedim(-1, dim)


def _straight(xp: Any, at: Any, size: int) -> Any:
    """Return the weights of linear interpolation at the points `at`: (points, size)."""
    at = xp.clip(at, 0, size - 1)
    return xp.maximum(0, 1 - xp.abs(at[:, None] - xp.arange(size)))


def _of_neighbours(input: Any, dim: int, at: Any, mode: str) -> Any:
    """Interpolate by a sum over neighbours: unlike with the matrix product, inf and NaN reach only their neighbours."""
    xp, size = input._backend, input._array.shape[dim]
    at = at if mode == "bicubic" else xp.maximum(at, 0)
    first = xp.floor(at).astype("int64")
    total: Any = 0
    for step in range(-1, 3) if mode == "bicubic" else range(2):
        away = xp.abs(at - (first + step))
        share = _cubic_kernel(xp, away, -0.75) if mode == "bicubic" else xp.maximum(0, 1 - away)
        share = share.astype(input._array.dtype).reshape(-1, *(1,) * (input._array.ndim - dim - 1))
        place = wrap(xp.clip(first + step, 0, size - 1), xp)
        total = total + input.index_select(dim, place) * wrap(share, xp)
    return total


def _smoothed(xp: Any, count: int, size: int, step: float, mode: str) -> Any:
    """Return antialiased weights: when shrinking, the kernel is wider, so that every input element counts."""
    wide = max(step, 1.0)
    half = (2 if mode == "bicubic" else 1) * wide
    centre = (xp.arange(count) + 0.5)[:, None] * step
    place = xp.arange(size)
    first = xp.maximum(xp.trunc(centre - half + 0.5), 0)
    last = xp.minimum(xp.trunc(centre + half + 0.5), size)
    x = xp.abs((place + 0.5 - centre) / wide)
    weights = _cubic_kernel(xp, x, -0.5) if mode == "bicubic" else xp.maximum(0, 1 - x)
    weights = xp.where((place >= first) & (place < last), weights, 0.0)
    return weights / weights.sum(1, keepdims=True)


def _cubic_kernel(xp: Any, x: Any, a: float) -> Any:
    """The cubic convolution kernel (Keys, 1981) at the distances `x`; beyond 2 it is 0."""
    inner, outer = ((a + 2) * x - (a + 3)) * x * x + 1, (((x - 5) * x + 8) * x - 4) * a
    return xp.where(x <= 1, inner, xp.where(x < 2, outer, 0.0))


def _cubic(xp: Any, at: Any, size: int, a: float = -0.75) -> Any:
    """Return the weights of cubic interpolation at the points `at`; the border is repeated outside."""
    weights = xp.zeros((len(at), size))
    first = xp.floor(at).astype("int64")
    for step in range(-1, 3):
        share = _cubic_kernel(xp, xp.abs(at - (first + step)), a)
        xp.scatter_add(weights, (xp.arange(len(at)), xp.clip(first + step, 0, size - 1)), share)
    return weights

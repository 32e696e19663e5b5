"""Max pools with windows at random positions, which shrink by any ratio (Graham, 2014)."""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, ShapeError
from ...ops.common.dims import ints, pair
from ...ops.random.distributions import rand
from .functions import checked


def fractional_max_pool(
    dims: int, input: Any, kernel_size: Any, output_size: Any, output_ratio: Any, samples: Any
) -> tuple[Tensor, Tensor]:
    """Return the maximum of every window, and its index in its plane."""
    name = f"fractional_max_pool{dims}d"
    checked(name, dims, input)
    if input._array.ndim == dims + 1:
        values, where = fractional_max_pool(dims, input.unsqueeze(0), kernel_size, output_size, output_ratio, samples)
        return values.squeeze(0), where.squeeze(0)
    size, kernel = input._array.shape[-dims:], ints("kernel_size", kernel_size, dims, least=1)
    wanted = _wanted(name, dims, size, output_size, output_ratio)
    for i, (n, k, w) in enumerate(zip(size, kernel, wanted, strict=True)):
        if w + k - 1 > n:
            raise ShapeError(f"{name}: pool size {k} in dimension {i} is too large for {w} windows in an input of {n}")
    batch, channels = input._array.shape[:2]
    if samples is None:
        kind = input.dtype if input.dtype.is_floating_point else None
        samples = rand((batch, channels, dims), dtype=kind, device=input.device)
    at = _windows(input._backend, size, kernel, wanted, samples._array[:batch, :channels])
    flat = at.reshape(batch, channels, math.prod(at.shape[2:]))
    planes = input.reshape(batch, channels, math.prod(size))
    windows = planes.gather(2, wrap(flat, input._backend)).reshape(*at.shape)
    values, best = windows.max(-1)
    where = wrap(at, input._backend).gather(-1, best.unsqueeze(-1)).squeeze(-1)
    return values, where


def _wanted(name: str, dims: int, size: Any, output_size: Any, output_ratio: Any) -> tuple[int, ...]:
    if (output_size is None) == (output_ratio is None):
        found = "both" if output_size is not None else "neither"
        raise ArgumentError(f"{name} requires specifying either an output_size or an output_ratio, found {found}")
    if output_size is not None:
        return ints("output_size", output_size, dims, least=1)
    ratios = pair(output_ratio, dims)
    if any(not 0 < ratio < 1 for ratio in ratios):
        raise ArgumentError(f"{name}: output_ratio must be between 0 and 1 (got {output_ratio})")
    return tuple(int(n * ratio) for n, ratio in zip(size, ratios, strict=True))


def _windows(xp: Any, size: Any, kernel: Any, wanted: Any, samples: Any) -> Any:
    """Return the indices of every window's elements in their plane, (N, C, *wanted, elements), counted row by row."""
    dims, position = len(size), xp.zeros((1,) * (2 + 2 * len(size)), "int64")
    numbers = range(dims) if dims == 3 else range(dims - 1, -1, -1)  # PyTorch draws the width first
    for dim, number in enumerate(numbers):
        starts = _starts(xp, samples[..., number], size[dim], wanted[dim], kernel[dim])
        positions = starts[..., None] + xp.arange(kernel[dim])
        shape = [*starts.shape[:2], *(1,) * (2 * dims)]
        shape[2 + dim], shape[2 + dims + dim] = wanted[dim], kernel[dim]
        position = position * size[dim] + positions.reshape(shape)
    return position.reshape(*position.shape[: 2 + dims], math.prod(kernel))


def _starts(xp: Any, sample: Any, size: int, count: int, kernel: int) -> Any:
    """Return the starts of the windows, (N, C, count): roughly evenly spaced, the last window at the end."""
    if count == 1:
        return xp.full((*sample.shape, 1), size - kernel, "int64")
    alpha = sample.dtype.type((size - kernel) / (count - 1))
    steps = xp.arange(count).astype(sample.dtype)
    drawn = sample[..., None]
    starts = ((steps + drawn) * alpha).astype("int64") - (drawn * alpha).astype("int64")
    starts[..., -1] = size - kernel
    return starts


def fractional_max_pool2d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Max pool over windows at random positions: (N, C, H, W) or (C, H, W) to `output_size`, or to `output_ratio` of
    the size. With `return_indices`, also return each maximum's index in its plane.

    >>> import minigrad as mg
    >>> mg.nn.functional.fractional_max_pool2d(mg.rand(1, 3, 9, 9), 2, output_ratio=0.7).shape
    minigrad.Size([1, 3, 6, 6])
    """
    found = fractional_max_pool(2, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]


def fractional_max_pool3d(
    input: Any,
    kernel_size: Any,
    output_size: Any = None,
    output_ratio: Any = None,
    return_indices: bool = False,
    _random_samples: Tensor | None = None,
) -> Any:
    """Max pool over windows at random positions: (N, C, D, H, W) or (C, D, H, W) to `output_size`, or to `output_ratio`
    of the size. With `return_indices`, also return each maximum's index in its volume.
    """
    found = fractional_max_pool(3, input, kernel_size, output_size, output_ratio, _random_samples)
    return found if return_indices else found[0]

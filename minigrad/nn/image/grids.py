"""Sampling images and volumes at the points of a grid, with coordinates from -1 to 1 from edge to edge."""

from __future__ import annotations

import itertools
import math
from typing import Any

from ...core.interpreter import reading
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, MissingRuleError, ShapeError
from ...ops.conversion.copy import contiguous
from ...ops.linalg.matmul import matmul
from ...ops.nn.activation import hardtanh


def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """Return the points to which affine maps send the positions of images of `size`, for `grid_sample`.

    Maps (N, 2, 3) and a size (N, C, H, W) give (N, H, W, 2); maps (N, 3, 4) and (N, C, D, H, W) give (N, D, H, W, 3).

    >>> import minigrad as mg
    >>> same = mg.tensor([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]])
    >>> mg.nn.functional.affine_grid(same, (1, 1, 1, 2), align_corners=True).tolist()
    [[[[-1.0, 0.0], [1.0, 0.0]]]]
    """
    if not theta.is_floating_point():
        raise ArgumentError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if min(size) <= 0:
        raise ArgumentError(f"Expected non-zero, positive output size. Got {tuple(size)}")
    xp, (count, _, *positions) = theta._backend, size
    dims = len(positions)
    if dims not in (2, 3):
        raise MissingRuleError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{tuple(size)}."
        )
    if theta._array.shape != (count, dims, dims + 1):
        raise ArgumentError(
            f"Expected a batch of {dims}D affine matrices of shape {(count, dims, dims + 1)} for size {tuple(size)}. "
            f"Got {tuple(theta.shape)}."
        )
    grid = xp.ones((*positions, dims + 1), theta._array.dtype)
    for dim, n in enumerate(positions):
        steps = xp.linspace(-1, 1, n) if n > 1 else xp.zeros(1)
        steps = steps if align_corners or n <= 1 else steps * ((n - 1) / n)
        grid[..., dims - 1 - dim] = steps.reshape(-1, *(1,) * (dims - 1 - dim))
    flat = wrap(grid.reshape(math.prod(positions), dims + 1), xp)
    return matmul(flat, theta.mT).reshape(count, *positions, dims)


def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Sample `input` (N, C, H, W) at the points `grid` (N, h, w, 2), pairs (x, y) from -1 to 1: (N, C, h, w).

    Or (N, C, D, H, W) at (N, d, h, w, 3). `mode` is "bilinear", "nearest" or, for images, "bicubic"; `padding_mode`
    defines values outside: "zeros", "border" or "reflection".
    """
    dims = input._array.ndim - 2
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ArgumentError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: {mode!r}"
        )
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ArgumentError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"{padding_mode!r}"
        )
    if dims not in (2, 3) or grid._array.ndim != dims + 2 or grid._array.shape[-1] != dims:
        raise ShapeError(
            f"grid_sampler(): expected 4D or 5D input, and grid with as many dimensions and size {dims} in the last, "
            f"but got input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if grid._array.shape[0] != input._array.shape[0]:
        raise ShapeError(
            f"grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
            f"{list(input.shape)} and grid with sizes {list(grid.shape)}"
        )
    if 0 in input._array.shape[2:]:
        raise ShapeError(
            f"grid_sampler(): expected input to have non-empty spatial dimensions, but its shape is {list(input.shape)}"
        )
    if mode == "bicubic" and dims == 3:
        raise ShapeError("grid_sampler(): bicubic interpolation only supports 4D input")
    sizes, align = input._array.shape[2:], bool(align_corners)
    at = [_scaled(grid[..., dims - 1 - dim], n, align) for dim, n in enumerate(sizes)]
    if mode == "bicubic":
        return contiguous(_bicubic(input, at, padding_mode, align))
    at = [_inside(each, n, padding_mode, align) for each, n in zip(at, sizes, strict=True)]
    if mode == "nearest":
        still: Any = sum(each.nan_to_num(0.0, 0.0, 0.0).round() * 0 for each in at)  # gives the grid a gradient of 0
        return contiguous(_seen(input, [each.detach().round() for each in at]) + still.unsqueeze(1))
    first = [each.detach().floor() for each in at]
    out: Any = 0
    for corner in itertools.product((0, 1), repeat=dims):
        positions = [low + step for low, step in zip(first, corner, strict=True)]
        share: Any = 1
        for point, low, step in zip(at, first, corner, strict=True):
            share = share * (point - low if step else (low + 1) - point)
        out = out + _seen(input, positions) * share.unsqueeze(1)
    return contiguous(out)


def _bicubic(input: Any, at: list[Any], padding_mode: str, align: bool) -> Any:
    """Return the weighted sum of 4 by 4 neighbours, with the cubic kernel of `interpolate`."""
    sizes = input._array.shape[2:]
    first = [each.detach().floor() for each in at]
    shares = [_cubic_shares(point - low) for point, low in zip(at, first, strict=True)]
    out: Any = 0
    for row, column in itertools.product(range(4), repeat=2):
        positions = [
            _inside(low + (step - 1), n, padding_mode, align)
            for low, step, n in zip(first, (row, column), sizes, strict=True)
        ]
        out = out + _seen(input, positions) * (shares[0][row] * shares[1][column]).unsqueeze(1)
    return out


def _cubic_shares(t: Any, a: float = -0.75) -> list[Any]:
    """Return the weights of the four neighbours of a point at distance `t` after the second."""

    def near(x: Any) -> Any:
        return ((a + 2) * x - (a + 3)) * x * x + 1

    def far(x: Any) -> Any:
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a

    return [far(t + 1), near(t), near(1 - t), far(2 - t)]


def _scaled(points: Any, size: int, align: bool) -> Any:
    """Map points from -1..1 to positions from 0 to `size` - 1; without `align`, -1 and 1 are the outer edges."""
    return (points + 1) * ((size - 1) / 2) if align else ((points + 1) * size - 1) * 0.5


def _inside(at: Any, size: int, padding_mode: str, align: bool) -> Any:
    """Move positions outside the image inside, as `padding_mode` says."""
    if padding_mode == "reflection":
        low, reach = (0.0, size - 1.0) if align else (-0.5, float(size))
        if reach <= 0:
            return at * 0
        inside = (at - low).abs()
        turns = (inside.detach() / reach).floor()
        rest = inside - turns * reach
        at = rest.where(turns % 2 == 0, reach - rest) + low
    return at if padding_mode == "zeros" else hardtanh(at, 0.0, size - 1.0)  # its gradient at the bounds is 0


def _seen(input: Any, at: list[Any]) -> Any:
    """Return the elements at integer positions, and zeros for positions outside."""
    xp, (count, _, *sizes) = input._backend, input._array.shape
    where, inside = _looked_up(at, sizes, input._array.dtype)
    batch = wrap(xp.arange(count).reshape(-1, *(1,) * len(sizes)), xp)
    flat = input.reshape(count, input._array.shape[1], math.prod(sizes)).movedim(1, -1)
    return flat[batch, where].movedim(-1, 1) * inside  # (N, *positions, C) before movedim


@reading
def _looked_up(at: list[Any], sizes: list[int], dtype: Any) -> tuple[Tensor, Tensor]:
    """Return the flat indices of the elements at integer positions, and 1 for those inside, 0 for those outside."""
    xp, inside, where = at[0]._backend, True, 0
    for each, size in zip(at, sizes, strict=True):
        place = each._array
        inside = inside & (place >= 0) & (place < size)
        place = xp.where(xp.isfinite(place), place, -1)
        where = where * size + xp.clip(place, 0, size - 1).astype("int64")
    return wrap(where, xp), wrap(inside[:, None].astype(dtype), xp)  # type: ignore[index]

"""The derivative of sampled values: differences of neighbours divided by their distance."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import ShapeError
from ..common.dims import wrap_dims
from ..shape.join import cat

__all__ = ["gradient"]


def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: int = 1) -> tuple[Tensor, ...]:
    """The derivative along each of `dim` (default: all), of second order inside and of `edge_order` at the edges.

    `spacing` is the distance between neighbours, one number or one for each dimension, or vectors of positions, one for
    each dimension.

    >>> import minigrad as mg
    >>> mg.gradient(mg.tensor([1.0, 4.0, 9.0]))
    (tensor([3., 4., 5.]),)
    """
    ndim = input._array.ndim
    axes = tuple(range(ndim)) if dim is None else wrap_dims(dim, ndim)
    spacing = 1 if spacing is None else spacing
    steps = list(spacing) if isinstance(spacing, (tuple, list)) else [spacing] * len(axes)
    if len(steps) != len(axes):
        raise ShapeError(
            f"torch.gradient expected spacing to be unspecified, a scalar, or a list of length {len(axes)}, but got "
            f"{len(steps)}"
        )
    if edge_order not in (1, 2):
        raise ShapeError(f"torch.gradient only supports edge_order=1 and edge_order=2, got {edge_order}")
    for axis in axes:
        if input._array.shape[axis] < edge_order + 1:
            raise ShapeError(
                "torch.gradient expected each dimension size to be at least edge_order+1: dimension "
                f"{axis} has size {input._array.shape[axis]}"
            )
    x = input if input.dtype.is_differentiable else input.to(dtypes.get_default_dtype())
    return tuple(
        [_slope(x, axis, _distances(x, axis, step), edge_order) for axis, step in zip(axes, steps, strict=True)]
    )


def _distances(x: Any, axis: int, step: Any) -> Any:
    """Return the distances of neighbours along `axis`, ready to broadcast; one number if they are equal."""
    if isinstance(step, Tensor) and step._array.ndim:
        if step._array.size != x._array.shape[axis]:
            raise ShapeError(
                f"torch.gradient expected each element in spacing to have the same length as the dimension: "
                f"{step._array.size} positions for a dimension of size {x._array.shape[axis]}"
            )
        step = step if step.dtype.is_complex else step.to(x.dtype)
        return step.diff().reshape([-1 if i == axis else 1 for i in range(x._array.ndim)])
    return step


def _slope(x: Any, axis: int, h: Any, edge_order: int) -> Any:
    size, spaced = x._array.shape[axis], isinstance(h, Tensor) and h._array.ndim > 0

    def at(start: int, count: int) -> Any:
        return x.narrow(axis, start, count)

    def between(start: int, count: int) -> Any:
        return h.narrow(axis, start, count) if spaced else h

    inner = []
    if size > 2:
        a, b = between(0, size - 2), between(1, size - 2)
        before, here, after = at(0, size - 2), at(1, size - 2), at(2, size - 2)
        if spaced:
            inner = [before * (-b / (a * (a + b))) + here * ((b - a) / (a * b)) + after * (a / (b * (a + b)))]
        else:
            inner = [(after - before) / (2 * h)]
    if edge_order == 1:
        first = (at(1, 1) - at(0, 1)) / between(0, 1)
        last = (at(size - 1, 1) - at(size - 2, 1)) / between(size - 2, 1)
    else:
        a, b = between(0, 1), between(1, 1)
        first = _of_three(at(0, 1), at(1, 1), at(2, 1), a, b)
        a, b = between(size - 2, 1), between(size - 3, 1)
        last = -_of_three(at(size - 1, 1), at(size - 2, 1), at(size - 3, 1), a, b)
    return cat([first, *inner, last], axis)


def _of_three(edge: Any, next: Any, third: Any, a: Any, b: Any) -> Any:
    """Return the derivative at the edge of the parabola through three values, at distances `a` and `b`."""
    return edge * (-(2 * a + b) / (a * (a + b))) + next * ((a + b) / (a * b)) - third * (a / (b * (a + b)))

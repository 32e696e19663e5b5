"""Histograms: the number or weight of the elements between one edge and the next."""

from __future__ import annotations

from typing import Any

from ...core.interpreter import reading
from ...core.tensor import Tensor
from ...errors import DtypeError, ShapeError
from ..common import return_types
from ..common.arguments import accepts_out
from ..common.underived import underived
from ..create.factories import finished

__all__ = ["histogram", "histogramdd"]


@accepts_out
@reading
def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """Count the elements in every bin; return the counts and the bins' edges, as (hist, bin_edges).

    `bins` is the number of bins of equal width between the ends of `range` (by default the smallest and the largest
    element), or a vector of edges. `weight` is the weight of every element; `density` makes the area 1.

    >>> import minigrad as mg
    >>> mg.histogram(mg.tensor([1.0, 2.0, 1.0]), bins=4, range=(0.0, 3.0)).hist
    tensor([0., 2., 1., 0.])
    """
    xp, array = input._backend, input._array.reshape(-1)
    if weight is not None and weight._array.shape != input._array.shape:
        raise ShapeError(
            f"torch.histogram(): if weight tensor is provided it should have the same shape as the input tensor, but "
            f"got {list(weight.shape)} and {list(input.shape)}"
        )
    _check_one_dtype("histogram", input, weight=weight, bins=bins)
    edges = bins._array if isinstance(bins, Tensor) else _edges(xp, array, int(bins), range)
    weights = None if weight is None else weight._array.reshape(-1)
    counts, _ = xp.histogram(array, bins=edges, weights=weights)
    counts = counts.astype(array.dtype)
    if density:
        counts = counts / (counts.sum() * xp.diff(edges))
    edges = edges.astype(array.dtype)
    hist = underived("histogram", finished(counts, xp, False), input, weight)
    return return_types.histogram(hist, finished(edges, xp, False))


def _check_one_dtype(name: str, input: Tensor, **others: Any) -> None:
    for other, each in others.items():
        if isinstance(each, Tensor) and each.dtype != input.dtype:
            raise DtypeError(
                f"torch.{name}(): input tensor and {other} tensor should have the same dtype, but got input "
                f"{input.dtype}, and {other} {each.dtype}"
            )


def _edges(xp: Any, array: Any, bins: int, range: Any) -> Any:
    if bins <= 0:
        raise ShapeError(f"torch.histogram(): bins must be > 0, but got {bins}")
    low, high = range if range is not None else (array.min(), array.max()) if array.size else (0.0, 1.0)
    if not (xp.isfinite(low) and xp.isfinite(high)):
        raise ShapeError(f"torch.histogramdd: a dimension's range [{low}, {high}] is not finite")
    if low > high:
        raise ShapeError(f"torch.histogramdd: min should not exceed max, but got min {low} max {high}")
    if low == high:
        low, high = low - 0.5, high + 0.5
    return xp.linspace(low, high, bins + 1).astype(array.dtype)


@reading
def histogramdd(
    input: Tensor, bins: Any, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """Count the points in every box of a grid; return the counts and the edges of the boxes, as (hist, bin_edges).

    `input` (*, D) holds points with D coordinates; `bins` is the number of boxes along every axis, one number for each
    axis, or a vector of edges for each. `range` lists the lower and the upper end of each axis, one after the other.
    `weight` (*) is the weight of every point; `density` makes the volume 1.

    >>> import minigrad as mg
    >>> points = mg.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]])
    >>> mg.histogramdd(points, bins=[3, 3]).hist.tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]
    """
    xp = input._backend
    if input._array.ndim < 2:
        raise ShapeError(f"torch.histogramdd(): input tensor should have at least 2 dimensions, but got {input.ndim}")
    axes = input._array.shape[-1]
    points = input._array.reshape(-1, axes)
    bins = list(bins) if isinstance(bins, (tuple, list)) else [bins] * axes
    if len(bins) != axes:
        raise ShapeError(f"torch.histogramdd(): The size of bins ({len(bins)}) must be the innermost dimension, {axes}")
    if range is not None and len(range) != 2 * axes:
        raise ShapeError(f"torch.histogramdd(): range should have {2 * axes} elements, but got {len(range)}")
    if weight is not None and weight._array.shape != input._array.shape[:-1]:
        raise ShapeError(
            "torch.histogramdd(): if weight tensor is provided it should have the shape of the input without its last "
            f"dimension, {list(input.shape[:-1])}, but got {list(weight.shape)}"
        )
    _check_one_dtype("histogramdd", input, weight=weight)
    for each in bins:
        _check_one_dtype("histogramdd", input, bins=each)
    edges = []
    for axis, each in enumerate(bins):
        ends = None if range is None else range[2 * axis : 2 * axis + 2]
        edges.append(each._array if isinstance(each, Tensor) else _edges(xp, points[:, axis], int(each), ends))
    weights = None if weight is None else weight._array.reshape(-1)
    counts = xp.histogramdd(points, bins=edges, weights=weights, density=density)[0].astype(points.dtype)
    found = tuple([finished(each.astype(points.dtype), xp, False) for each in edges])
    return return_types.histogramdd(finished(counts, xp, False), found)


METHODS = {"histogram": histogram}

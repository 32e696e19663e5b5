"""How many numbers, or how much weight, falls between one edge and the next."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import ShapeError
from . import return_types
from .arguments import accepts_out
from .create import finished

__all__ = ["histogram"]


@accepts_out
def histogram(
    input: Tensor, bins: Any = 100, *, range: Any = None, weight: Tensor | None = None, density: bool = False
) -> Any:
    """How many elements lie in every bin, and the bins' edges, as (hist, bin_edges).

    `bins` says how many bins of one width there are between the ends of `range` (the smallest and the largest element
    where none is given), or is a vector of edges. With `weight` every element counts as much as that says; `density`
    makes the area 1.

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
    edges = bins._array if isinstance(bins, Tensor) else _edges(xp, array, int(bins), range)
    weights = None if weight is None else weight._array.reshape(-1)
    counts, _ = xp.histogram(array, bins=edges, weights=weights)
    counts = counts.astype(array.dtype)
    if density:
        counts = counts / (counts.sum() * xp.diff(edges))
    edges = edges.astype(array.dtype)
    return return_types.histogram(finished(counts, xp, False), finished(edges, xp, False))


def _edges(xp: Any, array: Any, bins: int, range: Any) -> Any:
    if bins <= 0:
        raise ShapeError(f"torch.histogram(): bins must be > 0, but got {bins}")
    low, high = range if range is not None else (array.min(), array.max()) if array.size else (0.0, 1.0)
    if low == high:
        low, high = low - 0.5, high + 0.5
    return xp.linspace(low, high, bins + 1).astype(array.dtype)


METHODS = {"histogram": histogram}

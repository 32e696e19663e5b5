"""Reductions of segments of different lengths."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...core.tensor import Tensor
from ...errors import DimensionError, DomainError
from ..common.arguments import accepts_out
from ..shape.join import stack

__all__ = ["segment_reduce"]

OF_NOTHING = {"sum": 0.0, "prod": 1.0, "mean": math.nan, "max": -math.inf, "min": math.inf}


@accepts_out
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """The "sum", "mean", "max", "min" or "prod" of each segment of `data` along `axis`.

    `lengths` lists the lengths of the segments, or `offsets` their starts and the end of the last one. Either may have
    a row for each index of the dimensions before `axis`. `initial` is included in every segment, and is the result of
    an empty one.

    >>> import minigrad as mg
    >>> mg.segment_reduce(mg.tensor([1.0, 2.0, 3.0]), "max", lengths=mg.tensor([2, 1]))
    tensor([2., 3.])
    """
    if reduce not in OF_NOTHING:
        raise DomainError(f"segment_reduce(): reduce must be one of {', '.join(OF_NOTHING)}, but got {reduce!r}")
    if indices is not None:
        raise DomainError("segment_reduce(): indices based reduction is not supported yet: give lengths or offsets")
    given = lengths if offsets is None else offsets
    if given is None:
        raise DomainError("segment_reduce(): Either lengths or offsets must be defined.")
    if given.dim() - 1 != axis:
        raise DimensionError(
            f"segment_reduce(): Expected axis to be the last dimension of lengths, {given.dim() - 1}, but got {axis}."
        )
    rows = given.reshape(-1, given.shape[-1]).tolist()
    windows = [list(pairwise(row)) if offsets is not None else _laid_end_to_end(row) for row in rows]
    size = data.shape[axis]
    if not unsafe and offsets is None and any(min(row, default=0) < 0 or sum(row) != size for row in rows):
        raise DomainError(
            "segment_reduce(): Expected all rows of lengths along axis to sum to data.size(lengths.dim()-1) when "
            "!unsafe."
        )
    flat = data.reshape(len(rows), *data.shape[axis:])
    made = [
        stack([_reduced(row[a:b], reduce, initial) for a, b in each]) for row, each in zip(flat, windows, strict=True)
    ]
    return stack(made).reshape(*given.shape[:-1], *made[0].shape)


def _laid_end_to_end(lengths: Sequence[int]) -> list[tuple[int, int]]:
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    return [(end - length, end) for end, length in zip(ends, lengths, strict=True)]


def _reduced(segment: Tensor, reduce: str, initial: float | None) -> Any:
    count = segment.shape[0]
    if not count:
        return segment.new_full(segment.shape[1:], OF_NOTHING[reduce] if initial is None else initial)
    if reduce in ("sum", "mean"):
        total = segment.sum(0) if initial is None else segment.sum(0) + initial
        return total if reduce == "sum" else total / count
    if reduce == "prod":
        return segment.prod(0) if initial is None else segment.prod(0) * initial
    found = segment.amax(0) if reduce == "max" else segment.amin(0)
    if initial is None:
        return found
    return found.clamp(min=initial) if reduce == "max" else found.clamp(max=initial)

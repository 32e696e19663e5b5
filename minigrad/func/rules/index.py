"""Batching rules for indexing with index tensors, and for writing through such indices.

Index tensors broadcast together to a block of dimensions. If the indexed dimensions are neighbours, the block replaces
them; otherwise it comes first. The batch dimension is indexed too (by 0, 1, 2, ...), so the block always comes right
after it. A rule then moves the block to its place in one example.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ...core.tensor import Tensor, wrap
from ...ops.index.advanced import Index, IndexBackward, IndexPut
from ...ops.shape.permute import movedim
from .base import changed, everywhere, one_by_one, padded, rank_of, rule


@rule("Index")
def index_rule(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, *indices = values
    x = everywhere(x, batched[0], size)
    indexing, block, at = arranged(op.positions, indices, batched[1:], size, x)
    return moved(Index(indexing.positions)(x, *indexing.indices), block, 0, at)


@rule("IndexBackward")
def put_back(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, *indices = values
    x = everywhere(x, batched[0], size)
    indexing, block, at = arranged(op.positions, indices, batched[1:], size, x)
    return IndexBackward(indexing.positions, (size, *op.shape))(moved(x, block, at, 0), *indexing.indices)


@rule("IndexPut")
def put(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, new, *indices = values
    x = everywhere(x, batched[0], size)
    indexing, block, at = arranged(op.positions, indices, batched[2:], size, x)
    rank = x._array.ndim - 1 - len(indices) + block
    new = padded(everywhere(new, batched[1], size), rank)
    return IndexPut(indexing.positions, op.accumulate)(x, moved(new, block, at, 0), *indexing.indices)


class Indexing:
    """Indexed dimensions and index tensors, the batch dimension among them."""

    def __init__(self, positions: tuple[int, ...], indices: list[Tensor]) -> None:
        self.positions = positions
        self.indices = indices


def arranged(
    positions: Sequence[int], indices: Sequence[Any], batched: Sequence[bool], size: int, x: Tensor
) -> tuple[Indexing, int, int]:
    """Return the index into all examples, the number of dimensions of the block, and its position in one example."""
    block = max(rank_of(index, b) for index, b in zip(indices, batched, strict=True))
    neighbours = all(b - a == 1 for a, b in pairwise(positions))
    ready = [padded(index, block) if b else index for index, b in zip(indices, batched, strict=True)]
    numbers = wrap(x._backend.arange(size).reshape((size, *(1,) * block)), x._backend)
    indexing = Indexing((0, *(position + 1 for position in positions)), [numbers, *ready])
    return indexing, block, positions[0] if neighbours else 0


def moved(x: Any, block: int, source: int, target: int) -> Any:
    """Move the `block` dimensions of a batched `x` from position `source` of one example to position `target`."""
    if source == target or not block:
        return x
    return movedim(x, tuple(range(1 + source, 1 + source + block)), tuple(range(1 + target, 1 + target + block)))


@rule("IndexSelect")
def selected(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, index = values
    if rank_of(x, batched[0]) == 0 or rank_of(index, batched[1]) == 0:
        return one_by_one(op, size, values, batched)
    return index_rule(Index((op.dim,)), size, values, batched)


@rule("IndexAdd", "IndexCopy")
def put_along(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, index, source = values
    if batched[1] or not rank_of(x, batched[0]):
        return one_by_one(op, size, values, batched)
    x, source = everywhere(x, batched[0], size), everywhere(source, batched[2], size)
    return changed(op, dim=op.dim + 1)(x, index, padded(source, x._array.ndim - 1))


@rule("Gather", "Scatter", "ScatterAdd", "ScatterReduce")
def along(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Gather or scatter along one dimension; every input has as many dimensions as the first."""
    if not all(rank_of(v, b) for v, b in zip(values, batched, strict=True) if isinstance(v, Tensor)):
        return one_by_one(op, size, values, batched)
    rank = rank_of(values[0], batched[0])
    ready = [everywhere(value, b, size) for value, b in zip(values, batched, strict=True)]
    return changed(op, dim=(op.dim + rank if op.dim < 0 else op.dim) + 1)(*ready)

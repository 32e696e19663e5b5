"""Indexing by tensors of integers: read elements, and write elements.

Reading and adding are each other's gradient: an element that is read twice gets the sum of both gradients. The index
tensors are inputs of these ops, so they appear in the graph, and are checked for in-place changes like other saved
tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tensor import wrap
from ..common.bases import Linear
from ..common.samples import exactly, sample

ROWS, COLUMNS = exactly([0, 2, 2, -1]), exactly([1, 1, 1, 0])


class Index(Linear):
    r"""Elements at integer index tensors, one for each of the dimensions `positions`; their shapes broadcast."""

    memory_order = "rows"
    formula = r"y_k = x_{i_k}"
    samples = (sample((3, 2), ROWS, positions=(0,)), sample((3, 2), ROWS, COLUMNS, positions=(0, 1)))
    positions: Any

    remembers = ("before",)

    def forward(self, xp, x, *indices):
        self.before = x.shape
        if len(indices) == 1:
            return xp.pick(x, indices[0], self.positions[0])
        return x[key_of(self.positions, indices)]

    def backward(self, grad, *indices):
        r"""\bar x_i = \textstyle\sum_{k: i_k = i} \bar y_k"""
        return [IndexBackward(self.positions, self.before)(grad, *indices), *[None] * len(indices)]


class IndexBackward(Linear):
    r"""Zeros, to which every element of the input is added at its index: the gradient of `Index`."""

    formula = r"y_i = \textstyle\sum_{k: i_k = i} x_k"
    samples = (sample((4, 2), ROWS, positions=(0,), shape=(3, 2)),)
    positions: Any
    shape: Any

    def forward(self, xp, x, *indices):
        out = xp.zeros(self.shape, x.dtype)
        xp.scatter_add(out, key_of(self.positions, indices), x)
        return out

    def backward(self, grad, *indices):
        r"""\bar y_{i_k}"""
        return [Index(self.positions)(grad, *indices), *[None] * len(indices)]


class IndexPut(Linear):
    r"""The input with `values` written, or added, at indices. If two values have the same index, the last one stays."""

    formula = r"y_{i_k} = v_k"
    broadcasts = True
    samples = (
        sample((3, 2), (3, 2), exactly([2, 0, 1]), positions=(0,), accumulate=False),
        sample((3, 2), (2,), ROWS, positions=(0,), accumulate=True),
    )
    positions: Any
    accumulate: bool

    def forward(self, xp, x, values, *indices):
        out = xp.copy(x)
        key = key_of(self.positions, indices)
        if self.accumulate and x.dtype.kind == "b":  # the sum of bools is their logical or
            xp.scatter("bitwise_or", out, key, values)
        elif self.accumulate:
            xp.scatter_add(out, key, values)
        else:
            out[key] = values
        return out

    def backward(self, grad, *indices):
        r"""\bar x = \bar y \text{ with } 0 \text{ at } i_k, \qquad \bar v_k = \bar y_{i_k}"""
        inside = Index(self.positions)(grad, *indices) if self.edges[1] is not None else None
        if self.accumulate:
            return [grad, inside, *[None] * len(indices)]
        outside = None
        if self.edges[0] is not None:
            nothing = grad._backend.zeros((), grad._array.dtype)
            outside = IndexPut(self.positions, False)(grad, wrap(nothing, grad._backend), *indices)
        return [outside, inside, *[None] * len(indices)]


def key_of(positions: Sequence[int], indices: Sequence[Any]) -> tuple[Any, ...]:
    """Return the array library's index: these arrays at these dimensions, and full slices elsewhere."""
    key: list[Any] = [slice(None)] * (max(positions) + 1)
    for position, index in zip(positions, indices, strict=True):
        key[position] = index
    return tuple(key)

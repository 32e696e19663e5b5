"""Views, indexing, assignment, joining and rearranging, as PyTorch does them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .beside import Call, agree, numbers, table

pytestmark = pytest.mark.parity

X, V = numbers(2, 3, 4), numbers(4, seed=1)

VIEWS: dict[str, Any] = {
    "reshape": lambda x: x.reshape(4, -1),
    "reshape that copies": lambda x: x.mT.reshape(-1, 6),
    "reshape that does not fit": lambda x: x.reshape(5, -1),
    "view": lambda x: x.view(6, 4),
    "view that would copy": lambda x: x.mT.view(-1),
    "flatten": lambda x: x.flatten(1),
    "unflatten": lambda x: x.unflatten(2, (2, -1)),
    "T": lambda x: x[0].T,
    "t of three dimensions": lambda x: x.t(),
    "mT": lambda x: x.mT,
    "transpose": lambda x: x.transpose(0, -1),
    "transpose out of range": lambda x: x.transpose(0, 3),
    "permute": lambda x: x.permute(2, 0, 1),
    "permute too few": lambda x: x.permute(0, 1),
    "movedim": lambda x: x.movedim((0, 1), (1, 2)),
    "squeeze": lambda x: x[:1].squeeze(),
    "squeeze of another size": lambda x: x.squeeze(0),
    "unsqueeze": lambda x: x.unsqueeze(-1),
    "expand": lambda x: x[:, :1].expand(5, -1, 3, -1),
    "expand that does not fit": lambda x: x.expand(2, 4, 4),
    "contiguous": lambda x: x.mT.contiguous(),
    "select": lambda x: x.select(1, -1),
    "select out of range": lambda x: x.select(1, 5),
    "narrow": lambda x: x.narrow(2, 1, 2),
    "narrow too long": lambda x: x.narrow(2, 3, 2),
    "unfold": lambda x: x.unfold(2, 2, 1),
    "diagonal": lambda x: x.diagonal(1, 1, 2),
    "as_strided": lambda x: x.as_strided((3, 3), (1, 1), 1),
    "split": lambda x: x.split(3, 2),
    "split into sizes": lambda x: x.split([1, 3], 2),
    "chunk": lambda x: x.chunk(3, 2),
    "unbind": lambda x: x.unbind(1),
    "tensor_split": lambda x: x.tensor_split([1, 2], 2),
    "repeat": lambda x: x.repeat(2, 1, 3),
    "repeat_interleave": lambda x: x.repeat_interleave(2, 1),
    "flip": lambda x: x.flip(0, 2),
    "roll": lambda x: x.roll((1, -2), (0, 2)),
    "roll flat": lambda x: x.roll(2),
    "rot90": lambda x: x.rot90(3, (1, 2)),
    "tril": lambda x: x.tril(1),
    "triu": lambda x: x.triu(-1),
    "diag": lambda x: x[0].diag(1),
    "diag_embed": lambda x: x.diag_embed(1, 0, 2),
    "trace": lambda x: x[0].trace(),
}

INDICES: dict[str, Any] = {
    "an integer": 0,
    "out of range": 5,
    "a slice": slice(1, None),
    "steps": (slice(None), slice(None, None, 2)),
    "a negative step": slice(None, None, -1),
    "None": None,
    "an ellipsis": (..., 0),
    "all integers": (0, 1, 2),
    "too many": (0, 0, 0, 0),
    "a mixture": (0, slice(None), None, slice(1, 3)),
    "a list": [1, 0, 0],
    "two lists": ([0, 1], [1, 2]),
    "lists apart": ([0, 1], slice(None), [1, 2]),
    "an integer and a list": (0, slice(None), [1, 2]),
    "lists that broadcast": ([[0], [1]], [0, 1]),
    "a list out of range": [7],
    "an empty list": [],
    "True": True,
    "False": False,
    "a mask": np.array([True, False]),
    "a mask that does not fit": np.array([True, False, True]),
    "a float": 1.5,
}


@table({name: Call(lambda m, x, f=f: f(x), (X,)) for name, f in VIEWS.items()})
def test_views_and_rearrangements(call: Call) -> None:
    agree(call)


@table({name: Call(lambda m, x, key=key: x[key], (X,)) for name, key in INDICES.items()})
def test_indexing(call: Call) -> None:
    agree(call)


def assigned(key: Any, value: Any) -> Any:
    def run(library: Any, x: Any, v: Any) -> Any:
        changed = x * 1
        changed[key] = v if value is None else value
        return changed

    return run


@table({name: Call(assigned(key, None), (X, V)) for name, key in INDICES.items()})
def test_assigning_a_tensor(call: Call) -> None:
    agree(call)


@table({name: Call(assigned(key, 2.5), (X, V)) for name, key in INDICES.items()})
def test_assigning_a_number(call: Call) -> None:
    agree(call)


CHANGES: dict[str, Any] = {
    "a slice": lambda w, v: w[0].mul_(v),
    "a column": lambda w, v: w[:, 1].copy_(v),
    "a transpose": lambda w, v: w.mT[:, 0].mul_(2),
    "a view of a view": lambda w, v: w[0][1].add_(v),
    "a chain of views": lambda w, v: w.view(2, 12)[1].view(3, 4).diagonal().mul_(v[:3]),
    "a flat view": lambda w, v: w.view(-1)[3:7].copy_(v),
    "a permutation": lambda w, v: w.permute(2, 0, 1)[1:3].mul_(2),
    "twice": lambda w, v: (w[0].mul_(2), w[:, 0].mul_(v)),
    "one place by another": lambda w, v: w[1].copy_(w[0]),
    "through expand": lambda w, v: w.unsqueeze(0).expand(2, 2, 3, 4)[0].mul_(2),
    "an expanded tensor": lambda w, v: w[0, 0, :1].expand(3).mul_(2),
    "one of several views": lambda w, v: w.unbind()[0].mul_(2),
    "filled": lambda w, v: w[0].fill_(2),
    "zeroed": lambda w, v: w[0].zero_(),
    "windows": lambda w, v: w.unfold(2, 2, 2)[0].mul_(2),
    "strides": lambda w, v: w.as_strided((3,), (5,)).mul_(3),
}


def changed(change: Any) -> Any:
    def run(library: Any, x: Any, v: Any) -> Any:
        base = x * 1
        row, flat = base[0], base.view(-1)
        change(base, v)
        return base * base, row * 2, flat[3:9]

    return run


@table({name: Call(changed(change), (X, V)) for name, change in CHANGES.items()})
def test_changing_a_view_changes_its_base_and_every_other_view(call: Call) -> None:
    agree(call)


TWO = (numbers(2, 3, 4), numbers(2, 3, 4, seed=1))
JOINED: dict[str, Any] = {
    "cat": lambda m, x, y: m.cat([x, y], 1),
    "cat of other sizes": lambda m, x, y: m.cat([x, y[..., :2]], -1),
    "cat that does not fit": lambda m, x, y: m.cat([x, y[0]]),
    "cat of nothing": lambda m, x, y: m.cat([]),
    "stack": lambda m, x, y: m.stack([x, y], -1),
    "stack that does not fit": lambda m, x, y: m.stack([x, y[0]]),
    "hstack": lambda m, x, y: m.hstack([x, y]),
    "vstack": lambda m, x, y: m.vstack([x[0, 0], y[0, 0]]),
    "dstack": lambda m, x, y: m.dstack([x[0], y[0]]),
    "column_stack": lambda m, x, y: m.column_stack([x[0, 0], y[0, 0]]),
}


@table({name: Call(function, TWO) for name, function in JOINED.items()})
def test_joining(call: Call) -> None:
    agree(call)


M, WHERE, SOURCE, PLACES = numbers(3, 4), np.array([[0, 1, 1], [2, 0, 1]]), numbers(2, 3, seed=2), np.array([2, 0, 2])
ALONG: dict[str, Call] = {
    "gather": Call(lambda m, x, i: x.gather(0, i), (M, WHERE)),
    "gather out of range": Call(lambda m, x, i: x[:2].gather(0, i), (M, WHERE)),
    "scatter": Call(lambda m, x, i, s: x.scatter(1, i, s), (M, np.array([[0, 1, 2], [2, 0, 1]]), SOURCE)),
    "scatter of a number": Call(lambda m, x, i: x.scatter(0, i, 2.5), (M, WHERE)),
    "scatter_add": Call(lambda m, x, i, s: x.scatter_add(0, i, s), (M, WHERE, SOURCE)),
    "index_select": Call(lambda m, x, i: x.index_select(1, i), (M, PLACES)),
    "index_add": Call(lambda m, x, i, s: x.index_add(0, i, s, alpha=2), (M, PLACES, numbers(3, 4, seed=3))),
    "index_copy": Call(lambda m, x, i, s: x.index_copy(0, i, s), (M, np.array([2, 0]), numbers(2, 4))),
    "index_fill": Call(lambda m, x, i: x.index_fill(1, i, 1.5), (M, PLACES)),
    "index_put": Call(lambda m, x, i, s: x.index_put((i,), s), (M, np.array([2, 0]), numbers(2, 4))),
    "index_put, added": Call(lambda m, x, i, s: x.index_put((i, i), s, accumulate=True), (M, PLACES, numbers(3))),
    "take": Call(lambda m, x, i: x.take(i), (M, np.array([[0, 5], [-1, 11]]))),
    "put": Call(lambda m, x, i, s: x.put(i, s, accumulate=True), (M, np.array([0, 0]), numbers(2))),
    "take_along_dim": Call(lambda m, x, i: x.take_along_dim(i, 1), (M, np.array([[0, 1]]))),
    "select_scatter": Call(lambda m, x, s: m.select_scatter(x, s, 0, 1), (M, V)),
    "meshgrid": Call(lambda m, x, y: m.meshgrid(x, y, indexing="xy"), (numbers(2), numbers(3))),
} | {
    f"scatter_reduce {kind} {own}": Call(
        lambda m, x, i, s, kind=kind, own=own: x.scatter_reduce(0, i, s, kind, include_self=own),
        (M, WHERE, SOURCE),
        second=kind != "prod",
    )
    for kind in ("sum", "prod", "mean", "amax", "amin")
    for own in (True, False)
}


@table(ALONG)
def test_picking_and_writing_along_a_dimension(call: Call) -> None:
    agree(call)

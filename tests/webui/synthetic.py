"""Records of a program that was never run: small, in order, and valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from minigrad.observe.publish.wire import encode
from minigrad_webui.runs.incoming import Line, line_of

Record = dict[str, Any]

SCALAR = {"kind": "full", "rows": 1, "cols": 1, "data": "AAAAPw==", "min": 0.5, "max": 0.5}


def started(run: str = "r1", name: str = "demo.py") -> Record:
    """The first record of a run."""
    return record(1, 0, "run_started", schema_version=1, id=run, name=name, started="2026-01-01T12:00:00+00:00")


def record(seq: int, step: int, kind: str, **fields: Any) -> Record:
    """One record, a millisecond after the one before it."""
    return {"seq": seq, "t": seq / 1000, "step": step, "type": kind, **fields}


def training(run: str = "r1", steps: int = 3, nodes: int = 2, *, end: str | None = "finished") -> Iterator[Record]:
    """A run of some steps: a leaf, a chain of `nodes` tanh, a backward, an optimiser's step; then its end."""
    yield started(run)
    yield record(2, 0, "source", file="demo.py", text="loss = x.tanh()\nloss.backward()\n")
    seq, ids = 2, 0
    for step in range(steps):
        for made in one_step(seq, step, ids, nodes):
            seq = made["seq"]
            yield made
        ids += nodes + 1
    if end is not None:
        yield record(seq + 1, max(0, steps - 1), "run_finished", status=end)


def one_step(seq: int, step: int, ids: int, nodes: int) -> Iterator[Record]:
    """The records of one step, after record number `seq`; ids of tensors and nodes continue after `ids`."""
    common = {"shape": [], "dtype": "float32"}
    leaf = ids + 1
    yield record(seq + 1, step, "tensor", id=leaf, requires_grad=True, value=SCALAR, **common)
    for i in range(nodes):
        seq += 1
        output = record(seq + 1, step, "tensor", id=leaf + i + 1, leaf=False, value=SCALAR, **common)
        inputs = [{"name": "x", "tensor": leaf + i, "node": leaf + i if i else None}]
        yield record(seq + 1, step, "node", id=leaf + i + 1, op="Tanh", inputs=inputs, outputs=[output])
    yield record(seq + 2, step, "backward_started", run=step + 1, roots=[{"node": leaf + nodes}])
    accumulated = {"leaf": leaf, "from_node": leaf + 1, "count": 1, "contribution": SCALAR, "total": SCALAR}
    yield record(seq + 3, step, "grad_accumulated", run=step + 1, **accumulated)
    yield record(seq + 4, step, "backward_finished", run=step + 1, nodes=nodes)
    yield record(seq + 5, step, "step_taken", optimizer="SGD", loss=1 / (step + 1), grad_norm=float(step))


def lines(records: Iterator[Record] | list[Record]) -> list[Line]:
    """Records in the form that the store takes."""
    return [line_of(encode(one)) for one in records]

"""What a diagnosis remembers of a run: of each step what its rules ask for, and of each tensor who it is."""

from __future__ import annotations

from base64 import b64decode
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Record = dict[str, Any]

KEPT = 12
"""So many of the latest steps are remembered."""

FEWEST_ROWS = 8


@dataclass
class Write:
    """A tensor was overwritten."""

    tensor: int
    at: Record | None
    value: Record | None
    after_use: bool
    """Whether an op of the graph had taken it by then."""
    after_backward: bool


@dataclass
class Step:
    """One step, as far as it is recorded."""

    number: int
    nodes: dict[int, Record] = field(default_factory=dict)
    """The ops, without the elements of their outputs, by their numbers."""
    old_nodes: int = 0
    """Ops of earlier steps that this one hangs on."""
    bridge: Record | None = None
    """The first op here that takes a result of an earlier step."""
    uses: dict[int, list[Record]] = field(default_factory=dict)
    """By tensor: the ops that take it."""
    values: dict[int, Record] = field(default_factory=dict)
    """By tensor: what was in it when the step first named it."""
    detached: list[Record] = field(default_factory=list)
    """The ``detached`` records."""
    writes: list[Write] = field(default_factory=list)
    arrived: dict[int, Record] = field(default_factory=dict)
    """By leaf: the first gradient that came to it."""
    anomalies: list[Record] = field(default_factory=list)
    backward: Record | None = None
    error: str = ""
    ended: Record | None = None
    saved: dict[int, int] = field(default_factory=dict)
    """By node: the bytes that it kept."""
    most: int = 0
    """The most bytes that were held before backward."""
    dead: list[tuple[Any, Any]] = field(default_factory=list)
    """By ReLU: its place, and which of its units were 0 throughout."""

    @property
    def norms(self) -> list[Record]:
        """Each parameter's gradient, as the optimiser moved by it."""
        return [] if self.ended is None else self.ended.get("grad_norms") or []


class Steps:
    """Takes records."""

    def __init__(self) -> None:
        self.kept: deque[Step] = deque(maxlen=KEPT)
        self.tensors: dict[int, Record] = {}
        """Who each leaf is: name, shape, whether it is a parameter."""
        self.count = 0
        """Steps that have ended."""
        self.finished: Record | None = None
        self.reached: set[int] = set()
        """Parameters that have ever had a gradient."""
        self.moved: dict[int, str] = {}
        """Parameters that an optimiser has in its care, and their names."""
        self._newest = 0

    @property
    def now(self) -> Step:
        """The step that goes on."""
        if not self.kept or self.kept[-1].ended is not None:
            self.kept.append(Step(self.count))
        return self.kept[-1]

    def take(self, record: Record) -> None:
        """Remember what is needed of it."""
        taker = getattr(self, f"_{record['type']}", None)
        if taker is not None:
            taker(record)
        memory = record.get("memory")
        if memory and self.now.backward is None:
            self.now.most = max(self.now.most, sum(memory.values()))

    def valued(self) -> Iterator[Step]:
        """The steps that have ended and whose values were taken."""
        return (step for step in self.kept if step.norms)

    def _tensor(self, record: Record) -> None:
        known = {key: record.get(key) for key in ("name", "shape", "requires_grad", "parameter", "leaf")}
        self.tensors[record["id"]] = known
        if record.get("value") and record.get("requires_grad"):
            self.now.values.setdefault(record["id"], record["value"])

    def _node(self, record: Record) -> None:
        step = self.now
        if record["id"] <= self._newest and record["id"] not in step.nodes:
            step.old_nodes += 1
        elif record["id"] > self._newest:
            self._newest = record["id"]
            old = any(each.get("node") in step.nodes and step.nodes[each["node"]]["old"] for each in record["inputs"])
            if old and step.bridge is None:
                step.bridge = record
        bare = {key: record.get(key) for key in ("id", "op", "inputs", "recorded", "at", "scope")}
        bare["old"] = record["id"] < self._newest
        bare["outputs"] = [each["id"] for each in record["outputs"]]
        step.nodes[record["id"]] = bare
        for each in record["inputs"]:
            if each.get("tensor") is not None:
                step.uses.setdefault(each["tensor"], []).append(bare)
        if record["op"] == "Relu" and record["recorded"] and record["outputs"]:
            self._relu(step, record)

    def _relu(self, step: Step, record: Record) -> None:
        output = record["outputs"][0]
        value, shape = output.get("value"), output["shape"]
        if not value or value.get("max") is None:
            return
        if value["max"] <= 0:
            dead: Any = True
        elif len(shape) == 2 and value.get("data") and value["rows"] >= FEWEST_ROWS:
            dead = (elements(value) == 0).all(axis=0)
        else:
            dead = False
        step.dead.append(((tuple(record["scope"]), str(record.get("at"))), (dead, record)))

    def _saved(self, record: Record) -> None:
        kept = self.now.saved
        kept[record["node"]] = kept.get(record["node"], 0) + sum(each["bytes"] for each in record["saved"])

    def _detached(self, record: Record) -> None:
        self.now.detached.append(record)

    def _mutated(self, record: Record) -> None:
        step = self.now
        if not record.get("grad"):
            done = step.backward is not None
            used = any(each["recorded"] for each in step.uses.get(record["tensor"], ()))
            step.writes.append(Write(record["tensor"], record.get("at"), record.get("value"), used, done))

    def _backward_started(self, record: Record) -> None:
        self.now.backward = record

    def _backward_finished(self, record: Record) -> None:
        self.now.error = record.get("error") or self.now.error

    def _grad_accumulated(self, record: Record) -> None:
        leaf = record.get("leaf")
        if leaf is not None:
            self.reached.add(leaf)
            if record.get("count") == 1 and not record.get("replaces"):
                self.now.arrived.setdefault(leaf, record)

    def _anomaly_found(self, record: Record) -> None:
        self.now.anomalies.append(record)

    def _step_taken(self, record: Record) -> None:
        step = self.now
        step.ended = record
        self.count += 1
        for each in record.get("grad_norms") or ():
            if record.get("optimizer"):
                self.moved[each["tensor"]] = each.get("name") or f"a parameter of shape {self.shape(each['tensor'])}"
            if each.get("norm") is not None or each.get("not_finite"):
                self.reached.add(each["tensor"])

    def _run_finished(self, record: Record) -> None:
        self.finished = record

    def shape(self, tensor: int) -> list[int]:
        """The sizes of a leaf."""
        return list(self.tensors.get(tensor, {}).get("shape") or ())

    def name(self, tensor: int) -> str:
        """What the program calls a leaf."""
        known = self.tensors.get(tensor, {}).get("name") or self.moved.get(tensor)
        return known or "a tensor without a name"


def elements(value: Record) -> Any:
    """The elements of a value, or those of its thumbnail."""
    return np.frombuffer(b64decode(value["data"]), "<f4").reshape(value["rows"], value["cols"])

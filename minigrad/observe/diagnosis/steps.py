"""The memory of a diagnosis: what the rules need of each step, and the name and shape of each tensor."""

from __future__ import annotations

import math
from base64 import b64decode
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Record = dict[str, Any]

KEPT = 12
"""The number of latest steps to remember."""

EARLY = 6
"""The number of first steps to remember."""

PATIENCE = 12
"""While a program runs, only after this many steps may a rule say that something never happens."""

EXPLODED = 1e5
"""In a good training no gradient norm is as large as this."""

GRAPH = frozenset(("tensor", "node", "saved", "mutated", "detached", "backward_started", "grad_accumulated"))
"""The kinds of records of a step that is recorded whole."""

LAYOUT = frozenset(
    ("Reshape", "Squeeze", "Unsqueeze", "Transpose", "MatrixTranspose", "Permute", "Contiguous", "Expand")
) | {"BroadcastTensors", "ToCopy", "ToDevice", "Clone"}
"""Ops that pass their input's elements on unchanged."""

FEWEST_ROWS = 8


@dataclass
class Write:
    """A tensor was overwritten."""

    tensor: int
    at: Record | None
    value: Record | None
    users: frozenset[int]
    """The ops of the graph that had used the tensor by then."""
    after_backward: bool


@dataclass
class Step:
    """One step, as far as it was recorded."""

    number: int
    whole: bool = False
    """Whether more than its numbers was recorded."""
    cut: bool = False
    """Whether some of its records were left out."""
    nodes: dict[int, Record] = field(default_factory=dict)
    """The ops, without the elements of their outputs, by their numbers."""
    late: bool = False
    """Whether its records begin within a backward: its own ops come in the order in which backward reaches them."""
    old_nodes: int = 0
    """How many ops of earlier steps this one is connected to."""
    bridge: Record | None = None
    """The first op of this step that uses a result of an earlier step."""
    uses: dict[int, list[Record]] = field(default_factory=dict)
    """For each tensor, the ops that use it."""
    values: dict[int, Record] = field(default_factory=dict)
    """For each tensor, its value when the step first named it."""
    detached: list[Record] = field(default_factory=list)
    """The ``detached`` records."""
    writes: list[Write] = field(default_factory=list)
    arrived: dict[int, Record] = field(default_factory=dict)
    """For each leaf, the first gradient that arrived."""
    fed: set[int] = field(default_factory=set)
    """The nodes that a gradient other than 0 has entered."""
    stops: set[int] = field(default_factory=set)
    """Those of them that have sent on a gradient of nothing but 0."""
    anomalies: list[Record] = field(default_factory=list)
    backward: Record | None = None
    roots: list[int] = field(default_factory=list)
    """The nodes at which its backwards began."""
    newest: list[int] = field(default_factory=list)
    """The newest op at the start of each backward."""
    error: str = ""
    ended: Record | None = None
    saved: dict[int, int] = field(default_factory=dict)
    """For each node, the bytes that it saved."""
    makers: dict[int, Record] = field(default_factory=dict)
    """For each tensor, the op that made it."""
    most: int = 0
    """The most bytes in use before backward."""
    held: int = 0
    """The bytes saved for backward as last recorded: at the end of the step, those of graphs that are still alive."""
    dead: list[tuple[Any, Any]] = field(default_factory=list)
    """For each ReLU, its place, and which of its units were 0 for all inputs."""
    extreme: list[tuple[Record, float]] = field(default_factory=list)
    """For each sigmoid and tanh, the part of its results that is at an end of its range."""
    grad_writes: list[Record] = field(default_factory=list)
    """The ``mutated`` records of gradients."""

    @property
    def norms(self) -> list[Record]:
        """The gradient norm of each parameter, as the optimiser used it."""
        return [] if self.ended is None else self.ended.get("grad_norms") or []

    @property
    def optimizer(self) -> str | None:
        """The optimiser that ended the step; None if the program went on without one."""
        return None if self.ended is None else self.ended.get("optimizer")

    def maker(self, given: Record) -> Record | None:
        """The op that made an input of another op; None for a leaf, or if an earlier step made it."""
        found = self.nodes.get(given.get("node", 0))
        return found or self.makers.get(given.get("tensor", 0))

    def origin(self, given: Record) -> Record:
        """The input before ops that only change its layout."""
        while (maker := self.maker(given)) is not None and maker["op"] in LAYOUT and maker["inputs"]:
            index = given.get("output", 0) if maker["op"] == "BroadcastTensors" else 0
            given = maker["inputs"][min(index, len(maker["inputs"]) - 1)]
        return given

    def source(self, given: Record) -> Record | None:
        """Like `maker`, but skips ops that only change the layout."""
        return self.maker(self.origin(given))

    def users(self, node: Record) -> list[Record]:
        """The ops that use a result of this one."""
        outputs = set(node["outputs"])
        return [
            each
            for each in self.nodes.values()
            if any(one.get("node") == node["id"] or one.get("tensor") in outputs for one in each["inputs"])
        ]

    def reached(self, tensor: int) -> tuple[set[int], set[int]]:
        """The tensors and nodes computed from `tensor` by recorded ops."""
        return self._followed({tensor}, set())

    def goes_back_through(self, ops: frozenset[int]) -> bool:
        """Whether a backward of this step began at a result computed from one of these ops."""
        _, nodes = self._followed({each for op in ops for each in self.nodes[op]["outputs"]}, set(ops))
        return not nodes.isdisjoint(self.roots)

    def _followed(self, tensors: set[int], nodes: set[int]) -> tuple[set[int], set[int]]:
        for node in self.nodes.values():
            if node["recorded"] and any(
                each.get("tensor") in tensors or each.get("node") in nodes for each in node["inputs"]
            ):
                nodes.add(node["id"])
                tensors.update(node["outputs"])
        return tensors, nodes


class Steps:
    """Takes records and remembers what the rules need."""

    def __init__(self) -> None:
        self.kept: deque[Step] = deque(maxlen=KEPT)
        self.early: list[Step] = []
        """The first steps."""
        self.broken: Step | None = None
        """The first step with a NaN or an infinity."""
        self.exploded: tuple[int, float] | None = None
        """The first step whose gradient was far too large, and its norm."""
        self.lengths: deque[float] = deque(maxlen=KEPT)
        """The gradient norms of the last steps, also of those of which only the norms are known."""
        self.modules: dict[str, set[str]] = {}
        """For each outermost module, the paths of the modules registered in it."""
        self.tensors: dict[int, Record] = {}
        """The facts about each leaf: name, shape, whether it is a parameter."""
        self.count = 0
        """Steps that have ended."""
        self.finished: Record | None = None
        self.left_empty: list[str] = []
        """The path of a module that ended without an op of its own: an error was raised in it."""
        self._entered: list[str] = []
        self.reached: set[int] = set()
        """Parameters that have ever had a gradient."""
        self.felt: set[int] = set()
        """Leaves whose gradient was ever anything but zeros, also in a step of which only the norms are known."""
        self.asked: set[int] = set()
        """Leaves whose gradient autograd.grad() ever returned."""
        self._returning = 0
        """The newest backward that returns its gradients."""
        self.moved: dict[int, str] = {}
        """Parameters that an optimiser has, with their names."""
        self.written: set[int] = set()
        """Tensors that were ever written to."""
        self._newest = 0
        self._sampled = False
        """Whether only some steps are recorded whole."""

    @property
    def now(self) -> Step:
        """The current step."""
        if not self.kept or self.kept[-1].ended is not None:
            self.kept.append(Step(self.count))
            if len(self.early) < EARLY:
                self.early.append(self.kept[-1])
        return self.kept[-1]

    def enough(self, least: int) -> bool:
        """Whether enough steps have ended to say that something never happens."""
        return self.count >= (max(least, PATIENCE) if self.finished is None else least)

    @property
    def all(self) -> list[Step]:
        """All remembered steps, the first ones first."""
        return [*(step for step in self.early if step not in self.kept), *self.kept]

    def take(self, record: Record) -> None:
        """Remember what the rules need of a record. Records of an earlier step come too late and are ignored."""
        if record["type"] in GRAPH:
            if record.get("step", self.count) < self.count:
                return
            self.now.whole = not self.now.cut
        taker = getattr(self, f"_{record['type']}", None)
        if taker is not None:
            taker(record)
        memory = record.get("memory")
        if memory:
            self.now.held = memory.get("saved", 0)
            if self.now.backward is None:
                self.now.most = max(self.now.most, sum(memory.values()))

    def spot(self, at: Record | None) -> tuple[int | None, int | None]:
        """The step and op of this place, or else of its line: in the step with the first NaN, or else in the newest
        step."""
        first = [] if self.broken is None else [self.broken]
        steps = [*first, *reversed(self.all)] if at is not None else []
        for alike in (_same_place, _same_line):
            for step in steps:
                for node in step.nodes.values():
                    if alike(node["at"], at):
                        return step.number, node["id"]
        return None, None

    def valued(self) -> Iterator[Step]:
        """The steps that have ended and have values."""
        return (step for step in self.kept if step.norms)

    def _run_started(self, record: Record) -> None:
        self._sampled = record.get("values") == "auto"

    def _numbers(self, record: Record) -> None:
        self.now.whole = False

    def _dropped(self, record: Record) -> None:
        self.now.cut, self.now.whole = True, False

    def _tensor(self, record: Record) -> None:
        known = {key: record.get(key) for key in ("name", "shape", "requires_grad", "parameter", "leaf")}
        self.tensors[record["id"]] = known
        if record.get("value") and record.get("requires_grad"):
            self.now.values.setdefault(record["id"], record["value"])

    def _node(self, record: Record) -> None:
        self._entered = self.left_empty = []
        step = self.now
        if record["id"] <= self._newest and record["id"] not in step.nodes:
            step.old_nodes += not step.late
        elif record["id"] > self._newest:
            self._newest = record["id"]
            old = any(each.get("node") in step.nodes and step.nodes[each["node"]]["old"] for each in record["inputs"])
            if old and step.bridge is None:
                step.bridge = record
        bare = {key: record.get(key) for key in ("id", "op", "inputs", "at", "scope", "params")}
        bare["recorded"] = record.get("recorded", True)
        bare["old"] = record["id"] < self._newest and not step.late
        outputs = bare["outputs"] = [each["id"] for each in record["outputs"]]
        bare["shapes"] = [each["shape"] for each in record["outputs"]]
        bare["dtypes"] = [each["dtype"] for each in record["outputs"]]
        bare["high"] = (record["outputs"][0].get("value") or {}).get("max") if record["outputs"] else None
        step.nodes[record["id"]] = bare
        step.makers.update(dict.fromkeys(outputs, bare))
        for each in record["inputs"]:
            if each.get("tensor") is not None:
                step.uses.setdefault(each["tensor"], []).append(bare)
        if record["op"] == "Relu" and record.get("recorded", True) and record["outputs"]:
            self._relu(step, record)
        elif record["op"] in ENDS and record.get("recorded", True) and record["outputs"]:
            value = record["outputs"][0].get("value")
            if value and value.get("data"):
                step.extreme.append((bare, _at_the_ends(record["op"], elements(value))))

    def _scope_left(self, record: Record) -> None:
        if record["path"] == self._entered:
            self.left_empty = record["path"]

    def _scope_entered(self, record: Record) -> None:
        self._entered, self.left_empty = record["path"], []
        if record.get("modules") is not None:
            paths = {each.rpartition(":")[0] for each in record["modules"]}
            self.modules.setdefault(record["path"][0], set()).update(paths)

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
            self.written.add(record["tensor"])
            done = step.backward is not None
            users = frozenset(each["id"] for each in step.uses.get(record["tensor"], ()) if each["recorded"])
            step.writes.append(Write(record["tensor"], record.get("at"), record.get("value"), users, done))
        else:
            step.grad_writes.append(record)

    def _backward_started(self, record: Record) -> None:
        self.now.roots += [root["node"] for root in record["roots"] if root.get("node") is not None]
        self.now.newest.append(max(self.now.nodes, default=0))
        self.now.backward = record
        if record.get("captures"):
            self._returning = record["run"]

    def _node_entered(self, record: Record) -> None:
        if self.now.backward is None:
            self.now.late = True
        if any((grad or {}).get("norm") for grad in record["grads"]):
            self.now.fed.add(record["node"])

    def _grad_computed(self, record: Record) -> None:
        if record["node"] in self.now.fed and (record["value"] or {}).get("norm") == 0:
            self.now.stops.add(record["node"])

    def _backward_finished(self, record: Record) -> None:
        self.now.error = record.get("error") or self.now.error

    def _grad_accumulated(self, record: Record) -> None:
        leaf = record.get("leaf")
        if leaf is not None:
            self.reached.add(leaf)
            if record["run"] == self._returning:
                self.asked.add(leaf)
            came = record.get("contribution") or {}
            if came.get("norm") != 0 or came.get("nan") or came.get("inf"):
                self.felt.add(leaf)
            if record.get("count") == 1 and not record.get("replaces"):
                self.now.arrived.setdefault(leaf, record)

    def _anomaly_found(self, record: Record) -> None:
        self.now.anomalies.append(record)
        if record["kind"] in ("nan", "inf"):
            self.broken = self.broken or self.now

    def _step_taken(self, record: Record) -> None:
        step = self.now
        step.ended = record
        if record.get("not_finite"):
            self.broken = self.broken or step
        length = record.get("grad_norm") or 0.0
        self.lengths.append(length)
        if self.exploded is None and EXPLODED < length < math.inf:
            self.exploded = step.number, length
        self.count += 1
        for each in record.get("grad_norms") or ():
            if record.get("optimizer"):
                self.moved[each["tensor"]] = each.get("name") or f"a parameter of shape {self.shape(each['tensor'])}"
            if each.get("norm") is not None or each.get("not_finite"):
                self.reached.add(each["tensor"])
            if each.get("norm") or each.get("not_finite"):
                self.felt.add(each["tensor"])
        if self._sampled and not step.whole:
            self._forget(step)

    def _forget(self, step: Step) -> None:
        """Forget a step that was not recorded whole: too little is known of it."""
        self.kept.pop()
        if self.early and self.early[-1] is step:
            self.early.pop()

    def _run_finished(self, record: Record) -> None:
        self.finished = record

    def is_parameter(self, tensor: int) -> bool:
        """Whether the tensor is a module's parameter."""
        return bool(self.tensors.get(tensor, {}).get("parameter"))

    def shape(self, tensor: int) -> list[int]:
        """The shape of a leaf."""
        return list(self.tensors.get(tensor, {}).get("shape") or ())

    def name(self, tensor: int) -> str:
        """The program's name for a leaf."""
        known = self.tensors.get(tensor, {}).get("name") or self.moved.get(tensor)
        return known or "a tensor without a name"


def elements(value: Record) -> Any:
    """The elements of a value, or those of its thumbnail."""
    return np.frombuffer(b64decode(value["data"]), "<f4").reshape(value["rows"], value["cols"])


def _same_place(one: Record | None, other: Record | None) -> bool:
    return one == other


def _same_line(one: Record | None, other: Record | None) -> bool:
    return bool(one and other and one["file"] == other["file"] and one["line"] == other["line"])


ENDS = {"Sigmoid": (0.0, 1.0), "Tanh": (-1.0, 1.0)}
"""Ops with a bounded range, and the ends of the range."""

NEAR = 1e-3
"""An element this close to an end has almost no slope."""


def _at_the_ends(op: str, found: Any) -> float:
    low, high = ENDS[op]
    return float(((found - low < NEAR) | (high - found < NEAR)).mean()) if found.size else 0.0

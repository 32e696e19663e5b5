"""Rebuild the records of a step that was not recorded whole, from a step like it and its own events."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ... import events
from .glimpse import filled
from .values import measure

if TYPE_CHECKING:
    from .ledger import Ledger

Record = dict[str, Any]

ENTRY = "Input"
"""The op of an input of a function that a transform differentiates. No event tells of it."""

NODES = ("node", "to_node", "from_node", "made_by")
TENSORS = ("tensor", "to_leaf", "leaf", "base", "result")


WITHIN = 0.99
"""Spread the records over this part of the step's time, so that the record of the step's end comes last."""


class Different(Exception):
    """Raised if the step differs from the script."""


UNLIKE = (Different, KeyError, StopIteration, IndexError, ValueError)
"""The errors that show that a step differs: the difference itself, or a missing event, name or tensor."""


class Copies:
    """Copies of tensors that are soon overwritten: leaves by the optimiser, gradients by clipping."""

    def __init__(self) -> None:
        self.grads: dict[int, Any] = {}
        """Copies of gradients, by the addresses of their tensors."""
        self.leaves: dict[int, Any] = {}
        """Copies of leaves and of their ``.grad`` before they were written to, by the addresses of these tensors."""
        self.added: set[int] = set()
        """The addresses of gradients that were added to an existing ``.grad``."""


class Step(NamedTuple):
    """The known part of a step that is not recorded whole."""

    number: int
    began: float
    ended: float
    events: list[Any]
    copies: Copies
    written: list[Record] | None = None
    """The records of its forward, if they have been written already."""


def replayed(script: list[Record], step: Step, ledger: Ledger, held: list[Record]) -> list[Record]:
    """The records of `script` with the values of `step`; empty if the two steps differ in anything else."""
    try:
        return Replay(script, step, ledger, held).records()
    except UNLIKE:
        return []


def output_shapes(node: Record) -> tuple[Any, ...]:
    """The shape of each output of a node."""
    return tuple(tuple(output["shape"]) for output in node["outputs"])


class Replay:
    """A script, with the values of another step."""

    def __init__(self, script: list[Record], step: Step, ledger: Ledger, held: list[Record]) -> None:
        self.script, self.step, self.ledger, self.framework = script, step, ledger, ledger.framework
        self.nodes: dict[int, Any] = {}
        """For each node number in the script, the node of this step."""
        self.tensors: dict[int, Any] = {}
        """For each tensor number in the script, the tensor of this step."""
        self.held = {record["id"]: record for record in held if record["type"] == "tensor"}
        self.writes = Counter(_written(record) for record in script if record["type"] == "mutated")
        self.writes_left = Counter(self.writes)
        self.arrived: dict[tuple[int, int], Record | None] = {}
        self.sums: dict[int, Any] = {}
        """The gradient that earlier runs have put into a leaf's ``.grad``; None if it is not known."""
        kinds: defaultdict[type, list[Any]] = defaultdict(list)
        for event in step.events:
            kinds[type(event)].append(event)
        self.events: dict[type, Iterator[Any]] = {kind: iter(found) for kind, found in kinds.items()}
        self.ran = {id(record): event for record, event in self._forward()}
        self.known = {entry.id: entry for entry in ledger.tensors}
        self.views = {
            record["base"]: record["id"] for record in script if record["type"] == "tensor" and "base" in record
        }
        """For each tensor that another one is a view of, that other one, by their numbers in the script."""

    def records(self) -> list[Record]:
        """All records of the step, in order."""
        tell: dict[str, Callable[[Record], Record]] = {
            "tensor": self._tensor, "node": self._node, "saved": self._saved, "mutated": self._mutated,
            "backward_started": self._started, "node_entered": self._entered, "grad_computed": self._computed,
            "grad_accumulated": self._accumulated, "hook_ran": lambda record: {"before": None, "after": None},
        }  # fmt: skip
        began, ended = self.script[0]["t"], self.script[-1]["t"]
        pace = min(1.0, WITHIN * (self.step.ended - self.step.began) / max(ended - began, 1e-6))
        found = []
        for record in self.script:
            t = int((self.step.began + pace * (record["t"] - began)) * 1e6) / 1e6
            head = {"seq": 0, "t": t, "step": self.step.number}
            changed = tell[record["type"]](record) if record["type"] in tell else {}
            found.append({**record, **head, **self._renumbered(record), **changed})
            if "memory" in record:
                found[-1]["memory_of"] = record["step"]
        for kind in (events.GradComputed, events.BackwardStarted):
            if next(self.events.get(kind, iter(())), None) is not None:
                raise Different
        if self.step.number == self.ledger.step:
            for tensor in self.tensors.values():
                self.ledger.tensors.get(tensor).step = self.ledger.step
        return found

    # Forward

    def _forward(self) -> Iterator[tuple[Record, Any]]:
        """Each op's record in the script, with the event of the same op in the step."""
        ran = self.events.get(events.NodeRecorded, iter(()))
        entries: dict[int, Record] = {}
        for record in self.script:
            if record["type"] != "node":
                continue
            if record["op"] == ENTRY:
                entries[record["id"]] = record
                continue
            event = next(ran, None)
            while event is not None and not event.recorded and not self._is_same(event, record):
                event = next(ran, None)  # skip an op that the optimiser itself runs
            if event is None or not self._is_same(event, record):
                raise Different
            self._match(record, event)
            for index, said in enumerate(record["inputs"]):
                if said.get("node") in entries:
                    entry = entries.pop(said["node"])
                    entered = self._entered_at(event, index)
                    self._match(entry, entered)
                    yield entry, entered
            yield record, event
        if any(event.recorded for event in ran):
            raise Different

    def _entered_at(self, event: Any, index: int) -> Any:
        """The event that there would be of the entry of a differentiated function, the source of this input."""
        edge, tensor = self.framework.edges(event.node)[index], event.inputs[index]
        if edge is None:
            raise Different
        return events.NodeRecorded(edge[0], (), (tensor,))

    def _is_same(self, event: Any, record: Record) -> bool:
        shapes = tuple(tuple(self.framework.shape(each)) for each in event.outputs)
        op = self.framework.op_facts(event.node)["op"]
        return (op, shapes, event.recorded) == (record["op"], output_shapes(record), record["recorded"])

    def _match(self, record: Record, event: Any) -> None:
        self.nodes[record["id"]] = event.node
        inputs = (event.outputs[0], *event.inputs[1:]) if record.get("inplace") else event.inputs
        for said, tensor in zip(record["inputs"], inputs, strict=False):
            if "tensor" in said and self.framework.is_tensor(tensor):
                self.tensors[said["tensor"]] = tensor
        for said, tensor in zip(record["outputs"], event.outputs, strict=True):
            self.tensors[said["id"]] = tensor

    def _tensor(self, record: Record) -> Record:
        number = self._tensor_number(record["id"])
        held = self.held.get(number)
        tensor = self.tensors[record["id"]]
        if list(self.framework.shape(tensor)) != record["shape"]:
            raise Different
        changed: Record = {
            "id": number,
            "version": self.framework.version(tensor) - self.writes[record["id"]],
            "grad": None,
        }
        changed["name"] = self.ledger.tensors.get(tensor).name or record["name"]
        if held is not None and held.get("value"):
            return {**changed, "value": filled(held["value"])}
        before = self.step.copies.leaves.get(id(tensor))
        if before is not None:
            return {**changed, "value": measure(before)}
        return {**changed, "value": None if self.writes[record["id"]] else self._value(tensor)}

    def _node(self, record: Record) -> Record:
        event = self.ran[id(record)]
        inputs = [{**said, **self._renumbered(said)} for said in record["inputs"]]
        outputs = []
        for said, tensor in zip(record["outputs"], event.outputs, strict=True):
            known = self.ledger.tensors.get(tensor)
            version, value = said["version"], None
            left = self.writes_left[said["id"]]
            if record.get("inplace") and left:
                version = self.framework.version(tensor) - left + 1
            if "value" in said:
                value = self._value(tensor, version)
            outputs.append({**said, **self._renumbered(said), "id": known.id, "version": version, "value": value})
        return {"id": self.ledger.nodes.get(event.node).id, "inputs": inputs, "outputs": outputs}

    def _saved(self, record: Record) -> Record:
        began = {tensor["id"]: tensor["version"] for tensor in self.script if tensor["type"] == "tensor"}
        kept = []
        for said in record["saved"]:
            version = said["version"]
            if said["tensor"] in began:
                now = self.framework.version(self.tensors[said["tensor"]]) - self.writes[said["tensor"]]
                version += now - began[said["tensor"]]
            kept.append({**said, "tensor": self._tensor_number(said["tensor"]), "version": version})
        return {"saved": kept}

    def _mutated(self, record: Record) -> Record:
        """The record of a write. Only the value of the last write to a tensor is still known."""
        key = _written(record)
        self.writes_left[key] -= 1
        left = self.writes_left[key]
        self._tensor_number(record["tensor"])
        tensor = self.tensors[record["tensor"]]
        looked = self.framework.grad(tensor) if record["grad"] else tensor
        value = None if left else self._value(looked)
        if record["grad"]:
            self.sums[record["tensor"]] = None
        version = record["version"] if record["grad"] else self.framework.version(tensor) - left
        return {"value": value, "version": version}

    # Backward

    def _started(self, record: Record) -> Record:
        event = next(self.events[events.BackwardStarted])
        roots = []
        for said, (_, grad) in zip(record["roots"], event.roots, strict=True):
            value = self._gradient(grad)
            if said.get("node") is not None:
                self.arrived[said["node"], said["output"]] = value
            roots.append({**said, **self._renumbered(said), "value": value})
        return {"roots": roots}

    def _entered(self, record: Record) -> Record:
        grads = enumerate(record["grads"])
        return {"grads": [None if each is None else self.arrived.get((record["node"], k)) for k, each in grads]}

    def _computed(self, record: Record) -> Record:
        event = next(self.events[events.GradComputed])
        if event.node is not self.nodes[record["node"]] or event.index != record["index"]:
            raise Different
        return {"value": self._gradient(event.grad)}

    def _accumulated(self, record: Record) -> Record:
        event = next(self.events[events.GradAccumulated])
        while event.leaf is not None and not record.get("replaces"):
            event = next(self.events[events.GradAccumulated])
        contribution = self._gradient(event.contribution)
        if record.get("leaf") is None:
            if event.edge[0] is not self.nodes[record["node"]]:
                raise Different
            total = contribution if event.total is event.contribution else self._gradient(event.total)
            self.arrived[record["node"], record["output"]] = total
            return {"contribution": contribution, "total": total}
        return {"contribution": contribution, "total": self._in_leaf(record, event)}

    def _in_leaf(self, record: Record, event: Any) -> Record | None:
        """The value of ``.grad`` after this contribution, if it is known."""
        leaf = self.framework.leaf(event.edge[0])
        if leaf is None or self.ledger.tensors.get(leaf).id != self._tensor_number(record["leaf"]):
            raise Different
        array = None if record.get("total") is None else self._arrival(event.total)
        runs: dict[int, Any] | None = self.sums.setdefault(record["leaf"], {})
        if id(event.total) not in self.step.copies.added:
            runs = self.sums[record["leaf"]] = {}
        elif runs is None or not runs.keys() - {record["run"]}:  # the leaf had a `.grad` before this step
            array = None
        if array is None or runs is None:
            self.sums[record["leaf"]] = None
            return None
        runs[record["run"]] = array
        first, *more = runs.values()
        return measure(sum(more, first))

    # Both

    def _renumbered(self, record: Record) -> Record:
        """The fields that name a node or a tensor, with the numbers of this step."""
        found: Record = {}
        for field in NODES:
            if record.get(field) is not None:
                found[field] = self.ledger.nodes.get(self.nodes[record[field]]).id
        for field in TENSORS:
            if type(record.get(field)) is int:  # in the record of a tensor, `leaf` is a bool
                found[field] = self._tensor_number(record[field])
        return found

    def _tensor_number(self, number: int) -> int:
        """The number of a tensor in this step. A tensor that no op made is the same one in both steps."""
        tensor = self.tensors.get(number)
        if tensor is None:
            view = self.tensors.get(self.views.get(number, 0))
            tensor = self.known[number].ref() if view is None else self.framework.base(view)
            self.tensors[number] = tensor
            if tensor is None:
                raise Different
        return self.ledger.tensors.get(tensor).id

    def _arrival(self, grad: Any) -> Any:
        """The elements of a gradient as it arrived; None if they have been overwritten."""
        copy = self.step.copies.grads.get(id(grad))
        return self._elements(grad, 0) if copy is None else copy

    def _gradient(self, grad: Any) -> Record | None:
        array = self._arrival(grad)
        return None if array is None else measure(array)

    def _elements(self, tensor: Any, version: int | None) -> Any:
        """The elements of `tensor` at that version; None if they have been overwritten."""
        if not self.framework.has_elements(tensor):
            return None
        same = version is None or self.framework.version(tensor) == version
        return self.framework.array(tensor) if same else None

    def _value(self, tensor: Any, version: int | None = None) -> Record | None:
        array = self._elements(tensor, version)
        return None if array is None else measure(array)


def _written(record: Record) -> Any:
    """The key of a write: the number of the tensor, or of the tensor whose gradient was written."""
    return (record["tensor"], "grad") if record["grad"] else record["tensor"]

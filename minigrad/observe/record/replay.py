"""Rebuild the records of a step that was not recorded whole, from a step like it and its own events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ... import events
from ..source.notation import short
from .glimpse import filled
from .retelling import UNLIKE, Different, Retelling
from .script import Record, Script, Step, output_shapes
from .values import measure

if TYPE_CHECKING:
    from .ledger import Ledger

NODES = ("node", "to_node", "from_node", "made_by")
TENSORS = ("tensor", "to_leaf", "leaf", "base", "result")


def replayed(script: Script, step: Step, ledger: Ledger, held: list[Record], resized: bool = False) -> list[Record]:
    """The records of a script with the values of `step`; empty if the two steps differ in anything else.

    If `resized`, shapes may differ too, as in a smaller batch.
    """
    try:
        return Replay(script, step, ledger, held, resized).records()
    except UNLIKE:
        return []


class Replay(Retelling):
    """A script, with the values of another step."""

    def __init__(self, script: Script, step: Step, ledger: Ledger, held: list[Record], resized: bool = False) -> None:
        super().__init__(script.records, step, ledger)
        self.unheard, self.resized = script.unheard, resized
        self.tensors: dict[int, Any] = {}
        """For each tensor number in the script, the tensor of this step."""
        self.gone: dict[int, Record] = {}
        """For each tensor number in the script whose tensor in this step is gone, what is known of that one."""
        self.held = {record["id"]: record for record in held if record["type"] == "tensor"}
        self.held_nodes = {record["id"]: record for record in held if record["type"] == "node"}
        self.trained = {each["id"] for each in self.script if each["type"] == "tensor" and each.get("parameter")}
        """The numbers of the parameters: they are the same in both steps."""
        self.writes = Counter(_written(record) for record in self.script if record["type"] == "mutated")
        self.writes_left = Counter(self.writes)
        self.saved: dict[int, int] = {}
        """For each node number in the script, the bytes that it saves."""
        self.ran = {id(record): event for record, event in self._forward()}
        self.known = {entry.id: entry for entry in ledger.tensors}
        self.views = {
            record["base"]: record["id"] for record in self.script if record["type"] == "tensor" and "base" in record
        }
        """For each tensor that another one is a view of, that other one, by their numbers in the script."""

    def records(self) -> list[Record]:
        """All records of the step, in order. If the step is the present one, its tensors belong to it."""
        found = super().records()
        if self.step.number == self.ledger.step:
            for tensor in self.tensors.values():
                self.ledger.tensors.get(tensor).step = self.ledger.step
        return found

    def _tellers(self) -> dict[str, Callable[[Record], Record]]:
        return {
            **super()._tellers(), "tensor": self._tensor, "node": self._node, "saved": self._saved,
            "mutated": self._mutated, "released": self._released,
        }  # fmt: skip

    # Forward

    def _forward(self) -> Iterator[tuple[Record, Any]]:
        """Each op's record in the script, with the event of the same op in the step."""
        ran = self.events.get(events.NodeRecorded, iter(()))
        waiting: dict[int, Record] = {}
        for record in self.script:
            if record["type"] != "node":
                continue
            if record["id"] in self.unheard:
                waiting[record["id"]] = record
                continue
            event = next(ran, None)
            while event is not None and not event.recorded and not self._is_same(event, record):
                event = next(ran, None)  # skip an op that the optimiser itself runs
            if event is None or not self._is_same(event, record):
                raise Different
            self._match(record, event)
            edges = self.framework.edges(event.node) if event.recorded else ()
            for said, edge, tensor in zip(record["inputs"], edges, event.inputs, strict=False):
                yield from self._before(waiting, said, edge, tensor)
            yield record, event
        if any(event.recorded for event in ran):
            raise Different
        started = [event for event in self.step.events if type(event) is events.BackwardStarted]
        told = [record for record in self.script if record["type"] == "backward_started"]
        for record, event in zip(told, started, strict=True):
            for said, (edge, _) in zip(record["roots"], event.roots, strict=True):
                yield from self._before(waiting, said, edge)

    def _before(
        self, waiting: dict[int, Record], said: Record, edge: Any, tensor: Any = None
    ) -> Iterator[tuple[Record, Any]]:
        """If `said` names a node that no event tells of, its record and those of such nodes before it.

        `edge` leads to the node, and `tensor` is its output, if it is known. Each record comes with what an event would
        tell of it.
        """
        record = waiting.pop(said.get("node") or 0, None)
        if record is None:
            return
        if edge is None or self.resized or self.framework.op_facts(edge[0])["op"] != record["op"]:
            raise Different
        node, output = edge
        known = self.ledger.nodes.find(node)
        outputs = [entry.ref() for entry in (() if known is None else known.outputs)]
        outputs += [None] * (len(record["outputs"]) - len(outputs))
        if tensor is not None:
            outputs[output] = tensor
        event = events.NodeRecorded(node, (), tuple(outputs))
        self._match(record, event)
        for one, inner in zip(record["inputs"], self.framework.edges(node), strict=False):
            leaf = None if inner is None else self.framework.leaf(inner[0])
            if leaf is not None and "tensor" in one:
                self.tensors[one["tensor"]] = leaf
            yield from self._before(waiting, one, inner)
        yield record, event

    def _is_same(self, event: Any, record: Record) -> bool:
        op = self.framework.op_facts(event.node)["op"]
        if (op, event.recorded) != (record["op"], record["recorded"]):
            return False
        shapes, told = tuple(tuple(self.framework.shape(each)) for each in event.outputs), output_shapes(record)
        return shapes == told or (self.resized and [*map(len, shapes)] == [*map(len, told)])

    def _match(self, record: Record, event: Any) -> None:
        self.nodes[record["id"]] = event.node
        inputs = (event.outputs[0], *event.inputs[1:]) if record.get("inplace") else event.inputs
        for said, tensor in zip(record["inputs"], inputs, strict=False):
            if "tensor" in said and self.framework.is_tensor(tensor):
                if said["tensor"] in self.trained and self.ledger.tensors.get(tensor).id != said["tensor"]:
                    raise Different  # another net
                self.tensors[said["tensor"]] = tensor
        held = self.held_nodes.get(self.ledger.nodes.get(event.node).id)
        for place, (said, tensor) in enumerate(zip(record["outputs"], event.outputs, strict=True)):
            if tensor is None:
                self.gone[said["id"]] = self._as_held(held, place)
            elif list(self.framework.shape(tensor)) != said["shape"] and not self.resized:
                raise Different
            else:
                self.tensors[said["id"]] = tensor

    def _as_held(self, node: Record | None, output: int) -> Record:
        """The number and value of an output that is gone, from the held record of its node, if there is one."""
        if node is None:
            return {"id": self.ledger.tensors.new_number(), "value": None}
        said = node["outputs"][output]
        return {"id": said["id"], "value": filled(said.get("value"))}

    def _tensor(self, record: Record) -> Record:
        number = self._tensor_number(record["id"])
        held = self.held.get(number)
        tensor = self.tensors[record["id"]]
        if list(self.framework.shape(tensor)) != record["shape"] and not self.resized:
            raise Different
        changed: Record = {
            **self.framework.facts(tensor),
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
        for said, given in zip(inputs, event.inputs, strict=False):
            if "constant" in said and not self.framework.is_tensor(given):
                said["constant"] = short(given)
        params = {**record["params"], **self.framework.settings(event.node)}
        outputs = []
        for said, tensor in zip(record["outputs"], event.outputs, strict=True):
            if tensor is None:
                outputs.append({**said, **self.gone[said["id"]]})
                continue
            known = self.ledger.tensors.get(tensor)
            version, value = said["version"], None
            left = self.writes_left[said["id"]]
            if record.get("inplace") and left:
                version = self.framework.version(tensor) - left + 1
            if "value" in said:
                value = self._value(tensor, version)
            facts = {**self.framework.facts(tensor), "id": known.id, "version": version, "value": value}
            outputs.append({**said, **self._renumbered(said), **facts})
        number = self.ledger.nodes.get(event.node).id
        return {"id": number, "params": params, "inputs": inputs, "outputs": outputs}

    def _saved(self, record: Record) -> Record:
        began = {tensor["id"]: tensor["version"] for tensor in self.script if tensor["type"] == "tensor"}
        kept = []
        for said in record["saved"]:
            version = said["version"]
            if said["tensor"] in began:
                now = self.framework.version(self.tensors[said["tensor"]]) - self.writes[said["tensor"]]
                version += now - began[said["tensor"]]
            number, tensor = self._tensor_number(said["tensor"]), self.tensors.get(said["tensor"])
            size = said["bytes"] if tensor is None else self.framework.nbytes(tensor)
            kept.append({**said, "tensor": number, "version": version, "bytes": size})
        self.saved[record["node"]] = self.saved.get(record["node"], 0) + sum(said["bytes"] for said in kept)
        return {"saved": kept}

    def _released(self, record: Record) -> Record:
        return {"bytes": self.saved.get(record["node"], record["bytes"])}

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

    # Numbers and values

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
        if number in self.gone:
            return int(self.gone[number]["id"])
        tensor = self.tensors.get(number)
        if tensor is None:
            view = self.tensors.get(self.views.get(number, 0))
            tensor = self.known[number].ref() if view is None else self.framework.base(view)
            self.tensors[number] = tensor
            if tensor is None:
                raise Different
        return self.ledger.tensors.get(tensor).id

    def _value(self, tensor: Any, version: int | None = None) -> Record | None:
        array = self._elements(tensor, version)
        return None if array is None else measure(array)


def _written(record: Record) -> Any:
    """The key of a write: the number of the tensor, or of the tensor whose gradient was written."""
    return (record["tensor"], "grad") if record["grad"] else record["tensor"]

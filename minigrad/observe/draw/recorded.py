"""The picture of one step of a recording."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import ArgumentError
from ..schema import Kind, unhandled
from .diagram import Arrow, Box, Picture, Record


def of_records(records: Iterable[Record], step: int | None = None) -> Picture:
    """The graph of one step: step `step`, or the last in which an op ran. Raises ArgumentError if no op is recorded."""
    everything = list(records)
    ran = [record.get("step", 0) for record in everything if record["type"] == "node" and _drawn(record)]
    if not ran:
        raise ArgumentError("there is no op in these records, and so nothing to draw")
    step = ran[-1] if step is None else step
    if step not in set(ran):
        raise ArgumentError(f"no op ran in step {step}; there are ops in steps {min(ran)} to {max(ran)}")
    return _Folder([record for record in everything if record.get("step", 0) == step]).picture


def _drawn(node: Record) -> bool:
    """Whether to draw an op: not the ops that a gradient rule runs without recording them."""
    return node.get("made_by") is None or bool(node.get("recorded", True))


class _Folder:
    """Build a picture from the records of a step."""

    def __init__(self, records: list[Record]) -> None:
        self.picture = Picture()
        self.tensors = {record["id"]: record for record in records if record["type"] == "tensor"}
        self.makers: dict[int, str] = {}
        for record in records:
            self._take(record["type"], record)
        self.picture.find_roots()

    def _take(self, kind: Kind, record: Record) -> None:
        match kind:
            case "node":
                self._node(record)
            case "saved":
                self._saved(record)
            case "released":
                self._released(record)
            case "node_entered":
                self._node_entered(record)
            case "grad_accumulated":
                self._grad_accumulated(record)
            case "tensor" | "run_started" | "source" | "mutated" | "detached" | "backward_started" | "node_ready":
                pass
            case "grad_computed" | "grad_reduced" | "hook_ran" | "backward_finished" | "anomaly_found":
                pass
            case "scope_entered" | "scope_left" | "step_taken" | "scalar" | "output" | "collective_ran" | "dropped":
                pass
            case "numbers" | "paused" | "resumed" | "breakpoints" | "run_finished":
                pass
            case _:
                raise unhandled(kind)

    def _node(self, record: Record) -> None:
        if not _drawn(record):
            return
        output = record["outputs"][0] if record["outputs"] else {}
        box = Box(
            f"n{record['id']}", "op", record["op"], output.get("name") or "", tuple(output.get("shape", ())) or None,
            record.get("symbol", ""), record["id"], output.get("value"), scope=tuple(record.get("scope", ())),
            recorded=record.get("recorded", True), at=record.get("at"),
        )  # fmt: skip
        box.shape = tuple(output["shape"]) if output else None
        self.picture.boxes[box.key] = box
        for each in record["inputs"]:
            source = self._source(each)
            if source is not None:
                shape = self.tensors.get(each.get("tensor"), {}).get("shape")
                grad = self.picture.boxes[source].kind != "constant" and box.recorded
                self.picture.arrows.append(
                    Arrow(source, box.key, each["name"], None if shape is None else tuple(shape), grad)
                )
        for each in record["outputs"]:
            self.makers[each["id"]] = box.key
            self.tensors[each["id"]] = each

    def _source(self, each: Record) -> str | None:
        key = f"n{each['node']}" if each.get("node") is not None else self.makers.get(each.get("tensor", -1))
        if key in self.picture.boxes:
            return key
        record = self.tensors.get(each.get("tensor", -1))
        if record is None:
            return None
        key = f"t{record['id']}"
        if key not in self.picture.boxes:
            wants = record.get("requires_grad", False)
            name = record.get("name") or ""
            self.picture.boxes[key] = Box(
                key, "parameter" if wants else "constant", name or f"tensor {record['id']}", name,
                tuple(record["shape"]), value=record.get("value"), gradient=record.get("grad"), at=record.get("at"),
            )  # fmt: skip
        return key

    def _saved(self, record: Record) -> None:
        box = self.picture.boxes.get(f"n{record['node']}")
        if box is not None:
            box.saved += [each["name"] for each in record["saved"]]

    def _released(self, record: Record) -> None:
        box = self.picture.boxes.get(f"n{record['node']}")
        if box is not None:
            box.released = True

    def _node_entered(self, record: Record) -> None:
        box = self.picture.boxes.get(f"n{record['node']}")
        if box is not None and record["grads"]:
            box.gradient = record["grads"][0]

    def _grad_accumulated(self, record: Record) -> None:
        box = self.picture.boxes.get(f"t{record.get('leaf')}")
        if box is not None and record.get("total") is not None:
            box.gradient = record["total"]

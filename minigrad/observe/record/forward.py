"""Records of the forward pass."""

from __future__ import annotations

import math
import sys
import threading
from types import FrameType
from typing import Any

import numpy as np

from ... import events
from ..source.callsites import Site, recomputing, users_frame
from ..source.naming import Awaited
from ..source.notation import short
from .identity import KnownNode, KnownTensor
from .ledger import Ledger, Record
from .op_record import op_record
from .reasons import reason
from .steps import LARGEST
from .values import counted, is_broken


class Forward:
    """Turn the events of the forward pass into records."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.framework = ledger.framework

    def created(self, event: events.TensorCreated) -> None:
        """Note the line that made a tensor without an op. The tensor gets a record when it is first used."""
        ledger = self.ledger
        _, site = ledger.look(sys._getframe(1))
        if site is not None:
            ledger.tensors.get(event.tensor).at = site.place

    def ran(self, event: events.NodeRecorded) -> None:
        """Record an op. Skip ops that a gradient rule runs without recording them in the graph."""
        ledger, here = self.ledger, self.ledger.here
        run = here.runs[-1] if here.runs else None
        if run is not None and not event.recorded:
            return
        inner = sys._getframe(1)
        frame, site = ledger.look(inner)
        if not event.recorded and self.framework.keeps_house(inner):
            return
        if ledger.nodes_in_step >= LARGEST:
            ledger.next_step_within()
            ledger.crowded = True
        elif run is None and event.recorded and ledger.crossed():
            ledger.next_step_within()
            if not ledger.sampling.writing:
                return
        self._write(event, inner, frame, site, run)

    def _write(
        self, event: events.NodeRecorded, inner: FrameType, frame: FrameType | None, site: Site | None, run: Any
    ) -> None:
        ledger, node, framework = self.ledger, event.node, self.framework
        changed = self._changed_in_place(node, event.outputs)
        inputs = self._inputs(event, frame, changed)
        known = ledger.nodes.get(node)
        known.step = ledger.step
        bare = known.bare = op_record(event, known.id, inputs, site, framework)
        if changed:
            bare["inplace"] = True
        self._place(known, bare, run, inner)
        if site is not None:
            bare["at"] = site.place
        ledger.nodes_in_step += 1
        self._outputs(event, known, frame, site)

    def _place(self, known: KnownNode, bare: Record, run: Any, frame: FrameType) -> None:
        """Add the calls around the node, which was made in `frame`.

        A node of a gradient's graph gets those of the node whose backward made it.
        """
        ledger, maker = self.ledger, run.node if run is not None else None
        if maker is not None and run.create:
            known.layer = bare["layer"] = maker.layer + 1
            bare["made_by"] = maker.id
            bare["scope"] = maker.bare.get("scope", [])
            functions = maker.bare.get("calls")
        else:
            bare["scope"] = ledger.around(frame)
            functions = ledger.functions(frame)
            if maker is not None and recomputing(frame, self.framework.folders.checkpoint):
                bare.update(recomputed=True, made_by=maker.id)
        if functions:
            bare["calls"] = functions

    def _changed_in_place(self, node: Any, outputs: tuple[Any, ...]) -> bool:
        return self.framework.writes_in_place(node, outputs) and self.ledger.tensors.find(outputs[0]) is not None

    # Inputs

    def _inputs(self, event: events.NodeRecorded, frame: FrameType | None, changed: bool) -> list[Record]:
        framework = self.framework
        names = framework.input_names(event.node, len(event.inputs))
        edges = framework.edges(event.node) if event.recorded else (None,) * len(names)
        found = []
        for index, (name, value) in enumerate(zip(names, event.inputs, strict=True)):
            if not framework.is_tensor(value):
                found.append({"name": name, "constant": short(value)})
                continue
            if changed and index == 0:  # the input may be a copy from before the change
                value = event.outputs[0]
                found.append(self._input(name, value, edges[0], frame, own_edge=False))
            elif not event.recorded:
                found.append(self._glance(name, value, frame))
            else:
                found.append(self._input(name, value, edges[index] if index < len(edges) else None, frame))
        return found

    def _input(self, name: str, value: Any, edge: Any, frame: FrameType | None, own_edge: bool = True) -> Record:
        ledger = self.ledger
        known = ledger.tensors.get(value)
        if edge is None and own_edge:
            edge = self.framework.place(value)
        if edge is not None and self.framework.leaf(edge[0]) is None:
            self._acquaint(edge, known, value, frame)
            node = ledger.node(edge[0])
            self._introduce(value, known, frame)
            if node.step == ledger.step:
                return {"name": name, "tensor": known.id, "node": node.id, "output": edge[1]}
        self._introduce(value, known, frame)
        return {"name": name, "tensor": known.id}

    def _acquaint(self, edge: Any, known: KnownTensor, value: Any, frame: FrameType | None) -> None:
        """Note the output of a node that had no record of its own, such as the input of a differentiated function."""
        node = self.ledger.nodes.get(edge[0])
        if not node.bare and not node.outputs and edge[1] == 0:
            node.outputs = (known,)
            if known.name is None:
                known.name = self.ledger.name_of(value, frame)

    def _glance(self, name: str, value: Any, frame: FrameType | None) -> Record:
        """An input of an op outside the graph, such as ``loss.isnan()``.

        Does not record the graph of an earlier step again.
        """
        ledger, edge = self.ledger, self.framework.place(value)
        known = ledger.tensors.get(value)
        self._introduce(value, known, frame)
        node = None if edge is None or self.framework.leaf(edge[0]) is not None else ledger.nodes.find(edge[0])
        if edge is None or node is None or node.step != ledger.step:
            return {"name": name, "tensor": known.id}
        return {"name": name, "tensor": known.id, "node": node.id, "output": edge[1]}

    def _introduce(self, value: Any, known: KnownTensor, frame: FrameType | None) -> None:
        ledger, framework = self.ledger, self.framework
        if known.step != ledger.step:
            ledger.introduce(value, known, frame)
        elif known.name is None and framework.requires_grad(value) and framework.place(value) is None:
            known.name = ledger.name_of(value, frame)  # an expression of this step made it, and it became a leaf

    # Outputs

    def _outputs(
        self, event: events.NodeRecorded, known: KnownNode, frame: FrameType | None, site: Site | None
    ) -> None:
        ledger, step, framework = self.ledger, self.ledger.step, self.framework
        entries, bare, full = [], [], []
        for output in event.outputs:
            entry = ledger.tensors.get(output)
            entry.step = step
            entries.append(entry)
            fields = {"id": entry.id, "name": entry.name, **framework.facts(output)}
            base = framework.base(output)
            if base is not None:
                fields["base"] = (ledger.tensor(base) if event.recorded else ledger.named(base)).id
            value = ledger.value(output)
            bare.append(fields)
            full.append(fields if value is None else {**fields, "value": value})
        known.outputs = tuple(entries)
        known.bare["outputs"] = bare
        record = ledger.write_node(known.bare, known.bare["inputs"], full)
        if ledger.sampling.taking or ledger.sampling.holding:
            self._look_for_nan(event, known, record)
        if frame is not None and site is not None:
            self._await_names(entries, bare, record["outputs"], frame, site)

    def _await_names(self, entries: list[KnownTensor], bare: Any, full: Any, frame: FrameType, site: Site) -> None:
        """Wait for the name that the line gives to its result; if it returns the result, wait for the caller's line."""
        while site.returns:
            outer = users_frame(frame.f_back)
            if outer is None:
                return
            frame, site = outer, self.ledger.places.site(outer)
        unnamed = [(e, [b, f]) for e, b, f in zip(entries, bare, full, strict=True) if e.name is None]
        if site.names and unnamed:
            ledger = self.ledger
            ledger.here.awaited = Awaited(site.names, frame, unnamed, threading.get_ident(), ledger.now)
            ledger.awaited.append(ledger.here.awaited)

    def _look_for_nan(self, event: events.NodeRecorded, known: KnownNode, record: Record) -> None:
        """Report an op that makes a NaN from numbers, or an infinity from finite numbers: there the trouble began."""
        ledger = self.ledger
        values = [output.get("value") for output in record["outputs"]]
        found = next(filter(is_broken, values), None)
        before = {} if found is None else {self._broken(each): each for each in event.inputs}
        kind = "nan" if found is not None and found["nan"] else "inf"
        asked = kind == "inf" and ("asked" in before or any(map(_is_infinite, self._arguments(event, known))))
        came = next((each for each in ("told", "data") if each in before), "asked" if asked else "told")
        for entry, value in zip(known.outputs, values, strict=True):
            entry.broken = came if is_broken(value) else ""  # type: ignore[assignment]
        if came == "data" and ledger.suspect is None:
            ledger.suspect = self._suspect(before["data"], known)
        if found is None or asked or "told" in before or "data" in before:
            return
        arrays = [self.framework.array(each) for each in event.inputs if self.framework.has_elements(each)]
        of = "of infinities" if "asked" in before else "of finite numbers"
        message = f"{known.bare['op']} made {counted(found)} {of}.{reason(known.bare['op'], arrays, kind)}"
        ledger.alarm()
        ledger.announce("anomaly_found", kind=kind, node=known.id, tensor=known.outputs[0].id, message=message,
                     at=known.bare.get("at"))  # fmt: skip

    @staticmethod
    def _arguments(event: events.NodeRecorded, known: KnownNode) -> tuple[Any, ...]:
        return *event.inputs, *known.bare["params"].values()

    def _broken(self, value: Any) -> str:
        known = self.ledger.tensors.find(value)
        return "" if known is None else known.broken

    def _suspect(self, value: Any, known: KnownNode) -> Record:
        """The warning to give if the loss is NaN: this NaN was in the input data.

        Many programs mask such values, so wait.
        """
        entry, array = self.ledger.tensors.get(value), self.framework.array(value)
        count = int(np.isnan(array).sum())
        message = f"{entry.name or 'A tensor'} came with {count:,} NaN among its {array.size:,} numbers, and "
        message += f"{known.bare['op']} used it: the loss is not a number."
        return {"kind": "nan", "node": known.id, "tensor": entry.id, "message": message, "at": known.bare.get("at")}

    # Saved tensors

    def saved(self, event: events.TensorSaved) -> None:
        """Record a tensor that a node saves. All saved tensors of one node share one record."""
        ledger, here = self.ledger, self.ledger.here
        node = ledger.nodes.find(event.node)
        if node is None or node.step != ledger.step:
            return
        entry = self._saved_tensor(event, node)
        size = self.framework.nbytes(event.tensor)
        node.bytes += size
        item = {"name": event.name, "tensor": entry.id, "version": event.version, "bytes": size}
        fresh = here.saved is not None and here.saved[0] == node.id
        if fresh and here.saved is not None and ledger.queue and ledger.queue[-1].get("node") == node.id:
            here.saved[1].append(item)
        else:
            here.saved = (node.id, [item])
            ledger.write("saved", node=node.id, saved=here.saved[1])

    def _saved_tensor(self, event: events.TensorSaved, node: KnownNode) -> KnownTensor:
        """The entry of a saved tensor. An output is saved as another tensor on its memory: then the output's entry."""
        ledger, tensor = self.ledger, event.tensor
        if ledger.tensors.find(tensor) is None:
            output = ledger.output_like(tensor, node)
            if output is not None:
                return output
            known = ledger.tensors.get(tensor)
            known.name = f"{event.name} before"
        return ledger.tensor(tensor)

    def released(self, event: events.SavedReleased) -> None:
        """Record that a node released its saved tensors."""
        known, runs = self.ledger.nodes.find(event.node), self.ledger.here.runs
        if known is not None:
            known.freed = runs[-1].at if runs else None
        if known is not None and known.step == self.ledger.step:
            self.ledger.write("released", node=known.id, bytes=known.bytes)
            known.bytes = 0

    def mutated(self, event: events.Mutated) -> None:
        """Record a write, by an optimiser to a leaf, by clipping to a gradient, or by an in-place op to any tensor."""
        ledger, tensor = self.ledger, event.tensor
        inner = sys._getframe(1)
        leaf = ledger.boundary.written(tensor)
        known = ledger.tensors.find(tensor)
        if leaf is not None and self.framework.grad(leaf) is tensor and not ledger.here.runs:
            frame, site = ledger.look(inner)
            self._changed(event, leaf, frame, site, grad=True)
            if known is None:
                return
        if leaf is not None and known is None:
            tensor, known = leaf, ledger.tensors.find(leaf)
        if ledger.here.runs and known is None:
            return  # a gradient that is still being summed
        if (known is None or known.step != ledger.step) and self.framework.keeps_house(inner):
            return  # the initial values of a parameter
        frame, site = ledger.look(inner)
        base = self.framework.base(tensor)
        for each in (tensor,) if base is None else (tensor, base):  # the base changes too
            self._changed(event, each, frame, site)

    def _changed(self, event: Any, tensor: Any, frame: Any, site: Site | None, *, grad: bool = False) -> None:
        ledger, framework = self.ledger, self.framework
        known = ledger.tensor(tensor, frame)
        node = None if event.node is None else ledger.nodes.find(event.node)
        at = None if site is None else site.place
        if not grad:
            known.written = at
        ledger.write(
            "mutated", tensor=known.id, version=framework.version(tensor), grad=grad,
            node=node.id if node is not None and node.step == ledger.step else None,
            op="" if event.node is None else framework.op_name(event.node),
            value=ledger.value(framework.grad(tensor) if grad else tensor), at=at,
        )  # fmt: skip


def _is_infinite(value: Any) -> bool:
    return isinstance(value, float) and math.isinf(value)

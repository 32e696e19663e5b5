"""Make the records of a forward that was not recorded, from the events of its step and what was noted beside them.

It is needed where no two steps have the same ops, such as one tree or one sentence a step: no earlier step can serve as
a script.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ... import events
from ..source.notation import short
from .op_record import op_record
from .retelling import UNLIKE, Different
from .script import Note, Notes, Record, Step
from .steps import LARGEST
from .values import measure

if TYPE_CHECKING:
    from ..source.callsites import Site
    from .identity import KnownNode, KnownTensor
    from .ledger import Ledger

OURS = 4
"""So many frames of the recorder, at least, are between a note and the program."""


def noted(event: Any, ledger: Ledger) -> Note | None:
    """What only this moment tells about an op, or the start of a backward; None if the framework runs it for itself."""
    framework, inner = ledger.framework, sys._getframe(OURS)
    versions: list[int] = []
    if type(event) is events.NodeRecorded:
        if ledger.here.runs or (not event.recorded and framework.keeps_house(inner)):
            return None
        is_tensor, version = framework.is_tensor, framework.version
        versions = [version(each) for each in (*event.inputs, *event.outputs) if is_tensor(each)]
    _, site = ledger.places.look(inner)
    return Note(site, ledger.call(inner), versions)


def forward_of(step: Step, ledger: Ledger) -> list[Record]:
    """The records of the forward of `step`, and of the beginning and the end of each backward.

    Empty if nothing was noted, if a backward recorded ops, or if the step used the graph of an earlier one.
    """
    if step.notes is None or not step.notes.beside:
        return []
    try:
        return FromEvents(step, step.notes, ledger).records()
    except UNLIKE:
        return []


class FromEvents:
    """A step of which only the events are known, and the notes beside them."""

    def __init__(self, step: Step, notes: Notes, ledger: Ledger) -> None:
        self.step, self.notes, self.ledger, self.framework = step, notes, ledger, ledger.framework
        self.found: list[Record] = []
        self.share = 0.0
        """The part of the step's events that has been told."""
        self.scopes: list[Any] = []
        """The modules of the scopes that are open, outermost first; None for a region that the user has named."""
        self.path: list[str] = []
        self.tensors: dict[int, KnownTensor] = {}
        """The tensors that have a record, by number."""
        self.nodes: dict[int, KnownNode] = {}
        """The nodes that have a record, by number."""
        self.versions: dict[int, int] = {}
        """The versions of the tensors of the op that is told, when it had run, by their addresses."""
        self.runs = 0
        self._last: tuple[Site | None, KnownNode, Record] | None = None
        """The last op that was told: where it ran, its node, and its record."""

    def records(self) -> list[Record]:
        """All records, in order. If the step is the present one, its tensors and nodes belong to it."""
        for name, owner in self.notes.scopes:
            self._enter(name, owner)
        running: int | None = None
        for place, event in enumerate(self.step.events):
            self.share = place / len(self.step.events)
            kind = type(event)
            if kind is events.ScopeEntered:
                self._enter(self._called(event), event.owner)
            elif kind is events.ScopeLeft:
                self._leave()
            elif kind is events.BackwardStarted:
                running = event.run
                self._started(event)
            elif kind is events.BackwardFinished:
                running = None
                self._write("backward_finished", run=self.runs, nodes=event.nodes, error=None)
            elif kind is events.NodeRecorded and running is None:
                self._ran(event)
            elif (kind is events.NodeRecorded and event.recorded) or not self._is_known(event):
                raise Different
        self._named(None)
        if self.step.number == self.ledger.step:
            for known in (*self.tensors.values(), *self.nodes.values()):
                known.step = self.ledger.step
        return self.found

    def _is_known(self, event: Any) -> bool:
        """Whether a gradient comes from a node of this step and goes to one, or to a leaf."""
        if type(event) is events.GradComputed and self.ledger.nodes.get(event.node).id not in self.nodes:
            return False
        edge = getattr(event, "edge", None)
        return edge is None or self.framework.leaf(edge[0]) is not None or self._node(edge) is not None

    def _node(self, edge: Any) -> int | None:
        """The number of the node that an edge leads to; None if this step has no record of it."""
        known = None if edge is None else self.ledger.nodes.find(edge[0])
        return known.id if known is not None and known.id in self.nodes else None

    def _write(self, type: str, /, **fields: Any) -> None:
        step = self.step
        t = step.began + self.share * (step.ended - step.began)
        self.found.append({"seq": 0, "t": int(t * 1e6) / 1e6, "step": step.number, "type": type, **fields})

    # Scopes

    def _called(self, event: events.ScopeEntered) -> str:
        """The name of a scope: that of a module as in the steps that were recorded."""
        ledger, owner = self.ledger, event.owner
        if owner is None:
            return event.name
        if not self.scopes:
            return ledger.homes.name(owner) or event.name
        caller = next((module for module in reversed(self.scopes) if module is not None), None)
        part = None if caller is None else ledger.parts.path(caller, owner)
        return part or ledger.homes.path(owner) or event.name

    def _enter(self, name: str, owner: Any) -> None:
        self.scopes.append(owner)
        self.path.append(f"{name}:{'' if owner is None else type(owner).__name__}")
        tree = self.ledger.parts.tree(owner) if len(self.path) == 1 and owner is not None else None
        self._write("scope_entered", path=list(self.path), **({"modules": tree} if tree else {}))

    def _leave(self) -> None:
        if self.path:
            self._write("scope_left", path=list(self.path))
            self.scopes.pop()
            self.path.pop()

    # Ops

    def _ran(self, event: events.NodeRecorded) -> None:
        note = self.notes.beside.get(id(event))
        if note is None:
            return
        if len(self.nodes) == LARGEST:
            raise Different  # more than a picture can show
        ledger, framework = self.ledger, self.framework
        known = ledger.nodes.get(event.node)
        tensors = filter(framework.is_tensor, (*event.inputs, *event.outputs))
        self.versions = {id(tensor): version for tensor, version in zip(tensors, note.versions, strict=True)}
        written = any(self.versions.get(id(each)) for each in event.outputs)
        in_place = written and framework.writes_in_place(event.node, event.outputs)
        record = known.bare = op_record(event, known.id, self._inputs(event, in_place), note.site, framework)
        if in_place:
            record["inplace"] = True
        record["scope"] = list(self.path) if ledger.has_modules else note.call.path
        if note.call.functions:
            record["calls"] = note.call.functions
        if note.site is not None:
            record["at"] = note.site.place
        self.nodes[known.id] = known
        known.outputs = tuple(map(ledger.tensors.get, event.outputs))
        for entry, output in zip(known.outputs, event.outputs, strict=True):
            self.tensors[entry.id] = entry
            fields = self._described(output, entry)
            fields["value"] = self._value(output, fields["version"], in_place)
            record["outputs"].append(fields)
        self._named(note.site)
        self._last = note.site, known, record
        self._write("node", **record)

    def _named(self, site: Site | None) -> None:
        """Give the last op's result the name that its line gives it, unless the op that follows ran there, too."""
        if self._last is None or self._last[0] is site:
            return
        where, known, record = self._last
        names = () if where is None or where.returns else where.names
        if len(names) == len(known.outputs) == 1 and known.outputs[0].name is None:
            known.outputs[0].name = record["outputs"][0]["name"] = names[0]

    def _inputs(self, event: events.NodeRecorded, in_place: bool) -> list[Record]:
        framework = self.framework
        names = framework.input_names(event.node, len(event.inputs))
        reached = framework.edges(event.node) if event.recorded else map(self._place, event.inputs)
        edges: list[Any] = [*reached, *[None] * len(names)]
        values = (event.outputs[0], *event.inputs[1:]) if in_place else event.inputs
        found: list[Record] = []
        for name, value, edge in zip(names, values, edges, strict=False):
            if not framework.is_tensor(value):
                found.append({"name": name, "constant": short(value)})
                continue
            known = self._tensor(value, overwritten=in_place and not found)
            record: Record = {"name": name, "tensor": known.id}
            node = self._node(edge)
            if node is not None:
                record.update(node=node, output=edge[1])
            found.append(record)
        return found

    def _place(self, value: Any) -> Any:
        return self.framework.place(value) if self.framework.is_tensor(value) else None

    # Tensors

    def _tensor(self, tensor: Any, overwritten: bool = False) -> KnownTensor:
        """The entry of a tensor, with a record of it as it was when the step began."""
        known = self.ledger.tensors.get(tensor)
        if known.id not in self.tensors:
            self.tensors[known.id] = known
            record = self._described(tensor, known)
            copy = self.step.copies.leaves.get(id(tensor))
            if copy is not None:
                record["value"] = measure(copy)
            else:
                record["value"] = None if overwritten else self._value(tensor, record["version"])
            if known.at is not None:
                record["at"] = known.at
            self._write("tensor", **record)
        return known

    def _described(self, tensor: Any, known: KnownTensor) -> Record:
        """The fields of a tensor at this moment, without its value."""
        record = {"id": known.id, "name": known.name, **self.framework.facts(tensor)}
        base = self.framework.base(tensor)
        if base is not None:
            record["base"] = self._tensor(base).id
        record["version"] = self.versions.get(id(tensor), record["version"])
        return record

    def _value(self, tensor: Any, version: int, written: bool = False) -> Record | None:
        """The value of a tensor; None if its elements have been overwritten since it was `written`."""
        framework = self.framework
        if (id(tensor) in self.notes.written and not written) or not framework.has_elements(tensor):
            return None
        return measure(framework.array(tensor)) if framework.version(tensor) == version else None

    # Backward

    def _started(self, event: events.BackwardStarted) -> None:
        note = self.notes.beside[id(event)]
        self.runs += 1
        roots = [self._root(edge) for edge, _ in event.roots]
        self._write(
            "backward_started", run=self.runs, roots=roots, create_graph=event.create_graph,
            retain_graph=event.retain_graph, captures=event.captures, at=note.site and note.site.place,
        )  # fmt: skip

    def _root(self, edge: Any) -> Record:
        node, output = edge
        leaf = self.framework.leaf(node)
        if leaf is not None:
            return {"output": output, "value": None, "tensor": self.ledger.tensors.get(leaf).id}
        known = self.nodes[self.ledger.nodes.get(node).id]
        return {"output": output, "value": None, "node": known.id, "tensor": known.outputs[output].id}

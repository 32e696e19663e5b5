"""Make the records of a step from a script: records of the same kinds, whose gradients the step's own events tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from ... import events
from .script import Record, Step
from .values import measure

if TYPE_CHECKING:
    from .ledger import Ledger

WITHIN = 0.99
"""Spread the records over this part of the step's time, so that the record of the step's end comes last."""


class Different(Exception):
    """Raised if the step differs from the script."""


UNLIKE = (Different, KeyError, StopIteration, IndexError, ValueError)
"""The errors that show that a step differs: the difference itself, or a missing event, name or tensor."""


class Retelling:
    """A script with the times and the gradients of a step. What else is to change, a subclass says."""

    def __init__(self, script: list[Record], step: Step, ledger: Ledger) -> None:
        self.script, self.step, self.ledger, self.framework = script, step, ledger, ledger.framework
        self.nodes: dict[int, Any] = {}
        """For each node number in the script, the node of this step."""
        self.arrived: dict[tuple[int, int], Record | None] = {}
        """The gradient that has arrived at a node's output, both by their numbers in the script."""
        self.sums: dict[int, Any] = {}
        """The gradient that earlier runs have put into a leaf's ``.grad``; None if it is not known."""
        kinds: defaultdict[type, list[Any]] = defaultdict(list)
        for event in step.events:
            kinds[type(event)].append(event)
        self.events: dict[type, Iterator[Any]] = {kind: iter(found) for kind, found in kinds.items()}

    def records(self) -> list[Record]:
        """All records of the step, in order."""
        tell = self._tellers()
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
        return found

    def _tellers(self) -> dict[str, Callable[[Record], Record]]:
        """For each type of record that changes, what its changed fields are."""
        return {
            "backward_started": self._started, "node_entered": self._entered, "grad_computed": self._computed,
            "grad_accumulated": self._accumulated, "hook_ran": lambda record: {"before": None, "after": None},
        }  # fmt: skip

    # The numbers of the script, unless a subclass knows better

    def _renumbered(self, record: Record) -> Record:
        """The fields that name a node or a tensor, with the numbers of this step."""
        return {}

    def _tensor_number(self, number: int) -> int:
        """The number of a tensor in this step."""
        return number

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
        return {"value": self._gradient(event.grad), "shape": list(self.framework.shape(event.grad))}

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
        before = self.step.copies.before
        if array is not None and before.get(id(event.total)) is not None:
            return measure(before[id(event.total)] + array)
        runs: dict[int, Any] | None = self.sums.setdefault(record["leaf"], {})
        if id(event.total) not in before:
            runs = self.sums[record["leaf"]] = {}
        elif runs is None or not runs.keys() - {record["run"]}:  # the leaf had a `.grad` before this step
            array = None
        if array is None or runs is None:
            self.sums[record["leaf"]] = None
            return None
        runs[record["run"]] = array
        first, *more = runs.values()
        return measure(sum(more, first))

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

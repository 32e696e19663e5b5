"""The last step of a run, whole, although nobody knew that it would be the last.

Of a step that is not recorded whole the events themselves are kept until the next one is over. Where the run ends, they
are told as records after all. The script is a step that was recorded whole and did just the same: the same ops on the
same shapes, the same gradients along the same edges. Only the numbers are another's, and these are in the events. Where
the two steps differ in anything, the step is told by itself where its forward is held, see `own_step`. An element that
was overwritten meanwhile is left out.
"""

from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING, Any

from ... import events
from ..framework import Framework
from .own_step import told_by_itself
from .replay import Copies, Record, Step, output_shapes, replayed
from .values import FULL

if TYPE_CHECKING:
    from .ledger import Ledger

MOST_SCRIPTS = 4
"""The number of kinds of steps to remember: the two kinds of a GAN take turns."""

HEAVIEST = 1 << 26
"""Bytes of all results and gradients of a step that may be held for one step longer than the program holds them."""

WITH_GRADIENTS = 3
"""A result is counted this many times: with its gradient, and what went into that."""

SCRIPT = {
    "tensor", "node", "saved", "released", "mutated", "detached", "backward_started", "node_ready", "node_entered",
    "grad_computed", "grad_reduced", "grad_accumulated", "hook_ran", "backward_finished", "scope_entered", "scope_left",
}  # fmt: skip
"""Records that are the same in steps that are alike."""

TOLD_AGAIN = {events.NodeRecorded, events.BackwardStarted, events.GradComputed, events.GradAccumulated}
"""Events that such a record is made of."""

FORWARD = {"tensor", "node", "detached", "scope_entered", "scope_left", "backward_started", "backward_finished"}
"""Of these, those that are held of each step."""


class LastStep:
    """Remembers how whole steps went, and what happened in the last one that was not recorded whole."""

    def __init__(self, framework: Framework) -> None:
        self.present: list[Any] | None = None
        """Events of this step; None where they are not kept."""
        self.past: Step | None = None
        self._framework = framework
        self._copies = Copies()
        self._began = 0.0
        self._script: list[Record] | None = []
        self._scripts: dict[tuple[Any, ...], list[Record]] = {}
        self._most = self._heaviest = self._weight = 0
        self._written: list[Record] | None = None

    def wrote(self, record: Record) -> None:
        """A record of a step that is recorded whole."""
        if self._script is not None and record["type"] in SCRIPT:
            self._script.append(record)

    def broke(self) -> None:
        """This step has been recorded whole from its middle on: it is no script."""
        self._script = None

    def unlike(self, held: list[Record]) -> None:
        """This step is like no other, and at its end `held` is written of it: its forward."""
        self._written = held

    def take(self, event: Any, moment: float) -> None:
        """An event of a step that is not recorded whole."""
        present = self.present
        if present is None:
            return
        if not present:
            self._began = moment
        present.append(event)
        kind = type(event)
        if kind is events.NodeRecorded:
            self._weight += WITH_GRADIENTS * sum(map(self._framework.nbytes, event.outputs))
        endless = len(present) > self._most or self._weight > self._heaviest  # an evaluation, perhaps
        if endless or tracemalloc.is_tracing():  # a program that measures its memory shall find its own
            self.present, self._copies = None, Copies()
        elif kind is events.GradAccumulated:
            if event.leaf is not None:
                self._settled(event)
            elif (leaf := self._framework.leaf(event.edge[0])) is not None:
                self._arrived(leaf, event.total)

    def _arrived(self, leaf: Any, grad: Any) -> None:
        framework, copies = self._framework, self._copies
        if framework.has_elements(grad) and framework.size(grad) <= FULL:
            copies.grads[id(grad)] = framework.array(grad).copy()
        if framework.grad(leaf) is not None:
            copies.added.add(id(grad))

    def _settled(self, event: Any) -> None:
        """What has arrived is ``.grad`` now, or a copy of it is; unless there was one before, which is more now."""
        copies = self._copies
        if id(event.contribution) in copies.added:
            copies.leaves.pop(id(event.total), None)
        elif (arrived := copies.grads.get(id(event.contribution))) is not None:
            copies.leaves[id(event.total)] = arrived

    def turn(self, ledger: Ledger, whole: bool) -> None:
        """The step is over; `whole`: it was recorded whole to its end."""
        if not whole:
            self.past = self.unfinished(ledger)
            return
        if self._written is not None:
            self.past = self.unfinished(ledger)
            self._written = None
            return
        self.past = None
        script = self._script
        while script and _is_early(script):
            script.pop()
        if script and any(record["type"] == "backward_finished" for record in script):
            self._scripts.pop(key := _key(script), None)
            self._scripts[key] = script
            if len(self._scripts) > MOST_SCRIPTS:
                del self._scripts[next(iter(self._scripts))]
            self._heaviest = 2 * max(map(_weight, self._scripts.values()))
            self._most = 2 * max(map(len, self._scripts.values()))

    def begin(self, whole: bool, leaves: list[Any]) -> None:
        """Another step begins, to be recorded whole or not, after one in which `leaves` have got gradients."""
        self._copies = Copies()
        self._script = [] if whole else None
        self._weight = 0
        self.present = [] if self._scripts and not whole and self._heaviest <= 2 * HEAVIEST else None
        framework = self._framework
        for leaf in leaves if self.present is not None else ():
            if leaf is not None and framework.size(leaf) <= FULL:
                self._copies.leaves[id(leaf)] = framework.array(leaf).copy()

    def unfinished(self, ledger: Ledger) -> Step | None:
        """The present step, which ends now."""
        if not self.present:
            return None
        return Step(ledger.step, self._began - ledger.began, ledger.now, self.present, self._copies, self._written)

    def told(self, step: Step | None, ledger: Ledger, held: list[Record]) -> list[Record]:
        """The records of `step`, as if it had been recorded whole. One that is like no other is told by itself.

        `held` are records of its forward, where there are any: they know what was in the leaves when it began.
        """
        if step is None:
            return []
        tries = (replayed(script, step, ledger, held) for script in reversed(self._scripts.values()))
        forward = held if step.written is None else step.written
        records = next(filter(None, tries), []) or told_by_itself(step, ledger, forward)
        if step.written is None:
            return records
        return [record for record in records if record["type"] not in FORWARD]


def _is_early(script: list[Record]) -> bool:
    """Whether the last record belongs to the op after it, which began a step."""
    last = script[-1]
    again = last["type"] == "tensor" and any(_made(record, last["id"]) for record in script[:-1])
    return again or last["type"] == "scope_entered"


def _made(record: Record, tensor: int) -> bool:
    if record["type"] == "node":
        return any(output["id"] == tensor for output in record["outputs"])
    return bool(record["type"] == "tensor" and record["id"] == tensor)


def _key(script: list[Record]) -> tuple[Any, ...]:
    return tuple((record["op"], output_shapes(record)) for record in script if record["type"] == "node")


def _weight(script: list[Record]) -> int:
    return WITH_GRADIENTS * sum(
        each.get("bytes", 0) for record in script if record["type"] == "node" for each in record["outputs"]
    )

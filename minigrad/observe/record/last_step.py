"""Write the last step of a run whole, although it was not known beforehand that it would be the last.

Of a step that is not recorded whole, the events are kept until the next step is over. If the run ends, they are turned
into records after all. The records of an earlier whole step serve as a script: a step with the same ops on the same
shapes, and the same gradients along the same edges. Only the values differ, and the events have them. If the two steps
differ in anything else, the records are made from the held forward and the events, see `own_step`. Where no forward is
held, it is made from the events too, see `from_events`; for that, a program whose steps differ has a little noted at
each op. An element that was overwritten meanwhile is left out.
"""

from __future__ import annotations

import itertools
import tracemalloc
import weakref
from collections import deque
from typing import TYPE_CHECKING, Any

from ... import events
from .from_events import forward_of, noted
from .own_step import told_by_itself
from .replay import replayed
from .script import FORWARD, Copies, Notes, Record, Script, Step, output_shapes
from .values import FULL

if TYPE_CHECKING:
    from .ledger import Ledger

MOST_SCRIPTS = 4
"""How many kinds of steps to remember: a GAN, for example, alternates between two kinds."""

HEAVIEST = 1 << 26
"""The most bytes of results and gradients of a step that may stay in memory for one step longer than the program needs
them."""

ROOM = 2
"""A step may have this many times the events and the memory of those recorded whole. With more, it is perhaps an
evaluation loop."""

ROOM_TO_DIFFER = 10
"""The same if the program's steps differ."""

WITH_GRADIENTS = 3
"""Each result counts this many times: itself, its gradient, and what that was computed from."""

SCRIPT = {
    "tensor", "node", "saved", "released", "mutated", "detached", "backward_started", "node_ready", "node_entered",
    "grad_computed", "grad_reduced", "grad_accumulated", "hook_ran", "backward_finished", "scope_entered", "scope_left",
}  # fmt: skip
"""Types of records that are the same in steps of the same kind."""

WAYS = {events.ScopeEntered, events.ScopeLeft, events.BackwardFinished}
"""Events that are kept if the steps of the program differ."""

TOLD_AGAIN = {events.NodeRecorded, events.BackwardStarted, events.GradComputed, events.GradAccumulated, *WAYS}
"""Events that are kept: the records of `SCRIPT` can be rebuilt from them."""

HELD = {*FORWARD, "backward_started", "backward_finished"}
"""Types of records that are held for each step."""


class LastStep:
    """Remember the records of whole steps, and the events of the last step that was not recorded whole."""

    def __init__(self, ledger: Ledger) -> None:
        self.present: list[Any] | None = None
        """Events of this step; None if they are not kept."""
        self.past: Step | None = None
        self.notes: Notes | None = None
        """What is noted beside the events of this step; None if its ops should be those of a script."""
        self._differ = False
        """Whether a step had other ops than all scripts."""
        self._sizes = set[int]()
        """The numbers of events of steps that have as many ops as a script."""
        self._ledger = ledger
        self._framework = ledger.framework
        self._copies = Copies()
        self._began = 0.0
        self._script: list[Record] | None = []
        self._unheard: set[int] = set()
        self._scripts: dict[tuple[Any, ...], Script] = {}
        self._most = self._heaviest = self._weight = 0
        self._written: list[Record] | None = None
        self._reached: deque[list[weakref.ref[Any]]] = deque(maxlen=2)
        """The small leaves that got gradients in each of the last two steps: two nets may take turns."""

    def wrote(self, record: Record) -> None:
        """Note a record of a step that is recorded whole."""
        if self._script is not None and record["type"] in SCRIPT:
            self._script.append(record)

    def recalled(self, node: int) -> None:
        """Note that no event of this step tells of this node, of which it has a record."""
        if self._script is not None:
            self._unheard.add(node)

    def broke(self) -> None:
        """Give up this step as a script: it was not recorded whole from beginning to end."""
        self._script = None

    def unlike(self, held: list[Record]) -> None:
        """Note that no other step is like this one: at its end the records `held` of its forward are written."""
        self._written = held

    def take(self, event: Any) -> None:
        """Keep an event of a step that is not recorded whole, if its events are kept."""
        kind = type(event)
        if self.present is None:
            return
        if kind is events.NodeRecorded:
            self.ran(event)
        elif kind in WAYS:
            self.passed(event)
        elif kind is not events.GradAccumulated:
            self.keep(event)
            self._note(event)
        elif event.leaf is None:
            self.arrived(event)
        else:
            self.settled(event)

    def keep(self, event: Any) -> None:
        """Keep an event of which nothing else is needed."""
        present = self.present
        if present is None:
            return
        if not present:
            self._began = self._ledger.clock()
        present.append(event)

    def passed(self, event: Any) -> None:
        """Keep the event of a scope, or of the end of a backward, if it is needed."""
        if self.notes is not None:
            self.keep(event)

    def wrote_to(self, leaf: Any) -> None:
        """Note that a leaf was written to."""
        if self.notes is not None:
            self.notes.written.add(id(leaf))

    def _note(self, event: Any) -> None:
        if self.notes is not None and (note := noted(event, self._ledger)) is not None:
            self.notes.beside[id(event)] = note

    def ran(self, event: events.NodeRecorded) -> None:
        """Keep the event of an op, unless events are too many or hold too much memory."""
        self.keep(event)
        self._note(event)
        self._weight += WITH_GRADIENTS * sum(map(self._framework.nbytes, event.outputs))
        endless = self._is_endless()
        self._differ |= endless and event.recorded
        if endless or tracemalloc.is_tracing():  # do not disturb a program that measures its memory
            self.present, self.notes, self._copies = None, None, Copies()

    def _is_endless(self) -> bool:
        room = ROOM if self.notes is None else ROOM_TO_DIFFER
        heaviest = min(room * self._heaviest, ROOM * HEAVIEST)
        return len(self.present or ()) > room * self._most or self._weight > heaviest

    def arrived(self, event: events.GradAccumulated) -> None:
        """Keep the event of a gradient that has arrived, with a copy if it is a leaf's, and small."""
        self.keep(event)
        framework, copies, grad = self._framework, self._copies, event.total
        leaf = framework.leaf(event.edge[0])
        if leaf is None:
            return
        small = framework.has_elements(grad) and framework.size(grad) <= FULL
        if small:
            copies.grads[id(grad)] = framework.array(grad).copy()
        before = framework.grad(leaf)
        if before is not None:
            known = small and framework.has_elements(before)
            copies.before[id(grad)] = framework.array(before).copy() if known else None

    def settled(self, event: events.GradAccumulated) -> None:
        """Keep the event of the gradient that ``.grad`` now holds, with a copy if there is one.

        Forget the copy if it was added to an earlier ``.grad``.
        """
        self.keep(event)
        copies = self._copies
        if id(event.contribution) in copies.before:
            copies.leaves.pop(id(event.total), None)
        elif (arrived := copies.grads.get(id(event.contribution))) is not None:
            copies.leaves[id(event.total)] = arrived

    def turn(self, whole: bool) -> None:
        """End the step; `whole` says whether it was recorded whole to its end."""
        if not whole:
            self.past = self.unfinished()
            if self.past is not None:
                self._compare(self.past.events)
            return
        if self._written is not None:
            self.past = self.unfinished()
            self._written = None
            return
        self.past = None
        script = self._script
        while script and _is_early(script):
            script.pop()
        if script and any(record["type"] == "backward_finished" for record in script):
            self._scripts.pop(key := _key(script), None)
            self._scripts[key] = Script(script, frozenset(self._unheard))
            if len(self._scripts) > MOST_SCRIPTS:
                del self._scripts[next(iter(self._scripts))]
            self._sizes.clear()
            self._heaviest = max(_weight(each.records) for each in self._scripts.values())
            self._most = max(len(each.records) for each in self._scripts.values())

    def _compare(self, happened: list[Any]) -> None:
        """Find out whether a step in which this happened has as many ops as a script."""
        if self._differ or len(happened) in self._sizes:
            return
        ran = sum(type(event) is events.NodeRecorded and event.recorded for event in happened)
        self._differ = ran > 0 and all(script.ops != ran for script in self._scripts.values())
        self._sizes.add(len(happened))

    def begin(self, whole: bool, leaves: list[Any]) -> None:
        """Begin a step, recorded whole or not; `leaves` are those that got gradients in the step before."""
        self._copies = Copies()
        self._script = [] if whole else None
        self._unheard = set()
        self._weight = 0
        self.present = [] if self._scripts and not whole and self._heaviest <= HEAVIEST else None
        noting = self._differ and self.present is not None and not self._ledger.sampling.holding
        self.notes = Notes(list(self._ledger.here.scopes)) if noting else None
        framework = self._framework
        small = [leaf for leaf in leaves if leaf is not None and framework.size(leaf) <= FULL]
        self._reached.append(list(map(weakref.ref, small)))
        copies = self._copies.leaves
        for each in itertools.chain(*self._reached) if self.present is not None else ():
            leaf = each()
            if leaf is not None and id(leaf) not in copies:
                copies[id(leaf)] = framework.array(leaf).copy()

    def unfinished(self) -> Step | None:
        """The current step, which ends now; None if none of its events were kept."""
        if not self.present:
            return None
        ledger, began = self._ledger, self._began - self._ledger.began
        return Step(ledger.step, began, ledger.now, self.present, self._copies, self.notes, self._written)

    def told(self, step: Step | None, held: list[Record]) -> list[Record]:
        """The records of `step`, as if it had been recorded whole.

        Without a script like it, they are made from its own events.

        `held` are the records of its forward, if any: they have the values of the leaves at its beginning.
        """
        ledger = self._ledger
        if step is None:
            return []
        if step.written is not None:
            told = told_by_itself(step, ledger, step.written)
            return [record for record in told if record["type"] not in HELD]
        scripts = [each for script in reversed(self._scripts.values()) for each in (script, script.without_the_rest)]
        if places := _places(held):
            scripts = [script for script in scripts if _places(script.records) == places]
        alike = (replayed(script, step, ledger, held, resized) for resized in (False, True) for script in scripts)
        told = next(filter(None, alike), [])
        self._differ |= not told
        return told or told_by_itself(step, ledger, held or forward_of(step, ledger))


def _is_early(script: list[Record]) -> bool:
    """Whether the last record belongs to the first op of the next step."""
    last = script[-1]
    again = last["type"] == "tensor" and any(_made(record, last["id"]) for record in script[:-1])
    return again or last["type"] == "scope_entered"


def _made(record: Record, tensor: int) -> bool:
    if record["type"] == "node":
        return any(output["id"] == tensor for output in record["outputs"])
    return bool(record["type"] == "tensor" and record["id"] == tensor)


def _key(script: list[Record]) -> tuple[Any, ...]:
    ops = [(record["op"], output_shapes(record)) for record in script if record["type"] == "node"]
    return *ops, *(record["id"] for record in script if record["type"] == "tensor" and record.get("parameter"))


def _places(records: list[Record]) -> list[Any]:
    """Where in the program the ops ran."""
    return [(each["op"], each.get("at"), each.get("scope")) for each in records if each["type"] == "node"]


def _weight(script: list[Record]) -> int:
    return WITH_GRADIENTS * sum(
        each.get("bytes", 0) for record in script if record["type"] == "node" for each in record["outputs"]
    )

"""Write the last step of a run whole, although it was not known beforehand that it would be the last.

Of a step that is not recorded whole, the events are kept until the next step is over. If the run ends, they are turned
into records after all. The records of an earlier whole step serve as a script: a step with the same ops on the same
shapes, and the same gradients along the same edges. Only the values differ, and the events have them. If the two steps
differ in anything else, the records are made from the held forward and the events, see `own_step`. An element that was
overwritten meanwhile is left out.
"""

from __future__ import annotations

import itertools
import tracemalloc
import weakref
from collections import deque
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ... import events
from ..framework import Framework
from .own_step import told_by_itself
from .replay import replayed
from .script import FORWARD, Copies, Record, Script, Step, output_shapes
from .values import FULL

if TYPE_CHECKING:
    from .ledger import Ledger

MOST_SCRIPTS = 4
"""How many kinds of steps to remember: a GAN, for example, alternates between two kinds."""

HEAVIEST = 1 << 26
"""The most bytes of results and gradients of a step that may stay in memory for one step longer than the program needs
them."""

WITH_GRADIENTS = 3
"""Each result counts this many times: itself, its gradient, and what that was computed from."""

SCRIPT = {
    "tensor", "node", "saved", "released", "mutated", "detached", "backward_started", "node_ready", "node_entered",
    "grad_computed", "grad_reduced", "grad_accumulated", "hook_ran", "backward_finished", "scope_entered", "scope_left",
}  # fmt: skip
"""Types of records that are the same in steps of the same kind."""

TOLD_AGAIN = {events.NodeRecorded, events.BackwardStarted, events.GradComputed, events.GradAccumulated}
"""Events that are kept: the records of `SCRIPT` can be rebuilt from them."""

HELD = {*FORWARD, "backward_started", "backward_finished"}
"""Types of records that are held for each step."""


class LastStep:
    """Remember the records of whole steps, and the events of the last step that was not recorded whole."""

    def __init__(self, framework: Framework, clock: Callable[[], float] = perf_counter) -> None:
        self.present: list[Any] | None = None
        """Events of this step; None if they are not kept."""
        self.past: Step | None = None
        self._framework = framework
        self._clock = clock
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
        elif kind is not events.GradAccumulated:
            self.keep(event)
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
            self._began = self._clock()
        present.append(event)

    def ran(self, event: events.NodeRecorded) -> None:
        """Keep the event of an op, unless events are too many or hold too much memory."""
        self.keep(event)
        self._weight += WITH_GRADIENTS * sum(map(self._framework.nbytes, event.outputs))
        endless = len(self.present or ()) > self._most or self._weight > self._heaviest  # perhaps an evaluation loop
        if endless or tracemalloc.is_tracing():  # do not disturb a program that measures its memory
            self.present, self._copies = None, Copies()

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

    def turn(self, ledger: Ledger, whole: bool) -> None:
        """End the step; `whole` says whether it was recorded whole to its end."""
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
            self._scripts[key] = Script(script, frozenset(self._unheard))
            if len(self._scripts) > MOST_SCRIPTS:
                del self._scripts[next(iter(self._scripts))]
            self._heaviest = 2 * max(_weight(each.records) for each in self._scripts.values())
            self._most = 2 * max(len(each.records) for each in self._scripts.values())

    def begin(self, whole: bool, leaves: list[Any]) -> None:
        """Begin a step, recorded whole or not; `leaves` are those that got gradients in the step before."""
        self._copies = Copies()
        self._script = [] if whole else None
        self._unheard = set()
        self._weight = 0
        self.present = [] if self._scripts and not whole and self._heaviest <= 2 * HEAVIEST else None
        framework = self._framework
        small = [leaf for leaf in leaves if leaf is not None and framework.size(leaf) <= FULL]
        self._reached.append(list(map(weakref.ref, small)))
        copies = self._copies.leaves
        for each in itertools.chain(*self._reached) if self.present is not None else ():
            leaf = each()
            if leaf is not None and id(leaf) not in copies:
                copies[id(leaf)] = framework.array(leaf).copy()

    def unfinished(self, ledger: Ledger) -> Step | None:
        """The current step, which ends now; None if none of its events were kept."""
        if not self.present:
            return None
        return Step(ledger.step, self._began - ledger.began, ledger.now, self.present, self._copies, self._written)

    def told(self, step: Step | None, ledger: Ledger, held: list[Record]) -> list[Record]:
        """The records of `step`, as if it had been recorded whole.

        Without a script like it, they are made from its own events.

        `held` are the records of its forward, if any: they have the values of the leaves at its beginning.
        """
        if step is None:
            return []
        if step.written is not None:
            told = told_by_itself(step, ledger, step.written)
            return [record for record in told if record["type"] not in HELD]
        scripts = [each for script in reversed(self._scripts.values()) for each in (script, script.without_the_rest)]
        if places := _places(held):
            scripts = [script for script in scripts if _places(script.records) == places]
        alike = (replayed(script, step, ledger, held, resized) for resized in (False, True) for script in scripts)
        return next(filter(None, alike), []) or told_by_itself(step, ledger, held)


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

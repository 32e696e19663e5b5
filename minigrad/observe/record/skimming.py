"""Steps of which only the loss, the gradient norms, the end, and any NaN are recorded.

Each result of an op, and each gradient that reaches a leaf, is searched for a NaN at once, while it is in the
processor's cache. The events of backward are only collected, and read together when backward is over: handled one by
one, between other work, they would take twice as long. The gradients on the way are looked at only if one that reached
a leaf is not finite.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

from ... import events
from .backward import Backward
from .forward import Forward
from .ledger import MOST_ALARMS, Ledger
from .program import Program

COLLECTING = 2e-6
"""Seconds that it takes to collect an event, on a usual machine. To measure it at each would take as long."""


class Collected(threading.local):
    """What each thread has collected and not read."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.scopes: list[events.ScopeEntered] = []
        """The modules that were entered meanwhile, and not left."""
        self.settled: list[events.GradAccumulated] = []
        """Those of them that tell which gradient a leaf has got."""
        self.sound = True
        """Whether the gradients that have reached leaves are finite."""


class Skimming:
    """The handlers of such a step."""

    def __init__(self, ledger: Ledger, forward: Forward, backward: Backward, program: Program) -> None:
        self.ledger = ledger
        self.framework = ledger.framework
        self.forward = forward
        self.backward = backward
        self.program = program
        self.collected = Collected()
        self.collectors: dict[type, Callable[[Any], bool]] = {
            events.NodeRecorded: self._op,
            events.Mutated: self._wrote,
            events.GradComputed: self._sent,
            events.GradAccumulated: self._arrived,
            events.ScopeEntered: self._entered,
            events.ScopeLeft: self._left,
        }
        """The kinds of events that are collected. Any other is handled at once, after those collected before it are
        read."""
        self.table: dict[type, Any] = {
            events.NodeRecorded: self.ran,
            events.Mutated: self.mutated,
            events.BackwardStarted: self.started,
            events.GradComputed: backward.glanced,
            events.GradAccumulated: self.accumulated,
            events.BackwardFinished: backward.finished,
            events.AnomalyFound: self.anomaly,
            events.ScopeEntered: program.scope_entered,
            events.ScopeLeft: program.scope_left,
            events.StepTaken: program.step_taken,
            events.CollectiveRan: program.collective,
        }

    # Collecting: each returns whether it did, or False if the event must be handled at once, as all are in a step that
    # keeps no events.

    def _op(self, event: events.NodeRecorded) -> bool:
        ledger = self.ledger
        if ledger.last.present is None or self._begins(event) or self._breaks(event):
            return False
        self._note_loss(event)
        ledger.last.ran(event)
        if ledger.here.runs:
            self.collected.events.append(event)
        return True

    def _sent(self, event: events.GradComputed) -> bool:
        last = self.ledger.last
        if last.present is None:
            return False
        last.keep(event)
        self.collected.events.append(event)
        return True

    def _arrived(self, event: events.GradAccumulated) -> bool:
        collected, last = self.collected, self.ledger.last
        if last.present is None:
            return False
        if event.leaf is None:
            last.arrived(event)
        elif self._is_finite(event.total):
            last.settled(event)
            collected.settled.append(event)
        else:
            collected.sound = False
            return False
        collected.events.append(event)
        return True

    def _entered(self, event: events.ScopeEntered) -> bool:
        scopes, ledger = self.collected.scopes, self.ledger
        if ledger.last.present is None or not (scopes or ledger.here.scopes or ledger.homes.knows(event.owner)):
            return False  # where the module is called, its name is found
        scopes.append(event)
        ledger.last.passed(event)
        return True

    def _left(self, event: events.ScopeLeft) -> bool:
        scopes = self.collected.scopes
        if not scopes:
            return False
        scopes.pop()
        self.ledger.last.passed(event)
        return True

    def _wrote(self, event: events.Mutated) -> bool:
        if self.ledger.last.present is None:
            return False
        self.mutated(event)
        return True

    def _begins(self, event: events.NodeRecorded) -> bool:
        """Whether a new step begins with this op."""
        return event.recorded and not self.ledger.here.runs and self.ledger.crossed()

    def _is_finite(self, grad: Any) -> bool:
        return not self.framework.has_elements(grad) or math.isfinite(self.ledger.squares(grad))

    # Reading

    def read(self) -> None:
        """Read what this thread has collected."""
        collected, backward = self.collected, self.backward
        sound, collected.sound = collected.sound, True
        scopes, collected.scopes = collected.scopes, []
        for scope in scopes:
            self.program.scope_entered(scope)
        found, collected.events = collected.events, []
        settled, collected.settled = collected.settled, []
        self.ledger.sampling.spent_holding += COLLECTING * len(found)
        if sound and not any(run.captures for run in self.ledger.here.runs):
            for event in settled:
                self.accumulated(event)
            return
        for place, event in enumerate(found):
            kind = type(event)
            if kind is events.GradAccumulated:
                if event.leaf is not None or backward.captures(event):
                    self.accumulated(event)
            elif kind is events.GradComputed and (not sound or backward.captures(event)) and backward.breaks(event):
                self.ledger.alarm()
                self._tell(found, place)
                return

    def _tell(self, found: list[Any], place: int) -> None:
        """Record the events from `place` on: there a node's backward made a NaN."""
        self.ledger.last.present = None
        arrived: dict[tuple[int, int], Any] = {}
        node = None
        for number, event in enumerate(found):
            kind = type(event)
            if kind is events.GradAccumulated:
                arrived[id(event.edge[0]), event.edge[1]] = event.total
            if number < place:
                continue
            if kind is events.NodeRecorded:
                self.forward.ran(event)
            elif kind is events.GradAccumulated:
                self.backward.accumulated(event)
            else:
                if event.node is not node:
                    node = event.node
                    outputs = range(max(1, len(self.ledger.nodes.get(node).outputs)))
                    grads = tuple([arrived.get((id(node), output)) for output in outputs])
                    self.backward.entered(events.NodeEntered(event.run, node, grads))
                self.backward.computed(event)

    # Handlers

    def ran(self, event: events.NodeRecorded) -> None:
        """Look at an op at once: it may begin a step that is recorded again, or make a NaN."""
        ledger = self.ledger
        if self._begins(event):
            ledger.next_step_within()
            if ledger.sampling.writing:
                self.forward.ran(event)
                return
        if self._breaks(event):
            ledger.alarm()
            self.forward.ran(event)
        else:
            self._note_loss(event)

    def _note_loss(self, event: events.NodeRecorded) -> None:
        """Remember the result of an op if it may be the loss."""
        ledger = self.ledger
        if event.recorded and event.outputs and self.framework.size(event.outputs[0]) == 1:
            ledger.nodes.get(event.node).outputs = (ledger.tensors.get(event.outputs[0]),)

    def _breaks(self, event: events.NodeRecorded) -> bool:
        """Whether an op makes a NaN from finite inputs, or is the first to use one from the data."""
        ledger = self.ledger
        if ledger.alarms >= MOST_ALARMS or (ledger.here.runs and not event.recorded):
            return False
        if not any(map(self._broken, event.outputs)):
            return False
        written = set(map(id, event.outputs))  # by an op in place
        broken = [each for each in event.inputs if id(each) not in written and self._broken(each)]
        return not broken or not (ledger.troubled or all(map(self._made, broken)))

    def _made(self, value: Any) -> bool:
        """Whether an op in the graph made `value`."""
        edge = self.framework.place(value)
        return edge is not None and self.framework.leaf(edge[0]) is None

    def _broken(self, value: Any) -> bool:
        return self.framework.has_elements(value) and math.isnan(self.framework.squares(value))

    def mutated(self, event: events.Mutated) -> None:
        """Note that a leaf may have been changed."""
        boundary = self.ledger.boundary
        if boundary.leaves and (leaf := boundary.written(event.tensor)) is not None:
            self.ledger.last.wrote_to(leaf)

    def started(self, event: events.BackwardStarted) -> None:
        """Note the start of a backward run, whose root may be the loss."""
        self.backward.open(event)
        for edge, _ in event.roots:
            self.backward.note_loss(edge)

    def accumulated(self, event: events.GradAccumulated) -> None:
        """Note that a leaf got its gradient."""
        leaf = self.framework.leaf(event.edge[0])
        if leaf is not None:
            self.backward.reach(event, leaf)

    def anomaly(self, event: events.AnomalyFound) -> None:
        """Record an anomaly, and write the steps that are held in memory."""
        self.ledger.alarm()
        self.program.anomaly(event)
        if event.node is not None and self.ledger.here.runs:
            self.ledger.here.runs[-1].node = self.ledger.nodes.find(event.node)

"""Turn events into records: the one place where the core's events become plain data.

    core ── event ──► Trace ── record ──► queue ──► sinks (`recorder`): a file, the explorer, a callable

`Trace` knows which handler turns which event into a record. The handlers are in `forward`, `backward` and `program`.
What they share is in `ledger`, above all the promise that each step is complete in itself. `minigrad.observe.schema`
defines the records; a test checks every kind of record against it.
"""

from __future__ import annotations

import math
from typing import Any

from ... import events
from ..framework import MINIGRAD, Framework
from .backward import Backward
from .detach import Detached
from .forward import Forward
from .last_step import TOLD_AGAIN
from .ledger import MOST_ALARMS, Ledger
from .memory import Weighing
from .program import Program
from .sampling import FEW, Mode

KINDS = frozenset(each for each in vars(events).values() if isinstance(each, type) and issubclass(each, tuple))
"""All kinds of events."""


class Trace:
    """Takes events and appends records to ``ledger.queue``. Not thread-safe: `Recorder` has the lock.

    >>> from minigrad import events
    >>> trace = Trace(values="none")
    >>> trace(events.ScopeEntered("warm-up"))
    >>> trace.ledger.queue[-1]["type"], trace.ledger.queue[-1]["path"]
    ('scope_entered', ['warm-up:'])
    """

    def __init__(self, values: Mode = "auto", framework: Framework = MINIGRAD, before: Ledger | None = None) -> None:
        self.ledger = Ledger(values, framework=framework)
        if before is not None:
            self.ledger.go_on_from(before)
        self.sampling = self.ledger.sampling
        self.took = 0.0
        """Seconds spent here since a source last reported its own time, see `Recorder.charge`."""
        self.weigh = Weighing(self.ledger)
        forward, backward, program = Forward(self.ledger), Backward(self.ledger), Program(self.ledger)
        self.handlers: dict[type, Any] = {
            events.TensorCreated: forward.created,
            events.NodeRecorded: forward.ran,
            events.TensorSaved: forward.saved,
            events.SavedReleased: forward.released,
            events.Mutated: forward.mutated,
            events.Detached: Detached(self.ledger).detached,
            events.BackwardStarted: backward.started,
            events.NodeReady: backward.ready,
            events.NodeEntered: backward.entered,
            events.GradComputed: backward.computed,
            events.GradReduced: backward.reduced,
            events.GradAccumulated: backward.accumulated,
            events.HookRan: backward.hook_ran,
            events.BackwardFinished: backward.finished,
            events.AnomalyFound: program.anomaly,
            events.ScopeEntered: program.scope_entered,
            events.ScopeLeft: program.scope_left,
            events.StepTaken: program.step_taken,
            events.CollectiveRan: program.collective,
        }
        skimming = Skimming(self.ledger, forward, backward, program)
        self.skimmers: dict[type, Any] = {
            events.NodeRecorded: skimming.ran,
            events.Mutated: skimming.mutated,
            events.BackwardStarted: skimming.started,
            events.GradComputed: backward.glanced,
            events.GradAccumulated: skimming.accumulated,
            events.BackwardFinished: backward.finished,
            events.AnomalyFound: skimming.anomaly,
            events.ScopeEntered: program.scope_entered,
            events.ScopeLeft: program.scope_left,
            events.StepTaken: program.step_taken,
            events.CollectiveRan: program.collective,
        }
        self.holders: dict[type, Any] = {
            **self.skimmers,
            events.TensorCreated: forward.created,
            events.NodeRecorded: forward.ran,
            events.Detached: self.handlers[events.Detached],
            events.BackwardStarted: backward.started,
        }

        self.table = self.handlers
        """The handler of each kind of event in this step."""
        self.skips: frozenset[type] = frozenset()
        """The kinds of events that this step does not need."""
        self.sampling.changed = self._turn
        self._turn()

    def _turn(self) -> None:
        """Choose the handlers after the way in which this step is recorded has changed."""
        sampling = self.sampling
        self.table = self.handlers if sampling.recording else self.holders if sampling.holding else self.skimmers
        skips = frozenset[type]() if sampling.recording else KINDS.difference(self.table)
        if skips != self.skips:
            self.skips = skips
            events.tune()

    def __call__(self, event: Any) -> None:
        ledger, sampling, kind = self.ledger, self.sampling, type(event)
        handler = self.table.get(kind)
        ledger.moment = begun = sampling.clock()
        if sampling.recording:
            if handler is not None:
                handler(event)
            self.weigh(event)
            took = sampling.clock() - begun
            sampling.spent += took
        elif handler is None:
            return
        else:
            handler(event)
            if kind in TOLD_AGAIN:
                ledger.last.take(event, begun)
            if sampling.recording:
                self.weigh.awake()
            took = sampling.clock() - begun
            sampling.spent_holding += took
        self.took += took
        if kind is events.NodeRecorded and ledger.nodes_in_step > FEW and sampling.too_dear:
            ledger.cut()


class Skimming:
    """The handlers of a step of which only the loss, the gradient norms, its end, and any NaN are recorded."""

    def __init__(self, ledger: Ledger, forward: Forward, backward: Backward, program: Program) -> None:
        self.ledger = ledger
        self.forward = forward
        self.backward = backward
        self.program = program

    def ran(self, event: events.NodeRecorded) -> None:
        """Look at an op: it may begin a step that is recorded again, or make a NaN."""
        ledger = self.ledger
        if ledger.here.runs and not event.recorded:
            return
        if event.recorded and not ledger.here.runs and ledger.crossed():
            ledger.next_step()
            if ledger.sampling.writing:
                self.forward.ran(event)
                return
        if ledger.alarms < MOST_ALARMS and self._breaks(event):
            ledger.alarm()
            self.forward.ran(event)
            return
        output = event.outputs[0] if event.recorded and event.outputs else None
        if output is not None and ledger.framework.size(output) == 1:
            ledger.nodes.get(event.node).outputs = (ledger.tensors.get(output),)  # it may be the loss

    def _breaks(self, event: events.NodeRecorded) -> bool:
        """Whether an op makes a NaN or infinity from finite inputs, or is the first to use one from the data."""
        if not any(map(self._broken, event.outputs)):
            return False
        broken = [each for each in event.inputs if self._broken(each)]
        return not broken or not (self.ledger.troubled or all(map(self._made, broken)))

    def _made(self, value: Any) -> bool:
        """Whether an op in the graph made `value`."""
        edge = self.ledger.framework.place(value)
        return edge is not None and self.ledger.framework.leaf(edge[0]) is None

    def _broken(self, value: Any) -> bool:
        framework = self.ledger.framework
        return framework.has_elements(value) and math.isnan(framework.squares(value))

    def mutated(self, event: events.Mutated) -> None:
        """Note that a leaf may have been changed."""
        self.ledger.boundary.written(event.tensor)

    def started(self, event: events.BackwardStarted) -> None:
        """Note the start of a backward run, whose root may be the loss."""
        self.backward.open(event)
        for edge, _ in event.roots:
            self.backward.note_loss(edge)

    def accumulated(self, event: events.GradAccumulated) -> None:
        """Note that a leaf got its gradient."""
        leaf = self.ledger.framework.leaf(event.edge[0])
        if leaf is not None:
            self.backward.reach(event, leaf)

    def anomaly(self, event: events.AnomalyFound) -> None:
        """Record an anomaly, and write the steps that are held in memory."""
        self.ledger.alarm()
        self.program.anomaly(event)

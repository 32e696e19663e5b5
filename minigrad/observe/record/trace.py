"""Turn events into records: the one place where the core's events become plain data.

    core ── event ──► Trace ── record ──► queue ──► sinks (`recorder`): a file, the explorer, a callable

`Trace` knows which handler turns which event into a record. The handlers are in `forward`, `backward` and `program`,
and in `skimming` for steps that are recorded by their loss.
What they share is in `ledger`, above all the promise that each step is complete in itself. `minigrad.observe.schema`
defines the records; a test checks every kind of record against it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ... import events
from ..framework import MINIGRAD, Framework
from .backward import Backward
from .detach import Detached
from .forward import Forward
from .last_step import TOLD_AGAIN
from .ledger import Ledger
from .memory import Weighing
from .program import Program
from .sampling import FEW, Mode
from .skimming import Skimming

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
        self.skimming = Skimming(self.ledger, forward, backward, program)
        self.holders: dict[type, Any] = {
            **self.skimming.table,
            events.TensorCreated: forward.created,
            events.NodeRecorded: forward.ran,
            events.Detached: self.handlers[events.Detached],
            events.BackwardStarted: backward.started,
            events.NodeEntered: backward.reached,
        }

        self._needless_holding = KINDS.difference(self.holders)
        self._needless_skimming = KINDS.difference(self.skimming.table)
        self.table = self.handlers
        """The handler of each kind of event in this step."""
        self.skips: frozenset[type] = frozenset()
        """The kinds of events that this step does not need."""
        self.collectors: dict[type, Callable[[Any], bool]] = {}
        """The functions that collect events of this step, to read them later."""
        self.sampling.changed = self._turn
        self._turn()

    def _turn(self) -> None:
        """Choose the handlers after the way in which this step is recorded has changed."""
        sampling = self.sampling
        collecting = not sampling.writing and self.ledger.framework.one_thread
        self.collectors = self.skimming.collectors if collecting else {}
        if sampling.recording:
            self.table, skips = self.handlers, frozenset[type]()
        elif sampling.holding:
            self.table, skips = self.holders, self._needless_holding
        else:
            self.table, skips = self.skimming.table, self._needless_skimming
        if skips != self.skips:
            self.skips = skips
            events.tune()

    def __call__(self, event: Any) -> None:
        ledger, sampling, kind = self.ledger, self.sampling, type(event)
        ledger.moment = begun = sampling.clock()
        collected = self.skimming.collected
        if collected.events or collected.scopes:
            self.skimming.read()
        handler = self.table.get(kind)
        if sampling.recording:
            if handler is not None:
                handler(event)
            if kind in TOLD_AGAIN and not sampling.recording:  # with this op a step began that is not recorded whole
                ledger.last.take(event)
            self.weigh(event)
            took = sampling.clock() - begun
            sampling.spent += took
        elif handler is None:
            return
        else:
            handler(event)
            if kind in TOLD_AGAIN:
                ledger.last.take(event)
            if sampling.recording:
                self.weigh.awake()
            took = sampling.clock() - begun
            sampling.spent_holding += took
        self.took += took
        if kind is events.NodeRecorded and ledger.nodes_in_step > FEW and sampling.too_dear:
            ledger.cut()

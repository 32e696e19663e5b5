"""Events become records: the one place where what the core announces turns into plain data.

    core ── event ──► Trace ── record ──► queue ──► sinks (`recorder`): a file, the explorer, a callable

`Trace` knows which handler turns which event into which record; the handlers are in `forward`, `backward` and
`program`, and what they share, above all the promise that each step is complete in itself, is in `ledger`. The
records are those that `minigrad.observe.schema` defines; a test holds every kind of them against it.
"""

from __future__ import annotations

from typing import Any

from ... import events
from ..library import MINIGRAD, Library
from .backward import Backward
from .detach import Detached
from .forward import Forward
from .ledger import Ledger
from .memory import Weighing
from .program import Program
from .sampling import Mode


class Trace:
    """Takes events and appends records to ``ledger.queue``. Not for several threads at once: `Recorder` has the lock.

    >>> from minigrad import events
    >>> trace = Trace(values="none")
    >>> trace(events.ScopeEntered("warm-up"))
    >>> trace.ledger.queue[-1]["type"], trace.ledger.queue[-1]["path"]
    ('scope_entered', ['warm-up:'])
    """

    def __init__(self, values: Mode = "auto", library: Library = MINIGRAD, before: Ledger | None = None) -> None:
        self.ledger = Ledger(values, library=library)
        if before is not None:
            self.ledger.go_on_from(before)
        self.sampling = self.ledger.sampling
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
        skimming = Skimming(self.ledger, forward, backward)
        self.skimmers: dict[type, Any] = {
            events.NodeRecorded: skimming.ran,
            events.Mutated: skimming.mutated,
            events.BackwardStarted: skimming.started,
            events.GradAccumulated: skimming.accumulated,
            events.BackwardFinished: backward.finished,
            events.AnomalyFound: skimming.anomaly,
            events.ScopeEntered: program.scope_entered,
            events.ScopeLeft: program.scope_left,
            events.StepTaken: program.step_taken,
        }

    def __call__(self, event: Any) -> None:
        ledger, sampling = self.ledger, self.sampling
        begun = sampling.clock()
        ledger.now = int((begun - ledger.began) * 1e6) / 1e6  # in whole microseconds, which are shorter to write
        handler = (self.handlers if sampling.recording else self.skimmers).get(type(event))
        if handler is not None:
            handler(event)
        if sampling.recording:
            self.weigh(event)
            sampling.spent += sampling.clock() - begun
        else:
            ledger.left_out += 1

    def awake(self) -> None:
        """The recorder has been away, and knows nothing of what runs now."""
        self.ledger.awake()
        self.weigh.awake()


class Skimming:
    """What is still looked at in a step that is not recorded: its loss, its gradients' length, and where it ends."""

    def __init__(self, ledger: Ledger, forward: Forward, backward: Backward) -> None:
        self.ledger = ledger
        self.forward = forward
        self.backward = backward

    def ran(self, event: events.NodeRecorded) -> None:
        """An op, which may be the first of a step that is recorded again."""
        ledger = self.ledger
        if event.recorded and not ledger.here.runs and ledger.boundary.crossed():
            ledger.next_step()
            if ledger.sampling.recording:
                self.forward.ran(event)
                return
        output = event.outputs[0] if event.recorded and event.outputs else None
        if output is not None and ledger.library.size(output) == 1:
            ledger.nodes.get(event.node).outputs = (ledger.tensors.get(output),)  # it may be the loss

    def mutated(self, event: events.Mutated) -> None:
        """A leaf may have been changed."""
        self.ledger.boundary.written(event.tensor)

    def started(self, event: events.BackwardStarted) -> None:
        """A run begins; its root may be the loss."""
        self.backward.open(event)
        for edge, _ in event.roots:
            self.backward.note_loss(edge)

    def accumulated(self, event: events.GradAccumulated) -> None:
        """A leaf got its gradient."""
        leaf = self.ledger.library.leaf(event.edge[0])
        if leaf is not None:
            self.backward.reach(event, leaf)

    def anomaly(self, event: events.AnomalyFound) -> None:
        """Something is wrong: that much is said in any case."""
        self.ledger.write("anomaly_found", kind=event.kind, message=event.message)

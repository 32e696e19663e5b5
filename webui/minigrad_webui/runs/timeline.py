"""The timeline's row for each step and each run, kept up to date record by record."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta, timezone

from pydantic import TypeAdapter

from minigrad.observe.schema import KINDS, Kind, unhandled
from minigrad_webui.protocol import Breakpoint, Pause, Run, Step, Trouble
from minigrad_webui.runs.incoming import Line

Handler = Callable[[Run, Step, Line], None]

_PAUSE = TypeAdapter(Pause)
_BREAKPOINTS = TypeAdapter(list[Breakpoint])


def now() -> str:
    """The current time in ISO 8601, UTC."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def _moment(started: str, seconds: float) -> str:
    """The time `seconds` seconds after a run began."""
    try:
        begun = datetime.fromisoformat(started.replace("Z", "+00:00"))
        return (begun + timedelta(seconds=seconds)).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError):
        return now()


class Tally:
    """Updates the rows of steps and of their run from records.

    `fetch` returns the row of an older step. Rows that changed since the last `changed()` are kept here.
    """

    def __init__(self, run: Run, have: int, fetch: Callable[[int], Step | None]) -> None:
        self.run = run
        self.have = have
        """The number of the last record that was counted."""
        self._fetch = fetch
        self._row: Step | None = None
        self._changed: dict[int, Step] = {}

    def count(self, lines: Iterable[Line]) -> list[Line]:
        """Count the new lines, and return them."""
        fresh = []
        for line in lines:
            if line.seq > self.have:
                self.have = line.seq
                fresh.append(line)
                row = self._row
                if row is None or row.step != line.step:
                    row = self._open(line)
                row.last = line.seq
                handler = _HANDLERS.get(line.kind)
                if handler is not None:
                    handler(self.run, row, line)
                if not row.values and line.kind in _VALUED:
                    row.values = any(mark in line.text for mark in _VALUES)
        self.run.records += len(fresh)
        if self.run.size is not None:
            self.run.size += sum(len(line.text.encode()) for line in fresh)
        return fresh

    def changed(self) -> list[Step]:
        """The rows that changed since the last call, in order."""
        rows = sorted(self._changed.values(), key=lambda row: row.step)
        self._changed = {self._row.step: self._row} if self._row else {}
        return [row.model_copy() for row in rows]

    def _open(self, line: Line) -> Step:
        """The row of the step of `line`. Ends the step before it."""
        before = self._row or self._fetch(line.step - 1)
        if before is not None and before.step < line.step:
            before.done = True
            self._changed[before.step] = before
        row = self._changed.get(line.step) or self._fetch(line.step)
        self._row = row or Step(step=line.step, first=line.seq, last=line.seq)
        self._changed[line.step] = self._row
        self.run.steps = max(self.run.steps, line.step + 1)
        return self._row


def _started(run: Run, row: Step, line: Line) -> None:
    record = line.record
    run.rank, run.world_size, run.launch = (record.get(name) for name in ("rank", "world_size", "launch"))


def _node(run: Run, row: Step, line: Line) -> None:
    row.nodes += 1


def _backward(run: Run, row: Step, line: Line) -> None:
    row.backwards += 1
    row.gradients = bool(row.gradients)


def _gradient(run: Run, row: Step, line: Line) -> None:
    row.gradients = True


def _anomaly(run: Run, row: Step, line: Line) -> None:
    row.trouble = True
    if run.trouble is None:
        record = line.record
        at = record.get("at") or {}
        said = {name: record[name] for name in ("kind", "message")}
        run.trouble = Trouble(step=line.step, seq=line.seq, **said, line=at.get("line"), file=at.get("file"))


def _numbers(run: Run, row: Step, line: Line) -> None:
    row.numbers = True


def _step_taken(run: Run, row: Step, line: Line) -> None:
    record = line.record
    row.done = True
    loss, norm, broken = record.get("loss"), record.get("grad_norm"), record.get("not_finite")
    row.grad_norm = row.grad_norm if norm is None else norm
    row.norms = line.seq if record.get("grad_norms") else row.norms
    if record.get("exchanged") is not None:
        row.ended, row.exchanged, row.waited = record["t"], record["exchanged"], record.get("waited")
    if loss is not None or broken is not None:
        row.loss, row.not_finite, row.loss_name = loss, broken, record.get("loss_name")
        run.loss, run.not_finite = loss, broken


def _finished(run: Run, row: Step, line: Line) -> None:
    record = line.record
    row.done = True
    run.status = record["status"]
    run.error = record.get("error")
    run.ended = _moment(run.started, record.get("t", 0.0))
    run.paused = None


def _paused(run: Run, row: Step, line: Line) -> None:
    run.paused = _PAUSE.validate_python(line.record["pause"])


def _resumed(run: Run, row: Step, line: Line) -> None:
    run.paused = None


def _breakpoints(run: Run, row: Step, line: Line) -> None:
    run.control = True
    run.breakpoints = _BREAKPOINTS.validate_python(line.record["breakpoints"])


def _handler(kind: Kind) -> Handler | None:
    """The function that updates the timeline for a record of this kind, or None."""
    match kind:
        case "run_started":
            return _started
        case "node":
            return _node
        case "backward_started":
            return _backward
        case "node_entered" | "grad_computed" | "grad_accumulated":
            return _gradient
        case "anomaly_found":
            return _anomaly
        case "numbers":
            return _numbers
        case "step_taken":
            return _step_taken
        case "run_finished":
            return _finished
        case "paused":
            return _paused
        case "resumed":
            return _resumed
        case "breakpoints":
            return _breakpoints
        case "source" | "tensor" | "saved" | "released" | "mutated" | "detached" | "scope_entered" | "scope_left":
            return None
        case "node_ready" | "grad_reduced" | "hook_ran" | "backward_finished":
            return None
        case "scalar" | "output" | "collective_ran" | "dropped":
            return None
    raise unhandled(kind)


_HANDLERS: dict[str, Handler | None] = {kind: _handler(kind) for kind in KINDS}

_VALUES = ('"kind":"full"', '"kind":"sampled"', '"kind":"stats"')
_VALUED = {"node", "tensor", "mutated", "node_entered", "grad_computed", "grad_accumulated", "hook_ran"}

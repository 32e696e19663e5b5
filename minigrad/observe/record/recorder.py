"""Listen to the events of a program, and deliver the records to sinks.

In the program's threads the recorder does as little as it can: it turns an event into a small dictionary in a queue. A
thread of its own takes the records out a moment later, when they are complete, and gives them to the sinks.

An error in the recorder must not harm the recorded program: at the first one the recorder warns once and stops
listening.
"""

from __future__ import annotations

import math
import os
import platform
import signal
import sys
import threading
import time
import uuid
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from time import monotonic, sleep  # imported early: a program may replace the functions of `time`
from typing import Any, Literal

from ...version import __version__
from ..framework import MINIGRAD, Framework
from ..schema import SCHEMA_VERSION
from . import tiles
from .ledger import Ledger
from .ranks import rank_here
from .sampling import Mode
from .sinks import File, Sink, as_sink, hand_over
from .trace import Trace

SETTLED = 0.01
"""Seconds after which a record is complete: its names were found, or are looked for one last time."""

PATIENCE = 0.1
"""How many seconds to wait for a variable name while its line still runs."""

TICK = 0.01
"""Seconds between two deliveries from the queue while every event is recorded."""

SLOW_TICK = 0.05
"""Seconds between two deliveries while steps are recorded by their losses or numbers, which are few records."""

LONGEST_QUEUE = 200_000
"""How many records may wait; if there are more, the program waits for the sinks."""

BREATH = 128
"""How many records to deliver before the program's threads get their turn. A turn costs more than many records do, most
of all if the program multiplies large matrices and releases the interpreter each time."""

ACTIVE: list[Recorder] = []
"""The recorders that are listening, in the order in which they began."""

thread_time = getattr(time, "thread_time", monotonic)
"""Seconds of processor time of the calling thread. WebAssembly has only the clock."""


class Recorder:
    """Records everything that happens from `start` to `stop`.

    `sinks` are paths (``.jsonl``, ``.jsonl.gz``), functions that take a record, or objects with ``send`` and ``close``.
    `values` says in which steps values are taken: "auto" in the first and then as often as costs little, "all", "none".
    `framework` reads the tensors and nodes in the events; another one than minigrad's records another framework.

    >>> import minigrad as mg
    >>> records = []
    >>> with Recorder(records.append, name="tiny"):
    ...     x = mg.tensor(3.0, requires_grad=True)
    ...     (x * x).backward()
    >>> [record["type"] for record in records if record["type"] in ("node", "backward_started")]
    ['node', 'backward_started']
    """

    def __init__(
        self,
        *sinks: Any,
        name: str | None = None,
        values: Mode = "auto",
        id: str | None = None,
        framework: Framework = MINIGRAD,
    ) -> None:
        self.name = name or default_name()
        now = datetime.now(timezone.utc)
        self.started = now.isoformat(timespec="milliseconds")
        self.id = id or f"{now:%Y%m%d-%H%M%S}-{uuid.uuid4().hex[:6]}"
        self.framework = framework
        self.trace = Trace(values, framework)
        self.values = values
        self.failure: BaseException | None = None
        self.lost: dict[int, Exception] = {}
        """For each sink that failed, by its id, the error. Later records are missing in that sink."""
        self._sinks = [as_sink(sink) for sink in sinks]
        self._lock = threading.RLock()
        self._delivering = threading.Lock()
        self._ended = threading.Event()
        self._running = False
        self._looked = False
        """Whether the program has marked where a step begins: then the step also ends where the program ends it."""
        self._sampling = self.trace.ledger.sampling
        self._queue = self.trace.ledger.queue
        self._thread: threading.Thread | None = None

    # Life

    def start(self) -> Recorder:
        """Begin to listen and return the recorder. Raises RuntimeError if it has run before."""
        if self._running or self._ended.is_set():
            raise RuntimeError("a Recorder records one run: make a new one for the next")
        ledger = self.trace.ledger
        ledger.write(
            "run_started",
            schema_version=SCHEMA_VERSION,
            id=self.id,
            name=self.name,
            started=self.started,
            argv=list(sys.argv),
            python=platform.python_version(),
            minigrad=__version__,
            values=self.values,
            **rank_here(),
        )
        self._running = True
        ACTIVE.append(self)
        _forget_after_fork(self)
        for sink in self._sinks:
            if hasattr(sink, "look"):  # its viewers may ask for single elements
                sink.look = partial(tiles.answer, self)
        self._stop_listening = self.framework.listen(self)
        if sys.platform != "wasi":  # WebAssembly has no threads: call `flush` there
            self._thread = threading.Thread(target=self._work, name="minigrad recorder", daemon=True)
            self._thread.start()
        return self

    def stop(self, error: BaseException | None = None) -> None:
        """Record how the run ended, deliver all records, and close the sinks. A second call does nothing."""
        with self._lock:
            if not self._running:
                return
            self._running = False
            self._stop_listening()
            self.framework.leave()
            if self in ACTIVE:
                ACTIVE.remove(self)
            self._say_goodbye(error)
        self._ended.set()
        if self._thread is not None and self._thread is not threading.current_thread():
            self._thread.join()
        self.flush()
        for sink in tuple(self._sinks):
            self._use(sink, sink.close)

    def _say_goodbye(self, error: BaseException | None) -> None:
        ledger = self.trace.ledger
        ledger.settle(sys._getframe(2))
        ledger.take_over()
        with self._forgiven():
            self.trace.skimming.read()
            ledger.complete(ending=ledger.unfinished)
        with self._forgiven():
            ledger.keep()
        with self._forgiven():
            if ledger.unfinished or (self._looked and ledger.nodes_in_step):
                ledger.next_step()
        status: Literal["finished", "failed", "interrupted"] = "finished"
        if error is not None:
            status = "interrupted" if isinstance(error, KeyboardInterrupt) else "failed"
        place = None if error is None else ledger.places.of_error(error)
        ledger.remark(
            "run_finished",
            status=status,
            error=None if error is None else f"{type(error).__name__}: {error}".rstrip(": "),
            at=place,
        )

    @contextmanager
    def _forgiven(self) -> Iterator[None]:
        """Say that part of the last step is missing: the program has ended well, and must not fail by an error here."""
        try:
            yield
        except Exception as failure:
            self.trace.ledger.remark("dropped", count=1, reason=f"the last step could not be told whole: {failure!r}")

    def __enter__(self) -> Recorder:
        return self.start()

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.stop(error)

    def turn_to(self, framework: Framework) -> bool:
        """Record `framework` from now on.

        Returns False, and changes nothing, if ops of another framework have been recorded.
        """
        with self._lock:
            if self.framework is framework or len(self.trace.ledger.nodes):
                return self.framework is framework
            self.framework = framework
            self.trace = Trace(self.values, framework, self.trace.ledger)
            if self._running:
                self._stop_listening()
                self._stop_listening = framework.listen(self)
            return True

    # What happens

    def __call__(self, event: Any) -> None:
        """Take an event. Never raises."""
        trace, kind = self.trace, type(event)
        try:
            collect = trace.collectors.get(kind)
            if collect is not None and collect(event):
                return
            if not self._running or (kind not in trace.table and not self._sampling.recording):
                return
            with self._lock:
                trace(event)
            if len(self._queue) > LONGEST_QUEUE:
                self.flush()
        except Exception as error:
            self._spare_the_program(error)

    @contextmanager
    def _asked_by_the_program(self) -> Iterator[None]:
        """Run a block that a call by the user asked for. Never raises."""
        try:
            with self._lock:
                yield
        except Exception as error:
            self._spare_the_program(error)

    @property
    def skips(self) -> frozenset[type]:
        """The kinds of events that the recorder does not need now."""
        return self.trace.skips

    def ask(self, steps: int = 1) -> None:
        """Record this step and the next ones, `steps` in all, with values, at any cost: a viewer looks at them."""
        with self._asked_by_the_program():
            self.trace.ledger.keep(past=False)
            self._sampling.ask(steps)

    def look(self, steps: int = 1) -> None:
        """Begin a step here, and record it and those that follow, `steps` in all, as `ask` does."""
        self.flush()
        for sink in tuple(self._sinks):
            self._use(sink, getattr(sink, "catch_up", int))
        with self._asked_by_the_program():
            if self._running:
                self._looked = True
                self.trace.skimming.read()
                self.trace.ledger.settle(sys._getframe(2))
                self.ask(steps + 1)
                self.trace.ledger.next_step()

    def tensor_called(self, name: str) -> Any:
        """The living tensor that the records call `name`; None if there is none."""
        return next(
            (each.ref() for each in self.trace.ledger.tensors if each.name == name and each.ref() is not None), None
        )

    def mark(self) -> None:
        """Begin a step, with values, at the next recorded op: something new begins, such as a cell of a lesson."""
        with self._asked_by_the_program():
            self.ask(2)
            if self._running and self.trace.ledger.nodes_in_step:
                self.trace.ledger.mark()

    def attend(self, wanted: bool) -> None:
        """With `wanted`, record all events of every step, with values sampled as before; else sample steps again."""
        with self._asked_by_the_program():
            self._sampling.attentive = wanted
            if wanted and not self._sampling.recording:
                self.trace.ledger.keep(past=False)

    @contextmanager
    def reading(self) -> Iterator[Ledger]:
        """The ledger, locked while the block runs."""
        with self._lock:
            yield self.trace.ledger

    def log(self, name: str, value: Any) -> None:
        """Record a number of the program's own, such as accuracy: one point of a curve."""
        number = float(value)
        self.remark("scalar", name=str(name), value=number if math.isfinite(number) else None)
        if not math.isfinite(number):  # no point of a curve, but worth a warning
            kind = "nan" if math.isnan(number) else "inf"
            self.remark("anomaly_found", kind=kind, message=f"The program logged {name!r} as {number}.")

    def output(self, stream: Literal["stdout", "stderr"], text: str) -> None:
        """Record text that the program printed."""
        self.remark("output", stream=stream, text=text)

    @property
    def wants(self) -> Literal["whole", "numbers", "loss"]:
        """How much of this step is recorded. A source with costly events need not emit more."""
        sampling = self._sampling
        return "whole" if sampling.recording else "numbers" if sampling.holding else "loss"

    def charge(self, seconds: float) -> None:
        """Count the seconds that a source spent on its events as recording, without those of this recorder."""
        seconds, self.trace.took = max(seconds - self.trace.took, 0.0), 0.0
        if self._sampling.recording:
            self._sampling.spent += seconds
        elif self._sampling.holding:
            self._sampling.spent_holding += seconds

    def remark(self, type: str, /, **fields: Any) -> None:
        """Write a record that is no part of a graph."""
        with self._lock:
            if self._running:
                self.trace.ledger.remark(type, **fields)

    def _spare_the_program(self, error: Exception) -> None:
        """Raise `error` again if the program's signal handler raised it; otherwise only end the recording."""
        if _from_signal_handler(error):
            raise error
        self.give_up(error)

    def give_up(self, error: Exception) -> None:
        """Stop recording after an error of the recorder itself. The program goes on."""
        self.failure = error
        self._stop_listening()
        self.remark("dropped", count=0, reason=f"the recorder failed and stopped listening: {error!r}")
        _say(f"minigrad stopped recording this run because of an error of its own: {error!r}. The program goes on.")

    # Delivering

    def flush(self) -> None:
        """Deliver all records now."""
        self._deliver(older_than=float("inf"))
        self._flush_sinks()

    def _flush_sinks(self) -> None:
        for sink in tuple(self._sinks):
            self._use(sink, getattr(sink, "flush", int))

    def _use(self, sink: Sink, action: Callable[..., Any], *arguments: Any) -> None:
        """Warn once about a failing sink, then drop it."""
        try:
            action(*arguments)
        except Exception as error:
            if self.lost.setdefault(id(sink), error) is not error:
                return  # another thread has reported it
            self._sinks.remove(sink)
            if isinstance(sink, File):
                with suppress(Exception):
                    sink.close()
            _say(f"minigrad cannot go on recording to {sink!r}: {error!r}. The program goes on.")

    def _work(self) -> None:
        try:
            next_flush = 0.0
            while not self._ended.wait(TICK if self._sampling.recording else SLOW_TICK):
                self._tick()
                if monotonic() > next_flush:
                    next_flush = monotonic() + 0.25
                    self._flush_sinks()
        except Exception as error:
            self.give_up(error)

    def _tick(self) -> None:
        ledger = self.trace.ledger
        self._deliver(older_than=ledger.clock() - ledger.began - SETTLED)

    def _deliver(self, older_than: float) -> None:
        queue = self._queue
        with self._delivering:
            while queue and queue[0]["t"] <= older_than:
                before = thread_time()
                records = self._taken(older_than)
                if not records:
                    return
                for sink in tuple(self._sinks):
                    self._use(sink, hand_over, sink, records)
                self._sampling.delivered(thread_time() - before)
                sleep(0)  # release the interpreter: a thread that waits for it would otherwise wait 5 ms

    def _taken(self, older_than: float) -> list[dict[str, Any]]:
        """Take the next records from the queue, as complete as they can be."""
        ledger = self.trace.ledger
        with self._lock:
            while ledger.awaited and (since := ledger.awaited[0].since) <= older_than:
                if not ledger.awaited[0].settle_from_outside(patient=since > older_than - PATIENCE):
                    older_than = math.nextafter(since, 0)
                    break
                ledger.awaited.popleft()
            queue = ledger.queue
            records: list[dict[str, Any]] = []
            while queue and len(records) < BREATH and queue[0]["t"] <= older_than:
                records.append(queue.popleft())
            return records


def _from_signal_handler(error: BaseException) -> bool:
    """Whether a signal handler of the program raised the error while our code ran: then the program must see it."""
    handlers = {getattr(signal.getsignal(number), "__code__", None) for number in signal.valid_signals()}
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code in handlers:
            return True
        trace = trace.tb_next
    return False


def _say(message: str) -> None:
    """Warn. If warnings are errors, print a line instead: an error of the recorder must not end the program."""
    try:
        warnings.warn(message, RuntimeWarning, stacklevel=4)
    except RuntimeWarning:
        print(message, file=sys.stderr)


def default_name() -> str:
    """The name of a run that was given none: its script, or what else runs it."""
    script = sys.argv[0] if sys.argv else ""
    if script in ("", "-c", "-m"):
        return "python"
    name = Path(script).name
    return "notebook" if "ipykernel" in script else name


def _forget_after_fork(recorder: Recorder) -> None:
    """Stop recording in a forked child: it has the queue, but not the thread that empties it."""
    if hasattr(os, "register_at_fork"):
        reference = weakref.ref(recorder)

        def forget() -> None:
            found = reference()
            if found is not None and found._running:
                found._running = False
                found._stop_listening()
                ACTIVE.remove(found)

        os.register_at_fork(after_in_child=forget)

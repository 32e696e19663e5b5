"""The debugger: holds a program still, inside forward or backward, until somebody says how to go on.

It is one more listener. An event is announced on the thread that does the work, so a listener that does not return
holds that thread, and with it the program, at exactly that place. While nobody wants to stop anywhere the debugger does
not listen, and costs nothing.

    recorder ── listens first, so that all up to the stop is on record
    debugger ── pauses, tells (`paused`, `resumed` and `breakpoints` are records like any other), waits
    terminal, explorer ── tell it how to go on

A program that nobody is left to continue goes on by itself after a grace, and says so.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Literal, Protocol

from .. import events
from .breakpoints import Breakpoint, doubt
from .moments import Moment, Trail, moment_of
from .recorder import ACTIVE, Recorder
from .stops import Stepping, stop_of
from .terminal import Terminal

Action = Literal["pause", "step", "over", "continue", "run_to", "stop", "break", "unbreak"]

GRACE_VARIABLE = "MINIGRAD_PAUSE_GRACE"

GRACE = 10.0
"""Seconds for which a paused program waits after the last who could continue it has gone; MINIGRAD_PAUSE_GRACE says
another number, and 0 to wait for nobody."""

FIRST_GRACE = 60.0
"""The same while nobody has come yet: somebody may be about to open the page."""

POLL = 0.1
"""Seconds between two looks at who is there."""


class Publisher(Protocol):
    """What the debugger needs of the explorer's `Publisher`."""

    audience: int
    """How many watch this run in the explorer, as far as is known; 0 where there is no connection."""
    control: Callable[[dict[str, Any]], None] | None
    """Is called, in a thread of its own, with what a viewer asks for."""


Wanted = Breakpoint | str | dict[str, Any]


DEBUGGING: list[Debugger] = []
"""Those that may stop this program, the newest last."""


class Debugger:
    """Stops the program that `recorder` records, at `breakpoints` or when it is asked to.

    >>> import minigrad as mg
    >>> stops = []
    >>> with mg.observe.Recorder() as recorder:
    ...     debugger = Debugger(recorder, ["op=Mul,backward"], terminal=None)
    ...     debugger.asked = lambda stop: stops.append(stop["op"]) or "continue"
    ...     x = mg.tensor(3.0, requires_grad=True)
    ...     (x * x).backward()
    ...     debugger.close()
    >>> stops
    ['Mul']
    """

    def __init__(
        self,
        recorder: Recorder,
        breakpoints: Iterable[Wanted] = (),
        *,
        terminal: Terminal | Literal["own"] | None = "own",
        grace: float | None = None,
    ) -> None:
        self.recorder = recorder
        self.terminal = Terminal() if terminal == "own" else terminal
        self.grace = _seconds(os.environ.get(GRACE_VARIABLE)) if grace is None else grace
        self.first_grace = max(FIRST_GRACE, self.grace) if self.grace else 0.0
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.stop: dict[str, Any] | None = None
        """Where the program is held now."""
        self.asked: Callable[[dict[str, Any]], str | None] | None = None
        """Another way to say how to go on: a function that is given the stop, and returns an action."""
        self._publishers: list[Publisher] = []
        self._welcomed = False
        self._deserted = False
        self._pausing = False
        self._stepping: Stepping | None = None
        self._command: Action | Literal["nobody", "closed"] | None = None
        self._count = 0
        self._trail = Trail()
        self._turn = threading.RLock()
        self._changed = threading.Condition()
        self._ignore: Callable[[], None] | None = None
        for each in breakpoints:
            self.add(each)
        DEBUGGING.append(self)
        _forget_after_fork(self)

    # What others ask of it; in any thread

    def connect(self, publisher: Publisher) -> None:
        """Take what viewers of the explorer ask for, through the publisher that sends them the records."""
        self._publishers.append(publisher)
        publisher.control = self.take
        self._tell_breakpoints()

    def add(self, wanted: Wanted) -> Breakpoint:
        """Stop there from now on. `ArgumentError` where `wanted` makes no sense."""
        found = Breakpoint.of(wanted)
        with self._changed:
            if found not in self.breakpoints:
                self.breakpoints += (found,)
            self._attend()
        self._tell_breakpoints()
        if words := doubt(found):
            self._say(words)
        return found

    def remove(self, wanted: Wanted) -> None:
        """Stop there no more. Nothing happens where there is no such breakpoint."""
        found = Breakpoint.of(wanted)
        with self._changed:
            self.breakpoints = tuple(each for each in self.breakpoints if each != found)
            self._attend()
        self._tell_breakpoints()

    def pause(self) -> None:
        """Stop at the next op, node or leaf, wherever that is."""
        with self._changed:
            self._pausing = self.stop is None
            self._attend()

    def go(self, action: Action, number: int | None = None) -> None:
        """Continue, step, step over the module or stop. An answer to another stop than the present one is ignored."""
        with self._changed:
            if self.stop is None:
                self._pausing = action in ("step", "over")
                self._attend()
            elif number is None or number == self.stop["number"]:
                self._command = action
                self._changed.notify_all()

    def take(self, message: dict[str, Any]) -> None:
        """A `Control` message of the protocol. One that makes no sense changes nothing, and is told in the terminal."""
        self._welcomed = True
        try:
            action, wanted = message["action"], message.get("breakpoint") or {}
            if action == "break":
                self.add(wanted)
            elif action == "unbreak":
                self.remove(wanted)
            elif action == "pause":
                self.pause()
            else:
                if action == "run_to":
                    self.add(Breakpoint.of(wanted).at_once())
                self.go("continue" if action == "run_to" else action, message.get("number"))
        except (KeyError, TypeError, ValueError) as error:
            self._say(f"the explorer asked for something that makes no sense: {error}")

    def close(self) -> None:
        """Stop nowhere any more, and let go of whoever is held."""
        if self in DEBUGGING:
            DEBUGGING.remove(self)
        with self._changed:
            self.breakpoints, self._pausing, self._stepping = (), False, None
            self._command = "closed"
            self._changed.notify_all()
            self._attend()

    # Listening

    def _attend(self) -> None:
        """Listen as long as there is a reason to, after the recorder."""
        wanted = bool(self.breakpoints) or self._pausing or self._stepping is not None
        if wanted and self._ignore is None:
            self._trail = Trail()
            self.recorder.attend(True)
            self._ignore = events.listen(self)
        elif not wanted and self._ignore is not None:
            self._ignore()
            self._ignore = None
            self.recorder.attend(False)

    def __call__(self, event: Any) -> None:
        """Take an event; return when the program shall go on. While one thread is held the others wait here."""
        moment = moment_of(event, sys._getframe(1), self.recorder, self._trail)
        if moment is None:
            return
        with self._turn:
            reason, found = self._why(moment)
            if reason is not None:
                self._hold(moment, reason, found)

    def _why(self, moment: Moment) -> tuple[str | None, Breakpoint | None]:
        """Why to stop at this moment: None, None to go on."""
        hits = [each for each in self.breakpoints if each.matches(moment)]
        moment.pass_by(
            any(each.line is not None for each in self.breakpoints), any(each.nan for each in self.breakpoints)
        )
        if hits:
            return ("run_to" if hits[0].once else "breakpoint"), hits[0]
        if not moment.begins:
            return None, None
        if self._pausing:
            return "pause", None
        stepping = self._stepping
        return ("step" if stepping is not None and stepping.ends_at(moment) else None), None

    # Holding

    def _hold(self, moment: Moment, reason: str, found: Breakpoint | None) -> None:
        present = self._present()
        if self._deserted and not present:
            return
        if not present and not self._publishers:
            self._deserted = True
            self._say(f"{found or reason}: {moment.op}. Nobody could continue the program, so it does not stop here.")
            return
        self._deserted = False
        self._count += 1
        self.recorder.ask(2)
        with self._changed:
            self.stop = stop_of(moment, self._count, reason, found)
            self._command, self._pausing, self._stepping = None, False, None
            once = [each for each in self.breakpoints if each.once]
            self.breakpoints = tuple(each for each in self.breakpoints if not each.once)
            self._changed.notify_all()
        if once:
            self._tell_breakpoints()
        self.recorder.remark("paused", pause=self.stop)
        by: str = "interrupted"
        try:
            by = self._wait(moment, self.stop)
        finally:
            self._let_go(moment, by)
        if by == "stop":
            raise KeyboardInterrupt("ended from the debugger")

    def _let_go(self, moment: Moment, by: str) -> None:
        with self._changed:
            number = self.stop["number"] if self.stop else self._count
            self.stop = None
            if by in ("step", "over"):
                self._stepping = Stepping(moment, over=by == "over")
            self._attend()
            self._changed.notify_all()
        self.recorder.remark("resumed", number=number, by=by)

    def _wait(self, moment: Moment, stop: dict[str, Any]) -> str:
        """Until it is said how to go on: that."""
        if self.terminal is not None:
            self.terminal.show(stop, moment)
        if self.asked is not None and (answer := self.asked(stop)):
            return answer
        terminal = self.terminal if self.terminal is not None and self.terminal.present else None
        with terminal or contextlib.nullcontext():
            left = None
            while self._command is None:
                left = None if self._present() else (left or time.monotonic())
                if self._abandoned(left):
                    return "nobody"
                self._look(terminal)
            if terminal is not None:
                terminal.tell(self._command)
            return self._command

    def _look(self, terminal: Terminal | None) -> None:
        """Wait for a moment, or for an answer."""
        key = terminal.key(POLL) if terminal is not None else None
        with self._changed:
            if self._command is None and key is not None:
                self._command = key
            elif self._command is None and terminal is None:
                self._changed.wait(POLL)

    def _present(self) -> bool:
        """Whether there is anyone who could continue the program."""
        there = (
            self.asked is not None
            or (self.terminal is not None and self.terminal.present)
            or any(each.audience for each in self._publishers)
        )
        self._welcomed = self._welcomed or there
        return there

    def _abandoned(self, left: float | None) -> bool:
        """Whether to go on without being told to. `left` is when the last has gone, None while somebody is there."""
        if not threading.main_thread().is_alive():
            return True
        grace = self.grace if self._welcomed else self.first_grace
        if left is None or time.monotonic() < left + grace:
            return False
        self._deserted = True
        self._say("nobody is left who could continue this program, so it goes on by itself.")
        return True

    # Telling

    def _say(self, message: str) -> None:
        if self.terminal is not None:
            self.terminal.say(f"minigrad: {message}")

    def _tell_breakpoints(self) -> None:
        self.recorder.remark("breakpoints", breakpoints=[each.plain() for each in self.breakpoints])


def _seconds(text: str | None) -> float:
    """The grace that the environment asks for."""
    try:
        return max(0.0, float(text)) if text else GRACE
    except ValueError:
        return GRACE


def debug(recorder: Recorder, breakpoints: Iterable[Wanted] = (), terminal: Terminal | None = None) -> Debugger:
    """The debugger of a program that is recorded from now on. Breakpoints that were set before go on to hold."""
    older = tuple(DEBUGGING)
    kept = [each for one in older for each in one.breakpoints]
    for one in older:
        one.close()
    return Debugger(recorder, [*kept, *breakpoints], terminal=terminal or "own")


def debugger() -> Debugger:
    """The one of this program; where nobody records, one with a recorder of its own that keeps nothing."""
    if DEBUGGING:
        return DEBUGGING[-1]
    if ACTIVE:
        return Debugger(ACTIVE[-1])
    recorder = Recorder(values="none").start()
    ACTIVE.remove(recorder)  # `watch` may still come
    return Debugger(recorder)


def breakpoint(where: str | Breakpoint | None = None, **conditions: Any) -> Breakpoint | None:
    """Stop the program there, so that it can be looked at in the explorer and in the terminal.

    `where` is a text such as ``"op=MatMul,backward"`` (see `minigrad.observe.breakpoints`), or the same as keywords.
    Without either it stops at the next op. Give what this returns to `unbreak` to stop there no more.

    >>> import minigrad as mg
    >>> found = mg.observe.breakpoint(op="MatMul", norm=10)
    >>> found
    Breakpoint('op=MatMul,norm>10')
    >>> mg.observe.unbreak(found)
    """
    if where is None and not conditions:
        debugger().pause()
        return None
    return debugger().add(Breakpoint.of(where) if where is not None else Breakpoint(**conditions))


def unbreak(where: str | Breakpoint) -> None:
    """Take a breakpoint away."""
    debugger().remove(where)


def _forget_after_fork(debugger: Debugger) -> None:
    """Nobody sees a forked child: it does not stop."""
    if hasattr(os, "register_at_fork"):
        reference = weakref.ref(debugger)

        def forget() -> None:
            found = reference()
            if found is not None and found._ignore is not None:
                found._ignore()
                found._ignore = None

        os.register_at_fork(after_in_child=forget)

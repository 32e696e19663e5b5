"""The debugger: pauses a program, inside forward or backward, until a viewer or the terminal continues it.

It is a listener. The core emits an event on the thread that does the work, so a listener that does not return stops
that thread, and with it the program, at exactly that place. Without a breakpoint or a request to pause, the debugger
does not listen, and costs nothing.

    recorder ── listens first, so that everything up to the pause is recorded
    debugger ── pauses, writes records (`paused`, `resumed`, `breakpoints`), and waits
    terminal, explorer ── tell the debugger how to continue

If no user is left who could continue the program, it goes on by itself after a while, and says so.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable
from typing import Any, Literal

from ..record.recorder import Recorder
from .audience import Presence, Publisher
from .breakpoints import Breakpoint, doubt
from .pause_points import Moment, Trail, moment_of
from .pauses import Stepping, stop_of
from .terminal import Terminal

Action = Literal["pause", "step", "over", "continue", "run_to", "stop", "break", "unbreak"]

POLL = 0.1
"""Seconds between two checks for an answer or a user."""

Wanted = Breakpoint | str | dict[str, Any]


DEBUGGING: list[Debugger] = []
"""The debuggers that may pause this program, the newest last."""


class Debugger:
    """Pause the program that `recorder` records, at `breakpoints` or on request.

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
        self.alone = False
        """Whether the recorder exists for this debugger only, and is stopped with it."""
        self.terminal = Terminal() if terminal == "own" else terminal
        self.presence = Presence(self.terminal, grace)
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.stop: dict[str, Any] | None = None
        """Where the program is paused now; None if it runs."""
        self.asked: Callable[[dict[str, Any]], str | None] | None = None
        """A function that gets the pause and returns how to continue; None to ask the user."""
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

    # Requests from other parts, from any thread

    def connect(self, publisher: Publisher) -> None:
        """Take the requests of viewers of the explorer from the publisher that sends them the records."""
        self.presence.publishers.append(publisher)
        publisher.control = self.take
        self._tell_breakpoints()

    def add(self, wanted: Wanted) -> Breakpoint:
        """Add a breakpoint and return it. Raises ArgumentError if `wanted` is not valid."""
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
        """Remove a breakpoint. Does nothing if there is no such breakpoint."""
        found = Breakpoint.of(wanted)
        with self._changed:
            self.breakpoints = tuple(each for each in self.breakpoints if each != found)
            self._attend()
        self._tell_breakpoints()

    def pause(self) -> None:
        """Pause at the next op, node or leaf."""
        with self._changed:
            self._pausing = self.stop is None
            self._attend()

    def go(self, action: Action, number: int | None = None) -> None:
        """Continue, step, step over the module or end the program.

        Ignored if `number` is of another pause than the current one.
        """
        with self._changed:
            if self.stop is None:
                self._pausing, self._stepping = action in ("step", "over"), None
                self._attend()
            elif number is None or number == self.stop["number"]:
                self._command = action
                self._changed.notify_all()

    def take(self, message: dict[str, Any]) -> None:
        """Carry out a `Control` message of the protocol.

        An invalid one changes nothing, and is reported in the terminal.
        """
        self.presence.welcomed = True
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
        """Remove all breakpoints and continue the program if it is paused."""
        if self in DEBUGGING:
            DEBUGGING.remove(self)
        with self._changed:
            self.breakpoints, self._pausing, self._stepping = (), False, None
            self._command = "closed"
            self._changed.notify_all()
            self._attend()
        if self.alone:
            self.recorder.stop()

    # Listening

    def turn(self) -> None:
        """Listen to another framework after the recorder has turned to it."""
        with self._changed:
            if self._ignore is not None:
                self._ignore()
                self._ignore = self.recorder.framework.listen(self)

    def _attend(self) -> None:
        """Listen, after the recorder, only while there is a breakpoint or a request to pause."""
        wanted = bool(self.breakpoints) or self._pausing or self._stepping is not None
        if wanted and self._ignore is None:
            self._trail = Trail()
            self.recorder.attend(True)
            self._ignore = self.recorder.framework.listen(self)
        elif not wanted and self._ignore is not None:
            self._ignore()
            self._ignore = None
            self.recorder.attend(False)

    def __call__(self, event: Any) -> None:
        """Take an event, and return when the program may continue. While one thread is paused, others wait here."""
        moment = moment_of(event, sys._getframe(1), self.recorder, self._trail)
        if moment is None:
            return
        with self._turn:
            try:
                reason, found = self._why(moment)
                if reason is not None:
                    self._hold(moment, reason, found)
            except Exception as error:  # an error of the debugger must not end the program
                self._say(f"the debugger stops nowhere any more, because of an error of its own: {error!r}")
                self.close()

    def _why(self, moment: Moment) -> tuple[str | None, Breakpoint | None]:
        """Why to pause at this moment, and the breakpoint if one caused it; (None, None) to go on."""
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

    # Pausing

    def _hold(self, moment: Moment, reason: str, found: Breakpoint | None) -> None:
        hopeless = self.presence.hopeless(self.asked is not None)
        if hopeless == "at once":
            self._say(f"{found or reason}: {moment.op}. Nobody could continue the program, so it does not stop here.")
        if hopeless:
            return
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
        """Wait until a user, a viewer or `asked` says how to continue, and return that."""
        if self.terminal is not None:
            self.terminal.show(stop, moment)
        if self.asked is not None and (answer := self.asked(stop)):
            return answer
        terminal = self.terminal if self.terminal is not None and self.terminal.present else None
        with terminal or contextlib.nullcontext():
            while self._command is None:
                if self.presence.over():
                    self._say("nobody is left who could continue this program, so it goes on by itself.")
                    return "nobody"
                self._look(terminal)
            if terminal is not None:
                terminal.tell(self._command)
            return self._command

    def _look(self, terminal: Terminal | None) -> None:
        """Wait a short time for a key or an answer."""
        key = terminal.key(POLL) if terminal is not None else None
        with self._changed:
            if self._command is None and key is not None:
                self._command = key
            elif self._command is None and terminal is None:
                self._changed.wait(POLL)

    # Reporting

    def _say(self, message: str) -> None:
        if self.terminal is not None:
            self.terminal.say(f"minigrad: {message}")

    def _tell_breakpoints(self) -> None:
        self.recorder.remark("breakpoints", breakpoints=[each.plain() for each in self.breakpoints])


def _forget_after_fork(debugger: Debugger) -> None:
    """Close the debugger in a forked child, where no user could continue it."""
    if hasattr(os, "register_at_fork"):
        reference = weakref.ref(debugger)

        def forget() -> None:
            found = reference()
            if found is not None and found._ignore is not None:
                found._ignore()
                found._ignore = None

        os.register_at_fork(after_in_child=forget)

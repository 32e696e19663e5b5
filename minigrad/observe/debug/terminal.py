"""The debugger in the terminal: prints where the program is paused, and reads single keys for how to continue.

    s step   o step over the module   c continue   q end the program

Keys are read if standard input is a terminal and the program runs in its foreground. Otherwise only the place is
printed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any, Literal, TextIO

from ..framework import framework_of
from ..record.values import measure
from .breakpoints import Breakpoint

if TYPE_CHECKING:
    from collections.abc import Callable

    from .pause_points import Moment

Key = Literal["step", "over", "continue", "stop"]

KEYS: dict[str, Key] = {"s": "step", "o": "over", "c": "continue", "q": "stop"}

MENU = "s step · o step over the module · c continue · q end the program"

WORDS = {
    "step": "one step on",
    "over": "on, over the module",
    "continue": "going on",
    "stop": "ended",
    "closed": "going on",
}

FEW = 8
"""A tensor of at most this many elements is printed in full."""


class Terminal:
    """Standard input and an output stream. As a context manager it takes keys one by one, without Enter."""

    def __init__(self, output: Callable[[], TextIO] = lambda: sys.stderr) -> None:
        self._output = output
        self._before: Any = None

    @property
    def present(self) -> bool:
        """Whether a user may be at the terminal: input is a terminal, and belongs to this program now."""
        try:
            if not sys.stdin.isatty():
                return False
            return not hasattr(os, "tcgetpgrp") or os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
        except (OSError, ValueError, AttributeError):  # no input, or a closed one
            return False

    def __enter__(self) -> Terminal:
        with contextlib.suppress(ImportError):
            import termios
            import tty

            self._before = termios.tcgetattr(sys.stdin)
            tty.setcbreak(sys.stdin, termios.TCSANOW)
        return self

    def __exit__(self, *error: object) -> None:
        if self._before is not None:
            import termios

            termios.tcsetattr(sys.stdin, termios.TCSANOW, self._before)
            self._before = None

    def key(self, seconds: float) -> Key | None:
        """The action of a key pressed within `seconds` seconds. The end of input means to continue."""
        try:
            typed = _posix_key(seconds) if self._before is not None else _windows_key(seconds)
        except OSError:
            return None
        if typed == "":
            return "continue"
        return None if typed is None else KEYS.get(typed.lower())

    def say(self, text: str) -> None:
        """Print `text`; an error of the stream is ignored."""
        with contextlib.suppress(OSError, ValueError):
            print(text, file=self._output(), flush=True)

    def tell(self, command: str) -> None:
        """Print how the program continues."""
        self.say(f"  {WORDS.get(command, command)}")

    def show(self, stop: dict[str, Any], moment: Moment) -> None:
        """Print where the program is paused, the values that arrive there, and the keys."""
        lines = [headline(stop)]
        at, running = stop.get("at"), stop.get("running_at")
        if at is not None:
            lines.append(f"  {at['file']}:{at['line']}  {at['code']}")
        if running is not None and running != at:
            lines.append(f"  from {running['file']}:{running['line']}  {running['code']}")
        if stop["scope"]:
            lines.append(f"  in {' / '.join(stop['scope'])}")
        lines += [f"  {name:<12} {described(value)}" for name, value in moment.values()]
        if self.present:
            lines.append(f"  {MENU}")
        self.say("\n".join(lines))


def headline(stop: dict[str, Any]) -> str:
    """The first line about a pause, such as "Paused before MatMul, backward, step 3 (breakpoint op=MatMul)".

    >>> headline({"when": "before", "op": "Mul", "phase": "forward", "step": 0, "names": ["y"], "reason": "step"})
    'Paused before Mul (y), forward, step 0'
    """
    names = ", ".join(stop["names"])
    what = f"{names}.grad has arrived" if stop.get("leaf") is not None else f"{stop['when']} {stop['op']}"
    if names and stop.get("leaf") is None:
        what += f" ({names})"
    why = f" (breakpoint {Breakpoint.of(stop['breakpoint'])})" if stop["reason"] == "breakpoint" else ""
    return f"Paused {'where ' if stop.get('leaf') is not None else ''}{what}, {stop['phase']}, step {stop['step']}{why}"


def described(value: Any) -> str:
    """A tensor in one line: all elements of a small one, the shape and norm of a large one."""
    framework = framework_of(value)
    if framework is None or not framework.has_elements(value):
        return str(value)
    known, array = framework.facts(value), framework.array(value)
    numbers = measure(array)
    what = f"{known['shape']} {known['dtype']}"
    if array.size <= FEW:
        return f"{what}  {' '.join(f'{each:.4g}' for each in array.ravel().tolist())}"
    parts = [f"{name} {numbers[name]:.4g}" for name in ("norm", "min", "max") if numbers.get(name) is not None]
    parts += [f"{numbers[name]} {word}" for name, word in (("nan", "NaN"), ("inf", "infinite")) if numbers[name]]
    return f"{what}  {' · '.join(parts)}"


def _posix_key(seconds: float) -> str | None:
    import select

    ready, _, _ = select.select([sys.stdin], [], [], seconds)
    return os.read(sys.stdin.fileno(), 1).decode(errors="ignore") if ready else None


def _windows_key(seconds: float) -> str | None:
    import time

    msvcrt: Any = __import__("msvcrt")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if msvcrt.kbhit():
            return str(msvcrt.getwch())
        time.sleep(0.01)
    return None

"""Breakpoints of this program, set from within it: the functions behind `minigrad.observe.breakpoint`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..record.recorder import ACTIVE, Recorder
from .breakpoints import Breakpoint
from .debugger import DEBUGGING, Debugger, Wanted
from .terminal import Terminal


def debug(recorder: Recorder, breakpoints: Iterable[Wanted] = (), terminal: Terminal | None = None) -> Debugger:
    """The debugger of a program that is recorded from now on. Breakpoints that were set before stay set."""
    older = tuple(DEBUGGING)
    kept = [each for one in older for each in one.breakpoints]
    for one in older:
        one.close()
    return Debugger(recorder, [*kept, *breakpoints], terminal=terminal or "own")


def current_debugger() -> Debugger:
    """This program's debugger. If nothing is recorded, it gets a recorder without sinks."""
    if DEBUGGING:
        return DEBUGGING[-1]
    if ACTIVE:
        return Debugger(ACTIVE[-1])
    recorder = Recorder(values="none").start()
    ACTIVE.remove(recorder)  # so that a later `watch` starts a recorder of its own
    made = Debugger(recorder)
    made.alone = True
    return made


def breakpoint(where: str | Breakpoint | None = None, **conditions: Any) -> Breakpoint | None:
    """Stop the program there, so that it can be looked at in the explorer and in the terminal.

    `where` is a text such as ``"op=MatMul,backward"`` (see `minigrad.observe.breakpoints`), or the same as keywords.
    Without either, the program stops at the next op. Pass the result to `unbreak` to remove the breakpoint.

    >>> import minigrad as mg
    >>> found = mg.observe.breakpoint(op="MatMul", norm=10)
    >>> found
    Breakpoint('op=MatMul,norm>10')
    >>> mg.observe.unbreak(found)
    """
    if where is None and not conditions:
        current_debugger().pause()
        return None
    return current_debugger().add(Breakpoint.of(where) if where is not None else Breakpoint(**conditions))


def unbreak(where: str | Breakpoint) -> None:
    """Remove a breakpoint."""
    found = current_debugger()
    found.remove(where)
    if found.alone and not found.breakpoints:
        found.close()

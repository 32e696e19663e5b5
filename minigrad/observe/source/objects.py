"""Find the calls of plain objects around an op, such as those of a net that is written neuron by neuron.

An object without `nn.Module` that is called like one, by ``__call__`` or ``forward``, is drawn like one. Such a call
has no event: it is found on the stack when an op runs in it. To tell two calls of an object apart, a `Call` is left in
the first one's frame, where a debugger puts its trace function; it goes with the frame.
"""

from __future__ import annotations

import re
from collections import Counter
from types import FrameType
from typing import Any

from .callsites import is_users, users_frame
from .homes import home_of
from .naming import variable_of
from .variables import attributes_of, local_variables

NUMBER = re.compile(r" \(\d+\)$")

CALLED = ("__call__", "forward")
"""The methods by which an object is called like a module."""

DEEPEST = 32
"""The most calls inside each other that are told apart. A deep recursion is one."""


class Call:
    """A running call in one round of forward and backward."""

    __slots__ = ("round", "path", "counts", "traced")

    def __init__(self, round: int, path: list[str], counts: Counter[str]) -> None:
        self.round = round
        self.path = path
        """``name:Type`` of each call around an op, outermost first; from an object's second call on, with its number.
        """
        self.counts = counts
        """How many calls of each name there have been in this one."""
        self.traced: Any = None
        """The trace function in whose place this is."""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Trace the frame as before. Python calls this while a debugger or the program itself traces."""
        if self.traced is not None:
            self.traced = self.traced(frame, event, argument) or self.traced


class Calls:
    """The calls of a thread."""

    def __init__(self) -> None:
        self._outermost = Call(-1, [], Counter())

    def around(self, frame: FrameType | None, round: int) -> list[str]:
        """The path of the calls around an op that runs in `frame` now. Calls from earlier rounds are left out."""
        if self._outermost.round != round:
            self._outermost = Call(round, [], Counter())
        inside, call = [], self._outermost
        while frame is not None:
            if isinstance(frame.f_trace, Call):
                call = frame.f_trace if frame.f_trace.round == round else call
                break
            if frame.f_code.co_name in CALLED and is_users(frame.f_code.co_filename):
                inside.append(frame)
            frame = frame.f_back
        for each in reversed(inside):
            call = _begun(each, call)
            call.traced, each.f_trace = each.f_trace, call
        return call.path


def _begun(frame: FrameType, outer: Call) -> Call:
    """The call that runs in `frame`, in the call `outer`; one like `outer` if no plain object is called."""
    called = local_variables(frame).get("self")
    if len(outer.path) == DEEPEST or not _is_plain(called):
        return Call(outer.round, outer.path, outer.counts)
    kind = type(called).__name__
    caller = users_frame(frame.f_back)
    home = home_of(called, caller)
    name = home.path if home is not None else (caller and variable_of(called, caller)) or kind
    outer.counts[name] += 1
    number = outer.counts[name]
    segment = name if number == 1 else f"{name} ({number})"
    return Call(outer.round, [*outer.path, f"{segment}:{kind}"], Counter())


def _is_plain(called: Any) -> bool:
    """Whether an object is no module and keeps none: modules are drawn themselves."""
    kept = (called, *attributes_of(called).values())
    return called is not None and not any(hasattr(type(each), "named_modules") for each in kept)


def path_of(calls: list[str]) -> str:
    """The path to the object of the innermost call: ``net.layers.0.neurons.2``."""
    return ".".join(NUMBER.sub("", each.rpartition(":")[0]) for each in calls)

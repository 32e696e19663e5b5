"""Find the calls around an op: of plain objects, such as a net that is written neuron by neuron, and of functions.

An object without `nn.Module` that is called like one, by ``__call__`` or ``forward``, is drawn like one. A function of
the program is drawn as a box of its own where a frame has many ops. Such calls have no event: they are found on the
stack when an op runs in them. To tell two calls apart, a `Call` is left in the first one's frame, where a debugger puts
its trace function; it goes with the frame.
"""

from __future__ import annotations

import re
from collections import Counter
from types import CodeType, FrameType
from typing import Any, Literal

from .callsites import is_users, users_frame
from .homes import home_of
from .naming import variable_of
from .variables import attributes_of, local_variables

Kind = Literal["", "call", "module"]
"""Whether a code is that of a call that is drawn, of a module's call, which has events, or of neither."""

NUMBER = re.compile(r" \(\d+\)$")

CALLED = ("__call__", "forward")
"""The methods by which an object is called like a module."""

UNNAMED = ("<", "__")
"""The beginnings of names that are not a function's own: those of a file, a lambda, an operator."""

DEEPEST = 32
"""The most calls inside each other that are told apart. A deep recursion is one."""


class Call:
    """A running call in one round of forward and backward."""

    __slots__ = ("round", "early", "path", "functions", "objects_called", "functions_called", "traced")

    def __init__(self, round: int, path: list[str]) -> None:
        self.round = round
        self.early = False
        """Whether the round's backward was over when the call began: it may belong to the next round."""
        self.path = path
        """``name:Type`` of each object's call around an op, outermost first; from its second call on, with its number.
        """
        self.functions: list[str] = []
        """The name of each function's call inside the innermost object or module, in the same way."""
        self.objects_called = Counter[str]()
        """How many calls of each object there have been in the innermost one."""
        self.functions_called = Counter[str]()
        """How many calls of each function there have been in this call."""
        self.traced: Any = None
        """The trace function in whose place this is."""

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        """Trace the frame as before. Python calls this while a debugger or the program itself traces."""
        if self.traced is not None:
            self.traced = self.traced(frame, event, argument) or self.traced

    def like(self) -> Call:
        """This call, for another frame: one that is not told apart from it."""
        like = Call(self.round, self.path)
        like.functions = self.functions
        like.objects_called = self.objects_called
        like.functions_called = self.functions_called
        return like

    def of_function(self, name: str) -> Call:
        """A call of a function in this one."""
        call = self.like()
        call.functions = [*self.functions, _numbered(name, self.functions_called)]
        call.functions_called = Counter()
        return call

    def of_object(self, name: str, kind: str) -> Call:
        """A call of an object in this one."""
        return Call(self.round, [*self.path, f"{_numbered(name, self.objects_called)}:{kind}"])


def _numbered(name: str, called: Counter[str]) -> str:
    """`name` with the number of its call, from the second on."""
    called[name] += 1
    return name if called[name] == 1 else f"{name} ({called[name]})"


class Calls:
    """The calls of a thread. `modules` is the file in which a module calls its ``forward``."""

    def __init__(self, modules: tuple[str, ...] = ()) -> None:
        self._modules = modules
        self._outermost = Call(-1, [])
        self._kinds: dict[int, tuple[Kind, CodeType]] = {}
        """What each code on the stack is, by its address. The code is kept, so that no other gets that address."""

    def around(self, frame: FrameType | None, round: int, over: bool = False) -> Call:
        """The innermost call around an op that runs in `frame` now. Calls from earlier rounds are left out.

        `over`: the round's backward is over.
        """
        if self._outermost.round != round:
            self._outermost = Call(round, [])
        inside, call, kinds = list[FrameType](), self._outermost, self._kinds
        while frame is not None:
            known = kinds.get(id(frame.f_code)) or self._found(frame.f_code)
            kind = known[0]
            if kind:
                mark = frame.f_trace
                if isinstance(mark, Call) and not (mark.early and mark.round == round - 1):
                    call = mark if mark.round == round else call
                    break
                inside.append(frame)
                if kind == "module":
                    break
            frame = frame.f_back
        for each in reversed(inside):
            call = self._begun(each, call)
            call.early, call.traced, each.f_trace = over, each.f_trace, call
        return call

    def _found(self, code: CodeType) -> tuple[Kind, CodeType]:
        kind: Kind = ""
        if code.co_filename.startswith(self._modules):
            kind = "module"
        elif (code.co_name in CALLED or not code.co_name.startswith(UNNAMED)) and is_users(code.co_filename):
            kind = "call"
        known = self._kinds[id(code)] = kind, code
        return known

    def _begun(self, frame: FrameType, outer: Call) -> Call:
        """The call that runs in `frame`, in the call `outer`."""
        code = frame.f_code
        if code.co_filename.startswith(self._modules):
            return Call(outer.round, outer.path)
        if len(outer.path) + len(outer.functions) >= DEEPEST:
            return outer.like()
        if code.co_name in CALLED:
            return _begun_of_object(frame, outer)
        return outer.of_function(code.co_name)


def _begun_of_object(frame: FrameType, outer: Call) -> Call:
    """The call of an object that runs in `frame`; one like `outer` if it is no plain object."""
    called = local_variables(frame).get("self")
    if not _is_plain(called):
        return outer.like()
    kind = type(called).__name__
    caller = users_frame(frame.f_back)
    home = home_of(called, caller)
    name = home.path if home is not None else (caller and variable_of(called, caller)) or kind
    return outer.of_object(name, kind)


def _is_plain(called: Any) -> bool:
    """Whether an object is no module and keeps none: modules are drawn themselves."""
    kept = (called, *attributes_of(called).values())
    return called is not None and not any(hasattr(type(each), "named_modules") for each in kept)


def path_of(calls: list[str]) -> str:
    """The path to the object of the innermost call: ``net.layers.0.neurons.2``."""
    return ".".join(NUMBER.sub("", each.rpartition(":")[0]) for each in calls)

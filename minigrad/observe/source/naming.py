"""Names: what the user's program calls a tensor.

A parameter is called by its path in its module (``blocks.0.fc.weight``); anything else by the variable that holds it,
or that holds what it is in (``self.w``).
The variables that count are those of the user's frame at the moment something happens to the tensor, and those that the
running line is about to assign.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from itertools import islice
from types import CodeType, FrameType, ModuleType
from typing import Any

from ..framework import MINIGRAD, Framework
from ..record.identity import KnownTensor
from .variables import local_variables


def variable_of(thing: Any, frame: FrameType) -> str | None:
    """The variable by which the code in `frame` knows `thing`: a local, or a global that it mentions."""
    variables, local = frame.f_globals, local_variables(frame)
    if local is not variables:
        for name, value in local.items():
            if value is thing and _speaks(name):
                return name
    for name in frame.f_code.co_names:
        if variables.get(name) is thing and _speaks(name):
            return name
    if local is variables:  # the code of a notebook's cell mentions only what that cell does
        for name, value in tuple(variables.items()):
            if value is thing and _speaks(name):
                return name
    return None


def tensor_in(frame: FrameType | None, tensor: Any, framework: Framework = MINIGRAD) -> str | None:
    """The name of `tensor` in the code of `frame`: a variable, or a way from one: ``self.w``, ``ws[0]``, ``w.grad``."""
    if frame is None:
        return None
    return variable_of(tensor, frame) or _within(frame, tensor, framework)


class NamesAtCalls:
    """By which variable a call's tensor is known: looked up at the first call of each place in the program."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int], str | None] = {}

    def of(self, tensor: Any, frame: FrameType | None) -> str | None:
        """The variable that holds `tensor` where `frame` is now; None where none does."""
        if frame is None:
            return None
        place = (frame.f_code, frame.f_lasti)
        if place not in self._known:
            self._known[place] = variable_of(tensor, frame)
        return self._known[place]


def _within(frame: FrameType, tensor: Any, framework: Framework) -> str | None:
    for name, value in variables_of(frame):
        place = _place_in(value, tensor, frame.f_code.co_names, framework)
        if place is not None:
            return name + place
    return None


def _place_in(value: Any, tensor: Any, mentioned: tuple[str, ...], framework: Framework) -> str | None:
    """The path to `tensor` in a list, a tuple, a dictionary, or among the object's attributes that the code mentions.

    Nothing of the user's runs for it: a key is written down only where it is the one, and no attribute is computed.
    """
    if type(value) in (list, tuple):
        return next((f"[{i}]" for i, each in enumerate(value[:MOST]) if each is tensor), None)
    if type(value) is dict:
        first = list(islice(value.items(), MOST))
        return next((f"[{key!r}]" for key, each in first if each is tensor), None)
    if framework.is_tensor(value):
        return ".grad" if framework.grad(value) is tensor else None
    try:
        attributes = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return None
    held = [attributes, *(attributes.get(name) for name in ("_parameters", "_buffers"))]  # PyTorch's modules
    return next((f".{n}" for n in mentioned for each in held if isinstance(each, dict) and each.get(n) is tensor), None)


def variables_of(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The variables of the code in `frame`: its locals, and the globals that it mentions."""
    variables = frame.f_globals
    local = local_variables(frame)
    held = {} if local is variables else dict(local)
    held |= {name: variables[name] for name in frame.f_code.co_names if name in variables and name not in held}
    for name, value in held.items():
        if not (name.startswith(("_", ".")) or issubclass(type(value), (ModuleType, type))):
            yield name, value


MOST = 100
"""A tensor is looked for among this many elements of a list or dictionary."""


def _speaks(name: str) -> bool:
    return not name.startswith(("_", ".")) and name != "self"


def paths_in(module: Any) -> list[tuple[str, Any]]:
    """Parameters and buffers of a module and all in it, with their paths."""
    return [*module.named_parameters(), *getattr(module, "named_buffers", lambda: ())()]


class Paths:
    """The path of each parameter. Those of a second net have the same ones, and not the same names."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[KnownTensor, str]] = {}
        """By its path the tensor that had it first, and the name of its module."""

    def give(self, found: list[tuple[str, KnownTensor]], module: str) -> None:
        """Each its path; where another net has one of them, those of both go behind their nets: ``critic.0.bias``."""
        taken = False
        for path, known in found:
            holder, owner = self._first.get(path, (known, module))
            if holder is not known and holder.ref() is not None:
                taken = True
                if owner != module:
                    self._tell_apart(owner)
        for path, known in found:
            known.name = f"{module}.{path}" if taken else path
            if not taken:
                self._first[path] = known, module

    def _tell_apart(self, module: str) -> None:
        """Call the parameters of this module, which was first, by its name too."""
        for path, (known, owner) in self._first.items():
            if owner == module and known.name == path:
                known.name = f"{module}.{path}"


class Parts:
    """The modules inside a module, by their paths in it: ``encoder.0``."""

    def __init__(self) -> None:
        self._paths: weakref.WeakKeyDictionary[Any, dict[int, tuple[str, Any]]] = weakref.WeakKeyDictionary()

    def path(self, outer: Any, inner: Any) -> str | None:
        """The path of `inner` in `outer`; None where it is no part of it."""
        for _ in range(2):  # a part that was added since is found the second time
            known = self._of(outer).get(id(inner))
            if known is not None and known[1]() is inner:
                return known[0]
            self._paths.pop(outer, None)
        return None

    def tree(self, outer: Any) -> list[str] | None:
        """``path:Type`` of the modules inside `outer`; None where there are none, or more than a picture can show."""
        parts = self._of(outer).values()
        alive = [(path, part()) for path, part in parts]
        return [f"{path}:{type(part).__name__}" for path, part in alive] if 0 < len(alive) <= MOST_PARTS else None

    def _of(self, outer: Any) -> dict[int, tuple[str, Any]]:
        known = self._paths.get(outer)
        if known is None:
            named = outer.named_modules() if hasattr(type(outer), "named_modules") else ()
            known = {id(part): (path, weakref.ref(part)) for path, part in named if part is not outer}
            self._paths[outer] = known
        return known


MOST_PARTS = 2000
"""A tree of more modules is not written into each step."""


class Awaited:
    """Results of one line, until it is known whether they got the names that the line is going to give them."""

    __slots__ = ("names", "code", "at", "variables", "outputs", "thread", "since")

    def __init__(self, names: tuple[str, ...], frame: FrameType, outputs: Any, thread: int, since: float) -> None:
        self.names = names
        self.code: CodeType = frame.f_code
        self.at = frame.f_lasti
        self.variables = frame.f_globals if local_variables(frame) is frame.f_globals else None
        """A module's variables outlive its frame, so they can be looked at without it."""
        self.outputs: list[tuple[KnownTensor, list[dict[str, Any]]]] = outputs
        """Each output with the records that shall carry its name."""
        self.thread = thread
        self.since = since

    def settle(self, frame: FrameType | None) -> None:
        """Give the names that came true. `frame` is where the program is now, or deeper."""
        variables: Any = self.variables
        while variables is None and frame is not None:
            if frame.f_code is self.code:
                variables = local_variables(frame)
            frame = frame.f_back
        for name in self.names:
            for known, records in self.outputs:
                tensor = known.ref()
                if known.name is not None or tensor is None or not _speaks(name):
                    continue
                # A function that has returned has taken its variables along; but if anything else had become of the
                # result, that would have been heard of before.
                if (variables is None and len(self.outputs) == 1) or (variables and variables.get(name) is tensor):
                    known.name = name
                    for record in records:
                        record["name"] = name

    def settle_from_outside(self, patient: bool) -> bool:
        """The same from another thread, when nothing has happened for a while.

        False where the line is still at work, as in a thread that waits for the processor, and one is `patient`.
        """
        frame = sys._current_frames().get(self.thread)
        if patient and self._at_work(frame):
            return False
        self.settle(frame)
        return True

    def _at_work(self, frame: FrameType | None) -> bool:
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        return frame is not None and frame.f_lasti == self.at

"""Find the name that the user's program gives to a tensor.

A parameter is named by its path in its module (``blocks.0.fc.weight``). Any other tensor is named by the variable that
holds it, or by the path from a variable (``self.w``).

The variables are those of the user's frame at the moment of an event, and those that the running line is about to
assign.
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
from .assignments import loop_variables
from .callsites import users_frame
from .variables import attributes_of, local_variables


def variable_of(thing: Any, frame: FrameType) -> str | None:
    """The variable that holds `thing` in the code of `frame`: a local, or a global that the code uses.

    None if there is none.
    """
    variables, local = frame.f_globals, local_variables(frame)
    if local is not variables:
        for name, value in local.items():
            if value is thing and _speaks(name):
                return name
    for name in frame.f_code.co_names:
        if variables.get(name) is thing and _speaks(name):
            return name
    if local is variables:  # the code of a notebook cell uses only that cell's globals
        for name, value in tuple(variables.items()):
            if value is thing and _speaks(name):
                return name
    return None


def tensor_in(frame: FrameType | None, tensor: Any, framework: Framework = MINIGRAD) -> str | None:
    """The name of `tensor` in the code of `frame`: a variable, or a path such as ``self.w`` or ``w.grad``."""
    found = found_in(frame, tensor, framework)
    return None if found is None else found[0]


def found_in(frame: FrameType | None, tensor: Any, framework: Framework = MINIGRAD) -> tuple[str, FrameType] | None:
    """The name of `tensor` in the code of `frame`, and the frame where it has that name; None if it has none.

    A parameter is named by the list, dictionary or object that holds it, perhaps in a calling function, and not by the
    variable of a loop over all of them. If a function got it as an argument, it has the name that the caller gives it.
    """
    found = _found_in(frame, tensor, framework)
    for _ in range(FRAMES if _is_kept(tensor, framework) else 0):
        if found is None or found[0] not in _arguments(found[1].f_code):
            break
        outer = _found_in(users_frame(found[1].f_back), tensor, framework)
        if outer is None:
            break
        found = outer
    return found


def _arguments(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _found_in(frame: FrameType | None, tensor: Any, framework: Framework) -> tuple[str, FrameType] | None:
    if frame is None:
        return None
    variable = variable_of(tensor, frame)
    kept = _is_kept(tensor, framework)
    if variable is not None and not (kept and variable in loop_variables(frame.f_code)):
        return variable, frame
    outer: FrameType | None = frame
    for _ in range(FRAMES if kept else 1):
        if outer is None:
            break
        if place := _within(outer, tensor, framework):
            return place, outer
        outer = users_frame(outer.f_back)
    return None if variable is None else (variable, frame)


def _is_kept(tensor: Any, framework: Framework) -> bool:
    return framework.is_parameter(tensor) or (framework.requires_grad(tensor) and framework.place(tensor) is None)


def module_of(parameter: Any, frame: FrameType | None, framework: Framework = MINIGRAD) -> tuple[str, Any] | None:
    """The variable and the module with this parameter in the user's code; None if the code names the parameter."""
    if frame is None or _within(frame, parameter, framework):
        return None
    if variable_of(parameter, frame) not in (None, *loop_variables(frame.f_code)):
        return None
    outer: FrameType | None = frame
    for _ in range(FRAMES):
        if outer is None:
            break
        for name, value in variables_of(outer):
            parameters = value.parameters() if hasattr(type(value), "named_parameters") else ()
            if any(each is parameter for each in islice(parameters, MOST_PARTS)):
                return name, value
        outer = users_frame(outer.f_back)
    return None


FRAMES = 3
"""How many of the user's frames to search: a comprehension or a helper knows an element, but not what holds it."""


class NamesAtCalls:
    """The variable that holds a call's tensor, looked up at the first call at each place in the program."""

    def __init__(self) -> None:
        self._known: dict[tuple[CodeType, int], str | None] = {}

    def of(self, tensor: Any, frame: FrameType | None) -> str | None:
        """The variable that holds `tensor` where `frame` is now; None if there is none."""
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
    """The path to `tensor` in a list, a tuple, a dictionary, or in an object's attributes that the code uses.

    It runs no code of the user's: only the key that leads to the tensor is written, and no attribute is computed.
    """
    if type(value) in (list, tuple):
        return next((f"[{i}]" for i, each in enumerate(value[:MOST]) if each is tensor), None)
    if type(value) is dict:
        first = list(islice(value.items(), MOST))
        return next((f"[{key!r}]" for key, each in first if each is tensor), None)
    if framework.is_tensor(value):
        return ".grad" if framework.grad(value) is tensor else None
    attributes = attributes_of(value)
    held = [attributes, *(attributes.get(name) for name in ("_parameters", "_buffers"))]  # PyTorch's modules
    for each in held:
        for name, part in tuple(each.items()) if isinstance(each, dict) else ():
            if name not in mentioned:
                continue
            if part is tensor:
                return f".{name}"
            if type(part) in (list, tuple, dict) and (place := _place_in(part, tensor, (), framework)):
                return f".{name}{place}"
    return None


def variables_of(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """The variables of the code in `frame`: its locals, and the globals that it uses."""
    variables = frame.f_globals
    local = local_variables(frame)
    held = {} if local is variables else dict(local)
    held |= {name: variables[name] for name in frame.f_code.co_names if name in variables and name not in held}
    for name, value in held.items():
        if not (name.startswith(("_", ".")) or issubclass(type(value), (ModuleType, type))):
            yield name, value


MOST = 100
"""How many elements of a list or dictionary to search for a tensor."""


def _speaks(name: str) -> bool:
    return not name.startswith(("_", ".")) and name != "self"


def paths_in(module: Any) -> list[tuple[str, Any]]:
    """The parameters and buffers of a module, with their paths."""
    return [*module.named_parameters(), *getattr(module, "named_buffers", lambda: ())()]


class Paths:
    """Give each parameter its path as its name. If two nets have the same paths, add the names of the nets."""

    def __init__(self) -> None:
        self._first: dict[str, tuple[KnownTensor, str]] = {}
        """For each path, the first tensor that had it, and the name of its module."""

    def give(self, found: list[tuple[str, KnownTensor]], module: str) -> None:
        """Name each tensor by its path.

        If another net has the same path, put the nets' names before it: ``critic.0.bias``.
        """
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
        """Add the name of this module, which came first, to the names of its parameters."""
        for path, (known, owner) in self._first.items():
            if owner == module and known.name == path:
                known.name = f"{module}.{path}"


class Parts:
    """The modules inside a module, by their paths in it: ``encoder.0``."""

    def __init__(self) -> None:
        self._paths: weakref.WeakKeyDictionary[Any, dict[int, tuple[str, Any]]] = weakref.WeakKeyDictionary()

    def path(self, outer: Any, inner: Any) -> str | None:
        """The path of `inner` in `outer`; None if it is not a part of it."""
        for _ in range(2):  # the second time finds a part that was added since
            known = self._of(outer).get(id(inner))
            if known is not None and known[1]() is inner:
                return known[0]
            self._paths.pop(outer, None)
        return None

    def tree(self, outer: Any) -> list[str] | None:
        """``path:Type`` of the modules inside `outer`; None if there are none, or more than a picture can show."""
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
"""If a module has more modules than this inside, steps do not list them."""


class Awaited:
    """Results of one line that wait until it is known whether they got the names that the line assigns."""

    __slots__ = ("names", "code", "at", "variables", "outputs", "thread", "since")

    def __init__(self, names: tuple[str, ...], frame: FrameType, outputs: Any, thread: int, since: float) -> None:
        self.names = names
        self.code: CodeType = frame.f_code
        self.at = frame.f_lasti
        self.variables = frame.f_globals if local_variables(frame) is frame.f_globals else None
        """The variables of a module's code outlive its frame, so they can be read without it."""
        self.outputs: list[tuple[KnownTensor, list[dict[str, Any]]]] = outputs
        """Each output, with the records that get its name."""
        self.thread = thread
        self.since = since

    def settle(self, frame: FrameType | None) -> None:
        """Give the names that were really assigned. `frame` is where the program is now, or deeper."""
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
                # The variables of a function that has returned are gone. If its result had been assigned elsewhere, an
                # earlier event would have shown that.
                if (variables is None and len(self.outputs) == 1) or (variables and variables.get(name) is tensor):
                    known.name = name
                    for record in records:
                        record["name"] = name

    def settle_from_outside(self, patient: bool) -> bool:
        """Do the same from another thread, if no event has come for a while and a result has no name yet.

        False if `patient` and the line still runs, as in a thread that waits for the processor. Before Python 3.13 a
        look from another thread keeps the variables of a function alive.
        """
        if all(known.name is not None or known.ref() is None for known, _ in self.outputs):
            return True
        frame = sys._current_frames().get(self.thread)
        if patient and self._at_work(frame):
            return False
        self.settle(frame)
        return True

    def _at_work(self, frame: FrameType | None) -> bool:
        while frame is not None and frame.f_code is not self.code:
            frame = frame.f_back
        return frame is not None and frame.f_lasti == self.at

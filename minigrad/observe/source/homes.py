"""Find where the program keeps a module, such as ``blocks.0``, whatever the variable of a loop is called."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from itertools import islice
from types import FrameType
from typing import Any, NamedTuple

from .callsites import users_frame
from .naming import FRAMES, MOST, variable_of, variables_of
from .variables import attributes_of

DEEPEST = 3
"""How many attributes one after the other to look through: ``self.agent.actor.net``."""


class Home(NamedTuple):
    """Where the program keeps a module."""

    path: str
    """The path to the module: the variable of its container, and the path there."""
    keeper: Any
    """The module that contains it, or the module itself if a list contains it."""
    called: str
    """The program's name for `keeper`."""


def home_of(module: Any, frame: FrameType | None) -> Home | None:
    """The home of `module`: a module, list or dictionary that the user's code in `frame` knows.

    None if there is none.
    """
    for _ in range(FRAMES):
        frame = users_frame(frame)
        if frame is None:
            break
        for name, value in variables_of(frame):
            if value is not module and (home := _in(name, value, module) or _in_attributes(name, value, module, frame)):
                return _seen_from_outside(home, frame.f_back) if home.called == "self" else home
        frame = frame.f_back
    return None


def _seen_from_outside(home: Home, frame: FrameType | None) -> Home:
    """The home under the name that the callers of a method have for the module that the method calls ``self``.

    That is its path in what contains it, also if a loop over that has a variable for it.
    """
    keeper, outer = home.keeper, frame
    above = home_of(keeper, frame)
    if above is not None:
        return above._replace(path=_joined(above.path, home.path))
    for _ in range(FRAMES):
        outer = users_frame(outer)
        if outer is None:
            break
        if variable := variable_of(keeper, outer):
            return Home(_joined(variable, home.path), keeper, variable)
        outer = outer.f_back
    return home


def _in(name: str, value: Any, module: Any) -> Home | None:
    """The home of `module` in the value called `name`, or None."""
    if hasattr(type(value), "named_modules"):
        path = next((path for path, part in value.named_modules() if part is module), None)
        return None if path is None else Home(_joined(name, path), value, name)
    for key, element in _elements(value):
        called = _joined(name, key)
        if element is module:
            return Home(called, module, called)
        if hasattr(type(element), "named_modules") and (home := _in(called, element, module)):
            return home
    return None


def _in_attributes(name: str, value: Any, module: Any, frame: FrameType, depth: int = DEEPEST) -> Home | None:
    """The home of `module` among attributes that the code uses, such as those of a trainer, or lists in a module.

    None if none.
    """
    attributes = attributes_of(value)
    for mentioned in frame.f_code.co_names:
        held = attributes.get(mentioned)
        if held is None:
            continue
        called = _joined(name, mentioned)
        if held is module:
            return Home(called, module, called)
        home = _in(called, held, module)
        if home is None and depth > 1:
            home = _in_attributes(called, held, module, frame, depth - 1)
        if home is not None:
            return home
    return None


def _elements(value: Any) -> Iterator[tuple[str, Any]]:
    """The elements of a list or dictionary, with their keys as parts of a path."""
    if type(value) is list:
        yield from ((str(i), element) for i, element in enumerate(value[:MOST]))
    elif type(value) is dict:
        yield from ((key, element) for key, element in islice(value.items(), MOST) if type(key) is str)


def _joined(outer: str, inner: str) -> str:
    return inner if outer in ("self", "") else f"{outer}.{inner}" if inner else outer


class Homes:
    """The home of each module, searched for at the module's first call."""

    def __init__(self) -> None:
        self._paths: dict[int, tuple[weakref.ref[Any], str | None]] = {}
        self._variables: dict[int, str] = {}
        """The last variable of each module that was found without a home."""

    def knows(self, module: Any) -> bool:
        """Whether the home of `module` has been searched for."""
        known = self._paths.get(id(module))
        return known is not None and known[0]() is module

    def path(self, module: Any) -> str | None:
        """The path to a module, or None if it has no home."""
        return self._paths[id(module)][1] if self.knows(module) else None

    def name(self, module: Any) -> str | None:
        """The path to a module, or its last variable; None if it has neither."""
        return self.path(module) or (self._variables.get(id(module)) if self.knows(module) else None)

    def found(self, module: Any, variable: str) -> None:
        """Remember the variable of a module."""
        self._variables[id(module)] = variable

    def find(self, module: Any, frame: FrameType | None) -> Home | None:
        """Search the user's variables for the home of a module, and remember its path."""
        home = home_of(module, frame)
        self._paths[id(module)] = weakref.ref(module), home and home.path
        return home

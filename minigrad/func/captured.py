"""Captured tensors: those that a differentiated function reads from its surroundings, not from its arguments.

The function may read them, but not change them in place. Otherwise a tensor that outlives the call would keep values
and a history of the call, and a second call would start from other values than the first.

>>> import minigrad as mg
>>> totals = {"x": mg.zeros(2)}
>>> def f(x):
...     return totals["x"].add_(x).sum()
>>> try:
...     mg.func.grad(f)(mg.ones(2))
... except mg.MinigradError:
...     print("totals are not to be written to")
totals are not to be written to

Captured tensors are searched for when the call begins: in the function's closure, defaults and global names, and from
there through functions, containers and objects, breadth first. Tensors made during the call do not count, wherever the
function stores them.
"""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from types import BuiltinFunctionType, CodeType, FunctionType, MemberDescriptorType, MethodType, ModuleType
from typing import Any

from ..core.interpreter import without
from ..core.scope import Scope
from ..core.state import Mode
from ..core.tensor import Tensor
from ..errors import GradError
from . import tree

FAR = 10_000
"""The maximal number of objects to search. If a function holds a large data set, some objects are not searched."""

_HERE = os.path.dirname(__file__)

_PLAIN = frozenset({str, bytes, bool, int, float, complex, type(None), type, ModuleType, BuiltinFunctionType})
"""Types of objects that cannot lead to a tensor of the user."""


class read_only(Scope):
    """Inside, changing a tensor that `func` captures in place is an error, unless it is one of the arguments
    `given`.
    """

    def __init__(self, func: Callable[..., Any], *given: Any) -> None:
        own = {id(each._storage) for each in tree.flatten(given)[0] if isinstance(each, Tensor)}
        self.kept = [each for each in captured(func) if id(each._storage) not in own]
        self.memory = {id(part) for each in self.kept for part in (each._storage, each._array)}

    def before_write(self, target: Tensor) -> None:
        """Raise if `target`, which is about to be changed, is captured."""
        if id(target._storage) in self.memory or id(target._array) in self.memory:
            raise GradError(
                "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call an in-place "
                f"operation that would mutate a captured Tensor, here of shape {list(target._array.shape)}, which "
                "outlives the call. Take the tensor as an argument of the function, or compute out of place and return "
                "the result."
            )

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"before_write": (*mode.before_write, self)} if self.kept else {}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {"before_write": without(mode.before_write, self)}


def captured(func: Callable[..., Any]) -> list[Tensor]:
    """Return the tensors that `func` can reach without its arguments. At most `FAR` objects are searched."""
    found: list[Tensor] = []
    seen: set[int] = set()
    waiting: deque[Any] = deque([func])
    while waiting and len(seen) < FAR:
        each = waiting.popleft()
        if isinstance(each, Tensor):
            found.append(each)
        elif id(each) not in seen:
            seen.add(id(each))
            waiting.extend([held for held in islice(_held_by(each), FAR) if type(held) not in _PLAIN])
    return found


def _held_by(holder: Any) -> Iterable[Any]:
    """Return the objects that `holder` refers to."""
    if isinstance(holder, dict):
        return tuple(holder.values())
    if isinstance(holder, (list, tuple, set, frozenset, deque)):
        return holder
    if isinstance(holder, FunctionType):
        return _around(holder)
    if isinstance(holder, MethodType):
        return (holder.__func__, holder.__self__)
    if isinstance(holder, functools.partial):
        return (holder.func, holder.args, holder.keywords)
    kind: Any = type(holder)
    return (*getattr(holder, "__dict__", {}).values(), *(getattr(holder, name, None) for name in _slots(kind)))


@functools.lru_cache(maxsize=512)
def _slots(kind: Any) -> tuple[str, ...]:
    """Return the names of the attributes that objects of this type keep in slots."""
    return tuple(
        name
        for each in kind.__mro__
        for name, member in vars(each).items()
        if isinstance(member, MemberDescriptorType) and "__slots__" in vars(each)
    )


def _around(function: FunctionType) -> Iterator[Any]:
    """Yield the objects that a function can reach besides its arguments: closure, defaults, globals."""
    contents = (_content(cell) for cell in function.__closure__ or ())
    if function.__code__.co_filename.startswith(_HERE):  # made by `func` of the user's function
        yield from (each for each in contents if callable(each))
        return
    yield from contents
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    around = function.__globals__
    for name in _names(function.__code__):
        known = around.get(name)
        if not isinstance(known, FunctionType) or known.__globals__ is around:  # skip functions of other modules
            yield known


def _content(cell: Any) -> Any:
    """Return the content of a closure cell, or None if its variable has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


@functools.lru_cache(maxsize=512)
def _names(code: CodeType) -> tuple[str, ...]:
    """Return the global names that a function and its inner functions use."""
    inner = [name for each in code.co_consts if isinstance(each, CodeType) for name in _names(each)]
    return (*code.co_names, *inner)

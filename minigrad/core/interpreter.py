"""Interpreters: objects that run an op in place of the ordinary rules, during a transform such as vmap.

A transform puts an interpreter on this thread's stack; from then on the innermost interpreter gets every op. While an
interpreter works, it is off the stack, so that the ops it calls run in the next outer interpreter, or, at the bottom,
by the ordinary rules. That is why transforms nest to any depth and in any order without knowing of each other.

    sin(x) ──► vmap level ──► sin(all of x) ──► forward level ──► sin, cos · tangent ──► arrays

Two kinds of interpreter exist: `core.forward` computes a tangent beside every result, and `func.level` runs one op
for a whole batch of examples.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, TypeVar

from .batch import Batch
from .scope import Scope, call_inside
from .state import STATE, Mode

F = TypeVar("F", bound=Callable[..., Any])


class Interpreter(Scope, ABC):
    """One level of the stack. Subclasses say how ops and users' Functions run at this level."""

    size: int | None = None
    """The number of examples, if this is a vmap."""
    duals = False
    """Whether this is a level of dual tensors, which `inference_mode` switches off."""
    converts = False
    """Whether this level converts inputs to a common dtype."""

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"interpreters": (*mode.interpreters, self)}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {"interpreters": without(mode.interpreters, self)}

    def interpret(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        """Return the result of ``op(*inputs)`` at this level."""
        return call_inside(Aside(self), self.run, op, inputs)

    def interpret_inplace(self, op: Any, target: Any, others: tuple[Any, ...]) -> Any:
        """Run ``target.op_(*others)`` at this level."""
        return call_inside(Aside(self), self.run_inplace, op, target, others)

    def interpret_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        """Run ``function.apply(*args)`` at this level, for a user's Function."""
        return call_inside(Aside(self), self.run_function, function, args)

    def interpret_random(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run ``function(*args, **kwargs)`` at this level, for a function that draws random numbers."""
        return call_inside(Aside(self), self.run_random, function, args, kwargs)

    @abstractmethod
    def run(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        """Implement `interpret`; this level is off the stack."""

    @abstractmethod
    def run_inplace(self, op: Any, target: Any, others: tuple[Any, ...]) -> Any:
        """Implement `interpret_inplace`; this level is off the stack."""

    @abstractmethod
    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        """Implement `interpret_function`; this level is off the stack."""

    def run_reading(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run ``function(*args, **kwargs)``, a function marked by `reading`; this level is off the stack."""
        return function(*args, **kwargs)

    def run_random(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Implement `interpret_random`; this level is off the stack."""
        return function(*args, **kwargs)


def converting() -> bool:
    """Return whether any level converts the inputs of an op, so that their dtypes may differ."""
    return any(each.converts for each in STATE.mode.interpreters)


def drawing(function: F) -> F:
    """Mark a function that draws random numbers: under vmap, the level decides whether every example draws its own."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.mode.interpreters:
            return STATE.mode.interpreters[-1].interpret_random(call, args, kwargs)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def reading(function: F) -> F:
    """Mark a function that reads values and returns tensors without derivatives: vmap calls it once per example."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if STATE.mode.interpreters:
            level = STATE.mode.interpreters[-1]
            return call_inside(Aside(level), level.run_reading, call, args, kwargs)
        return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def adopted(tensor: Any) -> Any:
    """Wrap a new `tensor` for every running vmap: a later in-place write may make it part of one of their graphs."""
    levels = [each for each in STATE.mode.interpreters if each.size is not None]
    home = tensor._array.level if type(tensor._array) is Batch else None
    for level in levels[levels.index(home) + 1 if home in levels else 0 :]:
        tensor = level.wrapped(tensor, False)
    return tensor


def of_examples(source: Any, make: Callable[[Any, tuple[int, ...]], Any], sizes: tuple[int, ...] = ()) -> Any:
    """Return the new tensor ``make(source, sizes)``; under vmap a batch, with the number of examples first in `sizes`.

    `make` then gets the tensor of all examples.
    """
    array = source._array
    if type(array) is not Batch:
        return make(source, sizes)
    sizes = (array.level.size, *sizes) if array.batched else sizes
    return array.level.wrapped(of_examples(array.value, make, sizes), array.batched)


class Aside(Scope):
    """Inside, the innermost interpreter is off the stack: ops run in the next outer level."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.interpreter = interpreter

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"interpreters": mode.interpreters[:-1]}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        return {"interpreters": (*mode.interpreters, self.interpreter)}


def without(values: tuple[Any, ...], value: Any) -> tuple[Any, ...]:
    """Return `values` without the last item that is `value`."""
    for index in reversed(range(len(values))):
        if values[index] is value:
            return (*values[:index], *values[index + 1 :])
    return values

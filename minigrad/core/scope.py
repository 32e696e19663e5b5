"""Scopes: context managers and decorators that change this thread's mode, and always restore it.

An interrupt (Ctrl-C) may come before any bytecode, even before the first one of ``__exit__``, and Python does not call
``__exit__`` again. So a scope does not rely on ``__exit__`` alone. However the ``with`` statement ends, it holds one
object until then: the ``__exit__`` that it looked up. That object has a `guard`, which leaves the scope if ``__exit__``
did not.

Two gaps remain: `contextlib.ExitStack` holds no guard, since it looks ``__exit__`` up on the class;
and ``with set_grad_enabled(False)`` sets the mode when it is called, just before the block begins.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from _thread import interrupt_main
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from .state import STATE, Mode

F = TypeVar("F", bound=Callable[..., Any])


class GuardedExit:
    """A descriptor: each lookup of ``__exit__`` on a scope (``with`` does one) returns `Scope.exit` with a guard."""

    def __get__(self, scope: Any, owner: Any) -> Any:
        if scope is None:
            return owner.exit
        leave: Any = functools.partial(owner.exit, scope)
        leave.guard = guard(scope)
        next(leave.guard)
        return leave


def guard(scope: Scope) -> Iterator[None]:
    """A generator that, when it is dropped, leaves the block of `scope` that begins now, unless that was left already.

    It is a generator because Python resumes a generator inside its ``try``, so no interrupt can come before that. If
    another interrupt comes while it leaves the block, it restores the whole mode.
    """
    before = STATE.mode
    place = len(before.entries)
    try:
        try:
            yield
        finally:
            try:
                mine = STATE.mode.entries[place : place + 1]
                if mine and mine[0].before is before:
                    scope.leave()
            finally:
                mine = STATE.mode.entries[place : place + 1]
                if mine and mine[0].before is before:
                    STATE.mode = before
    except KeyboardInterrupt:  # Python drops an exception raised here: request the interrupt again
        interrupt_main()


class Scope(ABC):
    """A context manager and decorator that changes the mode. Subclasses say how."""

    @abstractmethod
    def changes(self, mode: Mode) -> dict[str, Any]:
        """Return the settings that differ inside, given the `mode` outside."""

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        """Return the settings to restore at the end, given the `mode` then and the mode `before` the block."""
        return {name: getattr(before, name) for name in self.changes(before)}

    def clone(self) -> Any:
        """Return a new scope of the same kind. A scope without state of its own can return itself."""
        return self

    def __enter__(self) -> Any:
        before = STATE.mode
        changes = self.changes(before)
        STATE.mode = before.but(**changes, entries=(*before.entries, Entry(self, before)))
        return self

    def leave(self) -> None:
        """Undo the last ``__enter__`` of this scope; do nothing if that was undone already."""
        now = STATE.mode
        for index in reversed(range(len(now.entries))):
            scope, before = now.entries[index]
            if scope is self:
                rest = (*now.entries[:index], *now.entries[index + 1 :])
                after = now.but(**self.restored(now, before), entries=rest)
                STATE.mode = before if after == before else after
                return

    def exit(self, *exception: Any) -> None:
        """End the ``with`` block; subclasses may do more."""
        self.leave()

    if TYPE_CHECKING:

        def __exit__(self, *exception: Any) -> None: ...

    else:
        __exit__ = GuardedExit()

    def __call__(self, function: F) -> F:
        return decorate(self, function)


class Entry(NamedTuple):
    """A ``with`` block that the thread is in: its scope, and the mode before the block."""

    scope: Scope
    before: Mode


def call_inside(scope: Scope, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call ``function(*args, **kwargs)`` in the mode of `scope`.

    The mode is restored twice, so that the second ``finally`` does it if an interrupt hits the first. If the function
    itself changed the mode (``set_grad_enabled(False)``), only the settings of `scope` are restored.
    """
    before = after = STATE.mode
    inside = before.but(**scope.changes(before))
    try:
        try:
            STATE.mode = inside
            return function(*args, **kwargs)
        finally:
            now = STATE.mode
            if now is not inside and now is not before:
                after = now.but(**scope.restored(now, before))
            STATE.mode = after
    finally:
        STATE.mode = after


def decorate(scope: Scope, function: F) -> F:
    """Return `function` with its body run inside `scope`. While a generator is suspended, the caller's mode holds."""
    if inspect.isclass(function):
        return _decorate_class(scope, function)
    if inspect.isgeneratorfunction(function):
        return _decorate_generator(scope, function)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with scope.clone():
                return await function(*args, **kwargs)

        return coroutine  # type: ignore[return-value]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return call_inside(scope, function, *args, **kwargs)

    return call  # type: ignore[return-value]


def _decorate_generator(scope: Scope, function: Any) -> Any:
    @functools.wraps(function)
    def generator(*args: Any, **kwargs: Any) -> Any:
        inner = function(*args, **kwargs)
        step, sent = inner.send, None
        try:
            while True:
                try:
                    produced = call_inside(scope, step, sent)
                except StopIteration as stop:
                    return stop.value
                try:
                    sent, step = (yield produced), inner.send
                except GeneratorExit:
                    call_inside(scope, inner.close)
                    raise
                except BaseException as error:
                    sent, step = error, inner.throw
        finally:
            inner.close()

    return generator


def _decorate_class(scope: Scope, cls: Any) -> Any:
    """Handle ``@no_grad()`` on a class, which is deprecated: only the constructor runs in the mode."""
    warnings.warn(
        "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
        "functions or methods; here only the constructor runs in the mode.",
        FutureWarning,
        stacklevel=4,
    )
    cls.__init__ = decorate(scope, cls.__init__)
    return cls

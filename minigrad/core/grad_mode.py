"""Whether ops are recorded: `no_grad`, `enable_grad`, `set_grad_enabled`, `inference_mode`.

All of it is per thread. The hot path reads one attribute, `STATE.mode`, which folds everything that can change how an
op runs into three cases: record it, do not record it, or take the slow road, where the rare things are looked at one by
one (saved-tensor hooks, forward-mode levels, vmap, inference mode).

>>> import minigrad as mg
>>> x = mg.ones(2, requires_grad=True)
>>> with mg.no_grad():
...     y = x * 2
>>> y.requires_grad
False
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from ..errors import GradError
from ..events import RULES

RECORD, SKIP, SLOW = range(3)

F = TypeVar("F", bound=Callable[..., Any])


class _State(threading.local):
    """This thread's modes. `update` must follow every change of what `mode` is made of."""

    mode = RECORD
    grad = True
    inference = False
    multithreading = True
    transforms = 0
    """How many functions that `minigrad.func` is transforming this thread is in."""

    def __init__(self) -> None:
        self.interpreters: list[Any] = []
        """Who runs an op instead of the ordinary rules, innermost last: vmap and forward-mode levels."""
        self.saved_hooks: list[Any] = []
        """(pack, unpack) pairs, innermost last; (None, why) where no hooks are allowed."""
        self.before_write: list[Any] = []
        """Who is told of a tensor that is about to be changed in place."""
        self.passes: list[Any] = []
        """The runs of the engine that this thread is in, innermost last."""

    def update(self) -> None:
        rare = self.interpreters or self.saved_hooks or self.inference
        self.mode = SLOW if rare else RECORD if self.grad else SKIP


STATE = _State()


def announced() -> bool:
    """Whether an op that runs now is told of, where somebody listens. One within a gradient's rule may go unheard."""
    return STATE.grad or not STATE.passes or bool(RULES)


@contextmanager
def transforming() -> Iterator[None]:
    """Inside, a function runs that is being transformed by `minigrad.func`."""
    STATE.transforms += 1
    try:
        yield
    finally:
        STATE.transforms -= 1


def refuse_inside_transforms(what: str) -> None:
    """The error of what would reach around a transformation."""
    if STATE.transforms:
        raise GradError(
            f"You are attempting to call {what} (or perhaps using autograd.functional.* APIs) inside of a function "
            "being transformed by a functorch transform (grad, vjp, jvp, ...). This is unsupported: use "
            f"minigrad.func.grad, vjp, jacrev, jacfwd or hessian there, or call {what} outside of the function."
        )


def is_grad_enabled() -> bool:
    """Whether ops in this thread are recorded."""
    return STATE.grad


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in `inference_mode`."""
    return STATE.inference


class _Mode:
    """A context manager that is also a decorator, for functions, generators, coroutines and their asynchronous kin."""

    def clone(self) -> _Mode:
        """A fresh one of the same kind: a decorated function enters its own at every call."""
        return self.__class__()

    def __call__(self, function: F) -> F:
        return decorate(self.clone, function)


def decorate(make: Callable[[], Any], function: F) -> F:
    """`function`, its body run inside a context from `make`; between a generator's steps the caller's mode holds."""
    if inspect.isclass(function):
        warnings.warn(
            "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
            "functions or methods; here only the constructor runs in the mode.",
            FutureWarning,
            stacklevel=3,
        )
        function.__init__ = decorate(make, function.__init__)  # type: ignore[method-assign]
        return function
    if inspect.isgeneratorfunction(function):
        return _decorate_generator(make, function)
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def coroutine(*args: Any, **kwargs: Any) -> Any:
            with make():
                return await function(*args, **kwargs)

        return coroutine  # type: ignore[return-value]

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        with make():
            return function(*args, **kwargs)

    return call  # type: ignore[return-value]


def _decorate_generator(make: Callable[[], Any], function: Any) -> Any:
    @functools.wraps(function)
    def generator(*args: Any, **kwargs: Any) -> Any:
        inner = function(*args, **kwargs)
        step, sent = inner.send, None
        try:
            while True:
                try:
                    with make():
                        produced = step(sent)
                except StopIteration as stop:
                    return stop.value
                try:
                    sent, step = (yield produced), inner.send
                except GeneratorExit:
                    with make():
                        inner.close()
                    raise
                except BaseException as error:
                    sent, step = error, inner.throw
        finally:
            inner.close()

    return generator


class _NoArgument(_Mode):
    """A mode that is used bare, called, as a context and as a decorator: ``@no_grad`` and ``@no_grad()`` alike."""

    def __new__(cls, function: Any = None) -> Any:
        if function is None:
            return super().__new__(cls)
        return decorate(cls, function)

    def __init__(self, function: Any = None) -> None:
        self._before: list[bool] = []

    def __exit__(self, *exception: Any) -> None:
        STATE.grad = self._before.pop()
        STATE.update()


class no_grad(_NoArgument):
    """Ops inside are not recorded, and their results do not require grad.

    >>> import minigrad as mg
    >>> @mg.no_grad()
    ... def double(x):
    ...     return x * 2
    >>> double(mg.ones(1, requires_grad=True)).requires_grad
    False
    """

    def __enter__(self) -> None:
        self._before.append(STATE.grad)
        STATE.grad = False
        STATE.update()


class enable_grad(_NoArgument):
    """Ops inside are recorded, also within `no_grad`."""

    def __enter__(self) -> None:
        self._before.append(STATE.grad)
        STATE.grad = True
        STATE.update()


class set_grad_enabled(_Mode):
    """Set recording on or off: at once when called, and back again at the end when used as a context or decorator."""

    def __init__(self, mode: bool) -> None:
        self.previous = STATE.grad
        self.wanted = bool(mode)
        STATE.grad = self.wanted
        STATE.update()

    def __call__(self, function: F) -> F:
        STATE.grad = self.previous
        STATE.update()
        return super().__call__(function)

    def __enter__(self) -> None:
        STATE.grad = self.wanted
        STATE.update()

    def __exit__(self, *exception: Any) -> None:
        STATE.grad = self.previous
        STATE.update()

    def clone(self) -> set_grad_enabled:
        """A fresh one with the same setting."""
        return self.__class__(self.wanted)


class inference_mode(_Mode):
    """Like `no_grad`, but results are inference tensors for good: no version counter, never saved for backward."""

    def __new__(cls, mode: Any = True) -> Any:
        if isinstance(mode, bool):
            return super().__new__(cls)
        return decorate(cls, mode)

    def __init__(self, mode: bool = True) -> None:
        self.wanted = mode
        self._before: list[tuple[bool, bool]] = []

    def __enter__(self) -> None:
        self._before.append((STATE.grad, STATE.inference))
        STATE.inference = self.wanted
        STATE.grad = not self.wanted
        STATE.update()

    def __exit__(self, *exception: Any) -> None:
        STATE.grad, STATE.inference = self._before.pop()
        STATE.update()

    def clone(self) -> inference_mode:
        """A fresh one with the same setting."""
        return self.__class__(self.wanted)

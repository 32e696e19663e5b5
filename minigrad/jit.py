"""The names of ``torch.jit``. minigrad has no compiler: scripted or traced functions run as ordinary Python.

PyTorch does the same if ``PYTORCH_JIT=0`` is set. Files of compiled programs cannot be written or read.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from .errors import ArgumentError, MinigradError, MissingRuleError
from .nn.module import Module

__all__ = [
    "Error", "Final", "ScriptModule", "TracerWarning", "annotate", "export", "fork", "freeze", "ignore", "interface",
    "is_scripting", "is_tracing", "load", "optimize_for_inference", "save", "script", "script_if_tracing",
    "script_method", "trace", "trace_module", "unused", "wait",
]  # fmt: skip

ScriptModule = Module


def script(obj: Any, *args: Any, **kwargs: Any) -> Any:
    """Return `obj`, a function, class or module, unchanged: it runs as Python."""
    return obj


script_method = export = script_if_tracing = interface = freeze = optimize_for_inference = script


def trace(func: Any, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Return `func` unchanged. Unlike PyTorch's traced function, it still runs ``if`` and ``for`` at each call."""
    return func


def trace_module(mod: Any, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """Return `mod` unchanged."""
    return mod


def _fork(func: Any, *args: Any, **kwargs: Any) -> Any:
    """The older name of `fork`."""
    return fork(func, *args, **kwargs)


def _wait(future: Any) -> Any:
    """The older name of `wait`."""
    return wait(future)


def _overload(func: Any) -> Any:
    """`func` itself: a signature for the compiler."""
    return func


_overload_method = _overload


def annotate(the_type: Any, the_value: Any) -> Any:
    """Return `the_value` unchanged."""
    return the_value


def _unwrap_optional(x: Any) -> Any:
    """Return `x`. For a compiler this call states that `x` is not None."""
    if x is None:
        raise ArgumentError("Unwrapping null optional")
    return x


class Error(MinigradError):
    """An exception of compiled programs, for programs that catch it."""


class TracerWarning(Warning):
    """A warning of PyTorch's tracer, for programs that filter it."""


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """Return a decorator that changes nothing."""
    return drop if callable(drop) else lambda function: function


def unused(fn: Any) -> Any:
    """Return `fn` unchanged."""
    return fn


def is_scripting() -> bool:
    """Whether a compiled program is running: never."""
    return False


def is_tracing() -> bool:
    """Whether a program is being traced: never."""
    return False


def fork(func: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the result of ``func(*args, **kwargs)``, computed at once, for `wait`."""
    return func(*args, **kwargs)


def wait(future: Any) -> Any:
    """Return the result of `fork`."""
    return future


def save(m: Any, f: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise MissingRuleError: there are no compiled programs to save."""
    raise MissingRuleError(_NO_FILES)


def load(f: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Raise MissingRuleError: compiled programs cannot be run."""
    raise MissingRuleError(_NO_FILES)


_NO_FILES = (
    "minigrad has no compiled programs: save module.state_dict() with minigrad.save, rebuild the module from its code, "
    "and load the state into it."
)

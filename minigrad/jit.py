"""The names of ``torch.jit``. There is no compiler: what is scripted or traced runs as the Python it is.

PyTorch does the same where ``PYTORCH_JIT=0`` is set. Files of compiled programs cannot be written or read.
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
    """`obj` itself, a function, class or module: it runs as Python."""
    return obj


script_method = export = script_if_tracing = interface = freeze = optimize_for_inference = script


def trace(func: Any, example_inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`func` itself. Unlike PyTorch's traced program it still follows ``if`` and ``for`` when it is called."""
    return func


def trace_module(mod: Any, inputs: Any = None, *args: Any, **kwargs: Any) -> Any:
    """`mod` itself."""
    return mod


def _fork(func: Any, *args: Any, **kwargs: Any) -> Any:
    """`fork`, by its older name."""
    return fork(func, *args, **kwargs)


def _wait(future: Any) -> Any:
    """`wait`, by its older name."""
    return wait(future)


def _overload(func: Any) -> Any:
    """`func` itself: a signature for the compiler."""
    return func


_overload_method = _overload


def annotate(the_type: Any, the_value: Any) -> Any:
    """`the_value` itself: its type needs no telling."""
    return the_value


def _unwrap_optional(x: Any) -> Any:
    """Returns `x`. A compiler learns from this call that `x` is not None."""
    if x is None:
        raise ArgumentError("Unwrapping null optional")
    return x


class Error(MinigradError):
    """An error of a compiled program, for programs that catch it."""


class TracerWarning(Warning):
    """A warning of PyTorch's tracer, for programs that filter it."""


def ignore(drop: Any = False, **kwargs: Any) -> Any:
    """A decorator that changes nothing."""
    return drop if callable(drop) else lambda function: function


def unused(fn: Any) -> Any:
    """`fn` itself."""
    return fn


def is_scripting() -> bool:
    """Whether a compiled program runs: never."""
    return False


def is_tracing() -> bool:
    """Whether a program is being traced: never."""
    return False


def fork(func: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of ``func(*args, **kwargs)``, computed at once, for `wait`."""
    return func(*args, **kwargs)


def wait(future: Any) -> Any:
    """The result of `fork`."""
    return future


def save(m: Any, f: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """MissingRuleError: there are no compiled programs to save."""
    raise MissingRuleError(_NO_FILES)


def load(f: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """MissingRuleError: compiled programs cannot be run."""
    raise MissingRuleError(_NO_FILES)


_NO_FILES = (
    "minigrad has no compiled programs: save module.state_dict() with minigrad.save, rebuild the module from its code, "
    "and load the state into it."
)

"""The names of ``torch.fx``, for programs that import it without using it. minigrad does not trace programs.

`minigrad.observe.record` records what a program does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from .errors import MissingRuleError

__all__ = ["Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer", "symbolic_trace", "wrap"]

_INSTEAD = (
    "minigrad has no tracer of programs: minigrad.observe.record(...) records what one does, and modules() and "
    "named_modules() find layers."
)


class _Absent:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise MissingRuleError(_INSTEAD)


class Graph(_Absent):
    """A traced program. Creating one raises MissingRuleError."""


class GraphModule(_Absent):
    """A module of a traced program. Creating one raises MissingRuleError."""


class Node(_Absent):
    """A call in a traced program. Creating one raises MissingRuleError."""


class Proxy(_Absent):
    """A value in a traced program. Creating one raises MissingRuleError."""


class Tracer(_Absent):
    """A tracer. Creating one raises MissingRuleError."""


class Interpreter(_Absent):
    """An interpreter of a traced program. Creating one raises MissingRuleError."""


class Transformer(_Absent):
    """A pass over a traced program. Creating one raises MissingRuleError."""


def symbolic_trace(root: Any, concrete_args: Any = None) -> NoReturn:
    """Raise MissingRuleError: minigrad has no tracer."""
    raise MissingRuleError(_INSTEAD)


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """Return `fn_or_name` itself."""
    return fn_or_name

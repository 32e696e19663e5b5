"""The names of ``torch.fx``, for programs that import it without tracing anything. There is no tracer of programs.

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
    """A traced program; MissingRuleError when made."""


class GraphModule(_Absent):
    """A module of a traced program; MissingRuleError when made."""


class Node(_Absent):
    """A call in a traced program; MissingRuleError when made."""


class Proxy(_Absent):
    """A value in a traced program; MissingRuleError when made."""


class Tracer(_Absent):
    """A tracer; MissingRuleError when made."""


class Interpreter(_Absent):
    """A traced program; MissingRuleError when made."""


class Transformer(_Absent):
    """A pass over a traced program; MissingRuleError when made."""


def symbolic_trace(root: Any, concrete_args: Any = None) -> NoReturn:
    """MissingRuleError: there is no tracer."""
    raise MissingRuleError(_INSTEAD)


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """`fn_or_name` itself."""
    return fn_or_name

"""``compile``: minigrad has no compiler, so functions and modules are returned unchanged."""

from __future__ import annotations

from typing import Any

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "reset",
]  # fmt: skip


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, **options: Any) -> Any:
    """Return `model`, a module or a function, unchanged: nothing is compiled.

    >>> import minigrad as mg
    >>> layer = mg.nn.Linear(2, 2)
    >>> mg.compile(layer) is layer
    True
    """
    return (lambda given: given) if model is None else model


def disable(fn: Any = None, recursive: bool = True, **options: Any) -> Any:
    """Return `fn` itself: nothing is compiled."""
    return (lambda given: given) if fn is None else fn


def is_compiling() -> bool:
    """Whether code is being compiled: never."""
    return False


def reset() -> None:
    """Do nothing: there is nothing to reset."""


def allow_in_graph(fn: Any) -> Any:
    """Return `fn`, a function or several, unchanged: there is no compiler."""
    return fn


assume_constant_result = allow_in_graph
is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """Return the names of the compilers: an empty list."""
    return []


def cudagraph_mark_step_begin() -> None:
    """Do nothing: no CUDA graphs are used."""

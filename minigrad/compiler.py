"""``compile``: there is no compiler, so what it is given comes back and runs as it is, with the same results."""

from __future__ import annotations

from typing import Any

__all__ = [
    "allow_in_graph", "assume_constant_result", "compile", "cudagraph_mark_step_begin", "disable", "is_compiling",
    "is_dynamo_compiling", "is_exporting", "list_backends", "reset",
]  # fmt: skip


def compile(model: Any = None, *, fullgraph: bool = False, dynamic: bool | None = None, **options: Any) -> Any:
    """`model` itself, a module or a function: nothing is compiled, and the results are those of PyTorch's compiled one.

    >>> import minigrad as mg
    >>> layer = mg.nn.Linear(2, 2)
    >>> mg.compile(layer) is layer
    True
    """
    return (lambda given: given) if model is None else model


def disable(fn: Any = None, recursive: bool = True, **options: Any) -> Any:
    """`fn` itself, which is not compiled in any case."""
    return (lambda given: given) if fn is None else fn


def is_compiling() -> bool:
    """Whether a compiler reads this line: never."""
    return False


def reset() -> None:
    """Nothing is kept that could be reset."""


def allow_in_graph(fn: Any) -> Any:
    """`fn` itself, a function or several: there is no graph of a compiler's that they could be kept out of."""
    return fn


assume_constant_result = allow_in_graph
is_dynamo_compiling = is_exporting = is_compiling


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """The compilers that there are: none."""
    return []


def cudagraph_mark_step_begin() -> None:
    """Nothing is kept from step to step."""

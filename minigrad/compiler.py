"""``compile``: there is no compiler, so what it is given comes back and runs as it is, with the same results."""

from __future__ import annotations

from typing import Any

__all__ = ["compile", "disable", "is_compiling", "reset"]


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

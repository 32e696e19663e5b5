"""functionalize: a function without in-place changes, for code that traces it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import GradError

REMOVE = ("mutations", "mutations_and_views")


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that returns what `func` returns, and changes its arguments as `func` does.

    In PyTorch, tracing the new function shows ops without in-place changes (``remove="mutations"``), or without views
    too ("mutations_and_views"). Its results, its effect on its arguments and its gradients are those of `func`.
    minigrad does not trace, so the new function just calls `func`; it works inside `grad`, `vmap` and the other
    transforms. RuntimeError for any other `remove`.

    >>> import minigrad as mg
    >>> mg.func.functionalize(lambda x: x.clone().add_(1))(mg.ones(2))
    tensor([2., 2.])
    """
    if remove not in REMOVE:
        raise GradError(
            f"functionalize(f, remove='mutations'): received invalid argument for remove={remove}. Valid options are: "
            f"{' and '.join(map(repr, REMOVE))}."
        )

    @functools.wraps(func)
    def functional(*args: Any, **kwargs: Any) -> Any:
        return func(*args, **kwargs)

    return functional

"""functionalize: a function without changes in place, for those who trace it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..errors import GradError

REMOVE = ("mutations", "mutations_and_views")


def functionalize(func: Callable[..., Any], *, remove: str = "mutations") -> Callable[..., Any]:
    """A function that returns what `func` returns, and changes its arguments as `func` does.

    In PyTorch the new function, when it is traced, shows ops without in-place changes (``remove="mutations"``), or
    without views either ("mutations_and_views"). What can be seen of it from outside, its results, its effect on its
    arguments and its gradients, is that of `func`. Here nothing is traced, so that is all there is to it: programs that
    call it run, alone and within `grad`, `vmap` and the rest. RuntimeError for any other `remove`.

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

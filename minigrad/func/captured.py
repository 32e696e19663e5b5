"""Captured tensors: those that a function being differentiated takes from around it, not from its arguments.

It may read them. To write to one in place would leave, in a tensor that outlives the call, values and a history that
belong to the call; and a second call would start from other values than the first.

>>> import minigrad as mg
>>> total = mg.zeros(2)
>>> def f(x):
...     return total.add_(x).sum()
>>> try:
...     mg.func.grad(f)(mg.ones(2))
... except mg.MinigradError:
...     print("total is not to be written to")
total is not to be written to
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType
from typing import Any

from ..core.grad_mode import STATE
from ..core.tensor import Tensor
from ..errors import GradError


@contextmanager
def read_only(func: Callable[..., Any]) -> Iterator[None]:
    """Inside, to change a tensor in place that `func` captures is an error. One deep in an object is not seen."""
    roots = [_root(each) for each in captured(func)]

    def refuse(target: Tensor) -> None:
        root = _root(target)
        if any(root is each for each in roots):
            raise GradError(
                "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place "
                f"operation on a captured Tensor of shape {list(target._array.shape)}, which would outlive the call. "
                "Take the tensor as an argument of the function, or compute out of place and return the result."
            )

    if not roots:
        yield
        return
    STATE.before_write.append(refuse)
    try:
        yield
    finally:
        STATE.before_write.remove(refuse)


def _root(tensor: Tensor) -> Tensor:
    return tensor if tensor._view is None else tensor._view.base


def captured(func: Callable[..., Any]) -> list[Tensor]:
    """The tensors in the cells of `func`, and of the functions in its cells, and those it knows by a global name."""
    found: list[Tensor] = []
    seen: set[int] = set()
    waiting: list[Any] = [func]
    while waiting:
        each = waiting.pop()
        if isinstance(each, functools.partial):
            each = each.func
        each = getattr(each, "__func__", each)  # a method's function
        if isinstance(each, Tensor):
            found.append(each)
        elif isinstance(each, FunctionType) and id(each) not in seen:
            seen.add(id(each))
            waiting += [_content(cell) for cell in each.__closure__ or ()]
            around = each.__globals__
            found += [around[name] for name in _names(each.__code__) if isinstance(around.get(name), Tensor)]
    return found


def _content(cell: Any) -> Any:
    """What a cell holds, None where its name has no value yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


@functools.lru_cache(maxsize=512)
def _names(code: CodeType) -> tuple[str, ...]:
    """The global names in a function and in those defined within it."""
    inner = [name for each in code.co_consts if isinstance(each, CodeType) for name in _names(each)]
    return (*code.co_names, *inner)

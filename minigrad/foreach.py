"""``torch._foreach_add_(tensors, others)`` and so on: apply an op to every tensor of a list, as in optimisers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .core.tensor import Tensor
from .errors import ArgumentTypeError, UnknownNameError

PREFIX = "_foreach_"


def function(name: str) -> Callable[..., Any]:
    """Return ``_foreach_<op>``, which calls the method <op> on each tensor.

    >>> import minigrad as mg
    >>> mg._foreach_mul([mg.ones(1), mg.ones(2)], 3.0)
    [tensor([3.]), tensor([3., 3.])]
    """
    method = _METHODS.get(name.removeprefix(PREFIX), name.removeprefix(PREFIX))
    if not hasattr(Tensor, method):
        raise UnknownNameError(f"module 'minigrad' has no attribute {name!r}: tensors have no method {method!r}")

    def each(tensors: Sequence[Tensor], *args: Any, **kwargs: Any) -> list[Any] | None:
        if isinstance(tensors, Tensor) or not isinstance(tensors, Sequence):
            raise ArgumentTypeError(f"{name}() takes a list of tensors, got {type(tensors).__name__}")
        spread = [_for_each(name, arg, len(tensors)) for arg in args]
        made = [getattr(tensor, method)(*(given[i] for given in spread), **kwargs) for i, tensor in enumerate(tensors)]
        return None if method.endswith("_") else made

    each.__name__ = each.__qualname__ = name
    return each


_METHODS = {"norm": "norm", "maximum_": "clamp_min_", "minimum_": "clamp_max_", "zero_": "zero_"}
"""Names of ops for which the tensor method has another name."""


def _for_each(name: str, arg: Any, count: int) -> list[Any]:
    """Return an argument for each tensor: the items of a list, or the same value for all."""
    if not isinstance(arg, (list, tuple)):
        return [arg] * count
    if len(arg) != count:
        raise ArgumentTypeError(
            f"{name}(): Tensor lists must have the same number of tensors, got {count} and {len(arg)}"
        )
    return list(arg)

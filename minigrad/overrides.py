"""The names of ``torch.overrides`` that other libraries call. minigrad does not support overrides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from .absent import absent_from
from .core.tensor import Tensor

__all__ = [
    "handle_torch_function", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic",
    "is_tensor_like",
]  # fmt: skip


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether any argument's class overrides functions: never."""
    return False


def has_torch_function_unary(argument: Any) -> bool:
    """Whether the argument's class overrides functions: never."""
    return False


def has_torch_function_variadic(*arguments: Any) -> bool:
    """Whether any argument's class overrides functions: never."""
    return False


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Return the result of ``public_api(*args, **kwargs)``."""
    return public_api(*args, **kwargs)


def is_tensor_like(inp: Any) -> bool:
    """Whether `inp` is a tensor.

    >>> import minigrad as mg
    >>> is_tensor_like(mg.ones(2)), is_tensor_like(2)
    (True, False)
    """
    return isinstance(inp, Tensor)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise absent_from(__name__, name)

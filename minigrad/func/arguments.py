"""Helpers of the transforms: reading `argnums` and auxiliary outputs."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import GradError
from . import tree

Argnums = int | tuple[int, ...]


def _checked(argnums: Any, count: int) -> tuple[int, ...]:
    """Return `argnums` as a tuple of non-negative indices. RuntimeError if there is no such positional argument."""
    if isinstance(argnums, tuple):
        if not argnums:
            raise GradError("argnums must be non-empty")
    elif type(argnums) is not int:
        raise GradError(f"argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    numbers = argnums if isinstance(argnums, tuple) else (argnums,)
    for each in numbers:
        if type(each) is not int:
            raise GradError(f"argnums must be int or Tuple[int, ...], got: {argnums}")
        if not -count <= each < count:
            raise GradError(f"Got argnum={each}, but only {count} positional inputs")
    wrapped = tuple(each % count for each in numbers)
    if len(set(wrapped)) != len(wrapped):
        raise GradError(f"argnums elements must be unique, got {argnums}")
    return wrapped


def chosen(argnums: Argnums, args: tuple[Any, ...]) -> Any:
    """Return the argument `argnums`, or a tuple of arguments if `argnums` is a tuple."""
    numbers = _checked(argnums, len(args))
    return tuple(args[i] for i in numbers) if isinstance(argnums, tuple) else args[numbers[0]]


def replaced(argnums: Argnums, args: tuple[Any, ...], new: Any) -> tuple[Any, ...]:
    """Return `args` with the arguments `argnums` replaced by `new`."""
    result = list(args)
    numbers = _checked(argnums, len(args))
    for i, each in zip(numbers, new if isinstance(argnums, tuple) else (new,), strict=True):
        result[i] = each
    return tuple(result)


def with_aux(result: Any, who: str, name: str) -> tuple[Any, Any]:
    """Return the pair (result, aux) of a function with has_aux=True. Raise unless it is a pair and aux holds
    tensors.
    """
    if not (isinstance(result, tuple) and len(result) == 2):
        raise GradError(f"{who} should be a tuple: ({name}, aux) if has_aux is True")
    for each in tree.flatten(result[1])[0]:
        if not isinstance(each, Tensor):
            raise GradError(f"Expected tensors, got unsupported type {type(each).__name__}: aux holds tensors only.")
    return result

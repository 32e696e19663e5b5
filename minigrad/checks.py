"""Assertions by the names that PyTorch's own code uses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .core.tensor import Tensor
from .errors import ArgumentTypeError, GradError

Message = Callable[[], Any] | None


def _check_with(error_type: type[Exception], cond: Any, message: Message) -> None:
    if not isinstance(cond, bool):
        raise ArgumentTypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type("Expected cond to be True, but got False. Pass a function that returns a better message.")
    if not callable(message):
        raise ArgumentTypeError("message must be a callable")
    raise error_type(str(message()))


def _check(cond: Any, message: Message = None) -> None:
    """Raise a RuntimeError with what `message` returns unless `cond` is True.

    >>> from minigrad.checks import _check
    >>> _check(2 > 3, lambda: "two is not more than three")
    Traceback (most recent call last):
    RuntimeError: two is not more than three
    """
    _check_with(RuntimeError, cond, message)


def _check_index(cond: Any, message: Message = None) -> None:
    """Do what `_check` does, with an IndexError."""
    _check_with(IndexError, cond, message)


def _check_value(cond: Any, message: Message = None) -> None:
    """Do what `_check` does, with a ValueError."""
    _check_with(ValueError, cond, message)


def _check_type(cond: Any, message: Message = None) -> None:
    """Do what `_check` does, with a TypeError."""
    _check_with(TypeError, cond, message)


def _check_not_implemented(cond: Any, message: Message = None) -> None:
    """Do what `_check` does, with a NotImplementedError."""
    _check_with(NotImplementedError, cond, message)


def _check_tensor_all(cond: Tensor, message: Message = None) -> None:
    """Do what `_check` does for all elements of a tensor of bools."""
    if not isinstance(cond, Tensor):
        raise ArgumentTypeError(f"cond must be a tensor, but got {type(cond)}")
    if cond.dtype.name != "bool":
        raise ArgumentTypeError(f"cond tensor must have dtype minigrad.bool, but got {cond.dtype}")
    _check(bool(cond.all()), message)


def _assert(condition: Any, message: Any) -> None:
    """Do what ``assert condition, message`` does, also under ``python -O``."""
    if not condition:
        raise AssertionError(message)


def _assert_async(input: Tensor, assert_msg: str | None = None) -> None:
    """Raise a RuntimeError if the single element of `input` is zero."""
    if not bool(input):
        raise GradError(assert_msg or "Expected Tensor with single nonzero value, but got zero")

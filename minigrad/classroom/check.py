"""What a check in a lesson asks, and what it says when the answer is another."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from ..core.tensor import Tensor
from ..errors import MinigradError

LONGEST = 300
"""So many characters of a value are shown."""


class CheckFailedError(MinigradError, AssertionError):
    """An exercise is not solved yet: what was called, what came back, and what was expected."""


def expect(function: Callable[..., Any], *arguments: Any, gives: Any, within: float = 1e-6) -> None:
    """Call a learner's function; CheckFailedError where it does not give what it should.

    Numbers, and the elements of tensors, may differ by `within`, absolutely or relatively. Tensors must have the same
    shape, tuples and lists the same length; all else must be equal.

    >>> expect(abs, -2.0, gives=2.0)
    >>> expect(abs, -2.0, gives=3.0)
    Traceback (most recent call last):
        ...
    minigrad.classroom.check.CheckFailedError: not yet:
      called     abs(-2.0)
      came back  2.0
      expected   3.0
    """
    call = f"{shown(function)}({', '.join(map(shown, arguments))})"
    try:
        found = function(*arguments)
    except Exception as error:
        raise _failed(call, f"{type(error).__name__}: {error}", gives) from error
    if not same(found, gives, within):
        raise _failed(call, shown(found), gives)


def _failed(call: str, found: str, wanted: Any) -> CheckFailedError:
    lines = [("called", call), ("came back", found), ("expected", shown(wanted))]
    indent = "\n" + " " * 13
    told = "".join(f"\n  {name:<9}  {text.replace(chr(10), indent)}" for name, text in lines)
    return CheckFailedError(f"not yet:{told}")


def shown(value: Any) -> str:
    """A value as a message shows it: short; a tensor with its shape, a function by its name."""
    text = repr(value)
    if isinstance(value, Tensor):
        text += f" of shape {tuple(value.shape)}"
    elif callable(value):
        text = getattr(value, "__name__", text)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def same(found: Any, wanted: Any, within: float) -> bool:
    """Whether two answers are the same, but for rounding."""
    if isinstance(wanted, Tensor):
        fits = isinstance(found, Tensor) and found.shape == wanted.shape
        return fits and same(found.detach().tolist(), wanted.detach().tolist(), within)
    if isinstance(wanted, (tuple, list)):
        fits = isinstance(found, Sequence) and len(found) == len(wanted)
        return fits and all(same(one, other, within) for one, other in zip(found, wanted, strict=True))
    if isinstance(found, Tensor) and found.numel() == 1:
        found = found.item()
    if isinstance(wanted, (int, float)) and isinstance(found, (int, float)):
        return math.isclose(found, wanted, rel_tol=within, abs_tol=within)
    return bool(found == wanted)

"""Conversion of operands that are neither tensors nor numbers, such as a NumPy array or a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..backend import CPU
from ..errors import ArgumentTypeError, DtypeError
from .tensor import Tensor


class Reader:
    """Holds the function that makes a tensor of any other value; `minigrad.ops` sets it."""

    as_tensor: ClassVar[Callable[[Any], Tensor]]


def read(value: Any) -> Any:
    """Return a number or a tensor. A NumPy scalar becomes a Python number, so its dtype does not widen a result."""
    if isinstance(value, CPU.generic):
        return value.item()
    if isinstance(value, (list, tuple)) and any(isinstance(each, Tensor) for each in value):
        kind = type(value).__name__
        raise ArgumentTypeError(
            f"an operand must be Tensor, not {kind}: take one of its {len(value)} elements, as in output[0], or put "
            "them together with stack()"
        )
    if isinstance(value, (int, float, complex)):
        return value
    try:
        return Reader.as_tensor(value)
    except (ArgumentTypeError, DtypeError) as error:  # a RuntimeError in PyTorch of data, and a TypeError of operands
        kind = type(value).__name__
        raise ArgumentTypeError(f"an operand must be Tensor, not {kind}, or a number: {error}") from None

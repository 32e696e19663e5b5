"""Conversion of operands that are neither tensors nor numbers, such as a NumPy array or a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..backend import CPU
from ..errors import ArgumentTypeError
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
    return value if isinstance(value, (int, float, complex)) else Reader.as_tensor(value)

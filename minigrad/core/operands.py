"""Reading what is no tensor and no number, such as a NumPy array or a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..backend import CPU
from .tensor import Tensor


class Reader:
    """The function that makes a tensor of any other value; `minigrad.ops` attaches it."""

    as_tensor: ClassVar[Callable[[Any], Tensor]]


def read(value: Any) -> Any:
    """A number, or a tensor. A scalar of NumPy's is a number like Python's, so its width does not widen a result."""
    if isinstance(value, CPU.generic):
        return value.item()
    return value if isinstance(value, (int, float, complex)) else Reader.as_tensor(value)

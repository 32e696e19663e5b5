"""Reading what is no tensor and no number, such as a NumPy array or a list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from .tensor import Tensor


class Reader:
    """The function that makes a tensor of any other value; `minigrad.ops` attaches it."""

    as_tensor: ClassVar[Callable[[Any], Tensor]]

"""Sharing memory with other libraries by DLPack, under the names of ``torch.utils.dlpack``."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..ops.conversion.interop import from_dlpack

__all__ = ["from_dlpack", "to_dlpack"]


def to_dlpack(tensor: Tensor) -> Any:
    """Return a capsule with the memory of `tensor`, for another library's ``from_dlpack``."""
    return tensor.__dlpack__()

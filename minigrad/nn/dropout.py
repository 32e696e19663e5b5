"""Layers that leave something out while training."""

from __future__ import annotations

from ..core.tensor import Tensor
from ..errors import ArgumentError
from . import functional as F
from .module import Module


class Dropout(Module):
    """In training each element is 0 with probability `p`, and the others are scaled by 1/(1-p); else the identity."""

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """`input`, thinned out."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"

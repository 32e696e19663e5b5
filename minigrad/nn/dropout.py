"""Layers that leave something out while training."""

from __future__ import annotations

from ..core.tensor import Tensor
from ..errors import ArgumentError
from . import functional as F
from .module import Module


class _Dropout(Module):
    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise ArgumentError(f"dropout probability has to be between 0 and 1, but got {p}")
        self.p = p
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_Dropout):
    """In training each element is 0 with probability `p`, and the others are scaled by 1/(1-p); else the identity."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, thinned out."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """`Dropout` of whole channels of (N, C, L)."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, thinned out."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """`Dropout` of whole channels of (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, thinned out."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """`Dropout` of whole channels of (N, C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, thinned out."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout for selu: mean and variance stay as they are."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, thinned out."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """`AlphaDropout` of whole channels of (N, C, ...)."""

    def forward(self, input: Tensor) -> Tensor:
        """`input`, thinned out."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)

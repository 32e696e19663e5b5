"""Layers that set random elements to 0 in training."""

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
    """In training, sets each element to 0 with probability `p` and scales the others by 1/(1-p); else the identity."""

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with random elements set to 0."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_Dropout):
    """`Dropout` of whole channels of (N, C, L)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with random channels set to 0."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_Dropout):
    """`Dropout` of whole channels of (N, C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with random channels set to 0."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_Dropout):
    """`Dropout` of whole channels of (N, C, D, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with random channels set to 0."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_Dropout):
    """Dropout for selu, which keeps mean and variance."""

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with random elements dropped."""
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_Dropout):
    """`AlphaDropout` of whole channels of (N, C, ...)."""

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with random channels dropped."""
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)

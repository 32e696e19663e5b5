"""Layers that only change the shape."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.size import Size
from ..core.tensor import Tensor
from ..errors import ArgumentTypeError
from . import functional as F
from .module import Module


class Flatten(Module):
    """Flattens the dimensions `start_dim` to `end_dim` into one.

    >>> import minigrad as mg
    >>> mg.nn.Flatten()(mg.ones(32, 1, 5, 5)).shape
    minigrad.Size([32, 25])
    """

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Tensor) -> Tensor:
        """Return `input`, flattened."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """Splits one dimension into several."""

    def __init__(self, dim: int, unflattened_size: Sequence[int]) -> None:
        super().__init__()
        if not isinstance(dim, int):
            raise ArgumentTypeError(f"unflatten dim must be an int, not {type(dim).__name__}")
        wrong = [each for each in unflattened_size if not isinstance(each, int)]
        if wrong:
            raise ArgumentTypeError(f"unflattened_size must be tuple of ints, but found {type(wrong[0]).__name__}")
        self.dim = dim
        self.unflattened_size = unflattened_size if isinstance(unflattened_size, Size) else tuple(unflattened_size)

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with dimension `dim` split."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class PixelShuffle(Module):
    """Moves channels to pixels: (N, C r², H, W) to (N, C, H r, W r)."""

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the larger image."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self) -> str:
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Moves pixels to channels: (N, C, H r, W r) to (N, C r², H, W)."""

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: Tensor) -> Tensor:
        """Return the smaller image with more channels."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self) -> str:
        return f"downscale_factor={self.downscale_factor}"


class ChannelShuffle(Module):
    """Reorders the channels so that those of different groups alternate."""

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        """Return `input` with its channels reordered."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self) -> str:
        return f"groups={self.groups}"

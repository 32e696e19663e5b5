"""The memory order of the weights of convolutions."""

from __future__ import annotations

from typing import Any, TypeVar

from ..convolution.modules import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d
from ..module import Module

M = TypeVar("M", bound=Module)


def convert_conv2d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Order the weights of all 2d convolutions in `module` by `memory_format`. Return `module`.

    >>> import minigrad as mg
    >>> layer = convert_conv2d_weight_memory_format(mg.nn.Conv2d(3, 8, 2), mg.channels_last)
    >>> layer.weight.stride()
    (12, 1, 6, 3)
    """
    return _converted(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: M, memory_format: Any) -> M:
    """Order the weights of all 3d convolutions in `module` by `memory_format`. Return `module`."""
    return _converted(module, (Conv3d, ConvTranspose3d), memory_format)


def _converted(module: M, kinds: tuple[type[Module], ...], memory_format: Any) -> M:
    for each in module.modules():
        if isinstance(each, kinds):
            weight: Any = each.weight
            weight.data = weight.detach().contiguous(memory_format=memory_format)
    return module

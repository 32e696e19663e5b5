"""Each rule of the utilities is tested with minigrad and with PyTorch."""

from tests.libraries import lib

__all__ = ["lib"]

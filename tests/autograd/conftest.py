"""Each rule of autograd is tested once, with minigrad and with PyTorch."""

from tests.libraries import lib

__all__ = ["lib"]

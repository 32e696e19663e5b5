"""Each rule of optimisers is tested with minigrad and with PyTorch."""

from tests.libraries import lib

__all__ = ["lib"]

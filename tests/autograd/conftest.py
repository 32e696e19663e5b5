"""Every rule of autograd is stated once, for minigrad and PyTorch alike."""

from tests.libraries import lib

__all__ = ["lib"]

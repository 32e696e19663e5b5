"""What is said of the utilities is said of minigrad's and PyTorch's alike."""

from tests.libraries import lib

__all__ = ["lib"]

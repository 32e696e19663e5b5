"""What is said of modules is said of minigrad's and PyTorch's alike."""

from tests.libraries import lib

__all__ = ["lib"]

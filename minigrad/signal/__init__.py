"""Signals, under PyTorch's name: ``minigrad.signal.windows``. Spectra are in `minigrad.fft`."""

from . import windows

__all__ = ["windows"]

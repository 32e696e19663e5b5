"""Fourier transforms, by the names of ``torch.fft``: ``import minigrad as mg; mg.fft.rfft(x)``."""

from __future__ import annotations

from .ops.fft.hermitian import hfft, hfft2, hfftn, ihfft, ihfft2, ihfftn
from .ops.fft.transforms import (
    fft,
    fft2,
    fftfreq,
    fftn,
    fftshift,
    ifft,
    ifft2,
    ifftn,
    ifftshift,
    irfft,
    irfft2,
    irfftn,
    rfft,
    rfft2,
    rfftfreq,
    rfftn,
)

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2", "ifftn", "ifftshift",
    "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

"""Fourier transforms of Hermitian signals, whose spectra are real: `rfft` with signal and spectrum exchanged."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ..common.arguments import accepts_out
from ..common.bases import conj
from . import transforms as fourier

OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}
"""The `norm` to pass to the transform in the other direction."""


@accepts_out
def hfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The real spectrum of half a Hermitian signal, over several dimensions."""
    return fourier.irfftn(conj(input), s, dim, OPPOSITE.get(norm, norm))


@accepts_out
def ihfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """Half of the Hermitian signal that has this real spectrum, over several dimensions."""
    return conj(fourier.rfftn(input, s, dim, OPPOSITE.get(norm, norm)))


@accepts_out
def hfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The real spectrum, of `n` elements, of half a Hermitian signal."""
    return fourier.irfft(conj(input), n, dim, OPPOSITE.get(norm, norm))


@accepts_out
def ihfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """Half of the Hermitian signal that has this real spectrum."""
    return conj(fourier.rfft(input, n, dim, OPPOSITE.get(norm, norm)))


@accepts_out
def hfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """`hfftn` over two dimensions."""
    return hfftn(input, s, dim, norm)


@accepts_out
def ihfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """`ihfftn` over two dimensions."""
    return ihfftn(input, s, dim, norm)

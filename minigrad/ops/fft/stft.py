"""Short-time Fourier transforms."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import ShapeError
from ..create.factories import ones
from ..elementwise.complex import view_as_real
from ..shape.padding import constant_pad_nd, pad
from ..shape.strided import UnfoldBackward
from . import transforms as fourier

__all__ = ["istft", "stft"]


def _window(window: Any, win_length: int, n_fft: int, like: Any) -> Any:
    """Return the window (ones by default), padded with zeros on both sides to `n_fft`."""
    if window is None:
        window = ones(win_length, dtype=dtypes.real_of(like.dtype), device=like.device)
    if window._array.shape != (win_length,):
        raise ShapeError(f"stft: expected a 1D window tensor of size equal to win_length={win_length}, "
                         f"but got window with size {list(window.shape)}")  # fmt: skip
    left = (n_fft - win_length) // 2
    return constant_pad_nd(window, (left, n_fft - win_length - left)) if win_length < n_fft else window


def stft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None,
    return_complex: bool | None = None, align_to_window: bool | None = None,
) -> Tensor:  # fmt: skip
    """The spectra of windows of `n_fft` samples at steps of `hop_length`: (*, time) -> (*, frequencies, frames)."""
    hop, length = n_fft // 4 if hop_length is None else hop_length, win_length or n_fft
    if return_complex is None and not input.dtype.is_complex and (window is None or not window.dtype.is_complex):
        raise ShapeError("stft requires the return_complex parameter be given for real inputs")
    if input._array.ndim not in (1, 2) or n_fft <= 0 or hop <= 0 or not 0 < length <= n_fft:
        raise ShapeError(
            f"stft({list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={length}): expected a 1D or 2D "
            "tensor, 0 < hop_length and 0 < win_length <= n_fft"
        )
    x = input if input._array.ndim == 2 else input.unsqueeze(0)
    if center:
        x = pad(x.unsqueeze(1), (n_fft // 2, n_fft // 2), pad_mode).squeeze(1)
    if x._array.shape[-1] < n_fft:
        raise ShapeError(f"stft: expected 0 < n_fft <= {x._array.shape[-1]}, but got n_fft={n_fft}")
    framed = x.unfold(-1, n_fft, hop) * _window(window, length, n_fft, x)
    one_sided = not framed.dtype.is_complex if onesided is None else onesided
    norm = "ortho" if normalized else None
    spectra: Any = fourier.rfft(framed, norm=norm) if one_sided else fourier.fft(framed, norm=norm)
    spectra = spectra.transpose(-1, -2)
    result = spectra if input._array.ndim == 2 else spectra.squeeze(0)
    return view_as_real(result) if return_complex is False else result


def istft(
    input: Any, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Any = None,
    center: bool = True, normalized: bool = False, onesided: bool | None = None, length: int | None = None,
    return_complex: bool = False,
) -> Tensor:  # fmt: skip
    """The signal with these spectra: inverse transforms, summed with overlap, and divided by the squared windows."""
    if not input.dtype.is_complex:
        raise ShapeError("istft requires a complex-valued input tensor matching the output from stft(return_complex)")
    hop, width = n_fft // 4 if hop_length is None else hop_length, win_length or n_fft
    spectra = (input if input._array.ndim == 3 else input.unsqueeze(0)).transpose(-1, -2)
    one_sided = input._array.shape[-2] != n_fft if onesided is None else onesided
    if input._array.shape[-2] != (n_fft // 2 + 1 if one_sided else n_fft):
        raise ShapeError(f"istft: {input._array.shape[-2]} frequencies do not fit n_fft={n_fft}, onesided={one_sided}")
    norm = "ortho" if normalized else None
    if not one_sided and not return_complex:  # half of the spectrum determines a real signal
        one_sided, spectra = True, spectra[..., : n_fft // 2 + 1]
    frames: Any = fourier.irfft(spectra, n_fft, norm=norm) if one_sided else fourier.ifft(spectra, norm=norm)
    w = _window(window, width, n_fft, frames)
    total, weight = _laid_out(frames * w, hop), _laid_out((w * w).expand(1, *frames._array.shape[1:]), hop)
    start = n_fft // 2 if center else 0
    end = total._array.shape[-1] - start if length is None else min(start + length, total._array.shape[-1])
    total, weight = total[:, start:end], weight[:, start:end]
    if bool((abs(weight._array) < 1e-11).any()):
        raise ShapeError("istft: window overlap add min: the windows leave a gap. Take a smaller hop_length.")
    signal = total / weight
    if length is not None and signal._array.shape[-1] < length:
        signal = constant_pad_nd(signal, (0, length - signal._array.shape[-1]))
    return signal if input._array.ndim == 3 else signal.squeeze(0)


def _laid_out(frames: Any, hop: int) -> Any:
    """Return the sum of overlapping frames at their positions in time."""
    batch, count, size = frames._array.shape
    op = UnfoldBackward(1, size, hop, (batch, (count - 1) * hop + size))
    return op(frames)


METHODS = {"stft": stft, "istft": istft}

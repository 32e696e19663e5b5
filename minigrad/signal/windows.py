"""Windows: weights that let a stretch of a signal begin and end softly, under the names of ``torch.signal.windows``.

Each takes the number `M` of weights. With `sym` (as it is by default) the window is symmetric, for filters; without it
is one period of a longer one, for spectra: the window of M + 1 weights without the last. The options are `dtype`
(float32 or float64), `device` and `requires_grad`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError
from ..ops.fft.windows import bartlett_window, blackman_window, hamming_window, kaiser_window, sampled

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A triangle from 0 to 1 and back.

    >>> bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return bartlett_window(M, not sym, **_checked(M, options))


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Three cosines: 0.42 - 0.5 cos t + 0.08 cos 2t, for t from 0 to 2 pi."""
    return blackman_window(M, not sym, **_checked(M, options))


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Half a period of a sine, with its ends half a step inside."""
    return sampled(lambda n, last: ((n + 0.5) * (math.pi / (last + 1))).sin(), M, not sym, **_checked(M, options))


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """``exp(-|n - center| / tau)``; the center is the middle, and may be chosen where `sym` is False.

    Raises:
        ArgumentError: `tau` is not above 0, or a center is given to a symmetric window.
    """
    if tau <= 0:
        raise ArgumentError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ArgumentError("Center must be None for symmetric windows")

    def weights(n: Any, last: int) -> Any:
        return (-(n - (last / 2 if center is None else center)).abs() / tau).exp()

    return sampled(weights, M, not sym, **_checked(M, options))


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """``exp(-(n - middle)^2 / (2 std^2))``, with `std` in places."""
    if std <= 0:
        raise ArgumentError(f"Standard deviation must be positive, got: {std} instead.")
    return sampled(lambda n, last: (-((n - last / 2) / std).square() / 2).exp(), M, not sym, **_checked(M, options))


def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, **options: Any) -> Tensor:
    """The sum of ``(-1)^i a_i cos(i t)`` over the numbers of `a`, for t from 0 to 2 pi."""
    if not isinstance(a, Sequence):
        raise ArgumentTypeError("Coefficients must be a list/tuple")
    if not a:
        raise ArgumentError("Coefficients cannot be empty")

    def weights(n: Any, last: int) -> Any:
        turn = n * (2 * math.pi / last)
        return sum(((-1) ** i * each * (turn * i).cos() for i, each in enumerate(a)), turn * 0)

    return sampled(weights, M, not sym, **_checked(M, options))


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """``alpha - (1 - alpha) cos t``, for t from 0 to 2 pi."""
    return hamming_window(M, not sym, alpha, 1.0 - alpha, **_checked(M, options))


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``0.54 - 0.46 cos t``: a raised cosine that does not fall to 0."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``(1 - cos t) / 2``: a raised cosine that falls to 0."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """Bessel's ``I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta)``: the larger `beta`, the narrower."""
    if beta < 0:
        raise ArgumentError(f"beta must be non-negative, got: {beta} instead.")
    return kaiser_window(M, not sym, beta, **_checked(M, options))


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Four cosines, which leave the least at the sides of a spectrum."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)


def _checked(M: int, options: dict[str, Any]) -> dict[str, Any]:
    """Return `options`. Raise ArgumentError for lengths and dtypes that no window has."""
    wanted = options.get("dtype") or dtypes.get_default_dtype()
    if M < 0:
        raise ArgumentError(f"a window requires non-negative window length, got M={M}")
    if wanted not in (dtypes.float32, dtypes.float64):
        raise ArgumentError(f"a window expects float32 or float64 dtypes, got: {wanted}")
    return options

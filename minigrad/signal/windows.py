"""Windows: weights that let a stretch of a signal begin and end softly, under the names of ``torch.signal.windows``.

Each takes the number `M` of weights. With `sym` (as it is by default) the window is symmetric, for filters; without it
is one period of a longer one, for spectra: the window of M + 1 weights without the last.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .. import dtypes
from ..core.tensor import Tensor
from ..errors import ArgumentError, DomainError, DtypeError
from ..ops.common.dims import one_int
from ..ops.create.factories import arange
from ..ops.special.bessel import i0

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann",
    "kaiser", "nuttall",
]  # fmt: skip


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """A triangle from 0 to 1 and back.

    >>> bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    n, last = _places("bartlett", M, sym, options)
    return _finished(1 - (n * (2 / last) - 1).abs(), options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Three cosines: 0.42 - 0.5 cos t + 0.08 cos 2t, for t from 0 to 2 pi."""
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, **options)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Half a period of a sine, with its ends half a step inside."""
    n, last = _places("cosine", M, sym, options)
    return _finished(((n + 0.5) * (math.pi / (last + 1))).sin(), options)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """``exp(-|n - center| / tau)``; the center is the middle, and may be chosen where `sym` is False.

    Raises:
        DomainError: `tau` is not above 0, or a center is given to a symmetric window.
    """
    if tau <= 0:
        raise DomainError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise DomainError("Center must be None for symmetric windows")
    n, last = _places("exponential", M, sym, options)
    middle = last / 2 if center is None else center
    return _finished((-(n - middle).abs() / tau).exp(), options)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """``exp(-(n - middle)^2 / (2 std^2))``, with `std` in places."""
    if std <= 0:
        raise DomainError(f"Standard deviation must be positive, got: {std} instead.")
    n, last = _places("gaussian", M, sym, options)
    return _finished((-((n - last / 2) / std).square() / 2).exp(), options)


def general_cosine(M: int, *, a: Sequence[float], sym: bool = True, **options: Any) -> Tensor:
    """The sum of ``(-1)^i a_i cos(i t)`` over the numbers of `a`, for t from 0 to 2 pi."""
    if not isinstance(a, Sequence):
        raise ArgumentError("Coefficients must be a list/tuple")
    if not a:
        raise DomainError("Coefficients cannot be empty")
    n, last = _places("general_cosine", M, sym, options)
    turn = n * (2 * math.pi / last)
    return _finished(sum(((-1) ** i * each * (turn * i).cos() for i, each in enumerate(a)), turn * 0), options)


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """``alpha - (1 - alpha) cos t``, for t from 0 to 2 pi."""
    return general_cosine(M, a=[alpha, 1.0 - alpha], sym=sym, **options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``0.54 - 0.46 cos t``: a raised cosine that does not fall to 0."""
    return general_hamming(M, sym=sym, **options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """``(1 - cos t) / 2``: a raised cosine that falls to 0."""
    return general_hamming(M, alpha=0.5, sym=sym, **options)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """Bessel's ``I0(beta sqrt(1 - (2 n / N - 1)^2)) / I0(beta)``: the larger `beta`, the narrower."""
    if beta < 0:
        raise DomainError(f"beta must be non-negative, got: {beta} instead.")
    n, last = _places("kaiser", M, sym, options)
    inside = (1 - (n * (2 / last) - 1).square()).clamp(min=0).sqrt()
    return _finished(i0(inside * beta) / i0(n.new_full((), beta)), options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """Four cosines, which leave the least at the sides of a spectrum."""
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, **options)


def _places(name: str, M: int, sym: bool, options: dict[str, Any]) -> tuple[Any, int]:
    """The numbers 0 to M - 1, and the last of a whole period."""
    count = one_int("M", M)
    if count < 0:
        raise DomainError(f"{name} requires non-negative window length, got M={count}")
    wanted = options.get("dtype") or dtypes.get_default_dtype()
    if wanted not in (dtypes.float32, dtypes.float64):
        raise DtypeError(f"{name} expects float32 or float64 dtypes, got: {wanted}")
    return arange(count, dtype=dtypes.float64, device=options.get("device")), max(count - 1 if sym else count, 1)


def _finished(values: Any, options: dict[str, Any]) -> Tensor:
    unknown = options.keys() - {"dtype", "layout", "device", "requires_grad"}
    if unknown:
        raise ArgumentError(f"a window has no argument {', '.join(sorted(unknown))!r}: dtype, device, requires_grad")
    made = (values * 0 + 1 if len(values) == 1 else values).to(options.get("dtype") or dtypes.get_default_dtype())
    return made.requires_grad_() if options.get("requires_grad") else made

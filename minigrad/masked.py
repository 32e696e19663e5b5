"""Reductions and normalisations that ignore masked elements, by the names of ``torch.masked``.

Elements count where ``mask`` is True; it broadcasts to the input. Other elements are replaced by a neutral value: 0 in
a sum, 1 in a product, -inf in a maximum and in a softmax.

>>> import minigrad as mg
>>> mg.masked.mean(mg.tensor([1.0, 2.0, 9.0]), mask=mg.tensor([True, True, False]))
tensor(1.5000)
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import dtypes
from .absent import absent_from
from .core.tensor import Tensor
from .ops.elementwise.where import where
from .ops.nn import softmax as _softmax

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logaddexp", "logsumexp", "mean", "median",
    "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]  # fmt: skip


def _filled(input: Tensor, mask: Any, value: float) -> Tensor:
    """Return `input` with `value` where the mask is False."""
    if mask is None:
        return input
    if value in (math.inf, -math.inf) and not (input.dtype.is_floating_point or input.dtype.is_complex):
        info = dtypes.iinfo(input.dtype)
        value = info.max if value > 0 else info.min
    return where(mask, input, input.new_full((), value))


def _count(input: Tensor, dim: Any, keepdim: bool, mask: Any) -> Tensor:
    ones = input.new_ones(input.shape, dtype=dtypes.int64)
    return _filled(ones, mask, 0).sum(dim, keepdim)


def _typed(input: Tensor, dtype: Any) -> Tensor:
    return input if dtype is None else input.to(dtype)


def _as_asked(result: Tensor, input: Tensor, dtype: Any) -> Tensor:
    """The result in `dtype`; if that is None, in the input's."""
    return result.to(input.dtype if dtype is None else dtype)


def sum(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The sum of the unmasked elements."""
    return _filled(_typed(input, dtype), mask, 0).sum(dim, keepdim)


def prod(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The product of the unmasked elements."""
    result = _filled(_typed(input, dtype), mask, 1)
    if not result.dim():
        return result.prod()
    dims = range(result.dim()) if dim is None else (dim,) if isinstance(dim, int) else dim
    for each in sorted((d % result.dim() for d in dims), reverse=True):
        result = result.prod(each, keepdim)
    return result


def mean(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The mean of the unmasked elements; NaN if there are none."""
    return sum(input, dim, keepdim=keepdim, dtype=dtype, mask=mask) / _count(input, dim, keepdim, mask)


def amax(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The largest unmasked element."""
    return _filled(_typed(input, dtype), mask, -math.inf).amax(() if dim is None else dim, keepdim)


def amin(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The smallest unmasked element."""
    return _filled(_typed(input, dtype), mask, math.inf).amin(() if dim is None else dim, keepdim)


def argmax(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The index of the largest unmasked element, in the input's dtype, as in PyTorch."""
    return _as_asked(_filled(input, mask, -math.inf).argmax(dim, keepdim), input, dtype)


def argmin(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The index of the smallest unmasked element, in the input's dtype, as in PyTorch."""
    return _as_asked(_filled(input, mask, math.inf).argmin(dim, keepdim), input, dtype)


def median(input: Tensor, dim: int = -1, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The median of the unmasked elements."""
    return _filled(_typed(input, dtype), mask, math.nan).nanmedian(dim, keepdim).values


def logsumexp(input: Tensor, dim: Any = None, *, keepdim: bool = False, dtype: Any = None, mask: Any = None) -> Tensor:
    """The logarithm of the sum of exponentials of the unmasked elements; by default over all dimensions."""
    dims = tuple(range(input.dim())) if dim is None else dim
    return _as_asked(_filled(_typed(input, dtype), mask, -math.inf).logsumexp(dims, keepdim), input, dtype)


def logaddexp(
    input: Tensor, other: Tensor, *, dtype: Any = None, input_mask: Any = None, other_mask: Any = None
) -> Tensor:
    """log(exp(input) + exp(other)), where masked elements count as -inf."""
    left = _filled(_typed(input, dtype), input_mask, -math.inf)
    return left.logaddexp(_filled(_typed(other, dtype), other_mask, -math.inf))


def norm(
    input: Tensor,
    ord: float | None = 2.0,
    dim: Any = None,
    *,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """The `ord`-norm of the unmasked elements."""
    power = 2.0 if ord is None else ord
    return _filled(_typed(input, dtype), mask, math.inf if power < 0 else 0).norm(power, dim, keepdim)


def var(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """The variance of the unmasked elements."""
    less = correction if correction is not None else 0 if unbiased is False else 1
    centre = mean(input, dim, keepdim=True, dtype=dtype, mask=mask)
    away = _typed(input, dtype) - centre
    squares = _filled(away * away.conj(), mask, 0).sum(dim, keepdim)
    result = squares / (_count(input, dim, keepdim, mask) - less).clamp(min=0)
    return result.to(centre.dtype)


def std(
    input: Tensor,
    dim: Any = None,
    unbiased: bool | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
    dtype: Any = None,
    mask: Any = None,
) -> Tensor:
    """The standard deviation of the unmasked elements."""
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype, mask=mask).sqrt()


def softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Softmax of the unmasked elements; the others get 0."""
    return _softmax.softmax(_filled(_typed(input, dtype), mask, -math.inf), dim)


def log_softmax(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Log-softmax of the unmasked elements; the others get -inf."""
    return _softmax.log_softmax(_filled(_typed(input, dtype), mask, -math.inf), dim)


def softmin(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Softmin of the unmasked elements: smaller elements get larger probabilities."""
    return softmax(-_typed(input, dtype), dim, mask=mask)


def normalize(
    input: Tensor, ord: float, dim: int, *, eps: float = 1e-12, dtype: Any = None, mask: Any = None
) -> Tensor:
    """The unmasked elements, divided by their `ord`-norm; the others get 0."""
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return _filled(_typed(input, dtype), mask, 0) / length.clamp(min=eps)


def cumsum(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Running sums of the unmasked elements."""
    return _as_asked(_filled(_typed(input, dtype), mask, 0).cumsum(dim), input, dtype)


def cumprod(input: Tensor, dim: int, *, dtype: Any = None, mask: Any = None) -> Tensor:
    """Running products of the unmasked elements."""
    return _as_asked(_filled(_typed(input, dtype), mask, 1).cumprod(dim), input, dtype)


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise absent_from(__name__, name)

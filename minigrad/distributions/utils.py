"""Helpers for distributions: read parameters, and convert between probabilities and logits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from numbers import Number
from typing import Any

from .. import dtypes
from ..core.grad_mode import enable_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create.factories import ones, tensor
from ..ops.nn.softmax import softmax
from ..ops.random.distributions import randn
from ..ops.shape.splitting import broadcast_tensors


def broadcast_all(*values: Any) -> Any:
    """Return numbers and tensors as tensors of one shape; numbers get the dtype of the tensors.

    >>> import minigrad as mg
    >>> [tuple(each.shape) for each in broadcast_all(0.0, mg.ones(3))]
    [(3,), (3,)]
    """
    for each in values:
        if not isinstance(each, (Tensor, Number)):
            raise ArgumentError(f"Input arguments must all be instances of Number or Tensor, got {type(each).__name__}")
    first = next((each for each in values if isinstance(each, Tensor)), None)
    dtype = dtypes.get_default_dtype() if first is None else first.dtype
    device = None if first is None else first.device
    made = [each if isinstance(each, Tensor) else tensor(each, dtype=dtype, device=device) for each in values]
    return broadcast_tensors(*made)


def one_of(distribution: Any, probs: Any, logits: Any) -> str:
    """Return the name of the given parameter, "probs" or "logits"; ArgumentError unless exactly one is given."""
    if (probs is None) == (logits is None):
        raise ArgumentError("Either `probs` or `logits` must be specified, but not both.")
    return "logits" if probs is None else "probs"


def clamp_probs(probs: Tensor) -> Tensor:
    """Clip probabilities to be at least one rounding step away from 0 and 1."""
    eps = dtypes.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """Return the logarithms of probabilities, or, with `is_binary`, of their odds."""
    kept = clamp_probs(probs)
    return kept.log() - (-kept).log1p() if is_binary else kept.log()


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Return probabilities: the sigmoid if `is_binary`, else softmax over the last dimension."""
    return logits.sigmoid() if is_binary else softmax(logits, dim=-1)


def sum_rightmost(value: Tensor, count: int) -> Tensor:
    """The sum over the last `count` dimensions."""
    return value if count == 0 else value.reshape((*value.shape[: value.dim() - count], -1)).sum(-1)


def vec_to_tril_matrix(vec: Tensor, diag: int = 0) -> Tensor:
    """Return a lower triangular matrix with these elements, row by row; with `diag` -1 the diagonal is zero."""
    count = vec.shape[-1]
    n = round((-(1 + 2 * diag) + ((1 + 2 * diag) ** 2 + 8 * count + 4 * abs(diag) * (diag + 1)) ** 0.5) / 2)
    if tril_count(n, diag) != count:
        raise ArgumentError(
            f"The size of last dimension is {count} which cannot be expressed as the lower triangular part of a square "
            "D x D matrix."
        )
    matrix = vec.new_zeros((*vec.shape[:-1], n, n))
    places = ones((n, n), dtype=dtypes.bool_, device=vec.device).tril(diag)
    matrix[..., places] = vec
    return matrix


def tril_count(n: int, diag: int) -> int:
    """Return the number of elements on and below this diagonal of an n × n matrix."""
    return sum(max(0, min(n, row + diag + 1)) for row in range(n))


def tril_matrix_to_vec(mat: Tensor, diag: int = 0) -> Tensor:
    """Return the elements on and below this diagonal, row by row."""
    n = mat.shape[-1]
    if not -n <= diag < n:
        raise ArgumentError(f"diag ({diag}) provided is outside [{-n}, {n - 1}].")
    return mat[..., ones((n, n), dtype=dtypes.bool_, device=mat.device).tril(diag)]


_sum_rightmost = sum_rightmost


def _standard_normal(shape: Any, dtype: Any, device: Any) -> Tensor:
    """Draw normal numbers; third-party distributions for PyTorch import this."""
    return randn(shape, dtype=dtype, device=device)


class lazy_property:
    """An attribute that is computed at first use, and then stored."""

    def __init__(self, wrapped: Callable[[Any], Any]) -> None:
        self.wrapped = wrapped
        functools.update_wrapper(self, wrapped)  # type: ignore[arg-type]

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        if instance is None:
            return self
        with enable_grad():
            value = self.wrapped(instance)
        setattr(instance, self.wrapped.__name__, value)
        return value

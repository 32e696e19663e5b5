"""Clipping of gradients: all together by their norm, or each element by its value."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Iterable
from types import GeneratorType
from typing import Any

from ... import dtypes
from ...core.grad_mode import no_grad
from ...core.tensor import Tensor
from ...errors import GradError
from ...ops.create.factories import tensor
from ...ops.linalg.matrix_functions import vector_norm


def _grads(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    """Return the gradients there are. An empty generator, which was used up elsewhere, is worth a warning."""
    tensors = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if not tensors and isinstance(parameters, GeneratorType):
        warnings.warn(
            "`parameters` is an empty generator, no gradient clipping will occur. Has something gone through it "
            "before, such as an optimizer? Then call model.parameters() again.",
            stacklevel=3,
        )
    return [each._grad for each in tensors if each._grad is not None]


def _norm(grad: Any, kind: float) -> float:
    if kind == 2.0:
        return math.sqrt(float((grad * grad.conj()).real.sum() if grad.is_complex() else (grad * grad).sum()))
    return float(vector_norm(grad, kind))


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scale all gradients together, in place, so that their norm as one vector is at most `max_norm`.

    Return the norm before scaling.

    >>> import minigrad as mg
    >>> w = mg.zeros(2, requires_grad=True)
    >>> w.grad = mg.tensor([3.0, 4.0])
    >>> mg.nn.utils.clip_grad_norm_(w, 1.0), w.grad
    (tensor(5.), tensor([0.6000, 0.8000]))
    """
    grads = _grads(parameters)
    total = get_total_norm(grads, norm_type, error_if_nonfinite)
    _scaled_down(grads, max_norm, total)
    return total


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Return the norm of all tensors together, as one vector, in the widest of their dtypes."""
    given = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    kind = float(norm_type)
    with no_grad():
        norms = [_norm(each, kind) for each in given]
        total = _norm(tensor(norms, dtype=dtypes.float64), kind) if norms else 0.0
    if error_if_nonfinite and not math.isfinite(total):
        raise GradError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be "
            "clipped. To scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`."
        )
    if not given:
        return tensor(0.0)
    types = [dtypes.real_of(each.dtype) for each in given]
    return tensor(total, dtype=functools.reduce(dtypes.promote, types), device=given[0].device)


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor], max_norm: float, total_norm: Tensor, foreach: bool | None = None
) -> None:
    """Scale all gradients in place as if their norm were `total_norm`, so that it becomes at most `max_norm`."""
    _scaled_down(_grads(parameters), max_norm, total_norm)


def _scaled_down(grads: list[Tensor], max_norm: float, total: Tensor) -> None:
    factor = float(max_norm) / (float(total) + 1e-6)
    if factor < 1.0 or math.isnan(factor):
        with no_grad():
            for grad in grads:
                grad.mul_(factor)


def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None) -> None:
    """Clip every element of the gradients to ±`clip_value`, in place."""
    with no_grad():
        for grad in _grads(parameters):
            grad.clamp_(-float(clip_value), float(clip_value))


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor], max_norm: float, norm_type: float = 2.0, error_if_nonfinite: bool = False
) -> Tensor:
    """`clip_grad_norm_` under the name it had before PyTorch 0.4."""
    warnings.warn(
        "`nn.utils.clip_grad_norm` is now deprecated in favor of `nn.utils.clip_grad_norm_`.",
        FutureWarning,
        stacklevel=2,
    )
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite)

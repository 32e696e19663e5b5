"""Activations as functions. Those that are a single op are in `minigrad.ops`; the others are composed here."""

from __future__ import annotations

import warnings
from typing import Any

from ...core.inplace import inplace as run_in_place
from ...core.tensor import Tensor
from ...errors import DomainError, ShapeError
from ...ops.common.arguments import accepts_out
from ...ops.common.dims import wrap_dim
from ...ops.elementwise.pointwise import Relu
from ...ops.nn.activation import Hardsigmoid, Softshrink, Threshold
from ...ops.nn.softmax import log_softmax as log_softmax_along
from ...ops.nn.softmax import softmax as softmax_along


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`input` where positive, 0 elsewhere."""
    return run_in_place(Relu(), input) if inplace else input.relu()


def relu_(input: Tensor) -> Tensor:
    """`relu` in place."""
    return relu(input, True)


def sigmoid(input: Tensor) -> Tensor:
    """``1 / (1 + exp(-x))``."""
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()


def glu(input: Any, dim: int = -1) -> Tensor:
    """The first half of `input` along `dim`, gated by the sigmoid of the second half."""
    shape = input._array.shape
    dim = wrap_dim(dim, len(shape))
    if not shape or shape[dim] % 2:
        size = shape[dim] if shape else 0
        raise ShapeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    half = shape[dim] // 2
    return input.narrow(dim, 0, half) * input.narrow(dim, half, half).sigmoid()


def hardsigmoid(input: Any, inplace: bool = False) -> Tensor:
    """``relu6(x + 3) / 6``."""
    return run_in_place(Hardsigmoid(), input) if inplace else Hardsigmoid()(input)


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Positive weights along `dim` that sum to 1. Without `dim` it is chosen by the shape, with a warning."""
    return softmax_along(input, _said("softmax", input, dim, _stacklevel), dtype)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, without overflow and underflow."""
    return log_softmax_along(input, _said("log_softmax", input, dim, _stacklevel), dtype)


def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """Softmax of the negative: the smallest element gets the largest weight."""
    return softmax_along(-input, _said("softmin", input, dim, _stacklevel), dtype)


def _said(name: str, input: Any, dim: int | None, stacklevel: int) -> int:
    """Return `dim`, or the dimension that old code means without it."""
    if dim is not None:
        return dim
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        UserWarning,
        stacklevel=stacklevel + 1,
    )
    return 0 if input._array.ndim in (0, 1, 3) else 1


def softsign(input: Any) -> Tensor:
    """``x / (1 + |x|)``."""
    return input / (input.abs() + 1)


def tanhshrink(input: Any) -> Tensor:
    """``x - tanh(x)``."""
    return input - input.tanh()


@accepts_out
def softshrink(input: Any, lambd: float = 0.5) -> Tensor:
    """`input`, moved by `lambd` towards 0 and no further."""
    if lambd < 0:
        raise DomainError(f"lambda must be in range [0, inf] for softshrink, but found {lambd}")
    return Softshrink(lambd)(input)


def threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`input` where it is above `threshold`, `value` elsewhere."""
    op = Threshold(threshold, value)
    return run_in_place(op, input) if inplace else op(input)

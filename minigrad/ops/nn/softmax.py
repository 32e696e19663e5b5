"""Softmax and its logarithm as single ops, so that large numbers never overflow and the graph has one node."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import DtypeError
from ..common.arguments import accepts_out
from ..common.dims import wrap_dim
from ..common.halves import InFloat32, in_float32
from ..common.samples import sample
from ..reduce.row_kernels import inner, largest, total

__all__ = ["log_softmax", "softmax"]


class Softmax(Op):
    r"""Positive weights along `dim` that sum to 1; larger elements get larger weights."""

    memory_order = "rows"
    formula = r"\frac{e^{x_i}}{\sum_j e^{x_j}}"
    samples = (sample((2, 3), dim=1), sample((2, 3, 2), dim=1), sample((0, 3), dim=1))
    dim: int

    def forward(self, xp, x):
        return softmax_of(xp, x, self.dim)

    def grad_x(self, grad, out):
        r"""y \odot (\bar y - \textstyle\sum_j \bar y_j y_j)"""
        return SoftmaxBackward(self.dim)(grad, out)

    def jvp(self, tangents, inputs, outputs):
        """The Jacobian is symmetric, so the gradient rule also computes tangents."""
        return SoftmaxBackward(self.dim)(tangents[0], outputs[0])


class SoftmaxBackward(InFloat32):
    r"""The gradient of softmax, given that of its output, `g`, and the output."""

    formula = r"y \odot (g - \textstyle\sum_j g_j y_j)"
    grad_name = "SoftmaxBackwardDataBackward0"
    samples = (sample((2, 3), (2, 3), dim=1),)
    dim: int

    def forward(self, xp, g, y):
        out = g - inner(xp, g, y, self.dim)
        out *= y
        return out

    def grad_g(self, grad, y):
        r"""y \odot (\bar x - \textstyle\sum_j \bar x_j y_j)"""
        return SoftmaxBackward(self.dim)(grad, y)

    def grad_y(self, grad, g, y):
        r"""\bar x \odot (g - \textstyle\sum_j g_j y_j) - g \odot \textstyle\sum_j \bar x_j y_j"""
        inner = (g * y).sum(self.dim, keepdim=True)
        return grad * (g - inner) - g * (grad * y).sum(self.dim, keepdim=True)


class LogSoftmax(Op):
    r"""The logarithm of softmax, accurate even where softmax rounds to 0."""

    memory_order = "rows"
    formula = r"x_i - \log \textstyle\sum_j e^{x_j}"
    samples = (sample((2, 3), dim=1), sample((2, 3, 2), dim=1), sample((0, 3), dim=1))
    dim: int

    def forward(self, xp, x):
        return log_softmax_of(xp, x, self.dim)

    def grad_x(self, grad, out):
        r"""\bar y - e^{y} \textstyle\sum_j \bar y_j"""
        return _log_softmax_gradient(grad, out, self.dim)

    def jvp(self, tangents, inputs, outputs):
        """Each logit's tangent, minus the tangent of the logsumexp."""
        return tangents[0] - (outputs[0].exp() * tangents[0]).sum(self.dim, keepdim=True)


@in_float32
def _log_softmax_gradient(grad: Any, out: Any, dim: int) -> Any:
    return grad - out.exp() * grad.sum(dim, keepdim=True)


def softmax_of(xp: Any, x: Any, dim: int, parts: Any = None) -> Any:
    """Return softmax of an array; half precision is computed in float32.

    `parts` are the largest element along `dim` and the sum of the powers of e, if they are known.
    """
    if not x.size:
        return xp.copy(x)
    if x.dtype.itemsize < 4:
        return softmax_of(xp, x.astype("float32"), dim).astype(x.dtype)
    peak, sums = parts or (largest(xp, x, dim), None)
    out = x - peak
    xp.exp(out, out=out)
    out /= total(xp, out, dim) if sums is None else sums
    return out


def log_softmax_of(xp: Any, x: Any, dim: int) -> Any:
    """Return log-softmax of an array; half precision is computed in float32."""
    if not x.size:
        return xp.copy(x)
    if x.dtype.itemsize < 4:
        return log_softmax_of(xp, x.astype("float32"), dim).astype(x.dtype)
    out = xp.row_major(x - largest(xp, x, dim))
    out -= xp.log(total(xp, xp.exp(out), dim))
    return out


@accepts_out
def softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """Positive weights along `dim` that sum to 1.

    >>> import minigrad as mg
    >>> mg.softmax(mg.zeros(4), dim=0).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    return _run(Softmax, "softmax", input, dim, dtype)


@accepts_out
def log_softmax(input: Tensor, dim: int, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, without overflow and underflow."""
    return _run(LogSoftmax, "log_softmax", input, dim, dtype)


def _run(op: Any, name: str, input: Any, dim: int, dtype: Any) -> Tensor:
    if dtype is not None:
        input = input.to(dtypes.as_dtype(dtype))
    if not input.dtype.is_floating_point:
        raise DtypeError(
            f'"{name}" not implemented for {input.dtype}: convert the input first, for example with .float()'
        )
    ndim = input._array.ndim
    dim = wrap_dim(dim, ndim)
    if not ndim:
        return op(0)(input.reshape(1)).reshape(())
    return op(dim)(input)


METHODS = {"softmax": softmax, "log_softmax": log_softmax}

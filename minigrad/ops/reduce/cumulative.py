"""Running sums, products and extremes along one dimension."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import dtypes
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import ShapeError
from ..common import return_types
from ..common.arguments import accepts_out, check_has_order
from ..common.bases import Linear, conj, sample
from ..common.dims import one_int, wrap_dim
from ..common.halves import in_float32
from ..shape.join import cat, stack
from .sums import cast_first, is_float, said

__all__ = [
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "cumulative_trapezoid",
    "diff",
    "logcumsumexp",
    "trapezoid",
    "trapz",
]


class Cumsum(Linear):
    """The sum of each element and all elements before it."""

    __slots__ = ("dim",)
    dim: int
    memory_order = "rows"
    formula = r"y_i = \sum_{j \le i} x_j"
    samples = (sample((2, 3), dim=1), sample((4,), dim=0), sample((0, 3), dim=0))

    def forward(self, xp, x):
        return running(xp, xp.cumsum, x, self.dim)

    def grad_x(self, grad):
        r"\sum_{j \ge i} \bar y_j"
        return grad.flip(self.dim).cumsum(self.dim).flip(self.dim)


class Cumprod(Op):
    """The product of each element and all elements before it. The gradient is exact for factors of 0, too."""

    __slots__ = ("dim",)
    dim: int
    memory_order = "rows"
    formula = r"y_i = \prod_{j \le i} x_j"
    kinds = "ifc"
    samples = (sample((2, 3), dim=1, low=0.3), sample((4,), dim=0), sample((0, 3), dim=0))

    def forward(self, xp, x):
        return running(xp, xp.cumprod, x, self.dim)

    def grad_x(self, grad, x, out):
        r"\sum_{j \ge i} \bar y_j \, y_j / x_i"
        if x._array.ndim and x._array.shape[self.dim] == 1:
            return grad
        if not x._array.all():
            return _through_zeros(grad, x, self.dim)
        return reversed_cumsum(grad * out.conj(), self.dim) / x.conj()


def reversed_cumsum(x: Any, dim: int) -> Any:
    """Return the sum of each element and all elements after it."""
    return x.flip(dim).cumsum(dim).flip(dim)


def _through_zeros(grad: Any, x: Any, dim: int) -> Any:
    """The gradient of cumprod without a division: r_i = g_i + x_{i+1} r_{i+1}, times the product of all before x_i."""
    if not x._array.ndim:
        return grad
    x, parts, rest = x.conj(), [], None
    factors = x.unbind(dim)
    for i in reversed(range(len(factors))):
        here = grad.select(dim, i)
        rest = here if rest is None else here + factors[i + 1] * rest
        parts.append(rest)
    before, results = None, []
    for factor, part in zip(factors, reversed(parts), strict=True):
        results.append(part if before is None else before * part)
        before = factor if before is None else before * factor
    return stack(results, dim)


class _Running(Op, abstract=True):
    """The running maximum or minimum, and its last index so far."""

    __slots__ = ("dim",)
    dim: int
    kinds: ClassVar[str] = "if"
    outputs_named: ClassVar[tuple[str, ...]] = ("values", "indices")
    memory_order = "rows"
    samples = (sample((2, 4), dim=1), sample((4,), dim=0), sample((0, 3), dim=1))

    def found(self, xp: Any, x: Any, values: Any) -> Any:
        """Return the values with their last indices so far."""
        here = (x == values) | xp.isnan(x)
        shape = [-1 if i == self.dim else 1 for i in range(x.ndim)]
        positions = xp.where(here, xp.arange(x.shape[self.dim] if x.ndim else 1).reshape(shape if x.ndim else ()), 0)
        return values, (xp.accumulate("maximum", positions, self.dim) if x.ndim else positions)

    def grad_x(self, grad, indices):
        r"\bar y, \text{ added up where each extreme was seen}"
        return zeros_like(grad).scatter_add(self.dim, indices, grad)


class Cummax(_Running):
    """The running maximum, and its last index so far."""

    __slots__ = ()
    formula = r"y_i = \max_{j \le i} x_j"

    def forward(self, xp, x):
        return self.found(xp, x, xp.accumulate("maximum", x, self.dim) if x.ndim else xp.copy(x))


class Cummin(_Running):
    """The running minimum, and its last index so far."""

    __slots__ = ()
    formula = r"y_i = \min_{j \le i} x_j"

    def forward(self, xp, x):
        return self.found(xp, x, xp.accumulate("minimum", x, self.dim) if x.ndim else xp.copy(x))


class LogCumsumExp(Op):
    """The logarithm of the running sum of exponentials, computed without overflow."""

    __slots__ = ("dim",)
    dim: int
    memory_order = "rows"
    formula = r"y_i = \ln \sum_{j \le i} e^{x_j}"
    grad_name = "LogcumsumexpBackward0"
    kinds = "fc"
    samples = (sample((2, 4), dim=1), sample((4,), dim=0), sample((0, 3), dim=1))

    def forward(self, xp, x):
        if not x.ndim:
            return xp.copy(x)
        if x.dtype.kind == "c":
            if not x.size:
                return xp.copy(x)
            return _one_by_one(xp, x, self.dim)
        wide = x.astype("float32") if x.dtype.itemsize < 4 else x
        return xp.accumulate("logaddexp", wide, self.dim).astype(x.dtype, copy=False)

    def grad_x(self, grad, x, out):
        r"\sum_{j \ge i} \bar y_j \, e^{x_i - y_j}"
        if x.is_complex():
            if not (x._array.ndim and x._array.size):
                return grad
            return _from_behind(grad, out, self.dim) * conj((x - out).exp())
        nothing = out == -math.inf
        out = out.masked_fill(nothing, 0)
        found = _weighed(grad, x, out, nothing, self.dim)
        if not grad.requires_grad:
            return found
        # log is not differentiable at 0, but the sum is. So where a gradient is 0, its derivative is taken at 1.
        zero = (grad == 0) & ~nothing
        one = zero.to(grad.dtype)
        there = _weighed(one + grad.masked_fill(~zero, 0), x.detach(), out.detach(), nothing, self.dim)
        return found + (there - there.detach())

    def jvp(self, tangents, inputs, outputs):
        """The tangents are the same sums, from the front."""
        (tangent,), (x,), (out,) = tangents, inputs, outputs
        if tangent is None or x.is_complex():
            return None if tangent is None else Op.jvp(self, tangents, inputs, outputs)
        positive, negative = _logs(tangent, tangent <= 0) + x, _logs(-tangent, tangent >= 0) + x
        return (positive.logcumsumexp(self.dim) - out).exp() - (negative.logcumsumexp(self.dim) - out).exp()


def _one_by_one(xp: Any, x: Any, dim: int) -> Any:
    """Add complex numbers one by one; the angle of the logarithm may exceed a full turn."""
    out = xp.copy(x)
    rows = xp.moveaxis(out, dim, 0)
    for i in range(1, len(rows)):
        before, here = rows[i - 1], rows[i]
        larger = here.real > before.real
        high, low = xp.where(larger, here, before), xp.where(larger, before, here)
        nothing = xp.isneginf(high.real)
        rows[i] = xp.where(nothing, high, high + xp.log1p(xp.exp(low - xp.where(nothing, 0, high))))
    return out


def _from_behind(grad: Any, out: Any, dim: int) -> Any:
    """Return for each i the sum over j >= i of ``grad_j exp(out_i - out_j)``; no exponential is much above 1."""
    grads, logs = grad.unbind(dim), out.unbind(dim)
    sums = [grads[-1]]
    for i in reversed(range(len(grads) - 1)):
        sums.append(grads[i] + sums[-1] * conj((logs[i] - logs[i + 1]).exp()))
    return stack(sums[::-1], dim)


def _weighed(grad: Any, x: Any, out: Any, nothing: Any, dim: int) -> Any:
    """Compute the sums from logarithms, separately for positive and negative `grad`, so that nothing overflows."""
    positive = _log_sums(grad, (grad <= 0) | nothing, out, dim)
    negative = _log_sums(-grad, (grad >= 0) | nothing, out, dim)
    return (positive + x).exp() - (negative + x).exp()


def _log_sums(grad: Any, absent: Any, out: Any, dim: int) -> Any:
    """Return the logarithm of the sums from the end of ``grad / exp(out)``, without `absent` elements."""
    return logcumsumexp((_logs(grad, absent) - out).flip(dim), dim).flip(dim)


def _logs(x: Any, absent: Any) -> Any:
    """Return log `x`, a large negative number where `absent`: infinity would make the second derivative NaN."""
    never = -dtypes.finfo(x.dtype).max / 4
    return x.masked_fill(absent, 1).log().masked_fill(absent, never)


def running(xp: Any, function: Any, x: Any, dim: int) -> Any:
    """Return a running sum or product: integers in int64, half precision computed in float32."""
    if not x.ndim:
        return x.astype("int64") if x.dtype.kind in "biu" else xp.copy(x)
    if x.dtype.itemsize < 4 and is_float(x):
        return function(x, axis=dim, dtype="float32").astype(x.dtype)
    return function(x, axis=dim, dtype="int64" if x.dtype.kind in "biu" else None)


# Functions ------------------------------------------------------------------------------------------------------------


@accepts_out
def cumsum(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The running sum along `dim`.

    >>> import minigrad as mg
    >>> mg.cumsum(mg.tensor([1.0, 2.0, 3.0]), 0)
    tensor([1., 3., 6.])
    """
    return said(Cumsum(wrap_dim(dim, input._array.ndim))(cast_first(input, dtype)), dtype)


@accepts_out
def cumprod(input: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
    """The running product along `dim`."""
    return said(Cumprod(wrap_dim(dim, input._array.ndim))(cast_first(input, dtype)), dtype)


@accepts_out
def cummax(input: Tensor, dim: int) -> Any:
    """The running maximum along `dim`: (values, indices)."""
    check_has_order("cummax", input)
    return return_types.cummax(Cummax(wrap_dim(dim, input._array.ndim))(input))


@accepts_out
def cummin(input: Tensor, dim: int) -> Any:
    """The running minimum along `dim`: (values, indices)."""
    check_has_order("cummin", input)
    return return_types.cummin(Cummin(wrap_dim(dim, input._array.ndim))(input))


@accepts_out
def logcumsumexp(input: Tensor, dim: int) -> Tensor:
    """The logarithm of the running sum of exponentials along `dim`."""
    if not input.dtype.is_differentiable:
        input = input.to(dtypes.get_default_dtype())
    return LogCumsumExp(wrap_dim(dim, input._array.ndim))(input)


@accepts_out
def diff(input: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Tensor:
    """The differences of neighbouring elements along `dim`, `n` times."""
    n = one_int("n", n)
    if n < 0:
        raise ShapeError(f"order must be non-negative but got {n}")
    if n == 0:
        return input.clone()
    if not input._array.ndim:
        raise ShapeError("diff expects input to be at least one-dimensional")
    dim = wrap_dim(dim, input._array.ndim)
    for each in (prepend, append):
        if each is not None:
            _check_neighbour(input, each, dim)
    parts = [each for each in (prepend, input, append) if each is not None]
    x = cat(parts, dim) if len(parts) > 1 else input
    for _ in range(n):
        length = x.shape[dim]
        later, earlier = x.narrow(dim, min(1, length), max(length - 1, 0)), x.narrow(dim, 0, max(length - 1, 0))
        x = later.logical_xor(earlier) if x.dtype is dtypes.bool_ else later - earlier
    return x


def _check_neighbour(input: Any, other: Any, dim: int) -> None:
    """Raise unless `other` can be concatenated with `input` along `dim`."""
    if other._array.ndim != input._array.ndim:
        raise ShapeError("diff expects prepend or append to be the same dimension as input")
    for each, (size, given) in enumerate(zip(input._array.shape, other._array.shape, strict=True)):
        if each != dim and size != given:
            raise ShapeError(
                "diff expects the shape of tensor to prepend or append to match that of input except along the "
                f"differencing dimension; input.size({each}) = {size}, but got tensor.size({each}) = {given}"
            )


def _panels(y: Any, x: Any, dx: float, dim: int) -> Any:
    """Return the areas between neighbouring points."""
    length = y.shape[dim]
    pairs = y.narrow(dim, 0, max(length - 1, 0)) + y.narrow(dim, min(1, length), max(length - 1, 0))
    if x is None:
        return pairs * (dx / 2)
    steps = diff(x, dim=dim if x.ndim == y.ndim else -1)
    if x.ndim < y.ndim:
        steps = steps.reshape([-1 if i == dim % y.ndim else 1 for i in range(y.ndim)])
    return pairs * steps * 0.5


@in_float32
def trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The area under `y` along `dim` by the trapezoid rule, at the points `x` or at distance `dx`."""
    return _panels(y, x, dx, dim).sum(dim)


def cumulative_trapezoid(y: Tensor, x: Tensor | None = None, *, dx: float = 1, dim: int = -1) -> Tensor:
    """The running area under `y` along `dim` by the trapezoid rule."""
    return _panels(y, x, dx, dim).cumsum(dim)


trapz = trapezoid
METHODS = {
    "cumsum": cumsum, "cumprod": cumprod, "cummax": cummax, "cummin": cummin, "logcumsumexp": logcumsumexp,
    "diff": diff,
}  # fmt: skip


def _in_place(op: type[Op]) -> Any:
    def method(self: Tensor, dim: int, *, dtype: Any = None) -> Tensor:
        return inplace(op(wrap_dim(dim, self._array.ndim)), self)

    method.__name__ = op.__name__.lower() + "_"
    method.__doc__ = f"In place: {op.__doc__}"
    return method


INPLACE = {"cumsum_": _in_place(Cumsum), "cumprod_": _in_place(Cumprod)}

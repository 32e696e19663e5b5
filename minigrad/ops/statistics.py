"""Variances, norms and what else sums up a sample."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from .. import dtypes
from ..core.op import Op
from ..core.tensor import Tensor
from ..errors import DomainError, DtypeError
from .arguments import accepts_out, axes_of
from .complex import conj
from .dims import wrap_dim
from .families import sample
from .reduce import added, cast_first, chosen_axes, is_float, spread

__all__ = ["corrcoef", "cov", "dist", "logsumexp", "nanquantile", "norm", "quantile", "std", "std_mean", "var", "var_mean"]


class _Spread(Op, abstract=True):
    """How far the elements over `dim` lie from their mean."""

    __slots__ = ("dim", "correction", "keepdim")
    dim: Any
    correction: float
    keepdim: bool
    kinds: ClassVar[str] = "fc"
    samples = (
        sample((2, 3), dim=None, correction=1, keepdim=False), sample((2, 3), dim=(1,), correction=0, keepdim=True),
        sample((2, 3, 4), dim=(0, 2), correction=1, keepdim=False),
    )  # fmt: skip

    def moments(self, xp: Any, x: Any) -> tuple[Any, Any]:
        """Variance and mean, in the precision that half-precision numbers are added up in."""
        wide = x.astype("float32") if x.dtype.itemsize < 4 and is_float(x) else x
        count = wide.dtype.type(self.count(x.shape))
        mean = xp.asarray(xp.sum(wide, axis=self.dim, keepdims=True)) / count
        distance = wide - mean
        square = (distance * distance.conj()).real if x.dtype.kind == "c" else distance * distance
        left = square.dtype.type(max(self.count(x.shape) - self.correction, 0))
        return xp.asarray(xp.sum(square, axis=self.dim, keepdims=True)) / left, mean

    def count(self, shape: tuple[int, ...]) -> int:
        """How many elements each result is made of."""
        return math.prod(shape if self.dim is None else [shape[i] for i in self.dim])

    def shaped(self, value: Any, like: Any) -> Any:
        """A result with or without the dimensions that were reduced, in the type it should have."""
        value = value if self.keepdim else value.squeeze(tuple(range(value.ndim)) if self.dim is None else self.dim)
        kind = dtypes.of(like.dtype)
        return value.astype((kind if value.dtype.kind == "c" else dtypes.real_of(kind)).numpy, copy=False)

    def pull(self, grad: Any, x: Any) -> Any:
        """The gradient of the elements, for that of their variance."""
        grad = spread(grad, x.shape, self.dim, self.keepdim)
        left = self.count(x.shape) - self.correction
        centred = x - x.mean(self.dim, keepdim=True)
        return grad * centred * (2 / left if left > 0 else math.nan if left == 0 else math.inf)


class Var(_Spread):
    """The variance over `dim`."""

    __slots__ = ()
    formula = r"\frac{1}{n - c} \sum_i |x_i - \bar x|^2"

    def forward(self, xp, x):
        return self.shaped(self.moments(xp, x)[0], x)

    def grad_x(self, grad, x):
        r"\tfrac{2}{n - c}\, \bar y \odot (x - \bar x)"
        return self.pull(grad, x)


class Std(_Spread):
    """The standard deviation over `dim`; where it is 0 the gradient is 0."""

    __slots__ = ()
    formula = r"\sqrt{\frac{1}{n - c} \sum_i |x_i - \bar x|^2}"

    def forward(self, xp, x):
        return self.shaped(xp.sqrt(self.moments(xp, x)[0]), x)

    def grad_x(self, grad, x, out):
        r"\tfrac{1}{n - c}\, \bar y \odot (x - \bar x) \oslash y"
        return self.pull((grad / (out * 2)).masked_fill(out == 0, 0), x)


class VarMean(_Spread):
    """The variance and the mean over `dim`."""

    __slots__ = ()
    formula = r"(\operatorname{var} x, \bar x)"
    outputs_named: ClassVar[tuple[str, ...]] = ("var", "mean")

    def forward(self, xp, x):
        var, mean = self.moments(xp, x)
        return self.shaped(var, x), self.shaped(mean, x)

    def grad_x(self, grad, x, grad_mean):
        r"\tfrac{2}{n - c}\, \bar v \odot (x - \bar x) + \tfrac1n \bar m"
        return self.pull(grad, x) + spread(grad_mean / self.count(x.shape), x.shape, self.dim, self.keepdim)


class StdMean(_Spread):
    """The standard deviation and the mean over `dim`."""

    __slots__ = ()
    formula = r"(\sqrt{\operatorname{var} x}, \bar x)"
    outputs_named: ClassVar[tuple[str, ...]] = ("std", "mean")

    def forward(self, xp, x):
        var, mean = self.moments(xp, x)
        return self.shaped(xp.sqrt(var), x), self.shaped(mean, x)

    def grad_x(self, grad, x, std, grad_mean):
        r"\tfrac{1}{n - c}\, \bar s \odot (x - \bar x) \oslash s + \tfrac1n \bar m"
        pulled = self.pull((grad / (std * 2)).masked_fill(std == 0, 0), x)
        return pulled + spread(grad_mean / self.count(x.shape), x.shape, self.dim, self.keepdim)


class Logsumexp(Op):
    """The logarithm of the sum of exponentials over `dim`, computed without overflow."""

    __slots__ = ("dim", "keepdim")
    dim: Any
    keepdim: bool
    formula = r"\ln \sum_i e^{x_i}"
    samples = (sample((2, 3), dim=(1,), keepdim=False), sample((2, 3, 2), dim=(0, 2), keepdim=True))

    def forward(self, xp, x):
        if not x.size:
            return xp.log(xp.sum(x, axis=self.dim, keepdims=self.keepdim))
        wide = x.astype("float32") if x.dtype.itemsize < 4 else x
        top = xp.amax(wide, axis=self.dim, keepdims=True)
        top = xp.where(xp.isfinite(top), top, wide.dtype.type(0))
        total = xp.log(xp.sum(xp.exp(wide - top), axis=self.dim, keepdims=True)) + top
        return (total if self.keepdim else total.squeeze(self.dim)).astype(x.dtype, copy=False)

    def grad_x(self, grad, x, out):
        r"\bar y \odot e^{x - y}"
        out = spread(out, x.shape, self.dim, self.keepdim)
        return spread(grad, x.shape, self.dim, self.keepdim) * (x - out).exp()


class VectorNorm(Op):
    """The p-norm over `dim`. At 0 its gradient is 0."""

    __slots__ = ("p", "dim", "keepdim")
    p: float
    dim: Any
    keepdim: bool
    formula = r"\left( \sum_i |x_i|^p \right)^{1/p}"
    grad_name = "LinalgVectorNormBackward0"
    kinds: ClassVar[str] = "fc"
    samples = (
        sample((2, 3), p=2.0, dim=None, keepdim=False), sample((2, 3), p=1.0, dim=(1,), keepdim=True),
        sample((2, 3), p=3.0, dim=(0,), keepdim=False), sample((2, 3), p=math.inf, dim=(1,), keepdim=False),
        sample((2, 3), p=-math.inf, dim=None, keepdim=False), sample((2, 3), p=0.5, dim=None, keepdim=False),
        sample((2, 3), p=0.0, dim=(1,), keepdim=False), sample((2, 3), p=1.5, dim=(1,), keepdim=False),
    )  # fmt: skip

    def forward(self, xp, x):
        size = xp.abs(x)
        if size.dtype.itemsize < 4:
            size = size.astype("float32")
        found = xp.asarray(self.length(xp, size))
        return found.astype(dtypes.real_of(dtypes.of(x.dtype)).numpy, copy=False)

    def length(self, xp: Any, size: Any) -> Any:
        """The norm of numbers that are not negative."""
        axes = {"axis": self.dim, "keepdims": self.keepdim}
        if self.p == 2:
            return xp.sqrt(xp.sum(size * size, **axes))
        if self.p == 1:
            return xp.sum(size, **axes)
        if math.isinf(self.p):
            return xp.amax(size, **axes) if self.p > 0 else xp.amin(size, **axes)
        if self.p == 0:
            return xp.sum((size != 0).astype(size.dtype), **axes)
        return xp.power(xp.sum(xp.power(size, self.p), **axes), 1 / self.p)

    def grad_x(self, grad, x, out):
        r"\bar y \odot x \odot |x|^{p - 2} \oslash y^{p - 1}"
        p = self.p
        grad, out = [spread(each, x.shape, self.dim, self.keepdim) for each in (grad, out)]
        if p == 0:
            return None
        if p == 1:
            return grad * x.sgn()
        if p == 2:
            return grad * (x / out).masked_fill(out == 0, 0)
        if math.isinf(p):
            chosen = x.abs() == out
            return grad * x.sgn() * (chosen / chosen.sum(self.dim, keepdim=True))
        size = x.abs()
        powers = (size ** (p - 1)).masked_fill(size == 0, 0) if p < 2 else size ** (p - 1)
        return grad * x.sgn() * (powers / out ** (p - 1)).masked_fill(out == 0, 0)


# Functions ------------------------------------------------------------------------------------------------------------


def _arguments(name: str, input: Tensor, dim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any]:
    """`dim` and the correction, from either of PyTorch's two ways of saying them."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if isinstance(unbiased, bool):
        correction = int(unbiased)
    if not input.dtype.is_differentiable:
        raise DtypeError(f"{name} only support floating point and complex dtypes, this tensor is {input.dtype}")
    return chosen_axes(dim, input._array.ndim), 1 if correction is None else correction


@accepts_out
def var(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The variance over `dim`, divided by n - `correction` (1).

    >>> import minigrad as mg
    >>> mg.var(mg.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor(1.6667)
    """
    axes, correction = _arguments("var", input, dim, unbiased, correction)
    return Var(axes, correction, keepdim)(input)  # type: ignore[no-any-return]


@accepts_out
def std(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Tensor:
    """The standard deviation over `dim`, divided by n - `correction` (1) under the root."""
    axes, correction = _arguments("std", input, dim, unbiased, correction)
    return Std(axes, correction, keepdim)(input)  # type: ignore[no-any-return]


def var_mean(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """The variance and the mean over `dim`."""
    axes, correction = _arguments("var_mean", input, dim, unbiased, correction)
    return VarMean(axes, correction, keepdim)(input)


def std_mean(input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None) -> Any:
    """The standard deviation and the mean over `dim`."""
    axes, correction = _arguments("std_mean", input, dim, unbiased, correction)
    return StdMean(axes, correction, keepdim)(input)


@accepts_out
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over `dim`."""
    if not input.dtype.is_differentiable:
        input = input.to(dtypes.get_default_dtype())  # type: ignore[attr-defined]
    return Logsumexp(axes_of(dim, input._array.ndim), keepdim)(input)  # type: ignore[no-any-return]


@accepts_out
def norm(input: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    """The p-norm of all elements, or over `dim`; "fro" means 2.

    >>> import minigrad as mg
    >>> mg.norm(mg.tensor([3.0, 4.0]))
    tensor(5.)
    """
    input = cast_first(input, dtype)
    if not input.dtype.is_differentiable:
        raise DtypeError(f"norm(): expected a floating point or complex tensor as input. Got {input.dtype}")
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise DomainError(f"norm(): only the names 'fro' and 'nuc' stand for norms, got {p!r}")
    if p == "nuc":
        from . import linalg

        return linalg.matrix_norm(input, "nuc", (-2, -1) if dim is None else dim, keepdim)  # type: ignore[no-any-return]
    order = 2.0 if p in ("fro", None) else float(p)
    return VectorNorm(order, chosen_axes(dim, input._array.ndim), keepdim)(input)  # type: ignore[no-any-return]


def dist(input: Tensor, other: Tensor, p: float = 2) -> Tensor:
    """The p-norm of the difference of two tensors."""
    return norm(input - other, p)  # type: ignore[operator,no-any-return]


def quantile(input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """The element that a share `q` (0 to 1; several in a vector) of the others lie below; between two, a mixture.

    `interpolation` is "linear", "lower", "higher", "midpoint" or "nearest". Several `q` come out along a new first dimension.
    """
    return _quantile(input, q, dim, keepdim, interpolation, False)


def nanquantile(input: Any, q: Any, dim: int | None = None, keepdim: bool = False, *, interpolation: str = "linear") -> Tensor:
    """As `quantile`, of the elements that are not nan."""
    return _quantile(input, q, dim, keepdim, interpolation, True)


_BETWEEN: dict[str, Any] = {
    "linear": lambda rank: rank - rank.floor(),
    "lower": lambda rank: rank * 0,
    "higher": lambda rank: (rank - rank.floor() > 0).to(rank.dtype),
    "midpoint": lambda rank: (rank - rank.floor() > 0).to(rank.dtype) * 0.5,
    "nearest": lambda rank: (rank.round() - rank.floor()).abs(),
}


def _quantile(input: Any, q: Any, dim: int | None, keepdim: bool, interpolation: str, ignore_nan: bool) -> Any:
    from .create import as_tensor

    if interpolation not in _BETWEEN:
        raise DomainError(f"quantile() interpolation must be one of {', '.join(_BETWEEN)}, but got {interpolation}")
    q = as_tensor(q, dtype=input.dtype)
    if bool(((q < 0) | (q > 1)).any()):
        raise DomainError("quantile() q must be in the range [0, 1]")
    axis = 0 if dim is None else wrap_dim(dim, input.ndim)
    line = (input.reshape(-1) if dim is None else input.movedim(axis, -1)).sort(-1).values
    missing = line.isnan()
    count = missing.logical_not().sum(-1, keepdim=True) if ignore_nan else line.shape[-1]
    rank = ((q if q.ndim else q.reshape(1)) * (count - 1)).expand((*line.shape[:-1], max(q.numel(), 1)))
    low = rank.clamp(min=0).floor().long()
    high = (low + 1).clamp(max=line.shape[-1] - 1)
    result = line.gather(-1, low).lerp(line.gather(-1, high), _BETWEEN[interpolation](rank))
    if not ignore_nan:
        result = result.masked_fill(missing.any(-1, keepdim=True), math.nan)
    if keepdim:
        result = result.reshape((1,) * input.ndim + (-1,)) if dim is None else result.unsqueeze(axis)
    return result.movedim(-1, 0) if q.ndim else result.squeeze(-1)


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariances of the rows, each of which is a variable: (variables, observations) -> (variables, variables)."""
    x = input if input.ndim > 1 else input.reshape(1, -1)
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if weights is None:
        total, centred = x.shape[1], x - x.mean(1, keepdim=True)
        left, weighted = total - correction, centred
    else:
        total = weights.sum()
        centred = x - (x * weights).sum(1, keepdim=True) / total
        lost = correction if aweights is None else correction * (weights * aweights).sum() / total
        left, weighted = total - lost, centred * weights
    result = weighted @ conj(centred).t() / left
    return result if input.ndim > 1 else result.reshape(())  # type: ignore[no-any-return]


def corrcoef(input: Any) -> Tensor:
    """The correlations of the rows, each of which is a variable."""
    covariance = cov(input)
    if not covariance.ndim:
        return covariance / covariance  # type: ignore[operator,no-any-return]
    deviation = covariance.diagonal().sqrt()  # type: ignore[attr-defined]
    return covariance / deviation.unsqueeze(0) / deviation.unsqueeze(1)  # type: ignore[no-any-return]


METHODS = {
    "var": var, "std": std, "logsumexp": logsumexp, "norm": norm, "dist": dist, "quantile": quantile, "nanquantile": nanquantile,
    "cov": cov, "corrcoef": corrcoef,
}  # fmt: skip

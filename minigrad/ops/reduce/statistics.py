"""Variances, standard deviations, covariances and logsumexp."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import DomainError, DtypeError, ShapeError
from ..common.arguments import accepts_out, axes_of
from ..common.bases import sample
from ..elementwise.complex import conj
from .sums import chosen_axes, is_float, spread

__all__ = ["corrcoef", "cov", "logsumexp", "std", "std_mean", "var", "var_mean"]


class _Spread(Op, abstract=True):
    """The base of ops for the variance and standard deviation over `dim`."""

    __slots__ = ("dim", "correction", "keepdim")
    dim: Any
    correction: float
    keepdim: bool
    kinds: ClassVar[str] = "fc"
    memory_order = "rows"
    samples = (
        sample((2, 3), dim=None, correction=1, keepdim=False), sample((2, 3), dim=(1,), correction=0, keepdim=True),
        sample((2, 3, 4), dim=(0, 2), correction=1, keepdim=False),
    )  # fmt: skip

    def moments(self, xp: Any, x: Any) -> tuple[Any, Any]:
        """Return variance and mean; half precision is computed in float32."""
        wide = x.astype("float32") if x.dtype.itemsize < 4 and is_float(x) else x
        count = wide.dtype.type(self.count(x.shape))
        with xp.errstate(divide="ignore", invalid="ignore"):  # `_arguments` has warned of a division by zero
            mean = xp.asarray(xp.sum(wide, axis=self.dim, keepdims=True)) / count
            distance = wide - mean
            square = (distance * distance.conj()).real if x.dtype.kind == "c" else distance * distance
            left = square.dtype.type(max(self.count(x.shape) - self.correction, 0))
            return xp.asarray(xp.sum(square, axis=self.dim, keepdims=True)) / left, mean

    def count(self, shape: tuple[int, ...]) -> int:
        """Return the number of elements of each result."""
        return math.prod(shape if self.dim is None else [shape[i] for i in self.dim])

    def shaped(self, value: Any, like: Any) -> Any:
        """Return a result with the right dimensions and dtype."""
        value = value if self.keepdim else value.squeeze(tuple(range(value.ndim)) if self.dim is None else self.dim)
        kind = dtypes.of(like.dtype)
        return value.astype((kind if value.dtype.kind == "c" else dtypes.real_of(kind)).numpy, copy=False)

    def pull(self, grad: Any, x: Any) -> Any:
        """Return the gradient of the elements, given that of their variance."""
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
    kinds: ClassVar[str] = "fc"
    memory_order = "rows"
    formula = r"\ln \sum_i e^{x_i}"
    samples = (sample((2, 3), dim=(1,), keepdim=False), sample((2, 3, 2), dim=(0, 2), keepdim=True))

    def forward(self, xp, x):
        if not x.size:
            return xp.log(xp.sum(x, axis=self.dim, keepdims=self.keepdim))
        wide = x.astype("float32") if x.dtype.itemsize < 4 else x
        top = xp.amax(wide.real, axis=self.dim, keepdims=True)
        top = xp.where(xp.isfinite(top), top, wide.dtype.type(0))
        total = xp.log(xp.sum(xp.exp(wide - top), axis=self.dim, keepdims=True)) + top
        return (total if self.keepdim else total.squeeze(self.dim)).astype(x.dtype, copy=False)

    def grad_x(self, grad, x, out):
        r"\bar y \odot e^{x - y}"
        out = spread(out, x.shape, self.dim, self.keepdim)
        return spread(grad, x.shape, self.dim, self.keepdim) * conj((x - out).exp())


# Functions ------------------------------------------------------------------------------------------------------------


def _arguments(name: str, input: Tensor, dim: Any, unbiased: Any, correction: Any) -> tuple[Any, Any]:
    """Return `dim` and the correction, from either form of PyTorch's arguments."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if isinstance(unbiased, bool):
        correction = int(unbiased)
    if not input.dtype.is_differentiable:
        raise DtypeError(f"{name} only support floating point and complex dtypes, this tensor is {input.dtype}")
    axes, correction = chosen_axes(dim, input._array.ndim), 1 if correction is None else correction
    shape = input._array.shape
    if math.prod(shape if axes is None else [shape[i] for i in axes]) <= correction:
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor "
            "(input numel divided by output numel).",
            UserWarning,
            stacklevel=4,
        )
    return axes, correction


@accepts_out
def var(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The variance over `dim`: squared deviations, divided by n - `correction` (default 1).

    >>> import minigrad as mg
    >>> mg.var(mg.tensor([1.0, 2.0, 3.0, 4.0]))
    tensor(1.6667)
    """
    axes, correction = _arguments("var", input, dim, unbiased, correction)
    return Var(axes, correction, keepdim)(input)


@accepts_out
def std(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Tensor:
    """The standard deviation over `dim`, with divisor n - `correction` (default 1) under the root."""
    axes, correction = _arguments("std", input, dim, unbiased, correction)
    return Std(axes, correction, keepdim)(input)


def var_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Any:
    """The variance and the mean over `dim`."""
    axes, correction = _arguments("var_mean", input, dim, unbiased, correction)
    return VarMean(axes, correction, keepdim)(input)


def std_mean(
    input: Tensor, dim: Any = None, unbiased: Any = None, keepdim: bool = False, *, correction: Any = None
) -> Any:
    """The standard deviation and the mean over `dim`."""
    axes, correction = _arguments("std_mean", input, dim, unbiased, correction)
    return StdMean(axes, correction, keepdim)(input)


@accepts_out
def logsumexp(input: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    """The logarithm of the sum of exponentials over `dim`."""
    if not input.dtype.is_differentiable:
        input = input.to(dtypes.get_default_dtype())
    return Logsumexp(axes_of(dim, input._array.ndim), keepdim)(input)


def cov(input: Any, *, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Tensor:
    """The covariances of the rows, each of which is a variable: (variables, observations) -> (variables, variables).

    `fweights` lists how often each observation occurred, `aweights` the weight of each.
    """
    if input._array.ndim > 2:
        raise ShapeError(f"cov(): expected input to have two or fewer dimensions but got an input with {input.ndim}")
    x = input if input.dtype.is_differentiable else input.to(dtypes.get_default_dtype())
    x = x if x.ndim > 1 else x.reshape(1, -1)
    for name, each, kinds in (("fweights", fweights, "iu"), ("aweights", aweights, "f")):
        if each is not None:
            _check_weights(name, each, x.shape[1], kinds)
    weights = fweights if aweights is None else aweights if fweights is None else fweights * aweights
    if weights is None:
        total, centred = x.shape[1], x - x.mean(1, keepdim=True)
        left, weighted = total - correction, centred
    else:
        total = weights.sum()
        centred = x - (x * weights).sum(1, keepdim=True) / total
        lost = correction if aweights is None else correction * (weights * aweights).sum() / total
        left, weighted = total - lost, centred * weights
    left = left.clamp(min=0) if isinstance(left, Tensor) else max(left, 0)
    return (weighted @ conj(centred).t() / left).squeeze()


def _check_weights(name: str, weights: Any, count: int, kinds: str) -> None:
    """Raise DomainError unless these are `count` non-negative weights of the right dtype."""
    wanted = "integral" if kinds == "iu" else "floating point"
    if weights._array.dtype.kind not in kinds:
        raise DtypeError(f"cov(): expected {name} to have {wanted} dtype but got {name} with {weights.dtype} dtype")
    if weights._array.shape != (count,):
        raise ShapeError(
            f"cov(): expected {name} to have the same numel as there are observations in the input but got "
            f"{weights._array.size} != {count}"
        )
    if bool((weights._array < 0).any()):
        raise DomainError(f"cov(): {name} cannot be negative")


def corrcoef(input: Any) -> Tensor:
    """The correlations of the rows, each of which is a variable."""
    covariance = cov(input)
    if not covariance.ndim:
        return covariance / covariance
    deviation = covariance.diagonal().sqrt()
    return covariance / deviation.unsqueeze(0) / deviation.unsqueeze(1)


METHODS = {
    "var": var, "std": std, "logsumexp": logsumexp,
    "cov": cov, "corrcoef": corrcoef,
}  # fmt: skip

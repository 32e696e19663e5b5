"""Normalisation to mean 0 and variance 1, followed by a learnt scale and shift.

One op serves layer, batch, instance and group normalisation: they differ only in the dimensions that share a mean. Its
gradient is an op too, for speed; for second derivatives it has the same formula in ordinary tensor operations.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ...core.op import Op
from ...errors import DtypeError
from ..common.samples import sample
from ..common.second_derivatives import gradients_of
from ..reduce.row_kernels import column_totals, inner, plain_columns, plain_rows, total

LAYER: dict[str, Any] = {"dims": (1,), "eps": 1e-5, "kind": "LayerNorm"}
BATCH: dict[str, Any] = {"dims": (0, 2), "eps": 1e-5, "kind": "BatchNorm"}


class Normalise(Op):
    r"""Normalise to mean 0 and variance 1 over `dims`; then multiply by a weight and add a bias, which broadcast."""

    formula = r"\frac{x - \mu}{\sqrt{\sigma^2 + \varepsilon}} \odot w + b"
    samples = (
        sample((3, 4), (4,), (4,), **LAYER),
        sample((3, 4), None, None, **LAYER),
        sample((3, 2, 4), (2, 1), (2, 1), **BATCH),
        sample((2, 2, 3, 4), (2, 3, 1), (2, 3, 1), dims=(2, 3), eps=1e-5, kind="GroupNorm"),
    )
    dims: Any
    eps: float
    kind: str

    keeps = ("moments",)

    moments: ClassVar[Any] = None
    """The mean and the variance, unless a compiled routine computed them."""

    @property
    def memory_order(self):  # type: ignore[override]
        """A batch norm leaves channels last where they are."""
        return "channels" if 0 in self.dims else "rows"

    def forward(self, xp, x, weight, bias):
        if x.dtype.kind in "biu":
            raise DtypeError(
                f"{self.kind} is not implemented for {x.dtype}: give it a floating type, as with x.float()"
            )
        if weight is not None and bias is not None and rows_of(x, weight, self.dims):
            quick = xp.compiled("layer_norm", x, weight, bias)
            if quick is not None:
                return quick(x, weight, bias, self.eps)
        out, mean, variance = centred(xp, x, self.dims)
        self.moments = (mean, variance)  # type: ignore[misc] # the op's own
        scale = 1 / xp.sqrt(variance + out.dtype.type(self.eps))
        together = weight is None or even(weight, scale) or by_channel(weight, x.ndim, self.dims)
        out *= scale if weight is None or not together else scale * weight
        if not together:
            out *= weight
        if bias is not None:
            out += bias
        return out.astype(x.dtype, copy=False)

    def backward(self, grad, x, weight, bias):
        r"""\bar x = \tfrac1\sigma (g - \overline{g} - \hat x\, \overline{g \odot \hat x}),\; g = \bar y \odot w,\;
        \bar w = \textstyle\sum \bar y \odot \hat x,\; \bar b = \textstyle\sum \bar y"""
        op = NormaliseBackward(self.dims, self.eps, None if bias is None else bias._array.shape)
        op.moments = self.moments  # type: ignore[misc]
        found = iter(op(grad, x, weight))
        return [next(found), None if weight is None else next(found), None if bias is None else next(found)]

    def name(self):
        return f"Native{self.kind}Backward0"


class NormaliseBackward(Op):
    r"""The gradients of `Normalise` for input, weight and bias (of this shape, or None), given that of its output."""

    formula = (
        r"\tfrac1\sigma (w g - \overline{w g} - \hat x\, \overline{w g \odot \hat x}),\;"
        r" \textstyle\sum g \odot \hat x,\; \sum g"
    )
    samples = (
        sample((3, 4), (3, 4), (4,), dims=(1,), eps=1e-5, bias=(4,)),
        sample((2, 2, 3, 4), (2, 2, 3, 4), (2, 3, 1), dims=(2, 3), eps=1e-5, bias=(2, 3, 1)),
    )
    dims: Any
    eps: float
    bias: Any

    moments: ClassVar[Any] = None
    """Those of the forward pass if they are known."""

    def forward(self, xp, g, x, weight):
        if weight is not None and self.bias is not None and rows_of(x, weight, self.dims):
            g = xp.row_major(g)
            quick = xp.compiled("layer_norm_backward", x, g, weight)
            if quick is not None:
                return quick(g, x, weight, self.eps)
        hat, _, variance = centred(xp, x, self.dims, self.moments)
        scale = 1 / xp.sqrt(variance + hat.dtype.type(self.eps))
        g = g.astype(hat.dtype, copy=False)
        if weight is None or even(weight, scale):
            found = self.by_group
        else:
            found = self.by_channel if by_channel(weight, x.ndim, self.dims) else self.by_element
        slope, of_weight, of_bias = found(xp, g, hat, scale, weight)
        made = [] if weight is None else [of_weight.astype(weight.dtype, copy=False)]
        if self.bias is not None:
            made.append(of_bias.astype(x.dtype, copy=False))
        return (slope.astype(x.dtype, copy=False), *made)

    def by_group(self, xp, g, hat, scale, weight):
        """The gradients if each group has one weight: all need the same sums."""
        share = g.dtype.type(scale.size / max(1, g.size))
        total, product = sum_over(xp, g, self.dims), sum_of_product(xp, g, hat, self.dims)
        hat *= product * (scale * scale * -share)
        hat += g
        hat -= total * share
        hat *= scale if weight is None else scale * weight
        of_weight = None if weight is None else summed(xp, product * scale, weight.shape)
        return hat, of_weight, None if self.bias is None else summed(xp, total, self.bias)

    def by_channel(self, xp, g, hat, scale, weight):
        """The gradients if each channel has one weight, and a group several channels: sums per image suffice."""
        picture = self.dims[len(self.dims) - channels_end(weight, g.ndim, self.dims) :]
        total, product = sum_over(xp, g, picture), sum_of_product(xp, g, hat, picture)
        share = g.dtype.type(scale.size / max(1, g.size))
        of_weight = summed(xp, product * scale, weight.shape)
        of_bias = None if self.bias is None else summed(xp, total, self.bias)
        hat *= (product * weight).sum(tuple(self.dims), keepdims=True) * (scale * scale * scale * -share)
        hat += g * (scale * weight)
        hat -= (total * weight).sum(tuple(self.dims), keepdims=True) * (scale * share)
        return hat, of_weight, of_bias

    def by_element(self, xp, g, hat, scale, weight):
        """The gradients if each element of a group has its own weight."""
        hat *= scale
        of_weight = summed(xp, g * hat, weight.shape)
        of_bias = None if self.bias is None else summed(xp, g, self.bias)
        slope = g * weight
        hat *= mean_of_product(xp, slope, hat, self.dims)
        slope -= mean_over(xp, slope, self.dims)
        slope -= hat
        slope *= scale
        return slope, of_weight, of_bias

    def backward(self, grads, g, x, weight):
        r"""\text{by differentiating the formula}"""
        return gradients_of(self.plain, (g, x, weight), grads)

    def plain(self, g, x, weight):
        """The same gradients in ordinary tensor operations."""
        centred = x - x.mean(self.dims, keepdim=True)
        scale = ((centred * centred).mean(self.dims, keepdim=True) + self.eps).rsqrt()
        hat = centred * scale
        slope = g if weight is None else g * weight
        inner = (slope * hat).mean(self.dims, keepdim=True)
        made = [(slope - slope.mean(self.dims, keepdim=True) - hat * inner) * scale]
        if weight is not None:
            made.append(sum_to(g * hat, weight._array.shape))
        if self.bias is not None:
            made.append(sum_to(g, self.bias))
        return tuple(made) if len(made) > 1 else made[0]


def rows_of(x: Any, weight: Any, dims: Any) -> bool:
    """Return whether rows are normalised, and each element of a row has its own weight."""
    return len(dims) == 1 and plain_rows(x, dims[0]) and weight.shape == x.shape[-1:]


def centred(xp: Any, x: Any, dims: Any, moments: Any = None) -> tuple[Any, Any, Any]:
    """Return the input minus its mean, the mean, and the variance. Half precision becomes float32.

    `moments` are the mean and the variance if they are known.
    """
    if x.dtype.itemsize < 4:
        x = x.astype("float32")
    if moments is not None:
        return x - moments[0], *moments
    mean = mean_over(xp, x, dims)
    out = x - mean
    return out, mean, mean_of_product(xp, out, out, dims)


def even(weight: Any, scale: Any) -> bool:
    """Return whether each group has a single weight, which broadcasts over `scale`."""
    lead = scale.ndim - weight.ndim
    return lead >= 0 and all(n in (1, m) for n, m in zip(weight.shape, scale.shape[lead:], strict=True))


def channels_end(weight: Any, rank: int, dims: Any) -> int:
    """Return the number of last dimensions that are normalised over and share a weight: those of an image."""
    many = 0
    while (
        many < min(len(dims), weight.ndim)
        and weight.shape[-1 - many] == 1
        and dims[-1 - many] % rank == rank - 1 - many
    ):
        many += 1
    return many


def by_channel(weight: Any, rank: int, dims: Any) -> bool:
    """Return whether the elements of an image share a weight, and several images share a mean."""
    return weight.ndim > 1 and 0 < channels_end(weight, rank, dims) < len(dims)


def mean_over(xp: Any, x: Any, dims: Any) -> Any:
    """Return the mean over `dims`, with keepdim."""
    found = sum_over(xp, x, dims)
    return found * x.dtype.type(found.size / max(1, x.size))


def mean_of_product(xp: Any, a: Any, b: Any, dims: Any) -> Any:
    """Return the mean of ``a * b`` over `dims`, with keepdim."""
    found = sum_of_product(xp, a, b, dims)
    return found * a.dtype.type(found.size / max(1, a.size))


def sum_over(xp: Any, x: Any, dims: Any) -> Any:
    """Return the sum over `dims`, with keepdim; rows and columns are summed by a matrix product."""
    if plain_columns(x, dims):
        return column_totals(xp, x, len(dims)).reshape((*(1,) * len(dims), *x.shape[len(dims) :]))
    last = trailing(x, dims)
    if last and plain_rows(rows := joined(x, last), -1):
        x, dims = total(xp, rows, -1).reshape(kept_shape(x, last)), dims[: len(dims) - len(last)]
    return x.sum(tuple(dims), keepdims=True) if dims else x


def sum_of_product(xp: Any, a: Any, b: Any, dims: Any) -> Any:
    """Return the sum of ``a * b`` over `dims`, with keepdim; along rows without computing the product array."""
    last = trailing(a, dims)
    if last and b.flags.c_contiguous and plain_rows(rows := joined(a, last), -1):
        products = inner(xp, rows, b.reshape(rows.shape), -1).reshape(kept_shape(a, last))
        first = dims[: len(dims) - len(last)]
        return products.sum(tuple(first), keepdims=True) if first else products
    return sum_over(xp, a * b, dims)


def trailing(x: Any, dims: Any) -> Any:
    """Return those of `dims` that are the last dimensions of `x`, next to each other."""
    many = len(dims)
    while many and [dim % x.ndim for dim in dims[-many:]] != list(range(x.ndim - many, x.ndim)):
        many -= 1
    return dims[len(dims) - many :]


def joined(x: Any, dims: Any) -> Any:
    """Return `x` with `dims` joined into one if they are the last ones in memory; else an array without rows."""
    first = x.ndim - len(dims)
    together = x.flags.c_contiguous and x.size and [dim % x.ndim for dim in dims] == list(range(first, x.ndim))
    return x.reshape(*x.shape[:first], -1) if together else x[:0]


def kept_shape(x: Any, dims: Any) -> tuple[int, ...]:
    """Return the shape of `x` with 1 in place of its last dimensions, `dims`."""
    return (*x.shape[: x.ndim - len(dims)], *(1,) * len(dims))


def summed(xp: Any, array: Any, shape: tuple[int, ...]) -> Any:
    """Sum an array to a `shape` that had been broadcast to its own."""
    if array.size == math.prod(shape):
        return array.reshape(shape)
    extra = array.ndim - len(shape)
    stretched = tuple(i + extra for i, n in enumerate(shape) if n == 1 and array.shape[i + extra] != 1)
    if not stretched and plain_columns(array, range(extra)):
        return column_totals(xp, array, extra)
    return array.sum((*range(extra), *stretched), keepdims=True).reshape(shape)


def sum_to(tensor: Any, shape: tuple[int, ...]) -> Any:
    """Do what `summed` does for a tensor."""
    extra = tensor._array.ndim - len(shape)
    stretched = tuple(i + extra for i, n in enumerate(shape) if n == 1 and tensor._array.shape[i + extra] != 1)
    axes = (*range(extra), *stretched)
    return tensor.sum(axes, keepdim=True).reshape(tuple(shape)) if axes else tensor  # else sum would use all dimensions

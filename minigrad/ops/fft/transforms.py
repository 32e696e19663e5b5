"""Fourier transforms. Each is linear; its gradient is its adjoint, the transform in the other direction, unscaled.

There are three ops: complex to complex over any dimensions, real to (half of the) complex spectrum, and back. The
functions of `mg.fft` are these three, with sizes, dimensions and scales as in NumPy and PyTorch.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import dtypes
from ...backend.layout import arranged
from ...core.tensor import Tensor, wrap
from ...errors import DimensionError, DtypeError, ShapeError
from ..common.arguments import accepts_out, into
from ..common.bases import Linear
from ..common.dims import wrap_dim, wrap_dims
from ..common.samples import sample
from ..create.factories import tensor
from ..shape.padding import constant_pad_nd
from ..shape.rearrange import roll


class FftC2C(Linear):
    r"""The spectrum over `dims`, times `scale`; with `inverse`, the inverse transform."""

    formula = r"y_k = s \textstyle\sum_t x_t\, e^{-2 \pi i k t / n}"
    kinds: ClassVar[str] = "c"
    samples = (
        sample((4,), dims=(0,), inverse=False, scale=1.0, halved=()),
        sample((3, 4), dims=(0, 1), inverse=True, scale=0.5, halved=()),
    )
    dims: Any
    inverse: bool
    scale: float
    halved: tuple[int, ...]
    """The dimension of an earlier real transform, of which half is stored: it stays the innermost in memory."""

    def forward(self, xp, x):
        way = xp.fft.ifftn(x, axes=self.dims, norm="forward") if self.inverse else xp.fft.fftn(x, axes=self.dims)
        way *= self.scale
        return transformed_last(way.astype(x.dtype, copy=False), x, [*outermost_first(x, self.dims), *self.halved])

    def grad_x(self, grad):
        r"""\bar x_t = s \textstyle\sum_k \bar y_k\, e^{2 \pi i k t / n}"""
        return FftC2C(self.dims, not self.inverse, self.scale, self.halved)(grad)


class FftR2C(Linear):
    r"""The spectrum of real numbers over one dimension, without the redundant half."""

    formula = r"y_k = s \textstyle\sum_t x_t\, e^{-2 \pi i k t / n},\; k \le n / 2"
    kinds: ClassVar[str] = "f"
    lacks = (dtypes.float16, dtypes.bfloat16)
    broadcasts = True
    samples = (sample((4,), dim=0, scale=1.0), sample((5, 2), dim=0, scale=0.5))
    dim: int
    scale: float

    remembers = ("size",)

    def forward(self, xp, x):
        self.size = x.shape[self.dim]
        out = xp.fft.rfft(x, axis=self.dim)
        out *= self.scale
        made = out.astype(dtypes.complex_of(dtypes.of(x.dtype)).numpy, copy=False)
        return transformed_last(made, x, (self.dim,))

    def grad_x(self, grad):
        r"""\bar x_t = \operatorname{Re} s \textstyle\sum_{k \le n/2} \bar y_k\, e^{2 \pi i k t / n}"""
        return FftC2C((self.dim,), True, self.scale, ())(resized(grad, (self.size,), (self.dim,))).real


class FftC2R(Linear):
    r"""The `size` real numbers whose spectrum over one dimension has this half."""

    formula = r"y_t = s \textstyle\sum_k x_k\, e^{2 \pi i k t / n}"
    kinds: ClassVar[str] = "c"
    broadcasts = True
    samples = (sample((3,), dim=0, size=4, scale=1.0), sample((3, 2), dim=0, size=5, scale=0.5))
    dim: int
    size: int
    scale: float

    def forward(self, xp, x):
        out = xp.fft.irfft(x, self.size, axis=self.dim, norm="forward")
        out *= self.scale
        return transformed_last(out.astype(dtypes.real_of(dtypes.of(x.dtype)).numpy, copy=False), x, (self.dim,))

    def grad_x(self, grad):
        r"""\bar x_k = 2 s \textstyle\sum_t \bar y_t\, e^{-2 \pi i k t / n} \text{, half if unmirrored}"""
        spectrum = FftR2C(self.dim, self.scale)(grad)
        xp = spectrum._backend
        positions = xp.arange(self.size // 2 + 1)
        twice = xp.where((positions == 0) | (positions * 2 == self.size), 1, 2).astype(grad._array.dtype)
        return spectrum * wrap(twice.reshape(-1, *(1,) * (grad._array.ndim - 1 - self.dim)), xp)


def transformed_last(result: Any, x: Any, dims: Any) -> Any:
    """Return `result` with the transformed `dims` innermost in memory; the others keep their order from `x`."""
    if result.ndim < 2 or not hasattr(x, "strides"):
        return result
    others = outermost_first(x, [dim for dim in range(x.ndim) if dim not in dims])
    return arranged(result, (*others, *dims))


def outermost_first(x: Any, dims: Any) -> list[int]:
    return sorted(dims, key=lambda dim: -x.strides[dim])


def resized(x: Any, sizes: Any, dims: Any) -> Any:
    """Return `x` cut, or padded with zeros, to `sizes` along `dims`."""
    amounts = [0] * (2 * x._array.ndim)
    for size, dim in zip(sizes, dims, strict=True):
        amounts[2 * (x._array.ndim - 1 - dim) + 1] = size - x._array.shape[dim]
    return constant_pad_nd(x, amounts) if any(amounts) else x


def _scale(norm: str | None, sizes: Any, inverse: bool) -> float:
    count = math.prod(sizes)
    if norm == "ortho":
        return 1 / math.sqrt(count)
    if norm not in (None, "backward", "forward"):
        raise ShapeError(f"Invalid normalization mode: {norm!r}; there are 'backward', 'ortho' and 'forward'")
    return 1 / count if inverse == (norm != "forward") else 1.0


def _sizes(input: Any, s: Any, dim: Any, last: int | None = None) -> tuple[list[int], tuple[int, ...]]:
    """Return sizes and dimensions of a transform; `last` is the last size if the input does not determine it."""
    ndim = input._array.ndim
    s = (s,) if isinstance(s, int) else s
    if s is not None and len(s) > ndim:
        raise ShapeError(f"Got shape with {len(s)} values but input tensor only has {ndim} dimensions.")
    if dim is None:
        dims = tuple(range(ndim) if s is None else range(ndim - len(s), ndim))
    else:
        dims = wrap_dims(dim, ndim)
    if s is not None and len(s) != len(dims):
        raise ShapeError(f"When given, dim and shape arguments must have the same length, but they are {dim} and {s}.")
    if not ndim:
        raise DimensionError("fft: a tensor without dimensions has no spectrum")
    sizes = [input._array.shape[d] for d in dims]
    if last is not None and sizes:
        sizes[-1] = last
    if s is not None:
        sizes = [n if w in (None, -1) else int(w) for w, n in zip(s, sizes, strict=True)]
    if any(n < 1 for n in sizes):
        raise ShapeError(f"Invalid number of data points ({min(sizes)}) specified")
    return sizes, dims


def _precise(input: Any) -> Any:
    """Return `input` in a dtype that has Fourier transforms: floats or complex numbers."""
    if input.dtype in (dtypes.float16, dtypes.bfloat16):
        raise DtypeError(f"fft: Unsupported dtype {input.dtype}; convert with .float()")
    known = input.dtype.is_complex or input.dtype.is_floating_point
    return input if known else input.to(dtypes.get_default_dtype())


def _complex(input: Any) -> Any:
    x = _precise(input)
    return x if x.dtype.is_complex else x.to(dtypes.complex_of(x.dtype))


def _full(input: Any, s: Any, dim: Any, norm: str | None, inverse: bool) -> Any:
    x = _complex(input)
    sizes, dims = _sizes(x, s, dim)
    return FftC2C(dims, inverse, _scale(norm, sizes, inverse), ())(resized(x, sizes, dims))


@accepts_out
def fftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The spectrum over `dim` (default: all dimensions), of `s` points each."""
    return _full(input, s, dim, norm, False)


@accepts_out
def ifftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The inverse of `fftn`: the tensor with this spectrum over `dim` (default: all dimensions)."""
    return _full(input, s, dim, norm, True)


@accepts_out
def fft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The spectrum over one dimension, of `n` points.

    >>> import minigrad as mg
    >>> mg.fft.fft(mg.tensor([1.0, 0.0])).tolist()
    [(1+0j), (1+0j)]
    """
    return fftn(input, None if n is None else (n,), (dim,), norm)


@accepts_out
def ifft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The inverse of `fft`: the tensor with this spectrum over one dimension."""
    return ifftn(input, None if n is None else (n,), (dim,), norm)


@accepts_out
def fft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """The spectrum over two dimensions."""
    return fftn(input, s, dim, norm)


@accepts_out
def ifft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """The inverse of `fft2`: the tensor with this spectrum over two dimensions."""
    return ifftn(input, s, dim, norm)


@accepts_out
def rfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The spectrum of real numbers, without the redundant half of the last dimension."""
    if input.dtype.is_complex:
        raise DtypeError(f"rfft expects a real input tensor, but got {input.dtype}")
    x = _precise(input)
    sizes, dims = _sizes(x, s, dim)
    half = FftR2C(dims[-1], _scale(norm, sizes, False))(resized(x, sizes, dims))
    return FftC2C(dims[:-1], False, 1.0, dims[-1:])(half) if len(dims) > 1 else half


@accepts_out
def irfftn(input: Any, s: Any = None, dim: Any = None, norm: str | None = None) -> Tensor:
    """The real numbers with this spectrum, of which half is given along the last dimension."""
    x = _complex(input)
    _, dims = _sizes(x, s, dim)
    sizes, dims = _sizes(x, s, dim, last=2 * (x._array.shape[dims[-1]] - 1))
    halves = [*sizes[:-1], sizes[-1] // 2 + 1]
    x = resized(x, halves, dims)
    if len(dims) > 1:
        x = FftC2C(dims[:-1], True, 1.0, ())(x)
    return FftC2R(dims[-1], sizes[-1], _scale(norm, sizes, True))(x)


@accepts_out
def rfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The spectrum of real numbers over one dimension, without the redundant half: n // 2 + 1 points."""
    return rfftn(input, None if n is None else (n,), (dim,), norm)


@accepts_out
def irfft(input: Any, n: int | None = None, dim: int = -1, norm: str | None = None) -> Tensor:
    """The `n` real numbers whose spectrum over one dimension has this half."""
    return irfftn(input, None if n is None else (n,), (dim,), norm)


@accepts_out
def rfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """`rfftn` over two dimensions."""
    return rfftn(input, s, dim, norm)


@accepts_out
def irfft2(input: Any, s: Any = None, dim: Any = (-2, -1), norm: str | None = None) -> Tensor:
    """`irfftn` over two dimensions."""
    return irfftn(input, s, dim, norm)


def _shifted(input: Any, dim: Any, sign: int) -> Tensor:
    ndim = input._array.ndim
    dims = (
        tuple(range(ndim))
        if dim is None
        else tuple(wrap_dim(d, ndim) for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))
    )
    sizes = [input._array.shape[d] for d in dims]
    return roll(input, tuple(n // 2 if sign > 0 else (n + 1) // 2 for n in sizes), dims)


def fftshift(input: Any, dim: Any = None) -> Tensor:
    """Move frequency 0 to the middle of the spectrum."""
    return _shifted(input, dim, 1)


def ifftshift(input: Any, dim: Any = None) -> Tensor:
    """The inverse of `fftshift`."""
    return _shifted(input, dim, -1)


def fftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, **options: Any) -> Tensor:
    """The frequencies of a spectrum of `n` points, for samples at distance `d`."""
    return into(out, tensor([(k if k < (n + 1) // 2 else k - n) / (n * d) for k in range(n)], **options))


def rfftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, **options: Any) -> Tensor:
    """The frequencies of the points of half a spectrum, as from `rfft`."""
    return into(out, tensor([k / (n * d) for k in range(n // 2 + 1)], **options))

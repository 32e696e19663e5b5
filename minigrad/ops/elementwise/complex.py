"""Complex numbers: their parts, their conjugate, and real tensors viewed as complex ones.

A gradient here is PyTorch's: for a real loss L and z = a + ib it is dL/da + i dL/db, the direction of steepest ascent.
So the gradient of the real or imaginary part is placed in that part.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ... import dtypes
from ...core.further import zeros_like
from ...core.op import Op
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Elementwise, Linear, in_place, sample

__all__ = [
    "angle", "complex", "conj", "conj_physical", "imag", "is_conj", "is_neg", "polar", "real", "resolve_conj",
    "resolve_neg", "sgn", "view_as_complex", "view_as_real",
]  # fmt: skip


class Conj(Linear):
    """The complex conjugate."""

    __slots__ = ()
    formula = r"\bar x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.conjugate(x) if x.dtype.kind == "c" else xp.copy(x)

    def grad_x(self, grad):
        r"\overline{\bar y}"
        return conj(grad)


class Real(Linear):
    """The real part, as a view."""

    __slots__ = ()
    formula = r"\operatorname{Re} x"
    grad_name = "SelectBackward0"
    kinds = "c"
    is_view = "view"
    broadcasts: ClassVar[bool] = True  # the engine makes the gradient complex
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return x.real

    def grad_x(self, grad):
        r"\bar y"
        return grad


class Imag(Linear):
    """The imaginary part, as a view."""

    __slots__ = ()
    formula = r"\operatorname{Im} x"
    grad_name = "SelectBackward0"
    kinds = "c"
    is_view = "view"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return x.imag

    def grad_x(self, grad):
        r"i\, \bar y"
        return grad * 1j


class Complex(Elementwise):
    """A complex tensor of two real ones."""

    __slots__ = ()
    formula = r"a + i b"
    samples = (sample((2, 3), (2, 3)), sample((2, 1), (3,)))

    remembers = ("imag", "real")

    def forward(self, xp, a, b):
        out = xp.empty(xp.broadcast_shapes(a.shape, b.shape), dtypes.complex_of(dtypes.of(a.dtype)).numpy)
        out.real, out.imag = a, b
        return out

    def grad_a(self, grad):
        r"\operatorname{Re} \bar y"
        return real(grad)

    def grad_b(self, grad):
        r"\operatorname{Im} \bar y"
        return imag(grad)

    jvp = Linear.jvp


class Angle(Elementwise):
    """The angle of each complex number, from -π to π; 0 or π for real numbers."""

    __slots__ = ()
    formula = r"\arg x"
    kinds = "fc"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        if x.dtype.kind == "f":  # NumPy returns π for -0, too
            return xp.where(x < 0, x.dtype.type(math.pi), xp.where(xp.isnan(x), x, x.dtype.type(0)))
        return xp.angle(x).astype(dtypes.real_of(dtypes.of(x.dtype)).numpy, copy=False)

    def grad_x(self, grad, x):
        r"i\, \bar y \odot x \oslash |x|^2"
        if not x.is_complex():
            return zeros_like(grad)
        size = real(x * conj(x))
        return (grad * x * 1j / size).masked_fill(size.eq(0), 0)

    jvp = Op.jvp  # arg z is not holomorphic


class Sgn(Elementwise):
    """Each number divided by its absolute value: the direction of a complex number, the sign of a real one; 0 for 0."""

    __slots__ = ()
    formula = r"x / |x|"
    kinds = "ifc"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        if x.dtype.kind == "b":
            return xp.copy(x)
        if x.dtype.kind != "c":
            return xp.where(x != x, x.dtype.type(0), xp.sign(x)) if x.dtype.kind in "fV" else xp.sign(x)
        size = xp.abs(x)
        return x / xp.where(size == 0, size.dtype.type(1), size)

    def grad_x(self, grad, x):
        r"(\bar y - \operatorname{Re}(\bar y \odot \overline{s}) \odot s) \oslash |x|,\ s = \operatorname{sgn} x"
        if not x.is_complex():
            return zeros_like(grad)
        size, direction = x.abs(), sgn(x)
        along = real(grad * conj(direction))
        return ((grad - along * direction) / size).masked_fill(size == 0, 0)

    jvp = Op.jvp  # z / |z| is not holomorphic


class ViewAsReal(Linear):
    """A complex tensor viewed as a real one with a last dimension of 2: real and imaginary parts."""

    __slots__ = ()
    formula = r"(\operatorname{Re} x, \operatorname{Im} x)"
    kinds = "c"
    is_view = "view"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        part = dtypes.real_of(dtypes.of(x.dtype)).numpy
        return x[..., None].view(part)

    def grad_x(self, grad):
        r"\bar y_0 + i\, \bar y_1"
        return view_as_complex(grad.contiguous())


class ViewAsComplex(Linear):
    """A real tensor with a last dimension of 2 viewed as a complex one."""

    __slots__ = ()
    formula = r"x_0 + i\, x_1"
    kinds = "f"
    lacks = (dtypes.float16, dtypes.bfloat16)
    contiguous_only = True
    is_view = "view"
    samples = (sample((2, 3, 2)),)

    def forward(self, xp, x):
        whole = dtypes.complex_of(dtypes.of(x.dtype)).numpy
        return x.view(whole).squeeze(-1)

    def grad_x(self, grad):
        r"(\operatorname{Re} \bar y, \operatorname{Im} \bar y)"
        return view_as_real(grad)


class Reinterpret(Op):
    """The same bytes, read as another dtype. It has no gradient."""

    dtype: Any
    formula = r"x"
    kinds = "bifc"
    contiguous_only = True
    is_view = "view"
    samples = (sample((2, 4), dtype=dtypes.int32),)

    def forward(self, xp, x):
        return x.view(self.dtype.numpy)


# Functions ------------------------------------------------------------------------------------------------------------


def conj(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
    return Conj()(input) if input.is_complex() else input


@accepts_out
def conj_physical(input: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is returned as it is."""
    return conj(input)


def resolve_conj(input: Tensor) -> Tensor:
    """Return the tensor itself: minigrad computes conjugates immediately."""
    return input


def is_conj(input: Tensor) -> bool:
    """Whether a conjugation is pending: never in minigrad."""
    return False


def resolve_neg(input: Tensor) -> Tensor:
    """Return the tensor itself: minigrad computes negatives immediately."""
    return input


def is_neg(input: Tensor) -> bool:
    """Whether a negation is pending: never in minigrad."""
    return False


def real(input: Tensor) -> Tensor:
    """The real part, as a view; a real tensor is returned as it is."""
    return Real()(input) if input.is_complex() else input


def imag(input: Tensor) -> Tensor:
    """The imaginary part, as a view. DtypeError for a real tensor."""
    if not input.is_complex():
        raise DtypeError("imag is not implemented for tensors with non-complex dtypes.")
    return Imag()(input)


@accepts_out
def complex(real: Tensor, imag: Tensor) -> Tensor:
    """``real + 1j * imag``, of two real tensors of one dtype.

    >>> import minigrad as mg
    >>> mg.complex(mg.tensor([1.0]), mg.tensor([2.0]))
    tensor([1.+2.j])
    """
    for place, name, each in ((1, "real", real), (2, "imag", imag)):
        if not isinstance(each, Tensor):
            raise ArgumentTypeError(
                f"complex(): argument '{name}' (position {place}) must be Tensor, not {type(each).__name__}"
            )
    _check_real_pair(real, imag)
    return Complex()(real, imag)


def _check_real_pair(a: Tensor, b: Tensor) -> None:
    if not (a.dtype.is_floating_point and b.dtype.is_floating_point):
        raise DtypeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{a.dtype.type_name} and {b.dtype.type_name}"
        )
    if a.dtype is not b.dtype:
        raise DtypeError(
            f"Expected object of scalar type {a.dtype.type_name} but got scalar type {b.dtype.type_name} for second "
            "argument"
        )


@accepts_out
def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """The complex tensor with these absolute values and angles."""
    for place, name, each in ((1, "abs", abs), (2, "angle", angle)):
        if not isinstance(each, Tensor):
            raise ArgumentTypeError(
                f"polar(): argument '{name}' (position {place}) must be Tensor, not {type(each).__name__}"
            )
    _check_real_pair(abs, angle)
    return complex(abs * angle.cos(), abs * angle.sin())


@accepts_out
def angle(input: Tensor) -> Tensor:
    """The angle of each complex number, in radians."""
    if not input.dtype.is_differentiable:
        input = input.to(dtypes.get_default_dtype())
    return Angle()(input)


@accepts_out
def sgn(input: Tensor) -> Tensor:
    """The direction of each complex number, the sign of each real one."""
    return Sgn()(input)


def view_as_real(input: Tensor) -> Tensor:
    """A complex tensor (*) as a view of its parts (*, 2)."""
    if not input.is_complex():
        raise DtypeError("view_as_real is only supported for complex tensors")
    return ViewAsReal()(input)


def view_as_complex(input: Tensor) -> Tensor:
    """A real tensor of pairs (*, 2) as a view of complex numbers (*); float32 or float64."""
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise DtypeError(
            f"view_as_complex is only supported for float and double tensors, but got {input.dtype};"
            " convert with .float()"
        )
    if not input._array.ndim:
        raise ShapeError("Input tensor must have one or more dimensions")
    if input._array.shape[-1] != 2:
        raise ShapeError(f"Tensor must have a last dimension of size 2, this one has shape {list(input._array.shape)}")
    *outer, step = input.stride()
    if step != 1:
        raise ShapeError(f"Tensor must have a last dimension with stride 1, this one has stride {step}")
    if any(each % 2 for each in outer):
        raise ShapeError(f"Tensor must have a stride divisible by 2 for all but last dimension, but got {outer}")
    if input.storage_offset() % 2:
        raise ShapeError(f"Tensor must have a storage_offset divisible by 2, but got {input.storage_offset()}")
    return ViewAsComplex()(input)


def reinterpret(input: Tensor, dtype: Any) -> Tensor:
    """The same bytes read as `dtype`, as ``x.view(dtype)`` does. The result is outside the graph."""
    wanted = dtypes.as_dtype(dtype)
    if wanted is input.dtype:
        return input
    if wanted.itemsize != input.itemsize:
        _check_layout(input, wanted)
    return Reinterpret(wanted)(input.detach() if input.requires_grad else input)


def _check_layout(input: Tensor, wanted: Any) -> None:
    """Raise ShapeError unless the memory consists of whole elements of the wanted dtype."""
    why = f"to view {input.dtype.type_name} as {wanted.type_name} (different element sizes)"
    if not input._array.ndim:
        raise ShapeError(f"self.dim() cannot be 0 {why}")
    *outer, step = input.stride()
    if step != 1:
        raise ShapeError(f"self.stride(-1) must be 1 {why}, but got {step}")
    ratio = wanted.itemsize // input.itemsize or 1  # smaller elements always fit
    found = {"size(-1)": input._array.shape[-1], "storage_offset()": input.storage_offset()}
    found |= {f"stride({dim})": each for dim, each in enumerate(outer)}
    for name, number in found.items():
        if number % ratio:
            raise ShapeError(f"self.{name} must be divisible by {ratio} {why}, but got {number}")


METHODS = {
    "conj": conj, "conj_physical": conj, "resolve_conj": resolve_conj, "is_conj": is_conj,
    "resolve_neg": resolve_neg, "is_neg": is_neg, "angle": angle, "sgn": sgn,
}  # fmt: skip
INPLACE = {"sgn_": in_place(Sgn), "conj_physical_": in_place(Conj)}


def _set_real(self: Tensor, value: Any) -> None:
    real(self).copy_(as_tensor_of(self, value))


def _set_imag(self: Tensor, value: Any) -> None:
    imag(self).copy_(as_tensor_of(self, value))


def as_tensor_of(tensor: Tensor, value: Any) -> Tensor:
    """Return `value`, a number or a tensor, as a tensor to copy into a part of `tensor`."""
    return value if isinstance(value, Tensor) else wrap(tensor._backend.asarray(value), tensor._backend)


PROPERTIES = {"real": property(real, _set_real), "imag": property(imag, _set_imag)}

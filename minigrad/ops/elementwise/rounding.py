"""Rounding, signs, and replacing NaN and infinities. Piecewise constant functions have gradient 0."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.dispatch import binary, unary
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.tensor import Tensor, as_operand
from ...errors import MissingRuleError
from ..common.arguments import accepts_out, tensor_first
from ..common.bases import Elementwise, Stepwise, connected, in_place, in_places, is_half, sample, short_roads, within
from ..common.dims import one_int

__all__ = ["ceil", "copysign", "fix", "floor", "frac", "heaviside", "nan_to_num", "round", "sign", "trunc"]


class Sign(Stepwise):
    """-1, 0 or 1 for negative, zero and positive elements."""

    __slots__ = ()
    formula = r"\operatorname{sign} x"
    kinds = "if"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.copy(x) if x.dtype.kind == "b" else xp.where(xp.isnan(x), x.dtype.type(0), xp.sign(x))


class Floor(Stepwise):
    """The largest integer that is at most the element."""

    __slots__ = ()
    formula = r"\lfloor x \rfloor"
    kinds = "if"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.floor(x)


class Ceil(Stepwise):
    """The smallest integer that is at least the element."""

    __slots__ = ()
    formula = r"\lceil x \rceil"
    kinds = "if"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.ceil(x)


class Trunc(Stepwise):
    """Each element rounded towards zero."""

    __slots__ = ()
    formula = r"\operatorname{trunc} x"
    kinds = "if"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.trunc(x)


class Round(Stepwise):
    """The nearest number with this many decimals; ties go to the even neighbour."""

    __slots__ = ("decimals",)
    decimals: int
    formula = r"\operatorname{round} x"
    kinds = "if"
    samples = (sample((2, 3), decimals=0), sample((2, 3), decimals=1))

    def forward(self, xp, x):
        return xp.round(x, self.decimals)

    def name(self) -> str:
        return "RoundBackward1" if self.decimals else "RoundBackward0"


class Frac(Elementwise):
    """The fractional part, with the sign of the element."""

    __slots__ = ()
    formula = r"x - \operatorname{trunc} x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return x - xp.trunc(x)

    def grad_x(self, grad):
        r"\bar y"
        return grad


class NanToNum(Elementwise):
    """Replace NaN and both infinities by numbers."""

    __slots__ = ("nan", "posinf", "neginf")
    nan: Any
    posinf: Any
    neginf: Any
    formula = r"x \text{ where finite}"
    kinds = "ifc"
    samples = (sample((2, 3), nan=0.0, posinf=None, neginf=None),)

    def forward(self, xp, x):
        nan = 0.0 if self.nan is None else self.nan
        return xp.nan_to_num(x, nan=nan, posinf=self.posinf, neginf=self.neginf)

    def compute(self, backend, arrays):
        kind = arrays[0].dtype
        if not is_half(kind):
            return super().compute(backend, arrays)
        limit = dtypes.finfo(kind).max  # not that of float32, in which this is computed
        high, low = limit if self.posinf is None else self.posinf, -limit if self.neginf is None else self.neginf
        return Elementwise.compute(NanToNum(self.nan, high, low), backend, arrays)

    def grad_x(self, grad, x):
        r"\bar y \text{ where } x \text{ is finite}"
        return grad.masked_fill(x.isfinite().logical_not(), 0)


class Copysign(Elementwise):
    """The absolute value of one element with the sign of another."""

    __slots__ = ()
    promotion = "floating"
    formula = r"|a| \operatorname{sign} b"
    kinds = "if"
    samples = (sample((2, 3), (2, 3)), sample((2, 3), -1.0), sample((2, 1), (3,)))

    def forward(self, xp, a, b):
        return xp.copysign(a, b)

    def grad_a(self, grad, a, out):
        r"\bar y \odot y \oslash a"
        return connected((grad * (out / a).detach()).masked_fill(a == 0, 0), a)

    def grad_b(self, grad):
        r"0"
        return zeros_like(grad)


class Heaviside(Elementwise):
    """0 for negative elements, 1 for positive ones, `values` where the element is 0."""

    __slots__ = ()
    formula = r"[x > 0]"
    kinds = "if"
    samples = (sample((2, 3), within((3,), 0, 1)),)

    def forward(self, xp, x, values):
        return xp.where(x == 0, values, x > 0).astype(x.dtype, copy=False)  # 0 for NaN

    def grad_x(self, grad):
        r"0"
        return zeros_like(grad)


sign = accepts_out(unary(Sign))
floor = accepts_out(unary(Floor))
ceil = accepts_out(unary(Ceil))
trunc = accepts_out(unary(Trunc))
frac = accepts_out(unary(Frac))
copysign = tensor_first(accepts_out(binary(Copysign)))


@accepts_out
def heaviside(input: Tensor, values: Tensor) -> Tensor:
    """0 for negative elements, 1 for positive ones, `values` where the element is 0; both of one real type."""
    if input.dtype.is_complex or values.dtype.is_complex:
        raise MissingRuleError("heaviside is not yet implemented for complex tensors.")
    if input.dtype is not values.dtype:
        raise MissingRuleError("heaviside is not yet implemented for tensors with different dtypes.")
    return Heaviside()(input, values)


fix = trunc


@accepts_out
def round(input: Tensor, *, decimals: int = 0) -> Tensor:
    """Round to the nearest integer, or to this many decimals; ties go to the even neighbour.

    >>> import minigrad as mg
    >>> mg.round(mg.tensor([0.5, 1.5, 2.4]))
    tensor([0., 2., 2.])
    """
    return Round(one_int("decimals", decimals))(input)


@accepts_out
def nan_to_num(
    input: Tensor, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Replace NaN (by 0), inf (by the largest number of the dtype) and -inf (by the smallest)."""
    return NanToNum(nan, posinf, neginf)(input)


def round_(self: Tensor, *, decimals: int = 0) -> Tensor:
    """Round every element, in place."""
    return inplace(Round(decimals), self)


def nan_to_num_(
    self: Tensor, nan: float | None = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """Replace NaN and the infinities by numbers, in place."""
    return inplace(NanToNum(nan, posinf, neginf), self)


def copysign_(self: Tensor, other: Any) -> Tensor:
    """Give the elements the signs of `other`, in place."""
    return inplace(Copysign(), self, as_operand(other))


_ONE = (sign, floor, ceil, trunc, frac)
METHODS = short_roads(*_ONE, copysign, heaviside) | {"round": round, "nan_to_num": nan_to_num, "fix": trunc}
INPLACE = in_places(*_ONE) | {
    "round_": round_, "nan_to_num_": nan_to_num_, "copysign_": copysign_, "fix_": in_place(Trunc),
    "heaviside_": in_place(Heaviside),
}  # fmt: skip

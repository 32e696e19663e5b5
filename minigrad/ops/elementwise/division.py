"""Division: exact, rounded to integers, and remainders.

There are two conventions: `remainder` has the sign of the divisor, like ``%`` in Python; `fmod` that of the dividend,
as in C.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...core.declared import Promotion
from ...core.dispatch import binary
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.op import Op
from ...core.tensor import Tensor, as_operand, wrap
from ...errors import DomainError
from ..common.arguments import accepts_out, tensor_first
from ..common.bases import Elementwise, conj, in_place, is_half, operator_of, sample, short_roads, within

__all__ = ["div", "divide", "floor_divide", "fmod", "remainder", "true_divide"]


class Div(Elementwise):
    """The quotient of two tensors, element by element. Integers give floats."""

    __slots__ = ()
    exact_numbers = True
    promotion: ClassVar[Promotion] = "floating"
    ufunc = "true_divide"
    formula = r"a \oslash b"
    kinds = "bifc"
    samples = (sample((2, 3), within((2, 3), 0.5, 2)), sample((2, 3), within((3,), -2, -0.5)), sample((2, 3), 1.5))

    def forward(self, xp, a, b):
        return xp.true_divide(a, b)

    def grad_a(self, grad, b):
        r"\bar y \oslash b"
        return grad / conj(b)

    def grad_b(self, grad, a, b):
        r"-\bar y \odot a \oslash b^2"
        return -grad * conj((a / b) / b)


class FloorDivide(Elementwise):
    """The quotient, rounded down."""

    __slots__ = ()
    exact_numbers = True
    formula = r"\lfloor a / b \rfloor"
    grad_name = "DivBackward0"
    kinds = "if"
    samples = (sample((2, 3), within((2, 3), 0.5, 2)), sample((2, 3), within((3,), -3, -0.5)), sample((2, 3), 2))

    def forward(self, xp, a, b):
        return xp.floor_divide(a, nonzero(xp, a, b))

    def grad_a(self, grad):
        r"0"
        return zeros_like(grad)

    def grad_b(self, grad):
        r"0"
        return zeros_like(grad)


class TruncDivide(Elementwise):
    """The quotient, rounded towards zero."""

    __slots__ = ()
    exact_numbers = True
    formula = r"\operatorname{trunc}(a / b)"
    grad_name = "DivBackward0"
    kinds = "if"
    samples = (sample((2, 3), within((2, 3), 0.5, 2)), sample((2, 3), within((3,), -3, -0.5)))

    def forward(self, xp, a, b):
        if a.dtype.kind in "iu":
            quotient = xp.floor_divide(a, nonzero(xp, a, b))
            return quotient + ((quotient < 0) & (quotient * b != a))
        return xp.trunc(xp.true_divide(a, b))

    def grad_a(self, grad):
        r"0"
        return zeros_like(grad)

    def grad_b(self, grad):
        r"0"
        return zeros_like(grad)


class Remainder(Elementwise):
    """The remainder of floor division, a - b * floor(a / b); it has the sign of `b`."""

    __slots__ = ()
    formula = r"a - b \lfloor a / b \rfloor"
    kinds = "if"
    samples = (sample((2, 3), within((2, 3), 0.5, 2)), sample((2, 3), within((3,), -3, -0.5)), sample((2, 3), 0.75))

    def forward(self, xp, a, b):
        return xp.remainder(a, nonzero(xp, a, b))

    def grad_a(self, grad):
        r"\bar y"
        return grad

    def grad_b(self, grad, a, b):
        r"-\bar y \odot \lfloor a / b \rfloor"
        return -grad * floor_divide(a, b)

    def name(self) -> str:
        return numbered(self, "Remainder")


class Fmod(Elementwise):
    """The remainder of division rounded towards 0, a - b * trunc(a / b); it has the sign of `a`."""

    __slots__ = ()
    formula = r"a - b \operatorname{trunc}(a / b)"
    kinds = "if"
    samples = (sample((2, 3), within((2, 3), 0.5, 2)), sample((2, 3), within((3,), -3, -0.5)), sample((2, 3), 0.75))

    def forward(self, xp, a, b):
        return xp.fmod(a, nonzero(xp, a, b))

    def grad_a(self, grad):
        r"\bar y"
        return grad

    def grad_b(self, grad, a, b):
        r"-\bar y \odot \operatorname{trunc}(a / b)"
        return -grad * truncated(a, b)

    def name(self) -> str:
        return numbered(self, "Fmod")


def nonzero(xp: Any, a: Any, b: Any) -> Any:
    """Return `b`. Raise for an integer division by zero: integers have no infinity."""
    if a.dtype.kind in "iub" and not xp.all(b):
        raise DomainError("ZeroDivisionError: integers were divided by zero. Convert to floats for inf and nan.")
    return b


def numbered(op: Op, name: str) -> str:
    """Number the op's name in the graph as PyTorch does: 0 for a number as divisor, 1 for a tensor."""
    return f"{name}Backward{int(len(op.edges) > 1 and op.edges[1] is not None)}"


over = binary(Div)
floor_divide: Any = accepts_out(binary(FloorDivide))
truncated = binary(TruncDivide)
remainder: Any = accepts_out(binary(Remainder))
fmod = tensor_first(accepts_out(binary(Fmod)))
floor_divide.__name__ = "floor_divide"


@accepts_out
def div(input: Any, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """``input / other``; with `rounding_mode` "trunc" rounded towards zero, with "floor" rounded down.

    >>> import minigrad as mg
    >>> mg.div(mg.tensor([-7, 7]), 2, rounding_mode="floor")
    tensor([-4,  3])
    """
    if rounding_mode is None:
        return over(input, other)
    if rounding_mode not in ("trunc", "floor"):
        raise DomainError(
            f"div expected rounding_mode to be one of None, 'trunc', or 'floor' but found {rounding_mode!r}"
        )
    return (floor_divide if rounding_mode == "floor" else truncated)(input, other)


divide = true_divide = div


def divided_into(self: Tensor, other: Any) -> Tensor:
    """``other / self``, computed as the number times the reciprocal of the tensor, as in PyTorch."""
    if isinstance(other, (int, float, complex)):
        return self.reciprocal() * other
    return over(as_operand(other), self)


def _reversed(op: type[Op]) -> Any:
    def operator(self: Tensor, other: Any) -> Any:
        return op()(as_operand(other), self)

    return operator


def _floor_divided_into(self: Tensor, other: Any) -> Any:
    """``other // self``; next to half precision a number is rounded first, as in PyTorch."""
    if is_half(self._array.dtype) and isinstance(other, float):
        other = wrap(self._backend.asarray(other, dtype="float32"), self._backend).to(self.dtype)
    return FloorDivide()(as_operand(other), self)


def floor_divide_(self: Tensor, other: Any) -> Tensor:
    """``self //= other``."""
    return inplace(FloorDivide(), self, as_operand(other))


def truncated_(self: Tensor, other: Any) -> Tensor:
    """``self /= other``, rounded towards zero."""
    return inplace(TruncDivide(), self, as_operand(other))


def div_(self: Tensor, other: Any, *, rounding_mode: str | None = None) -> Tensor:
    """``self /= other``."""
    if rounding_mode is None:
        return inplace(Div(), self, as_operand(other))
    return (floor_divide_ if rounding_mode == "floor" else truncated_)(self, other)


METHODS = short_roads(floor_divide, remainder, fmod) | {"div": div, "divide": div, "true_divide": div}
INPLACE = {
    "div_": div_, "divide_": div_, "true_divide_": div_, "floor_divide_": floor_divide_,
    "remainder_": in_place(Remainder), "fmod_": in_place(Fmod),
}  # fmt: skip
OPERATORS = {
    "__truediv__": operator_of(Div), "__rtruediv__": divided_into, "__itruediv__": in_place(Div),
    "__rdiv__": divided_into,
    "__floordiv__": floor_divide.__wrapped__, "__rfloordiv__": _floor_divided_into, "__ifloordiv__": floor_divide_,
    "__mod__": remainder.__wrapped__, "__rmod__": _reversed(Remainder), "__imod__": in_place(Remainder),
}  # fmt: skip

"""Elementwise addition, subtraction, multiplication and negation, with broadcasting and promotion.

The operators (``x + y``) are the fast paths of the ops; the functions (``mg.add``) first read PyTorch's further
arguments: ``alpha``, ``rounding_mode``, ``out``.
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...core.dispatch import binary, unary
from ...core.inplace import inplace
from ...core.tensor import Tensor, as_operand
from ...errors import ArgumentTypeError, DtypeError
from ..common.arguments import accepts_out
from ..common.bases import Elementwise, conj, in_place, is_half, operator_of, sample
from ..common.numbers import held

__all__ = [
    "add", "mul", "multiply", "neg", "negative", "positive", "rsub", "sub", "subtract",
]  # fmt: skip


class Add(Elementwise):
    """The sum of two tensors."""

    __slots__ = ()
    ufunc = "add"
    formula = r"a + b"
    kinds = "bifc"
    samples = (
        sample((2, 3), (2, 3)),
        sample((2, 3), (3,)),
        sample((2, 1), (1, 3)),
        sample((2, 3), 1.5),
        sample((0, 3), (3,)),
    )

    def forward(self, xp, a, b):
        return a + b

    def grad_a(self, grad):
        r"\bar y"
        return grad

    def grad_b(self, grad):
        r"\bar y"
        return grad


class AddScaled(Elementwise):
    """A tensor plus `alpha` times another."""

    __slots__ = ("alpha",)
    alpha: Any
    formula = r"a + \alpha b"
    grad_name = "AddBackward0"
    kinds = "bifc"
    samples = (sample((2, 3), (3,), alpha=2), sample((2, 3), 1.5, alpha=3))

    def forward(self, xp, a, b):
        return a + self.alpha * b

    def compute(self, backend: Any, arrays: Any) -> Any:
        half = next((each.dtype for each in arrays if is_half(getattr(each, "dtype", None))), None)
        if half is None:
            return super().compute(backend, arrays)
        rounded = type(self)(float(half.type(self.alpha)))
        return Elementwise.compute(rounded, backend, arrays)

    def write(self, xp, target, b):
        xp.add(target, b * target.dtype.type(self.alpha), out=target)
        return True

    def grad_a(self, grad):
        r"\bar y"
        return grad

    def grad_b(self, grad):
        r"\alpha\, \bar y"
        return grad * conj(self.alpha)


def refuse_bools(inputs: Any) -> None:
    """Raise DtypeError if an operand of a subtraction is a bool tensor: its meaning would be unclear."""
    if any(isinstance(each, Tensor) and each._array.dtype.kind == "b" for each in inputs):
        two = all(each is True or each is False or getattr(each, "dtype", None) is dtypes.bool_ for each in inputs)
        raise DtypeError(
            f"Subtraction, the `-` operator, with {'two bool tensors' if two else 'a bool tensor'} is not supported. "
            "Use the `^` or `logical_xor()` operator to compare masks, the `~` or `logical_not()` operator to invert "
            "one, or convert it to numbers first."
        )


class Difference(Elementwise, abstract=True):
    """The difference of two operands, neither of which may be a bool tensor."""

    __slots__ = ()
    kinds = "ifc"

    def promoted(self, backend: Any, inputs: Any) -> Any:
        refuse_bools(inputs)
        return super().promoted(backend, inputs)


class SubScaled(AddScaled):
    """A tensor minus `alpha` times another; the setting is ``-alpha``."""

    __slots__ = ()
    grad_name = "SubBackward0"
    kinds = "ifc"

    def promoted(self, backend: Any, inputs: Any) -> Any:
        refuse_bools(inputs)
        return super().promoted(backend, inputs)


class Sub(Difference):
    """The difference of two tensors."""

    __slots__ = ()
    ufunc = "subtract"
    formula = r"a - b"
    kinds = "ifc"
    samples = (sample((2, 3), (2, 3)), sample((2, 3), (3,)), sample((), (3,)), sample((2, 3), 1.5))

    def forward(self, xp, a, b):
        return a - b

    def grad_a(self, grad):
        r"\bar y"
        return grad

    def grad_b(self, grad):
        r"-\bar y"
        return -grad


class Rsub(Difference):
    """The difference with exchanged operands: what ``2 - x`` runs."""

    __slots__ = ()
    formula = r"b - a"
    grad_name = "RsubBackward1"
    kinds = "ifc"
    samples = (sample((2, 3), 1.5), sample((2, 3), (3,)))

    def forward(self, xp, a, b):
        return b - a

    def grad_a(self, grad):
        r"-\bar y"
        return -grad

    def grad_b(self, grad):
        r"\bar y"
        return grad


class Mul(Elementwise):
    """The product of two tensors, element by element."""

    __slots__ = ()
    exact_numbers = True
    ufunc = "multiply"
    formula = r"a \odot b"
    kinds = "bifc"
    samples = (
        sample((2, 3), (2, 3)),
        sample((2, 3), (3,)),
        sample((2, 1), (1, 3)),
        sample((2, 3), 1.5),
        sample((0, 3), (3,)),
    )

    def forward(self, xp, a, b):
        return a * b

    def grad_a(self, grad, b):
        r"\bar y \odot b"
        return grad * conj(b)

    def grad_b(self, grad, a):
        r"\bar y \odot a"
        return grad * conj(a)


class Neg(Elementwise):
    """The negative of each element."""

    __slots__ = ()
    ufunc = "negative"
    formula = r"-x"
    kinds = "ifc"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        if x.dtype.kind == "b":
            raise DtypeError(
                "Negation, the `-` operator, on a bool tensor is not supported. "
                "If you are trying to invert a mask, use the `~` or `logical_not()` operator instead."
            )
        return xp.negative(x)

    def grad_x(self, grad):
        r"-\bar y"
        return -grad


# Functions ------------------------------------------------------------------------------------------------------------

plus = binary(Add)
minus = binary(Sub)
reversed_minus = binary(Rsub)
times = binary(Mul)
negated = unary(Neg)


def fitting(alpha: Any, *operands: Any) -> Any:
    """Return `alpha`, which scales one of `operands`, in their dtype. DtypeError if it is of a wider kind."""
    kind = max(each.dtype.kind if isinstance(each, Tensor) else dtypes.of_number(each).kind for each in operands)
    if isinstance(alpha, bool) and kind > dtypes.BOOL:
        raise DtypeError("Boolean alpha only supported for Boolean results.")
    if isinstance(alpha, float) and kind < dtypes.FLOAT:
        raise DtypeError("For integral input tensors, argument alpha must not be a floating point number.")
    if isinstance(alpha, complex) and kind < dtypes.COMPLEX:
        raise DtypeError("For non-complex input tensors, argument alpha must not be a complex number.")
    return alpha if kind > dtypes.INTEGER else held(alpha, dtypes.result_type(*operands))


def turned(alpha: Any, *operands: Any) -> Any:
    """Return ``-alpha`` in the dtype of `operands`; for unsigned dtypes it wraps around."""
    refuse_bools(operands)
    alpha = -fitting(alpha, *operands)
    kind = dtypes.result_type(*operands)
    return held(alpha, kind) if kind.kind == dtypes.INTEGER else alpha


def is_one(alpha: Any) -> bool:
    """Return whether multiplication by `alpha` changes nothing, in any dtype."""
    return alpha.__class__ is int and alpha == 1


@accepts_out
def add(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """``input + alpha * other``, broadcast and promoted.

    >>> import minigrad as mg
    >>> mg.add(mg.tensor([1.0, 2.0]), 10, alpha=2)
    tensor([21., 22.])
    """
    if is_one(alpha):
        return plus(input, other)
    return AddScaled(fitting(alpha, input, other))(as_operand(input), as_operand(other))


@accepts_out
def sub(input: Any, other: Any, *, alpha: Any = 1) -> Tensor:
    """``input - alpha * other``, broadcast and promoted.

    >>> import minigrad as mg
    >>> mg.sub(mg.tensor([1.0, 2.0]), mg.tensor([1.0]))
    tensor([0., 1.])
    """
    if is_one(alpha):
        return minus(input, other)
    return SubScaled(turned(alpha, input, other))(as_operand(input), as_operand(other))


def rsub(input: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``other - alpha * input``."""
    if not isinstance(input, Tensor):
        raise ArgumentTypeError(f"rsub(): argument 'input' (position 1) must be Tensor, not {type(input).__name__}")
    if is_one(alpha):
        return reversed_minus(input, other)
    return SubScaled(turned(alpha, input, other))(as_operand(other), as_operand(input))


@accepts_out
def mul(input: Any, other: Any) -> Tensor:
    """``input * other``, broadcast and promoted.

    >>> import minigrad as mg
    >>> mg.mul(mg.tensor([1.0, 2.0]), 3)
    tensor([3., 6.])
    """
    return times(input, other)


@accepts_out
def neg(input: Tensor) -> Tensor:
    """``-input``."""
    return negated(input)


def positive(input: Tensor) -> Tensor:
    """Return the tensor itself, ``+input``."""
    if input._array.dtype.kind == "b":
        raise DtypeError("The `+` operator, on a bool tensor is not supported.")
    return input


subtract, multiply, negative = sub, mul, neg


# In place -------------------------------------------------------------------------------------------------------------


def add_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self += alpha * other``."""
    return inplace(Add() if is_one(alpha) else AddScaled(fitting(alpha, self, other)), self, as_operand(other))


def sub_(self: Tensor, other: Any, *, alpha: Any = 1) -> Tensor:
    """``self -= alpha * other``."""
    return inplace(Sub() if is_one(alpha) else SubScaled(turned(alpha, self, other)), self, as_operand(other))


METHODS = {
    "add": add, "sub": sub, "subtract": sub, "mul": mul, "multiply": mul,
    "neg": neg, "negative": neg, "positive": positive,
}  # fmt: skip
INPLACE = {
    "add_": add_, "sub_": sub_, "subtract_": sub_, "mul_": in_place(Mul), "multiply_": in_place(Mul),
    "neg_": in_place(Neg), "negative_": in_place(Neg),
}  # fmt: skip
OPERATORS = {
    "__add__": operator_of(Add), "__radd__": plus, "__iadd__": in_place(Add),
    "__sub__": operator_of(Sub), "__rsub__": reversed_minus, "__isub__": in_place(Sub),
    "__mul__": operator_of(Mul), "__rmul__": times, "__imul__": in_place(Mul),
    "__neg__": negated, "__pos__": positive,
}  # fmt: skip

"""Powers: ``x ** 2`` has a number as exponent, ``x ** y`` a tensor, ``2 ** x`` a number as base."""

from __future__ import annotations

import math
from typing import Any

from ... import dtypes
from ...core.dispatch import binary
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.tensor import Tensor, as_operand, foreign
from ...errors import DtypeError
from ..common.arguments import accepts_out
from ..common.bases import Elementwise, conj, sample, within

__all__ = ["float_power", "pow"]


class Pow(Elementwise):
    """Each element to the power of a number. ``x ** 0`` is 1 with gradient 0, also at 0."""

    __slots__ = ()
    formula = r"x^p"
    kinds = "ifc"
    wraps = False
    samples = (
        sample((2, 3), 2), sample((2, 3), 3), sample((2, 3), 0.5, low=0.2), sample((2, 3), -1.5, low=0.2),
        sample((3,), 0),
    )  # fmt: skip

    def promoted(self, backend, inputs):
        x, exponent = inputs
        if isinstance(exponent, int) and exponent < 0 and x._array.dtype.kind in "biu":
            raise DtypeError("Integers to negative integer powers are not allowed. Convert to a float first.")
        return super().promoted(backend, inputs)

    def forward(self, xp, x, exponent):
        return powered(xp, x, exponent)

    def grad_x(self, grad, x, exponent):
        r"p\, \bar y \odot x^{p - 1}"
        if exponent == 0:
            return zeros_like(grad)
        slope = x if exponent == 2 else x ** (exponent - 1)
        return grad * conj(slope * exponent)


class PowTensors(Elementwise):
    """Each element to the power of the corresponding element."""

    __slots__ = ()
    formula = r"x^p"
    grad_name = "PowBackward1"
    kinds = "ifc"
    samples = (
        sample(within((2, 3), 0.2, 2), (2, 3)), sample(within((2, 1), 0.2, 2), (3,)),
        sample(within((0,), 0.2, 2), (0,)),
    )  # fmt: skip

    def forward(self, xp, x, exponent):
        return powered(xp, x, exponent)

    def grad_x(self, grad, x, exponent):
        r"\bar y \odot p \odot x^{p - 1}"
        return (grad * conj(exponent * x ** (exponent - 1))).masked_fill(exponent == 0, 0)

    def grad_exponent(self, grad, x, exponent, out):
        r"\bar y \odot y \odot \ln x"
        # The derivative of 0 to a power is 0, though ln 0 is infinite.
        still = (x == 0) & ((exponent.real if exponent.is_complex() else exponent) >= 0)
        base = x.to(out.dtype) if out.is_complex() else x  # a negative number has a complex logarithm
        return (grad * conj(out * base.log())).masked_fill(still, 0)


class Rpow(Elementwise):
    """A number to the power of each element."""

    __slots__ = ()
    memory_order = "rows"
    formula = r"b^x"
    grad_name = "PowBackward2"
    kinds = "ifc"
    samples = (sample((2, 3), 2.5), sample((2, 3), 0.5))

    def forward(self, xp, x, base):
        return powered(xp, base, x)

    def grad_x(self, grad, x, base, out):
        r"\bar y \odot y \ln b"
        if base == 0:
            return (grad * out * float("-inf")).masked_fill((x.real if x.is_complex() else x) >= 0, 0)
        return grad * conj(out * logarithm(complex(base) if out.is_complex() else base))


def powered(xp: Any, x: Any, exponent: Any) -> Any:
    """Return ``x ** exponent`` of arrays; small integer powers are computed as products, fast and exactly."""
    if getattr(x, "dtype", None) == "bool":  # exponent and result are bools, too: only False ** True is False
        return xp.logical_or(x, xp.logical_not(exponent))
    if exponent.__class__ is int or exponent.__class__ is float or getattr(exponent, "ndim", 1) == 0:
        if exponent == 2:
            return x * x
        if exponent == 3:
            return x * x * x
        if exponent == 0.5 and x.dtype.kind == "f":
            return xp.sqrt(x)
        if exponent == -1 and x.dtype.kind == "f":
            return xp.reciprocal(x)
    if getattr(x, "dtype", None) is not None and x.dtype.kind in "iu" and (xp.asarray(exponent) < 0).any():
        return xp.where(exponent < 0, (abs(x) == 1) * x ** (exponent % 2), x ** xp.maximum(exponent, 0))
    return xp.power(x, exponent)


def logarithm(base: Any) -> Any:
    """Return the natural logarithm of a number; NaN if it has none, as for arrays."""
    import cmath

    if isinstance(base, complex):
        return cmath.log(base)
    return math.log(base) if base > 0 else math.nan


to_number = binary(Pow)
to_tensor = binary(PowTensors)
of_number = binary(Rpow)


def power(x: Any, exponent: Any) -> Tensor:
    """``x ** exponent``."""
    if isinstance(exponent, Tensor):
        return to_tensor(x, exponent) if isinstance(x, Tensor) else of_number(exponent, x)
    if isinstance(exponent, (int, float, complex)):
        return to_number(x, exponent)
    return to_tensor(x, as_operand(exponent))


def raised(x: Any, exponent: Any) -> Any:
    """The operator ``x ** exponent``, which returns NotImplemented for operands of other classes."""
    if isinstance(exponent, (int, float)):
        return to_number(x, exponent)
    return NotImplemented if foreign(exponent) else power(x, exponent)


raised.leaves = True  # type: ignore[attr-defined]


def reversed_power(x: Tensor, base: Any) -> Tensor:
    """``base ** x``."""
    return of_number(x, base) if isinstance(base, (int, float, complex)) else to_tensor(as_operand(base), x)


@accepts_out
def pow(input: Any, exponent: Any) -> Tensor:
    """``input ** exponent``; one of them may be a number.

    >>> import minigrad as mg
    >>> mg.pow(mg.tensor([1.0, 2.0, 3.0]), 2)
    tensor([1., 4., 9.])
    """
    return power(input, exponent)


@accepts_out
def float_power(input: Any, exponent: Any) -> Tensor:
    """``input ** exponent`` in double precision."""
    return power(_double(input), _double(exponent))


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    """`float_power` in place. DtypeError unless the tensor is in double precision and can hold the result."""
    wanted = dtypes.complex128 if dtypes.result_type(self, exponent).is_complex else dtypes.float64
    if self.dtype is not wanted:
        raise DtypeError(
            f"the base given to float_power_ has dtype {self.dtype.name} but the operation's result requires dtype "
            f"{wanted.name}. Convert the tensor to {wanted.name} first, or compute out of place with float_power()."
        )
    return pow_(self, _double(exponent))


def _double(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return value
    return value.to("complex128" if value.is_complex() else "float64")


def pow_(self: Tensor, exponent: Any) -> Tensor:
    """``self **= exponent``."""
    return inplace(PowTensors() if isinstance(exponent, Tensor) else Pow(), self, as_operand(exponent))


METHODS = {"pow": pow, "float_power": float_power}
INPLACE = {"pow_": pow_, "float_power_": float_power_}
OPERATORS = {"__pow__": raised, "__rpow__": reversed_power, "__ipow__": pow_}

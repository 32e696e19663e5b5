"""Ops on three tensors: addcmul, addcdiv, lerp. Optimisers use them."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.declared import Promotion
from ...core.inplace import inplace
from ...core.tensor import Tensor, as_operand
from ...errors import DtypeError, MissingRuleError
from ..common.arguments import accepts_out
from ..common.bases import Elementwise, conj, sample, within
from ..common.numbers import held

__all__ = ["addcdiv", "addcmul", "lerp"]


class Addcmul(Elementwise):
    """A tensor plus `value` times the product of two others."""

    __slots__ = ("value",)
    value: Any
    formula = r"x + v\, a \odot b"
    kinds = "ifc"
    samples = (sample((2, 3), (2, 3), (3,), value=0.5), sample((3,), (2, 1), (1, 3), value=1))

    def forward(self, xp, x, a, b):
        return x + self.value * a * b

    def write(self, xp, target, a, b):
        product = a * b
        xp.add(target, product if self.value == 1 else product * target.dtype.type(self.value), out=target)
        return True

    def grad_x(self, grad):
        r"\bar y"
        return grad

    def grad_a(self, grad, b):
        r"v\, \bar y \odot b"
        return grad * conj(b * self.value)

    def grad_b(self, grad, a):
        r"v\, \bar y \odot a"
        return grad * conj(a * self.value)


class Addcdiv(Elementwise):
    """A tensor plus `value` times the quotient of two others."""

    __slots__ = ("value",)
    value: Any
    promotion: ClassVar[Promotion] = "floating"
    formula = r"x + v\, a \oslash b"
    kinds = "fc"
    samples = (sample((2, 3), (2, 3), within((3,), 0.5, 2), value=0.5),)

    def forward(self, xp, x, a, b):
        return x + self.value * (a / b)

    def write(self, xp, target, a, b):
        xp.add(target, a / b * target.dtype.type(self.value), out=target)
        return True

    def grad_x(self, grad):
        r"\bar y"
        return grad

    def grad_a(self, grad, b):
        r"v\, \bar y \oslash b"
        return grad * conj(self.value / b)

    def grad_b(self, grad, a, b):
        r"-v\, \bar y \odot a \oslash b^2"
        return -grad * conj(self.value * (a / b) / b)


class Lerp(Elementwise):
    """Linear interpolation: ``start + weight * (end - start)``."""

    __slots__ = ()
    formula = r"a + w \odot (b - a)"
    kinds = "fc"
    exact_numbers = True
    samples = (sample((2, 3), (3,), (2, 1)), sample((2, 3), (2, 3), 0.3), sample((3,), (3,), 0.7))

    def forward(self, xp, start, end, weight):
        way = end - start
        if not weight.ndim:
            return start + weight * way if abs(weight) < 0.5 else end - way * (1 - weight)
        return xp.where(xp.abs(weight) < 0.5, start + weight * way, end - way * (1 - weight))

    def write(self, xp, start, end, weight):
        if weight.ndim or abs(weight) >= 0.5:
            return False
        xp.add(start, (end - start) * weight, out=start)
        return True

    def grad_start(self, grad, weight):
        r"\bar y \odot (1 - w)"
        return grad * conj(1 - weight)

    def grad_end(self, grad, weight):
        r"\bar y \odot w"
        return grad * conj(weight)

    def grad_weight(self, grad, start, end):
        r"\bar y \odot (b - a)"
        return grad * conj(end - start)

    def name(self) -> str:
        return "LerpBackward1" if len(self.edges) > 2 and self.edges[2] is not None else "LerpBackward0"


# Functions ------------------------------------------------------------------------------------------------------------


@accepts_out
def addcmul(input: Tensor, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """``input + value * tensor1 * tensor2``."""
    return Addcmul(_factor(value, input, tensor1, tensor2))(input, as_operand(tensor1), as_operand(tensor2))


def _factor(value: Any, *operands: Any) -> Any:
    """Return `value` in the dtype of `operands` if that is an integer dtype."""
    if operands[0].dtype.kind > dtypes.INTEGER:
        return value
    kind = dtypes.result_type(*operands)
    if kind is dtypes.bool_:
        raise MissingRuleError("addcmul() is not implemented for 'Bool'")
    return held(value, kind) if kind.kind == dtypes.INTEGER else value


def _check_fraction(tensor1: Any, tensor2: Any) -> None:
    if all(isinstance(each, Tensor) and each.dtype.kind < dtypes.FLOAT for each in (tensor1, tensor2)):
        raise DtypeError(
            "Integer division with addcdiv is no longer supported: write input + value * tensor1 / tensor2, or "
            "div(tensor1, tensor2, rounding_mode='trunc') for whole numbers"
        )


@accepts_out
def addcdiv(input: Tensor, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """``input + value * tensor1 / tensor2``; DtypeError if both tensors of the quotient are integers."""
    _check_fraction(tensor1, tensor2)
    return Addcdiv(value)(input, as_operand(tensor1), as_operand(tensor2))


@accepts_out
def lerp(input: Tensor, end: Tensor, weight: Any) -> Tensor:
    """``input + weight * (end - input)``.

    >>> import minigrad as mg
    >>> mg.lerp(mg.zeros(2), mg.ones(2), 0.25)
    tensor([0.2500, 0.2500])
    """
    return Lerp()(input, end, _of_one_type(input, end, weight))


def _of_one_type(input: Tensor, end: Any, weight: Any) -> Any:
    """Return `weight` if it and `end` have the floating dtype of `input`; else raise."""
    for name, each in (("end", end), ("weight", weight)):
        if isinstance(each, Tensor) and each._array.dtype != input._array.dtype:
            raise DtypeError(f"lerp(): expected dtype {input.dtype.name} for `{name}` but got dtype {each.dtype.name}")
    if not input.dtype.is_differentiable:
        raise MissingRuleError(f"lerp() is not implemented for {input.dtype.name}: convert with .float()")
    return weight


def addcmul_(self: Tensor, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """``self += value * tensor1 * tensor2``."""
    return inplace(Addcmul(_factor(value, self, tensor1, tensor2)), self, as_operand(tensor1), as_operand(tensor2))


def addcdiv_(self: Tensor, tensor1: Any, tensor2: Any, *, value: Any = 1) -> Tensor:
    """``self += value * tensor1 / tensor2``."""
    _check_fraction(tensor1, tensor2)
    return inplace(Addcdiv(value), self, as_operand(tensor1), as_operand(tensor2))


def lerp_(self: Tensor, end: Tensor, weight: Any) -> Tensor:
    """``self += weight * (end - self)``."""
    return inplace(Lerp(), self, end, _of_one_type(self, end, weight))


METHODS = {"addcmul": addcmul, "addcdiv": addcdiv, "lerp": lerp}
INPLACE = {"addcmul_": addcmul_, "addcdiv_": addcdiv_, "lerp_": lerp_}

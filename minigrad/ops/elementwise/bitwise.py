"""Bit operations on integers, and ``& | ^ ~`` for bools. They have no gradient."""

from __future__ import annotations

from typing import Any

from ...core.dispatch import binary, unary
from ...core.op import Op
from ...core.tensor import Tensor, as_operand
from ...errors import ArgumentTypeError, MissingRuleError
from ..common.arguments import accepts_out
from ..common.bases import Question, in_places, sample, short_roads

__all__ = [
    "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or", "bitwise_right_shift", "bitwise_xor",
]  # fmt: skip


def _bits(name: str, symbol: str, words: str, ufunc: str, kinds: str = "bi") -> Any:
    """Create an op that combines two tensors by `ufunc`. Return the function that calls it."""

    def forward(self: Any, xp: Any, a: Any, b: Any) -> Any:
        _check(ufunc, a)
        return getattr(xp, ufunc)(a, b)

    samples = (sample((2, 3), (2, 3)), sample((2, 1), (3,)))
    body = {
        "__slots__": (),
        "__doc__": words,
        "__module__": __name__,
        "formula": symbol,
        "kinds": kinds,
        "forward": forward,
        "samples": samples,
    }
    function: Any = accepts_out(binary(type(name, (Question,), body)))
    function.__name__ = function.__wrapped__.__name__ = "bitwise_" + ufunc.removeprefix("bitwise_")
    return function


def _check(name: str, array: Any) -> None:
    if array.dtype.kind not in "biu":
        raise MissingRuleError(f"{name!r} not implemented for {array.dtype.name}: bits are those of integers and bools")


class BitwiseNot(Question):
    """The bitwise complement of integers; logical not for bools."""

    __slots__ = ()
    formula = r"\neg x"
    kinds = "bi"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        _check("bitwise_not", x)
        return xp.invert(x)


bitwise_and = _bits("BitwiseAnd", r"a \wedge b", "The bits that are set in both.", "bitwise_and")
bitwise_or = _bits("BitwiseOr", r"a \vee b", "The bits that are set in one.", "bitwise_or")
bitwise_xor = _bits("BitwiseXor", r"a \oplus b", "The bits that are set in exactly one.", "bitwise_xor")
bitwise_left_shift = _bits("LeftShift", r"a \ll b", "The bits moved up by `b` places.", "left_shift", "i")
bitwise_right_shift = _bits("RightShift", r"a \gg b", "The bits moved down by `b` places.", "right_shift", "i")
bitwise_not: Any = accepts_out(unary(BitwiseNot))
bitwise_not.__name__ = bitwise_not.__wrapped__.__name__ = "bitwise_not"


def _reversed(function: Any) -> Any:
    op: type[Op] = function.op

    def operator(self: Tensor, other: Any) -> Any:
        return op()(as_operand(other), self)

    return operator


_TWO = {
    "and": bitwise_and,
    "or": bitwise_or,
    "xor": bitwise_xor,
    "lshift": bitwise_left_shift,
    "rshift": bitwise_right_shift,
}


def invert(input: Tensor) -> Tensor:
    """The bitwise complement of integers; logical not for bools."""
    if input.dtype.is_differentiable:
        raise ArgumentTypeError(
            f"~ (operator.invert) is only implemented on integer and Boolean-type tensors, not {input.dtype}"
        )
    complement: Tensor = bitwise_not(input)
    return complement


METHODS = short_roads(*_TWO.values(), bitwise_not)
INPLACE = in_places(*_TWO.values(), bitwise_not)
OPERATORS = {
    **{f"__{name}__": each.__wrapped__ for name, each in _TWO.items()},
    **{f"__r{name}__": _reversed(each) for name, each in _TWO.items()},
    **{f"__i{name}__": INPLACE[each.__name__ + "_"] for name, each in _TWO.items()},
    "__invert__": invert,
}

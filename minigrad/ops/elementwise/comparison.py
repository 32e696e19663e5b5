"""Comparisons, tests for special numbers, and logic. The results are bools, without a gradient."""

from __future__ import annotations

import functools
from typing import Any

from ... import dtypes
from ...core.dispatch import binary, unary
from ...core.interpreter import reading
from ...core.op import common_backend
from ...core.tensor import Tensor
from ...errors import ArgumentTypeError, DomainError, DtypeError
from ..common.arguments import accepts_out, of_tensors, tensor_first
from ..common.bases import Question, in_place, in_places, sample, short_roads
from ..create.factories import finished

__all__ = [
    "allclose", "eq", "equal", "ge", "greater", "greater_equal", "gt", "isclose", "isfinite", "isinf", "isnan",
    "isneginf",
    "isposinf", "isreal", "le", "less", "less_equal", "logical_and", "logical_not", "logical_or", "logical_xor", "lt",
    "ne",
    "not_equal", "signbit",
]  # fmt: skip


def _comparison(name: str, symbol: str, words: str, ufunc: str, kinds: str = "bif") -> Any:
    """Create an op that compares two tensors by `ufunc`. Return the function that calls it."""

    def forward(self: Any, xp: Any, a: Any, b: Any) -> Any:
        return getattr(xp, ufunc)(a, b)

    samples = (sample((2, 3), (2, 3)), sample((2, 1), (3,)), sample((2, 3), 0))
    body = {
        "__slots__": (),
        "__doc__": words,
        "__module__": __name__,
        "formula": symbol,
        "kinds": kinds,
        "forward": forward,
        "samples": samples,
    }
    function = binary(type(name, (Question,), body))
    if name.startswith("Logical"):
        return accepts_out(of_tensors(function))
    return tensor_first(accepts_out(function))


eq = _comparison("Eq", r"a = b", "Whether two elements are equal.", "equal", "bifc")
ne = _comparison("Ne", r"a \ne b", "Whether two elements differ.", "not_equal", "bifc")
lt = _comparison("Lt", r"a < b", "Whether the first element is smaller.", "less")
le = _comparison("Le", r"a \le b", "Whether the first element is not larger.", "less_equal")
gt = _comparison("Gt", r"a > b", "Whether the first element is larger.", "greater")
ge = _comparison("Ge", r"a \ge b", "Whether the first element is not smaller.", "greater_equal")
logical_and = _comparison("Logical_and", r"a \wedge b", "Whether both elements are true.", "logical_and", "bifc")
logical_or = _comparison("Logical_or", r"a \vee b", "Whether one element is true.", "logical_or", "bifc")
logical_xor = _comparison("Logical_xor", r"a \oplus b", "Whether exactly one element is true.", "logical_xor", "bifc")
not_equal, less, less_equal, greater, greater_equal = ne, lt, le, gt, ge


def _question(name: str, symbol: str, words: str, ufunc: str, kinds: str = "bif") -> Any:
    """Create an op that tests each element by `ufunc`. Return the function that calls it."""

    def forward(self: Any, xp: Any, x: Any) -> Any:
        return getattr(xp, ufunc)(x)

    body = {"__slots__": (), "__doc__": words, "formula": symbol, "kinds": kinds, "forward": forward,
            "samples": (sample((2, 3)), sample((0,))), "__module__": __name__}  # fmt: skip
    return accepts_out(unary(type(name, (Question,), body)))


def _yes_or_no(function: Any) -> Any:
    """Wrap `function` to reject an ``out`` that is not bool, as PyTorch does for these."""

    @functools.wraps(function)
    def call(input: Tensor, *, out: Any = None) -> Tensor:
        if out is not None and out.dtype is not dtypes.bool_:
            raise DtypeError(f"{function.__name__} does not support non-boolean outputs: out is {out.dtype}")
        result: Tensor = function(input, out=out)
        return result

    return call


isnan = _question("IsNan", r"x = \mathrm{nan}", "Whether each element is no number.", "isnan", "bifc")
isinf = _question("IsInf", r"|x| = \infty", "Whether each element is infinite.", "isinf", "bifc")
isfinite = _question("IsFinite", r"|x| < \infty", "Whether each element is a finite number.", "isfinite", "bifc")
isposinf = _yes_or_no(_question("IsPosInf", r"x = \infty", "Whether each element is plus infinity.", "isposinf"))
isneginf = _yes_or_no(_question("IsNegInf", r"x = -\infty", "Whether each element is minus infinity.", "isneginf"))
isreal = _question("IsReal", r"x \in \mathbb R", "Whether each element has no imaginary part.", "isreal", "bifc")
signbit = _question("SignBit", r"x < 0", "Whether the sign of each element is set, that of -0.0 too.", "signbit")
logical_not = _question("Logical_not", r"\neg x", "Whether each element is false (zero).", "logical_not", "bifc")


@reading
def isclose(input: Tensor, other: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Tensor:
    """Whether each element is within ``atol + rtol * |other|`` of its counterpart."""
    for place, (name, each) in enumerate((("input", input), ("other", other)), start=1):
        if not isinstance(each, Tensor):
            kind = type(each).__name__
            raise ArgumentTypeError(f"isclose(): argument '{name}' (position {place}) must be Tensor, not {kind}")
    if input._array.dtype != other._array.dtype:
        raise DtypeError(f"{input.dtype.name} did not match {other.dtype.name}: convert one of the tensors first")
    for name, each in (("rtol", rtol), ("atol", atol)):
        if each < 0:
            raise DomainError(f"{name} must be greater than or equal to zero, but got {each}")
    backend = common_backend("isclose", (input, other))
    try:
        close = backend.isclose(input._array, other._array, rtol=rtol, atol=atol, equal_nan=equal_nan)
    except ValueError:
        eq(input, other)  # raises, and says which sizes do not fit
        raise
    return finished(close, backend, False)


def allclose(input: Tensor, other: Tensor, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether every element is within ``atol + rtol * |other|`` of its counterpart."""
    return bool(isclose(input, other, rtol, atol, equal_nan)._array.all())


def equal(input: Tensor, other: Tensor) -> bool:
    """Whether both have the same shape and the same elements."""
    common_backend("equal", (input, other))
    return input._array.shape == other._array.shape and bool((input._array == other._array).all())


_TWO = (eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_xor)
_ONE = (isnan, isinf, isfinite, isposinf, isneginf, isreal, signbit, logical_not)
METHODS = short_roads(*_TWO, *_ONE) | {
    "not_equal": ne, "less": lt, "less_equal": le, "greater": gt, "greater_equal": ge,
    "isclose": isclose, "allclose": allclose, "equal": equal,
}  # fmt: skip
INPLACE = in_places(*_TWO, logical_not) | {
    f"{name}_": in_place(each.op)
    for name, each in (("not_equal", ne), ("less", lt), ("less_equal", le), ("greater", gt), ("greater_equal", ge))
}


def _operator(function: Any) -> Any:
    """Return the operator ``x == y``, which is NotImplemented if `y` cannot be compared: ``x == None`` is False."""

    def operator(self: Tensor, other: Any) -> Any:
        try:
            return function(self, other)
        except ArgumentTypeError:
            return NotImplemented

    operator.__name__ = operator.__qualname__ = f"__{function.__name__}__"
    operator.__doc__ = function.__doc__
    return operator


OPERATORS = {f"__{each.__name__}__": _operator(each.__wrapped__) for each in _TWO[:6]}

"""Dtypes, and the rule for the dtype of an op's result.

A `dtype` is a name with a few properties; arrays have NumPy's dtype objects, which CuPy shares. The promotion rule is
PyTorch's, not NumPy's: an integer and a float give the float's dtype, whatever their sizes (``int64 + float16`` is
float16). A Python number never widens a tensor of its kind, and neither does a tensor without dimensions.

>>> from minigrad import dtypes
>>> dtypes.promote(dtypes.int64, dtypes.float16)
minigrad.float16
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .errors import ArgumentTypeError, DtypeError, MissingPackageError

BOOL, INTEGER, FLOAT, COMPLEX = range(4)
"""The kinds of dtypes; in promotion, the higher kind wins."""


class dtype:
    """A dtype. There is one object for each, so they can be compared by ``is``."""

    __slots__ = ("name", "numpy", "kind", "itemsize")

    def __init__(self, name: str, numpy: Any, kind: int) -> None:
        self.name = name
        self.numpy = np.dtype(numpy)
        self.kind = kind
        self.itemsize = self.numpy.itemsize

    @property
    def is_floating_point(self) -> bool:
        return self.kind == FLOAT

    @property
    def is_complex(self) -> bool:
        return self.kind == COMPLEX

    @property
    def is_differentiable(self) -> bool:
        """Whether a tensor of this dtype can require a gradient."""
        return self.kind >= FLOAT

    @property
    def is_signed(self) -> bool:
        return self.name not in ("bool", "uint8")

    @property
    def type_name(self) -> str:
        """The name in PyTorch's C++: Float, Half, Long."""
        return _TYPE_NAMES[self.name]

    @property
    def c_name(self) -> str:
        """The name of the element type in C++: float, at::Half, int64_t."""
        return _C_NAMES.get(self.name, f"{self.name}_t")

    def __repr__(self) -> str:
        return f"minigrad.{self.name}"

    def __reduce__(self) -> str:
        return "bool_" if self.name == "bool" else self.name  # the name in this module


class _BFloat16(dtype):
    """bfloat16, which NumPy lacks: the package ml_dtypes is imported when it is first used."""

    __slots__ = ()

    def __init__(self) -> None:
        self.name, self.kind, self.itemsize = "bfloat16", FLOAT, 2

    def __getattr__(self, name: str) -> Any:
        if name != "numpy":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        try:
            import ml_dtypes
        except ImportError as error:
            raise MissingPackageError(
                "bfloat16 needs the package ml_dtypes, since NumPy has no such type: pip install ml_dtypes. "
                "float16 and float32 need nothing but NumPy."
            ) from error
        self.numpy = np.dtype(ml_dtypes.bfloat16)
        _OF_NUMPY[self.numpy] = self
        return self.numpy


_C_NAMES = {
    "bool": "bool", "int32": "int", "float16": "at::Half", "bfloat16": "at::BFloat16", "float32": "float",
    "float64": "double", "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}  # fmt: skip

_TYPE_NAMES = {
    "bool": "Bool", "uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long",
    "float16": "Half", "bfloat16": "BFloat16", "float32": "Float", "float64": "Double",
    "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip

bool_ = dtype("bool", np.bool_, BOOL)
uint8 = dtype("uint8", np.uint8, INTEGER)
int8 = dtype("int8", np.int8, INTEGER)
int16 = dtype("int16", np.int16, INTEGER)
int32 = dtype("int32", np.int32, INTEGER)
int64 = dtype("int64", np.int64, INTEGER)
float16 = dtype("float16", np.float16, FLOAT)
bfloat16 = _BFloat16()
float32 = dtype("float32", np.float32, FLOAT)
float64 = dtype("float64", np.float64, FLOAT)
complex64 = dtype("complex64", np.complex64, COMPLEX)
complex128 = dtype("complex128", np.complex128, COMPLEX)

ALL = (bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)

_OF_NUMPY = {each.numpy: each for each in ALL if each is not bfloat16}
_REAL_OF = {complex64: float32, complex128: float64}
_COMPLEX_OF = {float16: complex64, bfloat16: complex64, float32: complex64, float64: complex128}


def of(numpy: Any) -> dtype:
    """Return the dtype for this NumPy dtype. DtypeError if minigrad does not support it."""
    try:
        return _OF_NUMPY[numpy]
    except (KeyError, TypeError):
        pass
    try:
        wanted = np.dtype(numpy)
        return bfloat16 if wanted.name == "bfloat16" and wanted == bfloat16.numpy else _OF_NUMPY[wanted]
    except (KeyError, TypeError):
        known = ", ".join(each.name for each in ALL)
        message = f"minigrad has no element type for {numpy!r}; it has {known}. Convert the data first."
        raise DtypeError(message) from None


def largest_integer(each: dtype) -> int:
    """Return the largest integer up to which `each` represents all integers from 0 on."""
    if each.is_floating_point:
        return int(2 ** {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}[each.name])
    return 1 if each is bool_ else int(2 ** (8 * each.itemsize - each.is_signed)) - 1


_F32, _F64 = float32.numpy, float64.numpy


def plain(numpy: Any) -> bool:
    """Whether this NumPy dtype is float32 or float64, the most frequent ones; a fast test."""
    return numpy is _F32 or numpy is _F64


def differentiable(numpy: Any) -> bool:
    """Whether arrays of this NumPy dtype can have gradients."""
    return numpy is _F32 or numpy is _F64 or of(numpy).kind >= FLOAT


_OF_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}


def as_dtype(wanted: Any) -> dtype:
    """Return the dtype for a dtype, a Python type (float, int, bool, complex) or a NumPy dtype."""
    if isinstance(wanted, dtype):
        return wanted
    if isinstance(wanted, type) and wanted in _OF_PYTHON:
        return _OF_PYTHON[wanted]
    if wanted is None:
        raise ArgumentTypeError("dtype must be a minigrad.dtype, not None")
    return of(wanted)


def real_of(complex_dtype: dtype) -> dtype:
    """Return the dtype of the real part: complex64 -> float32; a real dtype is returned as it is."""
    return _REAL_OF.get(complex_dtype, complex_dtype)


def complex_of(real_dtype: dtype) -> dtype:
    """Return the complex dtype with this real part: float32 -> complex64; a complex dtype is returned as it is."""
    return _COMPLEX_OF.get(real_dtype, real_dtype)


# The default dtype --------------------------------------------------------------------------------------------------

_default = float32


def get_default_dtype() -> dtype:
    """Return the dtype of Python floats in tensors: float32, or that of `set_default_dtype`."""
    return _default


def set_default_dtype(wanted: Any) -> None:
    """Set the dtype of Python floats in tensors to `wanted`, a floating-point dtype."""
    global _default
    chosen = as_dtype(wanted)
    if not chosen.is_floating_point:
        raise ArgumentTypeError(f"only floating-point types are supported as the default type, got {chosen}")
    _default = chosen


def of_number(number: bool | int | float | complex) -> dtype:
    """Return the dtype that a Python number gets in a tensor of its own. ArgumentTypeError for anything else."""
    if isinstance(number, bool):
        return bool_
    if isinstance(number, int):
        return int64
    if isinstance(number, float):
        return _default
    if isinstance(number, complex):
        return complex_of(_default)
    raise ArgumentTypeError(f"an operand must be Tensor, not {type(number).__name__}, or a number")


# Promotion ------------------------------------------------------------------------------------------------------------


def promote(a: dtype, b: dtype) -> dtype:
    """Return the smallest dtype, by PyTorch's rules, that can hold both."""
    if a is b:
        return a
    if a.kind > b.kind:
        a, b = b, a
    if a.kind < b.kind:  # the higher kind wins; but complex must be wide enough for the float
        return promote(complex_of(a), b) if b.kind == COMPLEX and a.kind == FLOAT else b
    if a.itemsize == b.itemsize:  # uint8 and int8, or float16 and bfloat16
        return int16 if a.kind == INTEGER else float32
    return a if a.itemsize > b.itemsize else b


def result_type(*operands: Any) -> dtype:
    """Return the promoted dtype of `operands` (arrays or Python numbers).

    Operands with dimensions decide; a number or an operand without dimensions counts only if it has a higher kind.
    """
    ranks: list[dtype | None] = [None, None, None]  # numbers, zero-dimensional, with dimensions
    for operand in operands:
        found = getattr(operand, "dtype", None)
        if found is None:
            found, rank = of_number(operand), 0
        else:
            found = found if isinstance(found, dtype) else of(found)
            rank = 2 if len(operand.shape) else 1
        known = ranks[rank]
        ranks[rank] = found if known is None else promote(known, found)
    result: dtype | None = None
    for found_or_none in reversed(ranks):
        if found_or_none is None:
            continue
        if result is None:
            result = found_or_none
        elif found_or_none.kind > result.kind:
            result = complex_of(result) if result.kind == FLOAT else found_or_none
    if result is None:
        raise ArgumentTypeError("result_type needs at least one operand")
    return result


def can_cast(source: dtype, target: dtype) -> bool:
    """Whether an in-place op may write `source` into `target`: never from a higher kind to a lower one.

    >>> can_cast(float64, float32), can_cast(float32, int64)
    (True, False)
    """
    if target.kind == BOOL:
        return source.kind == BOOL
    return source.kind <= target.kind


# Limits ---------------------------------------------------------------------------------------------------------------


def _limits_of_bfloat16() -> Any:
    bfloat16.numpy  # noqa: B018 - says what is missing where ml_dtypes is
    import ml_dtypes

    return ml_dtypes.finfo(ml_dtypes.bfloat16)  # type: ignore[no-untyped-call]


class finfo:
    """The limits of a floating-point dtype (for a complex one, of its parts).

    >>> finfo(float16).max
    65504.0
    """

    def __init__(self, type: Any = None) -> None:
        chosen = real_of(_default if type is None else as_dtype(type))
        if not chosen.is_floating_point:
            raise ArgumentTypeError(f"finfo() requires a floating point input type. Use iinfo to handle {chosen}")
        limits: Any = _limits_of_bfloat16() if chosen is bfloat16 else np.finfo(chosen.numpy)
        self.dtype = chosen.name
        self.bits = int(limits.bits)
        self.eps, self.max, self.min = float(limits.eps), float(limits.max), float(limits.min)
        self.tiny = self.smallest_normal = float(limits.smallest_normal)
        self.resolution = float(limits.resolution)

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
            f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})"
        )


class iinfo:
    """The limits of an integer dtype.

    >>> iinfo(uint8).max
    255
    """

    def __init__(self, type: Any) -> None:
        chosen = as_dtype(type)
        if chosen.kind != INTEGER:
            raise ArgumentTypeError(f"iinfo() requires an integer input type. Use finfo to handle {chosen}")
        limits = np.iinfo(chosen.numpy)
        self.dtype = chosen.name
        self.bits, self.max, self.min = int(limits.bits), int(limits.max), int(limits.min)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"

"""Storage classes by dtype, as older programs use them: ``FloatStorage(3)``, ``LongStorage([1, 2])``.

>>> from minigrad import FloatStorage, ones
>>> FloatStorage([1.0, 2.0]).tolist()
[1.0, 2.0]
>>> isinstance(ones(2).storage(), FloatStorage)
True
"""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...errors import ArgumentTypeError, DomainError
from .storage import TypedStorage, UntypedStorage


class _Kind(type):
    """The type of ``FloatStorage`` and so on: they create storages, and every storage of the dtype is an instance."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, wrap_storage: UntypedStorage | None = None) -> TypedStorage:
        if wrap_storage is not None:
            return TypedStorage(wrap_storage._owner, cls.dtype)
        wrong = args and isinstance(args[0], (str, float)) and type(args[0]).__name__
        if len(args) > 1 or wrong:
            found = "Too many positional arguments" if len(args) > 1 else f"Argument type not recognized: {wrong}"
            raise (DomainError if len(args) > 1 else ArgumentTypeError)(
                f"{cls.__name__}() received an invalid combination of arguments. Expected one of no arguments, "
                f"(int size), (Sequence data), (*, UntypedStorage wrap_storage). {found}"
            )
        return TypedStorage(args[0] if args else 0, cls.dtype)

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, TypedStorage) and other.dtype is cls.dtype

    def __str__(cls) -> str:
        return f"minigrad.{cls.__name__}"


class FloatStorage(metaclass=_Kind):
    """Storages of float32."""

    dtype = dtypes.float32


class DoubleStorage(metaclass=_Kind):
    """Storages of float64."""

    dtype = dtypes.float64


class HalfStorage(metaclass=_Kind):
    """Storages of float16."""

    dtype = dtypes.float16


class BFloat16Storage(metaclass=_Kind):
    """Storages of bfloat16."""

    dtype = dtypes.bfloat16


class LongStorage(metaclass=_Kind):
    """Storages of int64."""

    dtype = dtypes.int64


class IntStorage(metaclass=_Kind):
    """Storages of int32."""

    dtype = dtypes.int32


class ShortStorage(metaclass=_Kind):
    """Storages of int16."""

    dtype = dtypes.int16


class CharStorage(metaclass=_Kind):
    """Storages of int8."""

    dtype = dtypes.int8


class ByteStorage(metaclass=_Kind):
    """Storages of uint8."""

    dtype = dtypes.uint8


class BoolStorage(metaclass=_Kind):
    """Storages of bools."""

    dtype = dtypes.bool_


class ComplexFloatStorage(metaclass=_Kind):
    """Storages of complex64."""

    dtype = dtypes.complex64


class ComplexDoubleStorage(metaclass=_Kind):
    """Storages of complex128."""

    dtype = dtypes.complex128

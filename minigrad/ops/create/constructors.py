"""PyTorch's constructors from before ``tensor()``: ``Tensor(2, 3)``, ``FloatTensor([1, 2])``, ``x.new(3)``."""

from __future__ import annotations

import math
import operator
import warnings
from typing import Any

from ... import dtypes
from ...backend import chosen
from ...core.size import Size
from ...core.tensor import Tensor, alias
from ...errors import ArgumentTypeError
from ..conversion.storage import is_storage, set_
from .factories import arange, as_lists, empty, placed, steps_of, tensor

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "ShortTensor", "range", "set_default_tensor_type",
]  # fmt: skip


def legacy(args: tuple[Any, ...], dtype: dtypes.dtype, device: Any) -> Tensor:
    """Return the result of an old constructor: an uninitialised tensor for sizes, or a tensor with the given data.

    A tensor or an array of the right dtype shares its memory.
    """
    if not args:
        return empty(0, dtype=dtype, device=device)
    data = args[0]
    if len(args) == 1 and isinstance(data, Tensor):
        return alias(data)
    if len(args) == 1 and is_storage(data):
        return set_(empty(0, dtype=dtype, device=device), data)
    if isinstance(data, Size):
        return empty(data, dtype=dtype, device=device)
    if len(args) == 1 and hasattr(data, "__array__") and data.ndim > 0:
        backend = chosen(device)
        return tensor(data, dtype=dtype, device=device) if data.dtype != dtype.numpy else _shared(data, backend)
    if len(args) == 1 and isinstance(as_lists(data), (list, tuple)):
        return tensor(data, dtype=dtype, device=device)
    if len(args) == 1 and not hasattr(data, "__index__"):
        raise ArgumentTypeError(
            f"new(): data must be a sequence (got {type(data).__name__}): write minigrad.tensor({data!r})"
        )
    try:
        sizes = [operator.index(each) for each in args]
    except TypeError:
        found = ", ".join(type(each).__name__ for each in args)
        raise ArgumentTypeError(
            f"new(): argument 'size' must be tuple of ints, but found ({found}): give sizes, or one list of elements"
        ) from None
    return empty(sizes, dtype=dtype, device=device)


def _shared(data: Any, backend: Any) -> Tensor:
    from .factories import from_numpy

    made = from_numpy(data)
    return made if made._backend is backend else made.to(backend.device)


def as_kind(cls: type[Tensor], source: Tensor) -> Any:
    """Return `source` as a tensor of the subclass `cls`, with the same memory and place in the graph."""
    made = object.__new__(cls)
    for name in ("_array", "_storage", "_backend", "_edge", "_requires_grad", "_grad", "_view", "_extra"):
        setattr(made, name, getattr(source, name))
    return made


def _new(cls: type[Tensor], *args: Any, device: Any = None, **kwargs: Any) -> Any:
    """Create ``Tensor(2, 3)`` or ``Tensor([1, 2])`` in the default dtype, also for subclasses.

    Further arguments of a subclass are for its ``__init__``.
    """
    if kwargs and cls is Tensor:
        raise ArgumentTypeError(f"Tensor() got an unexpected keyword argument {next(iter(kwargs))!r}: see tensor()")
    if cls is not Tensor and not all(hasattr(each, "__index__") for each in args):
        args = args[:1]
    return as_kind(cls, legacy(args, dtypes.get_default_dtype(), device))


def _make_subclass(cls: type[Tensor], data: Tensor, require_grad: bool = False) -> Any:
    """Return `data` as a tensor of the subclass `cls`, outside the graph."""
    return as_kind(cls, data.detach()).requires_grad_(require_grad)


def as_subclass(self: Tensor, cls: type[Tensor]) -> Any:
    """Return this tensor as one of a subclass, with the same memory and place in the graph."""
    return as_kind(cls, self)


def new(self: Tensor, *args: Any, size: Any = None, device: Any = None) -> Tensor:
    """Return a tensor of this dtype and device, from sizes or data like the old constructors."""
    if size is not None:
        args = tuple(size)
    if len(args) == 1 and isinstance(args[0], Tensor):
        return args[0].to(self.dtype)
    return legacy(args, self.dtype, device or self.device)


class _Kind(type):
    """The type of ``FloatTensor`` and so on: they create tensors, and every tensor of the dtype is an instance."""

    dtype: dtypes.dtype

    def __call__(cls, *args: Any, device: Any = None) -> Tensor:
        if args and isinstance(args[0], Tensor) and args[0].dtype is not cls.dtype:
            raise ArgumentTypeError(
                f"expected a tensor of {cls.dtype.name} (got {args[0].dtype.name}): convert it with .to(dtype)"
            )
        return legacy(args, cls.dtype, device)

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor) and other.dtype is cls.dtype and not other.is_cuda

    def __str__(cls) -> str:
        return f"minigrad.{cls.__name__}"


class FloatTensor(metaclass=_Kind):
    """Tensors of float32."""

    dtype = dtypes.float32


class DoubleTensor(metaclass=_Kind):
    """Tensors of float64."""

    dtype = dtypes.float64


class HalfTensor(metaclass=_Kind):
    """Tensors of float16."""

    dtype = dtypes.float16


class BFloat16Tensor(metaclass=_Kind):
    """Tensors of bfloat16."""

    dtype = dtypes.bfloat16


class LongTensor(metaclass=_Kind):
    """Tensors of int64."""

    dtype = dtypes.int64


class IntTensor(metaclass=_Kind):
    """Tensors of int32."""

    dtype = dtypes.int32


class ShortTensor(metaclass=_Kind):
    """Tensors of int16."""

    dtype = dtypes.int16


class CharTensor(metaclass=_Kind):
    """Tensors of int8."""

    dtype = dtypes.int8


class ByteTensor(metaclass=_Kind):
    """Tensors of uint8."""

    dtype = dtypes.uint8


class BoolTensor(metaclass=_Kind):
    """Tensors of bool."""

    dtype = dtypes.bool_


KINDS = {
    each.__name__: each.dtype
    for each in (
        FloatTensor, DoubleTensor, HalfTensor, BFloat16Tensor, LongTensor, IntTensor, ShortTensor, CharTensor,
        ByteTensor, BoolTensor,
    )
}  # fmt: skip
"""The dtype of each class, by its name."""


def kind_of(wanted: Any) -> tuple[dtypes.dtype, str | None] | None:
    """Return dtype and device of such a class, or of its name, such as "torch.cuda.LongTensor"; else None."""
    if isinstance(wanted, _Kind):
        return wanted.dtype, "cpu"
    if wanted is Tensor:
        return dtypes.get_default_dtype(), "cpu"
    if isinstance(wanted, str) and wanted.split(".")[-1] in KINDS:
        return KINDS[wanted.split(".")[-1]], "cuda" if ".cuda." in wanted else "cpu"
    return None


def range(
    start: Any = 0,
    end: Any = None,
    step: Any = 1,
    *,
    out: Any = None,
    dtype: Any = None,
    device: Any = None,
    requires_grad: bool = False,
) -> Tensor:
    """Numbers from `start` to `end` (included), by `step`. Deprecated: `arange` excludes the end, like Python."""
    warnings.warn(
        "range is deprecated and will be removed in a future release because its behavior is inconsistent with "
        "Python's range builtin. Use arange, which leaves the end out.",
        UserWarning,
        stacklevel=3,
    )
    start, end = (0, start) if end is None else (start, end)
    wanted = dtypes.as_dtype(dtype or (dtypes.get_default_dtype() if out is None else out.dtype))
    start, end, step = steps_of(start, end, step, not wanted.is_floating_point)
    count = math.floor((end - start) / step) + 1
    made = arange(0, count, dtype=wanted, device=device) * step + start
    return placed(out, made.requires_grad_(requires_grad), dtype, counted=True)


def set_default_tensor_type(t: Any) -> None:
    """Set the dtype of new floating-point tensors: ``DoubleTensor`` or its name. See `set_default_dtype`."""
    kind = kind_of(t)
    if kind is None or not kind[0].is_floating_point:
        raise ArgumentTypeError(f"only floating-point types are supported as the default type, got {t}")
    dtypes.set_default_dtype(kind[0])


METHODS = {
    "new": new, "as_subclass": as_subclass, "__new__": staticmethod(_new),
    "_make_subclass": staticmethod(_make_subclass),
}  # fmt: skip

"""Elements of two bytes (float16, bfloat16): computed in float32, and rounded once at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor

HALVES = (dtypes.float16, dtypes.bfloat16)


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` of tensors, which computes those of two bytes in float32; its result is rounded to their type."""

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for each in (*args, *kwargs.values()):
            if isinstance(each, Tensor) and each.dtype in HALVES:
                made = function(*map(_wide, args), **{name: _wide(value) for name, value in kwargs.items()})
                return made.to(each.dtype)
        return function(*args, **kwargs)

    return call


def _wide(value: Any) -> Any:
    return value.float() if isinstance(value, Tensor) and value.dtype in HALVES else value


class InFloat32(Op, abstract=True):
    """An op whose elements of two bytes are computed in float32, and rounded once at the end."""

    __slots__ = ()
    by_elements: ClassVar[bool] = False
    """Whether it looks at the very bits of an element, so that one of two bytes must stay one."""

    def compute(self, backend: Any, arrays: Sequence[Any]) -> Any:
        half = next((each.dtype for each in arrays if is_half(getattr(each, "dtype", None))), None)
        if half is None or self.by_elements:
            return super().compute(backend, arrays)
        wide = [each.astype("float32") if is_half(getattr(each, "dtype", None)) else each for each in arrays]
        result = super().compute(backend, wide)
        if type(result) is tuple:
            return tuple([rounded(backend, each, half) for each in result])
        return rounded(backend, result, half)


def is_half(kind: Any) -> bool:
    """Whether `kind` is float16 or bfloat16."""
    return kind is not None and kind.itemsize == 2 and kind.kind in "fV"


def rounded(backend: Any, array: Any, half: Any) -> Any:
    """`array`, computed in float32, as elements of two bytes; an answer (bool) or an integer stays what it is."""
    if getattr(array, "dtype", None) != "float32":
        return array
    with backend.errstate(over="ignore"):  # beyond its end is infinity, as in PyTorch
        return backend.asarray(array).astype(half)

"""Half precision (float16, bfloat16): computed in float32, and rounded once at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor

HALVES = (dtypes.float16, dtypes.bfloat16)


def in_float32(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap `function` to compute half-precision tensors in float32, and round its result to their dtype."""

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
    """An op that computes half-precision elements in float32, and rounds once at the end."""

    __slots__ = ()
    by_elements: ClassVar[bool] = False
    """Whether the op reads the bits of an element, so that half precision must not be converted."""

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
    """Return whether `kind` is float16 or bfloat16."""
    return kind is not None and kind.itemsize == 2 and kind.kind in "fV"


def rounded(backend: Any, array: Any, half: Any) -> Any:
    """Round `array`, computed in float32, to half precision; bools and integers stay unchanged."""
    if getattr(array, "dtype", None) != "float32":
        return array
    with backend.errstate(over="ignore"):  # overflow gives infinity, as in PyTorch
        return backend.asarray(array).astype(half)

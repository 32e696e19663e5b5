"""``FloatTensor`` and its kin on the GPU: what programs of old make tensors with, and ask ``isinstance`` about."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentTypeError
from ..ops.create import constructors

__all__ = [
    "BFloat16Tensor", "BoolTensor", "ByteTensor", "CharTensor", "DoubleTensor", "FloatTensor", "HalfTensor",
    "IntTensor", "LongTensor", "ShortTensor",
]  # fmt: skip


class _OnGPU(type):
    """The class ``cuda.FloatTensor``: it makes tensors there, and every tensor of its dtype on a GPU is one of it."""

    def __call__(cls, *args: Any) -> Tensor:
        from . import is_available

        if not is_available():
            raise ArgumentTypeError(
                f"type minigrad.cuda.{cls.__name__} not available: there is no GPU. Use minigrad.{cls.__name__}"
            )
        made: Tensor = getattr(constructors, cls.__name__)(*args, device="cuda")
        return made

    def __instancecheck__(cls, other: Any) -> bool:
        return isinstance(other, Tensor) and other.is_cuda and other.dtype is constructors.KINDS[cls.__name__]


def _kind(name: str) -> Any:
    dtype = constructors.KINDS[name]
    return _OnGPU(name, (), {"__doc__": f"Tensors of {dtype.name} on a GPU.", "__module__": "minigrad.cuda"})


FloatTensor, DoubleTensor, HalfTensor = _kind("FloatTensor"), _kind("DoubleTensor"), _kind("HalfTensor")
BFloat16Tensor, BoolTensor, ByteTensor = _kind("BFloat16Tensor"), _kind("BoolTensor"), _kind("ByteTensor")
LongTensor, IntTensor = _kind("LongTensor"), _kind("IntTensor")
ShortTensor, CharTensor = _kind("ShortTensor"), _kind("CharTensor")

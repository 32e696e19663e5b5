"""``torch.ops.aten``: PyTorch's internal names of ops, for programs that call them or name them in a checkpoint policy.

>>> import minigrad as mg
>>> mg.ops.aten.sin(mg.zeros(2))
tensor([0., 0.])
>>> mg.ops.aten.sin.default == mg.sin.op
True
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..core.op import Op
from ..core.tensor import Tensor


class OpOverload:
    """One op by name, such as ``aten.mm.default``. It can be called, and equals the op class that computes it."""

    def __init__(self, name: str, overload: str, kind: type[Op] | None = None) -> None:
        self.name, self.overload, self.kind = name, overload, kind

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return function_of(self.name)(*args, **kwargs)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, type):
            return other is self.kind or (self.kind is None and self.name == name_of(other))
        if not isinstance(other, OpOverload) or self.name != other.name:
            return False
        return self.overload == other.overload or self.kind is not None or other.kind is not None

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return f"<OpOverload(op='aten.{self.name}', overload='{self.overload}')>"


class OpOverloadPacket:
    """All overloads of one name. Calling it calls the function of that name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return function_of(self._name)(*args, **kwargs)

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(overload)
        return OpOverload(self._name, overload)

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='aten.{self._name}')>"


def name_of(kind: type) -> str:
    """Return PyTorch's name for ops of this class: the class's name in lower case, with a few exceptions."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", kind.__name__).lower()
    return {"affine": "addmm", "mat_mul": "bmm"}.get(name, name)


def overload_of(op: Op, inputs: Sequence[Any]) -> OpOverload:
    """Return the overload of `op`, called on `inputs`. It equals every overload of that name, and the class of `op`."""
    name = name_of(type(op))
    if name == "bmm" and all(isinstance(each, Tensor) and each.dim() == 2 for each in inputs):
        name = "mm"
    return OpOverload(name, "default", type(op))


def function_of(name: str) -> Any:
    """Return the function that PyTorch calls `name`: a top-level one, one of ``nn.functional``, or a tensor method."""
    from importlib import import_module

    for place in ("minigrad", "minigrad.nn.functional"):
        found = getattr(import_module(place), name, None)
        if callable(found):
            return found
    return getattr(Tensor, name)


def __getattr__(name: str) -> OpOverloadPacket:
    if name.startswith("__"):
        raise AttributeError(name)
    function_of(name)  # AttributeError for an unknown name
    return OpOverloadPacket(name)

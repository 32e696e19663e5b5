"""Parameters and buffers: tensors that a module registers as its own."""

from __future__ import annotations

from typing import Any

from .. import events
from ..core.tensor import Tensor
from ..events import LISTENERS, emit
from ..ops.create.factories import as_tensor, empty


class Parameter(Tensor):
    """A trainable leaf. Assigned to an attribute of a module, it becomes one of the module's parameters.

    It shares the memory of `data`, and requires a gradient by default.

    >>> import minigrad as mg
    >>> mg.nn.Parameter(mg.zeros(2))
    Parameter containing:
    tensor([0., 0.], requires_grad=True)
    """

    __slots__ = ()

    def __new__(cls, data: Any = None, requires_grad: bool = True) -> Parameter:
        source = _as_tensor(data).detach()
        parameter: Parameter = object.__new__(cls)
        parameter._array = source._array
        parameter._storage = source._storage
        parameter._backend = source._backend
        parameter._edge = None
        parameter._requires_grad = False
        parameter._grad = None
        parameter._view = None
        parameter._extra = None
        if requires_grad:
            parameter.requires_grad_()
        if LISTENERS:
            emit(events.TensorCreated(parameter))
        return parameter

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        copy = memo.get(id(self))
        if copy is None:
            copy = memo[id(self)] = type(self)(self.detach().clone(), self.requires_grad)
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuild, (self._backend.to_host(self._array), str(self.device), self.requires_grad)

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()


class Buffer(Tensor):
    """A tensor of a module that is not trained: assigned to an attribute, it becomes one of the module's buffers.

    >>> import minigrad as mg
    >>> module = mg.nn.Module()
    >>> module.mean = mg.nn.Buffer(mg.zeros(1))
    >>> list(module.state_dict())
    ['mean']
    """

    persistent: bool

    def __new__(cls, data: Any = None, *, persistent: bool = True) -> Buffer:
        buffer: Buffer = _as_tensor(data).detach().as_subclass(cls)
        buffer.persistent = persistent
        return buffer

    def __init__(self, data: Any = None, *, persistent: bool = True) -> None:
        """Do nothing: ``__new__`` has used the arguments."""


def optional(wanted: bool, shape: Any, device: Any, dtype: Any) -> Parameter | None:
    """Return an uninitialised parameter of this shape, or None if it is not `wanted`, for a layer's bias."""
    return Parameter(empty(shape, device=device, dtype=dtype)) if wanted else None


def _as_tensor(data: Any) -> Tensor:
    if isinstance(data, Tensor):
        return data
    return empty(0) if data is None else as_tensor(data)


def _rebuild(host: Any, device: str, requires_grad: bool) -> Parameter:
    """Rebuild a parameter; pickle (and so `multiprocessing`) calls this."""
    return Parameter(as_tensor(host, device=device), requires_grad)


def __getattr__(name: str) -> Any:
    """Return ``UninitializedParameter`` or ``UninitializedBuffer``, which PyTorch has in this module."""
    if name in ("UninitializedParameter", "UninitializedBuffer", "UninitializedTensorMixin"):
        from . import uninitialized

        return getattr(uninitialized, {"UninitializedTensorMixin": "Uninitialized"}.get(name, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

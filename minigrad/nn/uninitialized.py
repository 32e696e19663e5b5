"""Parameters and buffers without a shape: those of lazy layers before the first input."""

from __future__ import annotations

from typing import Any

from .. import events
from ..backend import chosen
from ..core.tensor import Tensor, wrap
from ..errors import UninitializedError
from ..events import LISTENERS, emit
from ..ops.create.factories import empty
from .parameter import Parameter

_memory: Any = Tensor.__dict__["_array"]
"""The slot of every tensor's array. For these tensors the array is empty, and only has the dtype."""


class Uninitialized:
    """A tensor without a shape. It can only be moved, saved, and given a shape."""

    __slots__ = ()
    becomes: type[Tensor]

    def __init__(self, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> None:
        """Do nothing: ``__new__`` has done everything."""

    @property
    def _array(self) -> Any:
        raise UninitializedError(
            f"Can't access the shape of an uninitialized parameter or buffer. Attempted to use an uninitialized "
            f"{self._what()}: its shape is not known before its lazy module has seen an input. The module or what "
            "wraps it may have uninitialized parameters. Make sure to run the dummy forward first. Call the module "
            "once with an example."
        )

    @_array.setter
    def _array(self, array: Any) -> None:
        _memory.__set__(self, array)

    @property
    def dtype(self) -> Any:
        """The dtype that the elements will have."""
        return self.data.dtype

    @property
    def data(self) -> Tensor:
        """An empty tensor of the right dtype, on the right device."""
        return wrap(_memory.__get__(self), self._backend)

    @data.setter
    def data(self, value: Tensor) -> None:
        self._backend = value._backend  # type: ignore[misc]
        _memory.__set__(self, value._array)

    def materialize(self, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Take this shape, with uninitialised elements, and become an ordinary tensor."""
        kept = self.data
        fresh = empty(shape, device=device or kept.device, dtype=dtype or kept.dtype)
        self.data = fresh
        self.__class__ = self.becomes  # type: ignore[assignment]
        if LISTENERS:
            emit(events.TensorCreated(self))

    def detach(self) -> Any:
        """Return this tensor: there is no memory to share yet."""
        return self

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Return an uninitialised tensor for that device and dtype."""
        moved = self.__deepcopy__({})
        moved.data = self.data.to(*args, **kwargs)
        return moved

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        copy = type(self)(self.requires_grad, self.data.device, self.dtype)  # type: ignore[attr-defined]
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self), (self.requires_grad, str(self.data.device), self.dtype)  # type: ignore[attr-defined]

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def _what(self) -> str:
        return "parameter" if isinstance(self, Parameter) else "buffer"


class UninitializedParameter(Uninitialized, Parameter):
    """A parameter that gets its shape later, by ``materialize(shape)``.

    >>> import minigrad as mg
    >>> p = mg.nn.UninitializedParameter()
    >>> p.materialize((2, 3))
    >>> p.shape, type(p).__name__
    (minigrad.Size([2, 3]), 'Parameter')
    """

    __slots__ = ()
    becomes = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> UninitializedParameter:
        return _without_shape(cls, requires_grad, device, dtype)


class UninitializedBuffer(Uninitialized, Tensor):
    """A buffer that gets its shape later, by ``materialize(shape)``."""

    __slots__ = ()
    becomes = Tensor

    def __new__(cls, requires_grad: bool = False, device: Any = None, dtype: Any = None) -> UninitializedBuffer:
        return _without_shape(cls, requires_grad, device, dtype)


def _without_shape(kind: type[Tensor], requires_grad: bool, device: Any, dtype: Any) -> Any:
    """A tensor of this kind. No event tells of it before it has a shape."""
    made: Any = wrap(empty(0, device=device, dtype=dtype)._array, chosen(device))
    made._requires_grad = requires_grad
    made.__class__ = kind
    return made

"""The memory of a tensor as an object: ``x.untyped_storage()`` counts bytes, ``x.storage()`` elements."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ... import dtypes
from ...core.state import STATE
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, DimensionError, GradError, ShapeError

__all__ = ["is_storage"]


class UntypedStorage:
    """The bytes of a tensor and of all its views."""

    def __init__(self, owner: Any = 0, dtype: Any = dtypes.uint8, *, device: Any = None) -> None:
        """Wrap the memory of a tensor, or allocate memory for a number of elements or for a sequence of them."""
        dtype = dtypes.as_dtype(dtype)
        if not isinstance(owner, Tensor):
            from ..create.factories import tensor, zeros

            sizes = isinstance(owner, int)
            owner = zeros(owner, dtype=dtype, device=device) if sizes else tensor(owner, dtype=dtype, device=device)
        self._owner: Tensor = owner
        """The tensor whose array covers the whole memory."""
        self.dtype: dtypes.dtype = dtype

    @property
    def _memory(self) -> Any:
        """Return all elements as a one-dimensional tensor on the same memory."""
        array = self._owner._array
        flat = array.reshape(-1) if array.flags.c_contiguous else array.reshape(-1, order="A")
        return wrap(flat.view(self.dtype.numpy), self._owner._backend)

    @property
    def device(self) -> Any:
        """The device."""
        return self._owner.device

    @property
    def _cdata(self) -> int:
        return self.data_ptr()

    def data_ptr(self) -> int:
        """The address of the first byte."""
        return self._owner.data_ptr()

    def nbytes(self) -> int:
        """The number of bytes."""
        return self._owner.nbytes

    def element_size(self) -> int:
        """Bytes of an element."""
        return self.dtype.itemsize

    def size(self) -> int:
        """The number of elements."""
        return self.nbytes() // self.element_size()

    def __len__(self) -> int:
        return self.size()

    def __getitem__(self, index: Any) -> Any:
        part = self._memory[index]
        return part.tolist() if part.dim() == 0 else part

    def __setitem__(self, index: Any, value: Any) -> None:
        self._memory[index] = value
        self._owner._storage.version += 1

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """The elements as Python numbers."""
        return list(self._memory.tolist())

    def fill_(self, value: Any) -> UntypedStorage:
        """Fill with one value. Return the storage itself."""
        self[:] = value
        return self

    def copy_(self, source: UntypedStorage) -> UntypedStorage:
        """Copy the elements of another storage of the same size. Return the storage itself."""
        self[:] = source._memory
        return self

    def clone(self) -> UntypedStorage:
        """Return a copy with its own memory."""
        return type(self)(wrap(self._memory._array.copy(), self._owner._backend), self.dtype)

    def as_elements(self, dtype: dtypes.dtype | None) -> Any:
        """Return the memory as a NumPy array of `dtype`; untyped bytes are read as that dtype."""
        dtype = dtype or dtypes.get_default_dtype()
        if type(self) is UntypedStorage:
            return self._owner._backend.to_host(TypedStorage(self._owner, dtype)._memory._array)
        if dtype is not self.dtype:
            raise GradError(
                f"Expected a Storage of type {dtype.type_name} or an UntypedStorage, but got {self.dtype.type_name}"
            )
        return self._owner._backend.to_host(self._memory._array)

    def cpu(self) -> Any:
        """Return the storage itself if it is on the CPU, else a copy there."""
        return self if self.device.type == "cpu" else self.__class__(self._memory.cpu(), self.dtype)

    def is_shared(self) -> bool:
        """Return False: memory is never shared between processes."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UntypedStorage) and self.data_ptr() == other.data_ptr()

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        lines = "\n".join(f" {each}" for each in self.tolist())
        return f"{lines}\n[minigrad.storage.{type(self).__name__}(device={self.device}) of size {len(self)}]"


class TypedStorage(UntypedStorage):
    """The elements of a tensor and of all its views."""

    def __init__(self, owner: Any = 0, dtype: Any = None, *, device: Any = None) -> None:
        super().__init__(owner, dtype or dtypes.get_default_dtype(), device=device)

    def to(self, *, dtype: dtypes.dtype) -> TypedStorage:
        """Return a copy with elements of another dtype."""
        return TypedStorage(self._memory.to(dtype, copy=True), dtype)

    def float(self) -> TypedStorage:
        """Return a copy in float32."""
        return self.to(dtype=dtypes.float32)

    def double(self) -> TypedStorage:
        """Return a copy in float64."""
        return self.to(dtype=dtypes.float64)

    def half(self) -> TypedStorage:
        """Return a copy in float16."""
        return self.to(dtype=dtypes.float16)

    def long(self) -> TypedStorage:
        """Return a copy in int64."""
        return self.to(dtype=dtypes.int64)

    def int(self) -> TypedStorage:
        """Return a copy in int32."""
        return self.to(dtype=dtypes.int32)

    def byte(self) -> TypedStorage:
        """Return a copy in uint8."""
        return self.to(dtype=dtypes.uint8)

    def type(self) -> str:
        """Return the name of the class for storages of this dtype."""
        return f"minigrad.{self.dtype.type_name}Storage"

    def untyped(self) -> UntypedStorage:
        """Return the storage as untyped bytes, on the same memory."""
        return UntypedStorage(self._owner)

    def __repr__(self) -> str:
        lines = "\n".join(f" {each}" for each in self.tolist())
        return f"{lines}\n[minigrad.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {len(self)}]"


def _owner_of(self: Tensor) -> Tensor:
    return self if self._view is None else self._view.base


def untyped_storage(self: Tensor) -> UntypedStorage:
    """The memory that this tensor and its views share, in bytes.

    >>> import minigrad as mg
    >>> x = mg.zeros(4)
    >>> x.untyped_storage().nbytes(), x[2:].untyped_storage() == x.untyped_storage()
    (16, True)
    """
    return UntypedStorage(_owner_of(self))


def storage(self: Tensor) -> TypedStorage:
    """The memory that this tensor and its views share, in elements."""
    return TypedStorage(_owner_of(self), self.dtype)


def is_storage(obj: Any) -> bool:
    """Return whether `obj` is a storage."""
    return isinstance(obj, UntypedStorage)


def set_(
    self: Tensor,
    source: Any = None,
    storage_offset: int = 0,
    size: Sequence[int] | None = None,
    stride: Sequence[int] | None = None,
) -> Tensor:
    """Use the memory of `source`, a tensor or a storage, from now on; without `source`, become empty."""
    if self.requires_grad and STATE.mode.grad:
        raise GradError("set_() would change a tensor that requires grad behind the graph's back. Detach it first.")
    if self.requires_grad:  # results computed from the old value keep their history
        self.extra.accumulator = None
    if source is None:
        self._array = self._backend.empty((0,), self._array.dtype)
        return self
    if not isinstance(source, (Tensor, UntypedStorage)):
        raise ArgumentTypeError(f"set_(): argument 'source' must be Tensor or storage, not {type(source).__name__}")
    if isinstance(source, (Tensor, TypedStorage)) and source.dtype is not self.dtype:
        raise GradError(
            f"Could not set tensor of type {source.dtype.type_name} to a tensor of type {self.dtype.type_name}"
            if isinstance(source, Tensor)
            else f"Expected a Storage of type {self.dtype.type_name} or an UntypedStorage, but got type "
            f"{source.dtype.type_name} for argument 1 'storage'"
        )
    owner = source._owner if isinstance(source, UntypedStorage) else _owner_of(source)
    if isinstance(source, Tensor) and size is None and not storage_offset:
        self._array, self._storage = source._array, source._storage
        return self
    self._array = _window(self, owner, storage_offset, size, stride)
    self._storage = owner._storage
    return self


def _window(self: Tensor, owner: Tensor, offset: int, size: Any, stride: Any) -> Any:
    memory = TypedStorage(owner, self.dtype)._memory
    if size is None:
        return memory._array[offset:]
    size = (size,) if isinstance(size, int) else tuple(size)
    if stride is None:
        stride = tuple(int(step) for step in memory.new_empty(size).stride())
    reach = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True)) + 1 if 0 not in size else 0
    if offset < 0 or any(step < 0 for step in stride):
        raise ShapeError(f"set_(): offset and strides may not be negative, got {offset} and {list(stride)}")
    if reach > memory.numel():
        raise DimensionError(f"set_(): {list(size)} from {offset} needs {reach} elements, there are {memory.numel()}")
    return memory.as_strided(size, stride, offset)._array


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Return whether both tensors have the same memory, offset, sizes and strides."""
    same = (self.data_ptr(), tuple(self.shape), self.stride())
    return same == (tensor.data_ptr(), tuple(tensor.shape), tensor.stride())


METHODS = {"storage": storage, "untyped_storage": untyped_storage, "is_set_to": is_set_to}
INPLACE = {"set_": set_}

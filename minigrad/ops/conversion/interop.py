"""Exchange with other libraries and storage: NumPy, DLPack, the CUDA array interface, deepcopy, pickle."""

from __future__ import annotations

import copy
import mmap
import os
from types import SimpleNamespace
from typing import Any

from ... import dtypes
from ...backend import CPU, lookup
from ...core.tensor import Tensor, new, wrap
from ...errors import ArgumentError, ArgumentTypeError, DeviceError, GradError, StateError, UnknownNameError
from ..create.factories import finished

__all__ = ["from_dlpack", "from_file", "frombuffer"]

DLPACK_DEVICES = {"cpu": 1, "cuda": 2}


def as_numpy(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    """Return an array on the same CPU memory, for NumPy. A tensor that requires grad must be detached first."""
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def from_ufunc(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
    """Return the result of ``numpy.log(tensor)`` as a tensor. Bools become uint8, as in PyTorch."""
    array = CPU.asarray(array)
    return finished(array.astype("uint8") if array.dtype == bool else array, CPU, False)


def to_dlpack(self: Tensor, **wishes: Any) -> Any:
    """Return a DLPack capsule with the tensor's memory; nothing is copied."""
    if self.requires_grad:
        raise GradError("Can't export tensors that require gradient, use tensor.detach()")
    return self._array.__dlpack__(**wishes)


def dlpack_device(self: Tensor) -> tuple[int, int]:
    """Return (device type, device index) in DLPack's numbering."""
    return DLPACK_DEVICES[self.device.type], self.device.index or 0


def cuda_array_interface(self: Tensor) -> Any:
    """Describe memory on a GPU for other libraries."""
    if not self.is_cuda:
        raise UnknownNameError("Can't get __cuda_array_interface__ on non-CUDA tensor: it lives on the CPU")
    if self.requires_grad:
        raise GradError("Can't get __cuda_array_interface__ on Variable that requires grad. Use detach() first.")
    return self._array.__cuda_array_interface__


class _Capsule:
    """A DLPack capsule of CPU memory as the object that it was made of."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **wishes: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLPACK_DEVICES["cpu"], 0


def _writable(array: Any) -> Any:
    """Return an array on the memory of `array` that can be written to: NumPy doubts it of a capsule's."""
    interface = array.__array_interface__
    memory = SimpleNamespace(array=array, __array_interface__={**interface, "data": (interface["data"][0], False)})
    return CPU.asarray(memory)


def from_dlpack(ext_tensor: Any, /) -> Tensor:
    """Return a tensor on the memory of any object that supports DLPack: a PyTorch or JAX tensor, a NumPy or CuPy array.

    A capsule of CPU memory may be given instead; it can be used only once.

    >>> import numpy, minigrad as mg
    >>> mg.from_dlpack(numpy.arange(3))
    tensor([0, 1, 2])
    """
    if type(ext_tensor).__name__ == "PyCapsule":
        return finished(_writable(CPU.from_dlpack(_Capsule(ext_tensor))), CPU, False)
    if not hasattr(ext_tensor, "__dlpack__"):
        raise ArgumentTypeError(f"from_dlpack needs an object with __dlpack__, got {type(ext_tensor).__name__}")
    kind, index = (int(each) for each in ext_tensor.__dlpack_device__())
    places = {number: name for name, number in DLPACK_DEVICES.items()}
    if kind not in places:
        raise DeviceError(f"from_dlpack knows CPU and CUDA memory; this tensor is on DLPack device type {kind}")
    backend = lookup("cpu" if kind == 1 else f"cuda:{index}")
    return finished(backend.from_dlpack(ext_tensor), backend, False)


def frombuffer(buffer: Any, *, dtype: Any, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """Return a vector on the memory of a bytes-like object: `count` elements (default: all) from byte `offset` on."""
    try:
        length = memoryview(buffer).nbytes
    except TypeError:
        raise ArgumentError(
            f"object does not implement Python buffer protocol. Got {type(buffer).__name__}: bytes or an array are "
            "needed"
        ) from None
    size = dtypes.as_dtype(dtype).itemsize
    if not length or not count:
        raise ArgumentError(f"both buffer length ({length}) and count ({count}) must not be 0")
    if not 0 <= offset < length:
        raise ArgumentError(
            f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({length} bytes) minus 1"
        )
    if count < 0 and (length - offset) % size:
        raise ArgumentError(
            f"buffer length ({length - offset} bytes) after offset ({offset} bytes) must be a multiple of element size "
            f"({size})"
        )
    if offset + max(count, 0) * size > length:
        raise ArgumentError(
            f"requested buffer length ({count} * {size} bytes) after offset ({offset} bytes) must not be greater than "
            f"actual buffer length ({length} bytes)"
        )
    return finished(CPU.frombuffer(buffer, dtypes.as_dtype(dtype).numpy, count, offset), CPU, requires_grad)


def from_file(
    filename: Any, shared: bool | None = None, size: int = 0, *, dtype: Any = None, requires_grad: bool = False
) -> Tensor:
    """Return a vector of `size` elements on the memory of a file, which is read when its elements are used.

    With `shared`, writes to the tensor are writes to the file, which is made longer or created if needed; else they
    stay in memory. StateError if a file that is not `shared` is shorter than `size` elements.
    """
    kind = dtypes.get_default_dtype() if dtype is None else dtypes.as_dtype(dtype)
    wanted = size * kind.itemsize
    if not wanted:
        return finished(CPU.empty((0,), kind.numpy), CPU, requires_grad)
    if shared and not os.path.exists(filename):
        open(filename, "xb").close()
    with open(filename, "r+b" if shared else "rb") as file:
        held = os.fstat(file.fileno()).st_size
        if held < wanted and not shared:
            raise StateError(f"{filename} holds {held} bytes: too few for {size} elements of {kind}")
        if held < wanted:
            file.truncate(wanted)
        memory = mmap.mmap(file.fileno(), wanted, access=mmap.ACCESS_WRITE if shared else mmap.ACCESS_COPY)
    return finished(CPU.frombuffer(memory, kind.numpy, size, 0), CPU, requires_grad)


# Copies ---------------------------------------------------------------------------------------------------------------


def deepcopy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    """Copy a leaf with its gradient, to memory of its own. GradError for a non-leaf."""
    if id(self) in memo:
        return memo[id(self)]
    if not self.is_leaf:
        raise GradError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment. "
            f"This one was computed by {self.grad_fn.name()}: copy it with .clone(), or .detach() it first."  # type: ignore[union-attr]
        )
    result = rebuilt(type(self), wrap(_copied_with_others(self, memo), self._backend), self.requires_grad)
    memo[id(self)] = result
    if self._grad is not None:
        result._grad = copy.deepcopy(self._grad, memo)
    _carry_over(self, result, lambda value: copy.deepcopy(value, memo))
    return result


def owner_of(tensor: Tensor) -> Any:
    """Return the array that owns the tensor's memory, if that has no gaps; else the tensor's own array."""
    array = owner = tensor._array
    while isinstance(owner.base, type(array)):
        owner = owner.base
    dense = owner.flags.c_contiguous or owner.flags.f_contiguous
    return owner if dense and owner.dtype == array.dtype else array


def _copied_with_others(tensor: Tensor, memo: dict[int, Any]) -> Any:
    """Copy the tensor's array so that copies share memory if the originals do."""
    array, owner, backend = tensor._array, owner_of(tensor), tensor._backend
    if owner is array and array.base is not None:
        return backend.copy(array)
    if id(owner) not in memo:
        memo[id(owner)] = backend.copy(owner)
        memo.setdefault(id(memo), []).append(owner)  # the protocol requires that objects named in memo stay alive
    return looking_into(memo[id(owner)], array.shape, array.strides, distance(backend, owner, array), backend)


def distance(backend: Any, owner: Any, array: Any) -> int:
    """Return the number of bytes from the first element of `owner` to that of `array`."""
    return int(backend.address(array) - backend.address(owner)) if array.size else 0


def looking_into(owner: Any, shape: Any, strides: Any, offset: int, backend: Any) -> Any:
    whole = shape == owner.shape and strides == owner.strides and not offset
    return owner if whole else backend.as_strided(owner, shape, strides, offset)


def reduce_ex(self: Tensor, protocol: int) -> Any:
    """Pickle the elements, the device, and requires_grad, but not the graph."""
    host = self._backend.to_host(self._array)
    return restored, (type(self), host, str(self.device), self.requires_grad, dict(getattr(self, "__dict__", {})))


def restored(kind: type[Tensor], host: Any, where: str, requires_grad: bool, attributes: dict[str, Any]) -> Tensor:
    """Return the unpickled tensor."""
    backend = lookup(where)
    result = rebuilt(kind, wrap(backend.from_host(host), backend), requires_grad)
    for name, value in attributes.items():
        setattr(result, name, value)
    return result


def rebuilt(kind: type[Tensor], plain: Tensor, requires_grad: bool) -> Tensor:
    """Return `plain` as a leaf of class `kind`."""
    result: Tensor = new(kind)
    for name in ("_array", "_storage", "_backend", "_edge", "_grad", "_view", "_extra"):
        setattr(result, name, getattr(plain, name))
    result._requires_grad = requires_grad
    return result


def _carry_over(source: Tensor, target: Tensor, change: Any) -> None:
    for name, value in getattr(source, "__dict__", {}).items():
        setattr(target, name, change(value))


METHODS = {
    "__array__": as_numpy, "__dlpack__": to_dlpack, "__dlpack_device__": dlpack_device, "__deepcopy__": deepcopy,
    "__reduce_ex__": reduce_ex, "__array_wrap__": from_ufunc,
}  # fmt: skip
PROPERTIES = {"__cuda_array_interface__": property(cuda_array_interface)}

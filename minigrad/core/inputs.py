"""The inputs of an op: the device they share, and what to say where they do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..backend import CPU
from ..errors import ArgumentTypeError, DeviceError, DtypeError, MinigradError, ShapeError
from .tensor import Tensor

if TYPE_CHECKING:
    from .op import Op


def misfit(op: Op, arrays: Sequence[Any], error: ValueError) -> Exception:
    """The error to raise where an array library refused its inputs: `error` itself if it is ours, else with shapes."""
    if isinstance(error, MinigradError):
        return error
    shapes = [tuple(each.shape) for each in arrays if hasattr(each, "shape")]
    said = " and ".join(str(list(shape)) for shape in shapes)
    for dim in range(-1, -1 - max(map(len, shapes), default=0), -1):
        sizes = [shape[dim] for shape in shapes if len(shape) >= -dim and shape[dim] != 1]
        if op.broadcasts and len(set(sizes)) > 1:
            place = max(map(len, shapes)) + dim
            return ShapeError(
                f"The size of tensor a ({sizes[0]}) must match the size of tensor b ({sizes[1]}) at non-singleton "
                f"dimension {place}: {type(op).__name__} got shapes {said}, which do not broadcast together."
            )
    return ShapeError(f"{type(op).__name__} cannot take shapes {said}: {error}")


def quietly(forward: Callable[..., Any], backend: Any, *arrays: Any) -> Any:
    """`forward` again, where warnings are errors and NumPy had something to say about an inf or a nan.

    Here these are ordinary numbers, as in PyTorch. Asking NumPy for silence before every call would cost as much as the
    call; so warnings from minigrad's modules are filtered out, and where that filter is overruled, this is the way.
    """
    with backend.errstate(all="ignore"):
        return forward(backend, *arrays)


def array_of(value: Any) -> Any:
    """The array inside a tensor; anything else is itself."""
    return value._array if isinstance(value, Tensor) else value


def number_array(backend: Any, number: Any, dtype: Any, wraps: bool = True) -> Any:
    """A Python number as an array of `dtype`. An int that this type cannot hold loses its high bits, as in PyTorch.

    Without `wraps` it is a DtypeError instead; an unsigned type still counts negative numbers down from its end.
    """
    try:
        return backend.asarray(number, dtype=dtype.numpy)
    except OverflowError:
        span = 1 << 8 * dtype.itemsize
        if not wraps and not (-span < number < 0 and not dtype.is_signed):
            raise DtypeError(f"value cannot be converted to type {dtype.c_name} without overflow: {number!r}") from None
        wrapped = number % span
        return backend.asarray(wrapped - span if dtype.is_signed and wrapped >= span // 2 else wrapped, dtype.numpy)


def backend_of_odd(op: Any, inputs: Sequence[Any]) -> Any:
    """The backend of inputs that are on several devices, or that hold no tensor: an error, or the CPU."""
    devices = [each.device for each in inputs if isinstance(each, Tensor)]
    if devices:
        name = op if isinstance(op, str) else type(op).__name__
        other = next(each for each in devices if each != devices[0])
        raise DeviceError(
            f"Expected all tensors to be on the same device, but {name} found at least two, "
            f"{devices[0]} and {other}! Move one with .to({str(devices[0])!r})."
        )
    if not isinstance(op, str) and inputs and all(isinstance(each, (bool, int, float, complex)) for each in inputs):
        found = ", ".join(type(each).__name__ for each in inputs)
        raise ArgumentTypeError(f"{type(op).__name__} needs a Tensor among its arguments, but got ({found})")
    return CPU

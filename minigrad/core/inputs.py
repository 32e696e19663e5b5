"""Helpers for the inputs of an op: their common device, and errors for inputs that do not fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..backend import CPU
from ..errors import ArgumentTypeError, DeviceError, DtypeError, MinigradError, ShapeError
from .tensor import Tensor

if TYPE_CHECKING:
    from .op import Op


def misfit(op: Op, arrays: Sequence[Any], error: ValueError) -> Exception:
    """Return the error for inputs that the array library refused: minigrad's own `error`, or one with the shapes."""
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
    """Run `forward` again with NumPy's warnings ignored, after NumPy warned of an inf or a nan and warnings are errors.

    In minigrad these are ordinary numbers, as in PyTorch. Silencing NumPy before every call would cost as much as the
    call. So a filter ignores warnings from minigrad's modules, and this function handles programs that override it.
    """
    with backend.errstate(all="ignore"):
        return forward(backend, *arrays)


def array_of(value: Any) -> Any:
    """Return the array of a tensor; return any other value as it is."""
    return value._array if isinstance(value, Tensor) else value


def number_array(backend: Any, number: Any, dtype: Any, wraps: bool = True) -> Any:
    """Return a Python number as an array of `dtype`. An int out of range loses its high bits, as in PyTorch.

    If `wraps` is false, it is a DtypeError instead; but a negative number still wraps around for an unsigned dtype.
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
    """Raise if inputs are on several devices or if a needed tensor is missing; else return the CPU's backend."""
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

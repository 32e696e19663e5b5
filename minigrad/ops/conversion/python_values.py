"""Conversion of tensors to Python values: numbers, lists, truth values, iterators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ... import dtypes
from ...core.batch import Batch, unreadable
from ...core.state import STATE
from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError, GradError, ShapeError


def length(x: Tensor) -> int:
    """The size of the first dimension."""
    if not x._array.ndim:
        raise ArgumentTypeError("len() of a 0-d tensor")
    return int(x._array.shape[0])


def _read(x: Tensor, what: str) -> Any:
    """Return the elements as a NumPy array; an error for an example under vmap."""
    array = x._array
    if type(array) is Batch:
        array = array.alike()
        if array is None:
            raise unreadable(what)
    return x._backend.to_host(array)


def tolist(x: Tensor) -> Any:
    """The elements as nested Python lists; a number for a scalar."""
    return _read(x, "tolist").tolist()


def item(x: Tensor) -> Any:
    """Return the tensor's single element as a Python number."""
    if x.numel() != 1:
        raise ShapeError(f"a Tensor with {x.numel()} elements cannot be converted to Scalar; use tolist()")
    return _read(x, "item").item()


def numpy(x: Tensor, *, force: bool = False) -> Any:
    """The elements as a NumPy array sharing this memory (on the CPU)."""
    if STATE.mode.grad and not force and x.requires_grad:
        raise GradError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if x.device.type != "cpu" and not force:
        raise ArgumentTypeError(
            f"can't convert {x.device} device type tensor to numpy. Use Tensor.cpu() to copy it to host first."
        )
    return _read(x, "numpy")


def iterate(x: Tensor) -> Iterator[Tensor]:
    """Iterate over the slices along the first dimension."""
    if not x._array.ndim:
        raise ArgumentTypeError("iteration over a 0-d tensor")
    unbind: Sequence[Tensor] = x.unbind(0)
    return iter(unbind)


def as_bool(x: Tensor) -> bool:
    """Return whether the tensor's single element is not zero."""
    if type(x._array) is Batch and x._array.alike() is None:
        raise unreadable("bool")
    if x.numel() == 1:
        return bool(x.item())
    raise ShapeError(
        f"Boolean value of Tensor with {'more than one value' if x.numel() else 'no values'} is ambiguous: "
        f"its shape is {list(x._array.shape)}. Use .any() or .all()."
    )


def _only(x: Tensor) -> Any:
    if x.numel() != 1:
        raise ArgumentError(
            f"only one element tensors can be converted to Python scalars, and this one has {x.numel()}; use tolist()"
        )
    return x.item()


def as_float(x: Tensor) -> float:
    """Return the tensor's single element as a float."""
    return float(_only(x))


def as_int(x: Tensor) -> int:
    """Return the tensor's single element as an int, rounded towards zero."""
    return int(_only(x))


def as_complex(x: Tensor) -> complex:
    """Return the tensor's single element as a complex number."""
    return complex(_only(x))


def as_index(x: Tensor) -> int:
    """Return the tensor's single element, an integer, as a Python index."""
    if x.dtype.kind > dtypes.INTEGER or x.numel() != 1:
        raise ArgumentTypeError("only integer tensors of a single element can be converted to an index")
    return int(x.item())


METHODS = {"tolist": tolist, "item": item, "numpy": numpy}
OPERATORS = {
    "__len__": length,
    "__iter__": iterate,
    "__bool__": as_bool,
    "__float__": as_float,
    "__int__": as_int,
    "__complex__": as_complex,
    "__index__": as_index,
}

"""Indexing in Python's syntax: ``x[...]`` and ``x[...] = value``.

An index is applied in two steps, as in PyTorch: its basic parts (integers, slices, None, Ellipsis) make a view; the
others (integer tensors, lists, masks) then select elements of that view, which makes a copy. Assigning to a basic index
copies into the view; assigning to an advanced one is `index_put_`.
"""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any

from ... import dtypes
from ...backend import CPU
from ...core.batch import Batch
from ...core.inplace import inplace
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, DimensionError, DtypeError, ShapeError
from ..common.numbers import held
from ..common.writes import check_not_read, read_before
from ..conversion.copy import copy_
from ..create.factories import as_tensor
from ..shape.splitting import broadcast_shapes
from .advanced import Index, IndexPut
from .gather import in_bounds
from .slicing import Select, Slice, checked_slice

NO_SLICE = "slice() cannot be applied to a 0-dim tensor."


def getitem(input: Tensor, key: Any) -> Tensor:
    """``input[key]``: a view for integers, slices, None and Ellipsis; a copy for tensors, lists or masks.

    >>> import minigrad as mg
    >>> x = mg.arange(6).reshape(2, 3)
    >>> x[1, ::2].tolist(), x[:, [2, 0]].tolist()
    ([3, 5], [[2, 0], [5, 3]])
    """
    if type(key) is int and input._array.ndim:
        return Select(0, _in_range(key, input._array.shape, 0))(input)
    if type(key) is slice:
        if not input._array.ndim:
            raise DimensionError(NO_SLICE)
        return Slice((checked_slice(key),))(input)
    basic, picks = ((Ellipsis,), []) if key is Ellipsis else read(input, key)
    viewed = Slice(basic)(input) if basic or not picks else input
    return pick(viewed, picks) if picks else viewed


def setitem(input: Tensor, key: Any, value: Any) -> None:
    """``input[key] = value``, in place; `value` is broadcast to the shape of ``input[key]``."""
    given = value
    if not isinstance(value, (Tensor, bool, int, float, complex)):
        value = as_tensor(value)
    elif not isinstance(value, Tensor):
        value = held(value, input.dtype)
    basic, picks = read(input, key)
    viewed = Slice(basic)(input) if basic or not picks else input
    if not picks:
        value = _without_leading_ones(value, viewed._array.ndim)
        if isinstance(value, Tensor) and value._storage is viewed._storage and value.shape != viewed.shape:
            value = value.expand(viewed.shape)
        copy_(viewed, value)
        return
    if not isinstance(value, Tensor):
        value = wrap(input._backend.asarray(value, dtype=input._array.dtype), input._backend)
    positions, indices = zip(*picks, strict=True)
    _check_fit(viewed, positions, indices, value)
    if isinstance(given, Tensor) and given.numel() == 1 and _has_mask(key):  # like masked_fill_
        value = read_before(value, viewed)
    elif isinstance(given, Tensor) and given.dtype is not viewed.dtype:
        raise _other_dtype(viewed, given)
    check_not_read("index_put_", viewed, value, *indices)
    inplace(IndexPut(positions, False), viewed, value.to(viewed.dtype), *indices)


def _has_mask(key: Any) -> bool:
    """Return whether bools select the elements: then a single value is filled in, which may have another dtype."""
    parts = key if isinstance(key, tuple) else (key,)
    return any(as_tensor(part).dtype is dtypes.bool_ for part in parts if isinstance(part, (Tensor, list)))


def _other_dtype(target: Tensor, source: Tensor) -> DtypeError:
    return DtypeError(
        f"Index put requires the source and destination dtypes match, got {target.dtype.type_name} for the destination "
        f"and {source.dtype.type_name} for the source. Convert it first: .to({target.dtype})"
    )


def delitem(input: Tensor, key: Any) -> None:
    """Raise for ``del input[key]``: a tensor keeps its shape."""
    raise ArgumentTypeError("Tensor does not support deleting items")


def _check_fit(input: Tensor, positions: Sequence[int], indices: Sequence[Tensor], value: Tensor) -> None:
    """Raise unless `value` can be broadcast to the elements that the indices select."""
    picked = _joint_shape(indices)
    rest = [size for dim, size in enumerate(input._array.shape) if dim not in positions]
    together = positions[-1] - positions[0] == len(positions) - 1
    place = positions[0] if together else 0
    wanted = [*rest[:place], *picked, *rest[place:]]
    given = list(value.shape)
    while len(given) > len(wanted) and given[0] == 1:
        del given[0]
    extra = len(wanted) - len(given)
    if extra < 0 or any(size not in (1, wanted[extra + dim]) for dim, size in enumerate(given)):
        raise ShapeError(
            f"shape mismatch: value tensor of shape {list(value.shape)} cannot be broadcast to indexing result of "
            f"shape {wanted}"
        )


def _joint_shape(indices: Sequence[Tensor]) -> Any:
    shapes = [tuple(each.shape) for each in indices]
    try:
        return broadcast_shapes(*shapes)
    except ShapeError:
        found = ", ".join(str(list(shape)) for shape in shapes)
        raise DimensionError(
            f"shape mismatch: indexing tensors could not be broadcast together with shapes {found}"
        ) from None


def _without_leading_ones(value: Any, ndim: int) -> Any:
    """Return `value` without leading dimensions of size 1 that its target does not have."""
    while isinstance(value, Tensor) and value._array.ndim > ndim and value._array.shape[0] == 1:
        value = value.squeeze(0)
    return value


def pick(input: Tensor, picks: list[tuple[int, Tensor]]) -> Tensor:
    """Select elements of `input` by index tensors: pairs (dimension, tensor)."""
    positions, indices = zip(*picks, strict=True)
    return Index(positions)(input, *indices)


# Reading an index -----------------------------------------------------------------------------------------------------


def read(input: Tensor, key: Any) -> tuple[tuple[Any, ...], list[tuple[int, Tensor]]]:
    """Split `key` into a basic index, and pairs (dimension of its result, integer tensor) for advanced indexing."""
    parts = list(key) if isinstance(key, tuple) or _stands_for_a_tuple(key) else [key]
    parts = [_understood(part, input) for part in parts]
    shape = input._array.shape
    spent = sum(_dims_taken(part) for part in parts)
    if spent > len(shape):
        if not shape and spent == 1:
            _refuse_numbers(parts)
        raise DimensionError(f"too many indices for tensor of dimension {len(shape)}: {spent} of them were given")
    basic: list[Any] = []
    picks: list[tuple[int, Tensor]] = []
    dim = place = 0  # positions in the input, and in the result of the basic index
    for part in parts:
        if part is Ellipsis:
            rest = len(shape) - spent
            basic += [slice(None)] * rest
            dim, place = dim + rest, place + rest
            spent = len(shape)  # a second Ellipsis stands for no dimension
        elif part is None:
            basic.append(None)
            place += 1
        elif isinstance(part, Tensor) and part.dtype.kind == dtypes.BOOL and not part._array.ndim:
            basic.append(None)  # a single bool selects all or nothing, along a new dimension
            picks.append((place, wrap(part._array.reshape(1).nonzero()[0], part._backend)))
            place += 1
        elif isinstance(part, Tensor):
            for index in _as_indices(part, shape, dim):
                basic.append(slice(None))
                picks.append((place, index))
                dim, place = dim + 1, place + 1
        elif type(part) is slice:
            basic.append(part)
            dim, place = dim + 1, place + 1
        else:
            basic.append(_in_range(part, shape, dim))
            dim += 1
    if picks and all(type(part) is slice and part == slice(None) for part in basic):
        basic = []
    return _padded(tuple(basic), bool(picks)), picks


def _refuse_numbers(parts: Sequence[Any]) -> None:
    """Raise for a number or a slice as the only index of a tensor without dimensions."""
    for part in parts:
        if type(part) is int:
            _in_range(part, (), 0)
        if type(part) is slice:
            raise DimensionError(NO_SLICE)


def _stands_for_a_tuple(key: Any) -> bool:
    """Return whether a list is read as a tuple: as in PyTorch, ``x[[rows, columns]]`` is two indices."""
    if not hasattr(key, "__len__") or hasattr(key, "__array__") or isinstance(key, (str, bytes, dict)):
        return False
    if len(key) > 31 or not any(
        part is None or part is Ellipsis or isinstance(part, slice) or _is_sequence(part) for part in key
    ):
        return False
    warnings.warn(
        "Using a non-tuple sequence for multidimensional indexing is deprecated: use x[tuple(seq)] instead of x[seq], "
        "or x[minigrad.tensor(seq)] for an index of several dimensions",
        UserWarning,
        stacklevel=4,
    )
    return True


def _is_sequence(part: Any) -> bool:
    return hasattr(part, "__getitem__") and not isinstance(part, CPU.generic)


def _padded(basic: tuple[Any, ...], picks: bool) -> tuple[Any, ...]:
    """Append an Ellipsis if all parts are integers: else the array library returns a number, not a view."""
    if not basic and picks:
        return basic
    return (*basic, Ellipsis) if all(type(part) is int for part in basic) else basic


def _understood(part: Any, input: Tensor) -> Any:
    """Convert one part of an index to an int, a checked slice, None, Ellipsis or an index tensor."""
    if part is None or part is Ellipsis or type(part) is int:
        return part
    if type(part) is slice:
        return checked_slice(part)
    if isinstance(part, (str, bytes, dict)):
        raise ArgumentTypeError(f"a tensor has no named parts: invalid index {part!r} of type {type(part).__name__!r}")
    if isinstance(part, bool):
        return wrap(input._backend.asarray(part), input._backend)
    if isinstance(part, Tensor):
        if part.dtype is dtypes.uint8:
            return _as_mask(part, input)
        if part._array.ndim == 0 and part.dtype.kind == dtypes.INTEGER and type(part._array) is not Batch:
            return int(part)
        return part.to(input.device) if part._backend is CPU else part  # an index may be on the CPU
    if hasattr(part, "__getitem__") or hasattr(part, "__array__"):
        data = _from_data(part, input)
        return _as_mask(data, input) if data.dtype is dtypes.uint8 else data
    try:
        return operator.index(part)
    except TypeError:
        raise DimensionError(
            f"only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices "
            f"(got {type(part).__name__})"
        ) from None


def _as_mask(part: Tensor, input: Tensor) -> Tensor:
    """Convert a uint8 index to a bool mask, with PyTorch's deprecation warning."""
    warnings.warn(
        "indexing with dtype minigrad.uint8 is now deprecated, please use a dtype minigrad.bool instead.",
        UserWarning,
        stacklevel=2,
    )
    return part.to(device=input.device, dtype=dtypes.bool_)


def _from_data(data: Any, input: Tensor) -> Tensor:
    backend = input._backend
    if isinstance(data, (list, tuple)):
        data = [each.tolist() if isinstance(each, Tensor) else each for each in data]
    array = backend.from_host(CPU.asarray(data))
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype("int64")
    return wrap(array, backend)


def _dims_taken(part: Any) -> int:
    if part is None or part is Ellipsis:
        return 0
    return part._array.ndim if isinstance(part, Tensor) and part.dtype.kind == dtypes.BOOL else 1


def _as_indices(part: Tensor, shape: tuple[int, ...], dim: int) -> list[Tensor]:
    """Return the index tensors for an integer tensor (itself) or for a mask (one per dimension of the mask)."""
    if part.dtype in (dtypes.int64, dtypes.int32):
        if not shape[dim] and part._array.size:
            raise DimensionError("index is out of bounds for dimension with size 0")
        in_bounds(part._array, shape[dim], dim, low=-shape[dim])
        return [part]
    if part.dtype.kind != dtypes.BOOL:
        raise DimensionError(f"tensors used as indices must be long, int, byte or bool tensors, not {part.dtype}")
    mask = part._array
    for i, size in enumerate(mask.shape):
        if size != shape[dim + i]:
            raise DimensionError(
                f"The shape of the mask {list(mask.shape)} at index {i} does not match the shape of the indexed tensor "
                f"{list(shape)} at index {dim + i}"
            )
    return [wrap(each, part._backend) for each in part._backend.nonzero(mask)]


def _in_range(index: int, shape: tuple[int, ...], dim: int) -> int:
    if dim >= len(shape):
        raise DimensionError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python to convert a 0-dim tensor to a number"
        )
    if not -shape[dim] <= index < shape[dim]:
        raise DimensionError(f"index {index} is out of bounds for dimension {dim} with size {shape[dim]}")
    return index


def index_put(input: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `values` written at `indices`, or added there if `accumulate`.

    >>> import minigrad as mg
    >>> mg.zeros(3).index_put((mg.tensor([0, 0]),), mg.ones(2), accumulate=True).tolist()
    [2.0, 0.0, 0.0]
    """
    positions, given = _put_arguments(input, indices, values)
    return IndexPut(positions, accumulate)(input, values, *given)


def index_put_(input: Tensor, indices: Sequence[Any], values: Tensor, accumulate: bool = False) -> Tensor:
    """`index_put` in place."""
    positions, given = _put_arguments(input, indices, values)
    check_not_read("index_put_", input, values, *given)
    return inplace(IndexPut(positions, accumulate), input, values, *given)


def _put_arguments(input: Tensor, indices: Sequence[Any], values: Tensor) -> tuple[tuple[int, ...], tuple[Tensor, ...]]:
    if not isinstance(indices, (tuple, list)):
        raise ArgumentTypeError(f"index_put(): indices must be a tuple of tensors, not {type(indices).__name__}")
    if values._array.dtype != input._array.dtype:
        raise _other_dtype(input, values)
    _, picks = read(input, tuple(slice(None) if index is None else index for index in indices))
    if not picks:
        raise ShapeError("index_put(): at least one index tensor is needed")
    positions, given = zip(*picks, strict=True)
    _check_fit(input, positions, given, values)
    return positions, given


METHODS = {"__getitem__": getitem, "__setitem__": setitem, "__delitem__": delitem, "index_put": index_put}
INPLACE = {"index_put_": index_put_}
__all__ = ["index_put"]

"""Sorting, and functions based on it: top k, unique elements, search in sorted tensors."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.interpreter import reading
from ...core.op import Op
from ...core.state import STATE
from ...core.tensor import Tensor, wrap
from ...errors import DomainError, MissingRuleError, ShapeError
from ..common import return_types
from ..common.arguments import accepts_out, check_has_order
from ..common.bases import sample
from ..common.dims import one_int, wrap_dim
from ..common.underived import underived
from ..create.factories import finished

__all__ = [
    "argsort", "bincount", "bucketize", "histc", "isin", "msort", "searchsorted", "sort", "topk", "unique",
    "unique_consecutive",
]  # fmt: skip


class Sort(Op):
    """The sorted elements along `dim`, and their indices. Equal elements keep their order; NaN is largest."""

    __slots__ = ("dim", "descending", "shape")
    memory_order = "first"
    dim: int
    descending: bool
    kinds: ClassVar[str] = "bif"
    formula = r"x_{(1)} \le x_{(2)} \le \dots"
    outputs_named: ClassVar[tuple[str, ...]] = ("values", "indices")
    samples = (
        sample((2, 3), dim=1, descending=False), sample((4, 2), dim=0, descending=True),
        sample((0, 3), dim=1, descending=False),
    )  # fmt: skip

    remembers = ("shape",)

    def forward(self, xp, x):
        self.shape = x.shape
        indices = ordered(xp, x, self.dim, self.descending)
        return (xp.take_along_axis(x, indices, axis=self.dim) if x.ndim else xp.copy(x)), indices

    def grad_x(self, grad, indices):
        r"\bar y, \text{ put back where each element came from}"
        return put_back(grad, self.dim, indices, self.shape)


class SortStably(Sort):
    """`Sort`, with the node name of a stable sort."""

    __slots__ = ()
    grad_name = "SortBackward1"


class Topk(Op):
    """The k largest (or smallest) elements along `dim`, in order, and their positions.

    Equal elements keep their order; in PyTorch their order is undefined, and varies with k.
    """

    __slots__ = ("k", "dim", "largest", "shape")
    k: int
    dim: int
    largest: bool
    kinds: ClassVar[str] = "bif"
    formula = r"x_{(n)} \ge x_{(n-1)} \ge \dots \ge x_{(n-k+1)}"
    outputs_named: ClassVar[tuple[str, ...]] = ("values", "indices")
    samples = (sample((2, 4), k=2, dim=1, largest=True), sample((4, 2), k=3, dim=0, largest=False))

    remembers = ("shape",)

    def forward(self, xp, x):
        self.shape = x.shape
        if not x.ndim:
            return xp.copy(x), xp.zeros((), "int64")
        indices = ordered(xp, x, self.dim, self.largest, self.k)
        return xp.take_along_axis(x, indices, axis=self.dim), indices

    def grad_x(self, grad, indices):
        r"\bar y, \text{ put back where each element came from}"
        return put_back(grad, self.dim, indices, self.shape)


def put_back(grad: Any, dim: int, indices: Any, shape: tuple[int, ...]) -> Any:
    """Return zeros of `shape` with `grad` written at `indices`."""
    if not shape:
        return grad
    zeros = wrap(grad._backend.zeros(shape, grad._array.dtype), grad._backend)
    return zeros.scatter(dim, indices, grad)


def ordered(xp: Any, x: Any, dim: int, descending: bool, first: int | None = None) -> Any:
    """Return the indices of the (`first`) elements in sorted order; equal elements keep their order."""
    if not x.ndim:
        return xp.zeros((), "int64")
    if x.dtype.itemsize < 4 and x.dtype.kind in "fV":  # NumPy cannot order bfloat16 with NaN
        x = x.astype("float32")
    if sorts_by_keys(xp, x):
        positions = ordered_by_keys(xp, x.swapaxes(dim, -1), descending, first)
        return xp.ascontiguousarray(positions.swapaxes(dim, -1))
    if descending:
        positions = x.shape[dim] - 1 - xp.flip(xp.argsort(xp.flip(x, dim), axis=dim, kind="stable"), dim)
    else:
        positions = xp.argsort(x, axis=dim, kind="stable")
    return positions if first is None else xp.take(positions, xp.arange(first), axis=dim)


def sorts_by_keys(xp: Any, x: Any) -> bool:
    """Return whether `ordered_by_keys` applies: 32-bit elements without NaN, on the CPU."""
    return bool(xp.device.type == "cpu" and x.dtype.char in "fi" and x.size and not xp.isnan(x).any())


def ordered_by_keys(xp: Any, x: Any, descending: bool, first: int | None) -> Any:
    """Do what `ordered` does along the last dimension.

    A key is an integer of 64 bits: the upper half is the element, as an integer with the same order, the lower half its
    index. All keys differ, so any sort is stable; integer sorts are several times as fast as a stable `argsort`.
    """
    keys = x
    if x.dtype.kind == "f":
        bits = (x + x.dtype.type(0)).view("int32")  # the sum turns -0 into 0
        keys = bits ^ ((bits >> 31) & 0x7FFFFFFF)  # for negative floats, larger bits mean a smaller number
    keys = (~keys if descending else keys).astype("int64")
    keys <<= 32
    keys |= xp.arange(x.shape[-1])
    if first is not None and 0 < first < x.shape[-1]:
        keys = xp.partition(keys, first - 1, axis=-1)
    keys = xp.sort(keys if first is None else keys[..., :first], axis=-1)
    keys &= 0xFFFFFFFF
    return keys


# Functions ------------------------------------------------------------------------------------------------------------


@accepts_out
def sort(input: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Any:
    """The sorted elements along `dim`: (values, indices). The sort is always stable.

    >>> import minigrad as mg
    >>> mg.sort(mg.tensor([3.0, 1.0, 2.0])).indices
    tensor([1, 2, 0])
    """
    check_has_order("sort", input)
    op = SortStably if stable else Sort
    return return_types.sort(op(wrap_dim(dim, input._array.ndim), descending)(input))


@accepts_out
def argsort(input: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """The indices that sort the elements along `dim`."""
    check_has_order("argsort", input)
    if STATE.mode.interpreters:
        indices: Tensor = sort(input.detach(), dim, descending, stable=stable).indices
        return indices
    backend = input._backend
    return finished(ordered(backend, input._array, wrap_dim(dim, input._array.ndim), descending), backend, False)


@accepts_out
def msort(input: Tensor) -> Tensor:
    """The elements, sorted along the first dimension."""
    return sort(input, 0).values


@accepts_out
def topk(input: Tensor, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:
    """The `k` largest elements along `dim`, the largest first: (values, indices).

    >>> import minigrad as mg
    >>> mg.topk(mg.tensor([3.0, 1.0, 2.0]), 2).values
    tensor([3., 2.])
    """
    check_has_order("topk", input, bools=False)
    axis = wrap_dim(dim, input._array.ndim)
    size = input._array.shape[axis] if input._array.ndim else 1
    k = one_int("k", k)
    if not 0 <= k <= size:
        raise DomainError(f"selected index k out of range: topk of {k} in dimension {dim} of size {size}")
    return return_types.topk(Topk(k, axis, largest)(input))


def _distinct(array: Any, backend: Any, inverse: bool, counts: bool, dim: int | None) -> list[Any]:
    found = backend.unique(array, return_inverse=inverse, return_counts=counts, axis=dim, equal_nan=False)
    found = list(found) if inverse or counts else [found]
    if inverse:
        found[1] = found[1].reshape(array.shape if dim is None else (array.shape[dim],))
    return found


def _results(name: str, input: Tensor, found: list[Any]) -> Any:
    backend = input._backend
    tensors = tuple([finished(backend.asarray(each), backend, False) for each in found])
    underived(name, tensors[0], input)
    return tensors[0] if len(tensors) == 1 else tensors


def unique(
    input: Tensor,
    sorted: bool = True,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> Any:
    """The distinct elements, sorted; if asked, also the index of each element among them, and how often each occurs.

    >>> import minigrad as mg
    >>> mg.unique(mg.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    axis = None if dim is None else wrap_dim(dim, input._array.ndim)
    if axis is not None and input._array.size == 0:
        empty = [size for size in input._array.shape if size == 0]
        if len(empty) > 1:
            raise ShapeError("Number of zero sized dimensions is more than one, so unique cannot be applied")
        if input._array.shape[axis]:
            raise ShapeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    found = _distinct(input._array, input._backend, return_inverse, return_counts, axis)
    return _results("unique", input, found)


def unique_consecutive(
    input: Tensor, return_inverse: bool = False, return_counts: bool = False, dim: int | None = None
) -> Any:
    """The elements (or slices along `dim`) without those that equal the previous one."""
    backend = input._backend
    array = (
        input._array.reshape(-1) if dim is None else backend.moveaxis(input._array, wrap_dim(dim, input._array.ndim), 0)
    )
    differs = array[1:] != array[:-1]
    differs = differs if array.ndim == 1 else differs.any(axis=tuple(range(1, array.ndim)))
    first = backend.concatenate([backend.ones(min(len(array), 1), bool), differs])
    positions = backend.flatnonzero(first)
    found = [array[positions] if dim is None else backend.moveaxis(array[positions], 0, dim)]
    if return_inverse:
        inverse = backend.cumsum(first) - 1
        found.append(inverse.reshape(input._array.shape) if dim is None else inverse)
    if return_counts:
        found.append(backend.diff(backend.concatenate([positions, backend.asarray([len(array)])])))
    return _results("unique_consecutive", input, found)


@accepts_out
@reading
def searchsorted(
    sorted_sequence: Tensor,
    input: Any,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The index at which inserting each number keeps the sequence sorted: before equal ones, or after (`right`)."""
    backend, sequence = sorted_sequence._backend, sorted_sequence._array
    if sorter is not None:
        sequence = backend.take_along_axis(sequence, sorter._array, axis=-1)
    values = input._array if isinstance(input, Tensor) else backend.asarray(input)
    where = side or ("right" if right else "left")
    if sequence.ndim == 1:
        found = backend.searchsorted(sequence, values, side=where)
    else:
        if sequence.shape[:-1] != values.shape[:-1]:
            raise ShapeError(
                "boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor and input "
                f"value tensor must match, but we got boundaries tensor {list(sequence.shape)} and input value tensor "
                f"{list(values.shape)}"
            )
        if not values.size:
            return finished(backend.zeros(values.shape, "int32" if out_int32 else "int64"), backend, False)
        lines = zip(sequence.reshape(-1, sequence.shape[-1]), values.reshape(-1, values.shape[-1]), strict=True)
        found = backend.stack([backend.searchsorted(line, wanted, side=where) for line, wanted in lines]).reshape(
            values.shape
        )
    return finished(backend.asarray(found).astype("int32" if out_int32 else "int64"), backend, False)


@accepts_out
def bucketize(input: Any, boundaries: Tensor, *, out_int32: bool = False, right: bool = False) -> Tensor:
    """The index of the bucket, between `boundaries`, of each number."""
    if boundaries._array.ndim != 1:
        raise ShapeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries._array.ndim})")
    return searchsorted(boundaries, input, out_int32=out_int32, right=right)


@accepts_out
@reading
def isin(elements: Any, test_elements: Any, *, assume_unique: bool = False, invert: bool = False) -> Tensor:
    """Whether each element is among `test_elements`."""
    given = elements if isinstance(elements, Tensor) else test_elements
    a, b = [each._array if isinstance(each, Tensor) else each for each in (elements, test_elements)]
    found = given._backend.isin(a, b, assume_unique=assume_unique, invert=invert)
    return finished(given._backend.asarray(found), given._backend, False)


@accepts_out
@reading
def histc(input: Tensor, bins: int = 100, min: float = 0, max: float = 0) -> Tensor:
    """Count the elements in each of `bins` equal intervals from `min` to `max` (both 0: over the whole range)."""
    array, backend, bins = input._array, input._backend, one_int("bins", bins, least=1)
    if not input.dtype.is_floating_point:
        raise MissingRuleError(f"histc is not implemented for {input.dtype}: write input.float()")
    low, high = (float(array.min()), float(array.max())) if min == max and array.size else (float(min), float(max))
    if low == high:
        low, high = low - 1, high + 1
    counts, _ = backend.histogram(array.reshape(-1), bins=bins, range=(low, high))
    return finished(counts.astype(array.dtype), backend, False)


@reading
def bincount(input: Tensor, weights: Tensor | None = None, minlength: int = 0) -> Tensor:
    """Count how often each of 0, 1, 2, ... occurs, or sum their `weights`."""
    array, backend = input._array, input._backend
    if array.dtype.kind not in "iub":
        raise MissingRuleError(f"bincount is not implemented for {input.dtype}: it counts whole numbers")
    if array.ndim != 1 or (array.size and array.min() < 0):
        raise ShapeError("bincount only supports 1-d non-negative integral inputs.")
    found = backend.bincount(
        array, None if weights is None else weights._array, minlength=one_int("minlength", minlength, least=0)
    )
    if weights is not None and weights.dtype is dtypes.float32:
        found = found.astype("float32")
    return underived("bincount", finished(found, backend, False), weights)


METHODS = {
    "sort": sort, "argsort": argsort, "msort": msort, "topk": topk, "unique": unique,
    "unique_consecutive": unique_consecutive,
    "bincount": bincount, "histc": histc,
}  # fmt: skip

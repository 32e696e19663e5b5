"""Joining and splitting tensors: each is the other's gradient."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ... import dtypes
from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError, DimensionError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Linear
from ..common.dims import one_int, wrap_dim
from ..common.samples import sample


class Cat(Linear):
    r"""Tensors joined along an existing dimension."""

    memory_order = "all channels"
    formula = r"[\,a \mid b \mid \dots]"
    promotion = "together"
    samples = (sample((2, 3), (1, 3), dim=0), sample((2, 3), (2, 0), (2, 1), dim=1), sample((4,), (2,), dim=0))
    dim: int

    remembers = ("lengths",)

    def forward(self, xp, *tensors):
        self.lengths = [each.shape[self.dim] for each in tensors]
        return xp.concatenate(tensors, axis=self.dim)

    def backward(self, grad):
        r"""\bar a = \bar y_{[\,\cdot\,]}"""
        grads, start = [], 0
        for edge, length in zip(self.edges, self.lengths, strict=True):
            grads.append(None if edge is None else grad.narrow(self.dim, start, length))
            start += length
        return grads


class Stack(Linear):
    r"""Tensors of one shape joined along a new dimension."""

    memory_order = "rows"
    formula = r"[\,a, b, \dots]"
    promotion = "together"
    samples = (sample((2, 3), (2, 3), dim=0), sample((2,), (2,), (2,), dim=1), sample((), (), dim=0))
    dim: int

    def forward(self, xp, *tensors):
        return xp.stack(tensors, axis=self.dim)

    def backward(self, grad):
        r"""\bar a = \bar y_i"""
        return [None if edge is None else grad.select(self.dim, i) for i, edge in enumerate(self.edges)]


class Split(Linear):
    r"""Consecutive parts along one dimension, all of them views."""

    formula = r"x = [\,y_1 \mid y_2 \mid \dots]"
    is_view = "multi"
    samples = (
        sample((5, 2), sizes=(2, 2, 1), dim=0),
        sample((2, 3), sizes=(1, 2), dim=1),
        sample((2,), sizes=(2,), dim=0),
    )
    sizes: Any
    dim: int

    def forward(self, xp, x):
        before = (slice(None),) * self.dim
        parts, start = [], 0
        for size in self.sizes:
            parts.append(x[(*before, slice(start, start + size))])
            start += size
        return tuple(parts)

    def backward(self, grad):
        r"""\bar x = [\,\bar y_1 \mid \bar y_2 \mid \dots]"""
        return [cat(filled(self, grad), self.dim)]


class Unbind(Linear):
    r"""Every slice along one dimension, all of them views without that dimension."""

    formula = r"x = [\,y_1, y_2, \dots]"
    is_view = "multi"
    samples = (sample((3, 2), dim=0), sample((2, 3), dim=1), sample((1, 2), dim=0))
    dim: int

    def forward(self, xp, x):
        before = (slice(None),) * self.dim
        return tuple([x[(*before, i, ...)] for i in range(x.shape[self.dim])])

    def backward(self, grad):
        r"""\bar x = [\,\bar y_1, \bar y_2, \dots]"""
        return [stack(filled(self, grad), self.dim)]


def filled(op: Any, grads: Any) -> list[Any]:
    """Return the gradients of all outputs, with zeros for missing ones."""
    if op.outputs == 1:
        return [grads[0] if isinstance(grads, tuple) else grads]
    return op.filled(grads)


@accepts_out
def cat(tensors: Sequence[Tensor], dim: int = 0, axis: int | None = None) -> Tensor:
    """`tensors` joined along `dim`; their other sizes must be equal.

    >>> import minigrad as mg
    >>> mg.cat([mg.zeros(1, 2), mg.ones(2, 2)]).shape
    minigrad.Size([3, 2])
    """
    given = _tensors("cat", tensors)
    kept = [each for each in given if each._array.shape != (0,)] or given  # an empty vector fits any shape
    ndim = kept[0]._array.ndim
    if ndim == 0:
        raise ShapeError("zero-dimensional tensor (at position 0) cannot be concatenated; use stack()")
    first = kept[0]._array.shape
    place = 0 if first == (0,) else wrap_dim(dim if axis is None else axis, ndim)
    for i, each in enumerate(kept):
        shape = each._array.shape
        if len(shape) != ndim:
            raise ShapeError(f"Tensors must have same number of dimensions: got {ndim} and {len(shape)}")
        if shape[:place] != first[:place] or shape[place + 1 :] != first[place + 1 :]:
            at = next(dim for dim in range(ndim) if dim != place and shape[dim] != first[dim])
            raise ShapeError(
                f"Sizes of tensors must match except in dimension {place}. Expected size {first[at]} but got size "
                f"{shape[at]} for tensor number {i} in the list: {list(shape)} beside {list(first)} in dimension {at}."
            )
    if len(kept) < len(given):  # empty vectors count for the dtype, and get a gradient
        kind = dtypes.result_type(*given)
        nothing = (*first[:place], 0, *first[place + 1 :])
        kept += [each.reshape(nothing) for each in given if each._array.shape == (0,) and each.requires_grad]
        kept = [each if each.dtype is kind else each.to(kind) for each in kept]
    return Cat(place)(*kept)


concat = concatenate = cat


@accepts_out
def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    """`tensors`, all of one shape, joined along a new dimension at `dim`.

    >>> import minigrad as mg
    >>> mg.stack([mg.zeros(3), mg.ones(3)], dim=1).shape
    minigrad.Size([3, 2])
    """
    given = _tensors("stack", tensors)
    first = given[0]._array.shape
    for i, each in enumerate(given):
        if each._array.shape != first:
            raise ShapeError(
                f"stack expects each tensor to be equal size, but got {list(first)} at entry 0 and "
                f"{list(each._array.shape)} at entry {i}"
            )
    return Stack(wrap_dim(dim, len(first) + 1))(*given)


def _tensors(name: str, tensors: Any) -> list[Any]:
    if isinstance(tensors, Tensor):
        raise ArgumentTypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not Tensor")
    given = list(tensors)
    if not given:
        message = f"{name}(): expected a non-empty list of Tensors ({name} expects a non-empty TensorList)"
        raise ArgumentError(message) if name == "cat" else ShapeError(message)
    for i, each in enumerate(given):
        if not isinstance(each, Tensor):
            raise ArgumentTypeError(
                f"{name}(): expected Tensor as element {i} in argument 0, but got {type(each).__name__}"
            )
    return given


def split(tensor: Tensor, split_size_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts along `dim`: of a given size (the last may be smaller), or of the sizes in a list."""
    dim = wrap_dim(dim, tensor._array.ndim)
    length = _length("split", tensor, dim)
    if isinstance(split_size_or_sections, (tuple, list)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    size = one_int("split_size", split_size_or_sections)
    if size < 0 or (size == 0 and length):
        raise ShapeError(
            f"split expects split_size be non-negative (0 only for an empty dimension), but got split_size={size}"
        )
    count = max(-(-length // size), 1) if size else 1
    sizes = tuple([min(size, length - i * size) for i in range(count)])
    return Split(sizes, dim)(tensor)


def split_with_sizes(input: Tensor, split_sizes: Sequence[int], dim: int = 0) -> tuple[Tensor, ...]:
    """Views of consecutive parts of these sizes along `dim`; the sizes must sum to its size."""
    dim = wrap_dim(dim, input._array.ndim)
    length = _length("split_with_sizes", input, dim)
    sizes = tuple(int(size) for size in split_sizes)
    if sum(sizes) != length or any(size < 0 for size in sizes):
        raise ShapeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input tensor's size at dimension "
            f"{dim}), "
            f"but got split_sizes={list(sizes)}"
        )
    op = Split(sizes, dim)
    op.grad_name = "SplitWithSizesBackward0"  # type: ignore[misc]
    return op(input)


def chunk(input: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    """At most `chunks` views of equal size along `dim`; the last may be smaller."""
    chunks = one_int("chunks", chunks)
    if chunks <= 0:
        raise ShapeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    length = _length("chunk", input, wrap_dim(dim, input._array.ndim))
    if length == 0:
        return split_with_sizes(input, (0,) * chunks, dim)
    return split(input, -(-length // chunks), dim)


def tensor_split(input: Tensor, indices_or_sections: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Views of `dim` split at these indices, or into this many parts of nearly equal size."""
    dim = wrap_dim(dim, input._array.ndim)
    length = _length("tensor_split", input, dim)
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        count = indices_or_sections
        if count <= 0:
            raise ShapeError(f"number of sections must be larger than 0, got {count}")
        small, remainder = divmod(length, count)
        return split_with_sizes(input, [small + (i < remainder) for i in range(count)], dim)
    splits = [slice(None, index).indices(length)[1] for index in indices_or_sections]
    bounds = list(zip([0, *splits], [*splits, length], strict=True))
    return tuple([input.narrow(dim, a, max(b - a, 0)) for a, b in bounds])


def unbind(input: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    """A view of every slice along `dim`, without that dimension."""
    dim = wrap_dim(dim, input._array.ndim)
    if not _length("unbind", input, dim):
        return ()
    return Unbind(dim)(input)


def _length(name: str, tensor: Tensor, dim: int) -> int:
    if not tensor._array.ndim:
        raise (DimensionError if name == "unbind" else ShapeError)(
            f"{name} expects at least a 1-dimensional tensor: Dimension specified as {dim} but tensor has no dimensions"
        )
    return int(tensor._array.shape[dim])


def atleast(ndim: int, tensors: Any) -> list[Any]:
    """Return `tensors`, with leading dimensions of size 1 added up to `ndim` dimensions."""
    return [
        each if each._array.ndim >= ndim else each.reshape((1,) * (ndim - each._array.ndim) + each._array.shape)
        for each in tensors
    ]


@accepts_out
def hstack(tensors: Sequence[Tensor]) -> Tensor:
    """`tensors` joined along the second dimension; vectors along the first."""
    given = atleast(1, _tensors("hstack", tensors))
    return cat(given, 0 if given[0]._array.ndim == 1 else 1)


@accepts_out
def vstack(tensors: Sequence[Tensor]) -> Tensor:
    """`tensors` joined along the first dimension; vectors become rows."""
    return cat(atleast(2, _tensors("vstack", tensors)), 0)


row_stack = vstack


@accepts_out
def dstack(tensors: Sequence[Tensor]) -> Tensor:
    """`tensors` joined along the third dimension."""
    return cat([_deep(each) for each in _tensors("dstack", tensors)], 2)


@accepts_out
def column_stack(tensors: Sequence[Tensor]) -> Tensor:
    """`tensors` joined as columns; vectors and scalars become columns."""
    given = _tensors("column_stack", tensors)
    return hstack([each.reshape(each.numel(), 1) if each._array.ndim <= 1 else each for each in given])


def _deep(tensor: Any) -> Any:
    return atleast(2, [tensor])[0].unsqueeze(-1) if tensor._array.ndim < 3 else tensor


METHODS = {
    "split": split,
    "split_with_sizes": split_with_sizes,
    "chunk": chunk,
    "tensor_split": tensor_split,
    "unbind": unbind,
}
__all__ = [
    "cat",
    "concat",
    "concatenate",
    "stack",
    "split",
    "split_with_sizes",
    "chunk",
    "tensor_split",
    "unbind",
    "hstack",
    "vstack",
    "row_stack",
    "dstack",
    "column_stack",
]

"""Elements by flat index, along a dimension, or in a view: read, or written into a copy."""

from __future__ import annotations

import itertools
from typing import Any

from ... import dtypes
from ...core.interpreter import reading
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, DimensionError, DomainError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.dims import one_int, wrap_dim
from ..common.writes import check_not_read
from ..shape.join import stack
from .gather import gather, index_of
from .slicing import window

__all__ = [
    "as_strided_scatter", "atleast_1d", "atleast_2d", "atleast_3d", "combinations", "diagonal_scatter", "meshgrid",
    "put", "select_scatter", "slice_scatter", "take", "take_along_dim", "vander",
]  # fmt: skip


@accepts_out
def take(input: Any, index: Any) -> Tensor:
    """The elements of `input` at the flat indices `index`, counted row by row; the result has the shape of `index`.

    >>> import minigrad as mg
    >>> mg.take(mg.tensor([[1, 2], [3, 4]]), mg.tensor([0, 3])).tolist()
    [1, 4]
    """
    where = _flat_places("take", input.numel(), index)
    return input.reshape(-1).index_select(0, where).reshape(index._array.shape)


@reading
def _flat_places(name: str, size: int, index: Any) -> Tensor:
    where = index_of(name, index).reshape(-1)
    if where.size and (where.min() < -size or where.max() >= size):
        raise DimensionError(
            f"{name}(): out of range: tried to access index {int(where.max())} on a tensor of {size} elements."
        )
    return wrap(where % size if size else where, index._backend)


@accepts_out
def take_along_dim(input: Any, indices: Any, dim: int | None = None) -> Tensor:
    """`gather`, with the other sizes broadcast; without `dim`, on the flattened tensor."""
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    if indices.dtype is not dtypes.int64:
        raise DtypeError(f"torch.take_along_dim(): dtype of indices should be Long but got {indices.dtype.type_name}")
    if input._array.ndim != indices._array.ndim:
        raise ShapeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, but got "
            f"{input._array.ndim} dimensions for input, and {indices._array.ndim} dimensions for indices"
        )
    dim = wrap_dim(dim, input._array.ndim)
    sizes = [max(a, b) for a, b in zip(input._array.shape, indices._array.shape, strict=True)]
    wide = [n if d != dim else input._array.shape[d] for d, n in enumerate(sizes)]
    index = indices.expand([n if d != dim else indices._array.shape[d] for d, n in enumerate(sizes)])
    size = wide[dim]
    index = (index + size).where(index < 0, index) if bool((index._array < 0).any()) else index
    return gather(input.expand(wide), dim, index)


def put(input: Any, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """A copy of `input` with `source` written (or added) at the flat indices `index`."""
    if source._array.dtype != input._array.dtype:
        raise DtypeError(
            f"put_(): self and source expected to have the same dtype, but got {input.dtype} and {source.dtype}"
        )
    where = _flat_places("put_", input.numel(), index)
    flat = input.reshape(-1).index_put((where,), source.reshape(-1), accumulate)
    return flat.reshape(input._array.shape)


def put_(input: Any, index: Any, source: Any, accumulate: bool = False) -> Tensor:
    """`put` in place."""
    check_not_read("put_", input, index, source)
    return input.copy_(put(input.clone(), index, source, accumulate))


def _embedded(name: str, input: Any, src: Any, look: Any) -> Any:
    """Return a copy of `input`, with `src` written to the view that `look` returns."""
    out = input.clone()
    seen = look(out)
    if seen._array.shape != src._array.shape:
        raise ShapeError(
            f"expected src to have a size equal to the slice of self. src size = {list(src.shape)}, slice size = "
            f"{list(seen.shape)} ({name})"
        )
    seen.copy_(src)
    return out


def select_scatter(input: Any, src: Any, dim: int, index: int) -> Tensor:
    """A copy of `input` with `src` as its slice `index` along `dim`."""
    return _embedded("select_scatter", input, src, lambda out: out.select(dim, index))


@accepts_out
def slice_scatter(
    input: Any, src: Any, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Tensor:
    """A copy of `input` with `src` as its slices from `start` to `end` along `dim`."""
    key = window(input._array, dim, start, end, step)
    return _embedded("slice_scatter", input, src, lambda out: out[key])


def diagonal_scatter(input: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    """A copy of `input` with `src` on a diagonal."""
    return _embedded("diagonal_scatter", input, src, lambda out: out.diagonal(offset, dim1, dim2))


def as_strided_scatter(input: Any, src: Any, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    """A copy of `input` with `src` in the view that `as_strided` returns."""
    return _embedded("as_strided_scatter", input, src, lambda out: out.as_strided(size, stride, storage_offset))


# Grids ----------------------------------------------------------------------------------------------------------------


def meshgrid(*tensors: Any, indexing: str = "ij") -> tuple[Tensor, ...]:
    """Expand each of several vectors along a dimension of its own, to a grid of all of them."""
    given = tensors[0] if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)) else tensors
    if indexing not in ("ij", "xy"):
        raise ShapeError(f'torch.meshgrid: indexing must be one of "xy" or "ij", but received: {indexing}')
    if not given:
        raise ShapeError("meshgrid expects a non-empty TensorList")
    for each in given:
        if each._array.ndim > 1:
            raise ShapeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {list(each.shape)}")
        if each.dtype != given[0].dtype:
            raise DtypeError("meshgrid expects all tensors to have the same dtype")
    vectors = [each.reshape(-1) for each in given]
    swap = indexing == "xy" and len(vectors) > 1
    if swap:
        vectors[:2] = vectors[1::-1]
    sizes = [each._array.size for each in vectors]
    grids = [
        each.reshape([n if i == j else 1 for j, n in enumerate(sizes)]).expand(sizes) for i, each in enumerate(vectors)
    ]
    if swap:
        grids[:2] = grids[1::-1]
    return tuple(grids)


def _at_least(ndim: int, tensors: Any) -> Any:
    def grown(each: Any) -> Any:
        if not isinstance(each, Tensor):
            raise ArgumentTypeError(f"atleast_{ndim}d expects tensors, not {type(each).__name__}")
        while each._array.ndim < min(ndim, 2):
            each = each.unsqueeze(0)
        return each.unsqueeze(-1) if each._array.ndim < ndim else each

    given = tensors[0] if len(tensors) == 1 else tensors
    return tuple(grown(each) for each in given) if isinstance(given, (tuple, list)) else grown(given)


def atleast_1d(*tensors: Any) -> Any:
    """Each tensor with at least one dimension."""
    return _at_least(1, tensors)


def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with at least two dimensions; new ones come first."""
    return _at_least(2, tensors)


def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with at least three dimensions; a matrix gets a new last dimension."""
    return _at_least(3, tensors)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of every element as a row: from the (N - 1)-th down to 0, or up if `increasing`."""
    count = x._array.shape[-1] if N is None else one_int("N", N)
    if x.dim() != 1:
        raise ShapeError("x must be a one-dimensional tensor.")
    if count < 0:
        raise DomainError("N must be non-negative.")
    if not count:
        return x.new_empty(x.shape[0], 0)
    if not (x.dtype.is_floating_point or x.dtype.is_complex):
        x = x.long()
    powers = [x**k if k else x * 0 + 1 for k in range(count)]
    return stack(powers if increasing else powers[::-1], -1)


def combinations(input: Any, r: int = 2, with_replacement: bool = False) -> Tensor:
    """All combinations of `r` elements of a vector, one per row."""
    if input._array.ndim != 1:
        raise ShapeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    if not one_int("r", r, least=0):
        return input[:0]
    xp = input._backend
    rows = xp.asarray(list(choose(range(input._array.size), r)), dtype="int64").reshape(-1, r)
    return input[wrap(rows, xp)]


METHODS = {
    "as_strided_scatter": as_strided_scatter,
    "diagonal_scatter": diagonal_scatter,
    "put": put,
    "select_scatter": select_scatter,
    "slice_scatter": slice_scatter,
    "take": take,
    "take_along_dim": take_along_dim,
}
INPLACE = {"put_": put_}

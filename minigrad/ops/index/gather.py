"""Read and write along one dimension by an index tensor: gather and scatter, index_select and index_add.

`gather` and `scatter_add` are each other's gradient, and so are `index_select` and `index_add`.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.further import zeros_like
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, DimensionError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.bases import Linear
from ..common.dims import wrap_dim
from ..common.halves import InFloat32
from ..common.samples import exactly, sample
from .slicing import SliceBackward

WHERE = exactly([[0, 1, 1], [2, 0, 1]])
PLACES = exactly([2, 0, 2])


class Gather(Linear):
    r"""For every element of `index`, the element of `x` that has this index along `dim`, and else the same indices."""

    memory_order = "rows"
    formula = r"y_{ij} = x_{k_{ij}\, j}"
    samples = (sample((3, 3), WHERE, dim=0), sample((2, 4), WHERE, dim=1))
    dim: int

    remembers = ("before",)

    def forward(self, xp, x, index):
        self.before = x.shape
        if in_a_row(x):
            return x.reshape(-1).take(flat_places(xp, x, index, self.dim))
        return x[lines(xp, x, index, self.dim)]

    def grad_x(self, grad, index):
        r"""\bar x_{k_{ij}\, j} \mathrel{+}= \bar y_{ij}"""
        zeros = wrap(grad._backend.zeros(self.before, grad._array.dtype), grad._backend)
        return ScatterAdd(self.dim)(zeros, index, grad)


class ScatterAdd(InFloat32, Linear):
    r"""`x` with `source` added at the positions `index` along `dim`."""

    memory_order = "rows"
    formula = r"y_{k_{ij}\, j} \mathrel{+}= s_{ij}"
    kinds = "ifc"
    samples = (sample((3, 3), WHERE, (2, 3), dim=0), sample((2, 4), WHERE, (3, 4), dim=1))
    dim: int

    remembers = ("given",)

    def forward(self, xp, x, index, source):
        self.given = source.shape
        out = xp.copy(x)
        if in_a_row(out):
            places = flat_places(xp, x, index, self.dim).reshape(-1)
            xp.scatter_add(out.reshape(-1), (places,), part(source, index).reshape(-1))
        else:
            xp.scatter_add(out, lines(xp, x, index, self.dim), part(source, index))
        return out

    def grad_x(self, grad):
        r"""\bar y"""
        return grad

    def grad_source(self, grad, index):
        r"""\bar y_{k_{ij}\, j}"""
        return refill(Gather(self.dim)(grad, index), self.given)


class Scatter(Linear):
    r"""`x` with `source` (a tensor or a number) written at the positions `index` along `dim`."""

    memory_order = "rows"
    formula = r"y_{k_{ij}\, j} = s_{ij}"
    samples = (
        sample((3, 3), exactly([[0, 1, 1], [2, 0, 2]]), (2, 3), dim=0),
        sample((2, 4), exactly([[0], [2]]), 1.5, dim=1),
    )
    dim: int

    remembers = ("given",)

    def forward(self, xp, x, index, source):
        self.given = getattr(source, "shape", None)
        out = xp.copy(x)
        written = part(source, index) if self.given is not None else source
        if in_a_row(out):
            out.reshape(-1)[flat_places(xp, x, index, self.dim)] = written
        else:
            out[lines(xp, x, index, self.dim)] = written
        return out

    def grad_x(self, grad, index):
        r"""\bar y \text{ with } 0 \text{ at } k_{ij}"""
        return Scatter(self.dim)(grad, index, 0)

    def grad_source(self, grad, index):
        r"""\bar y_{k_{ij}\, j}"""
        return refill(Gather(self.dim)(grad, index), self.given)

    def jvp(self, tangents, inputs, outputs):
        """The product rule does not apply: written values have a tangent, but a written number has none."""
        x, index, source = inputs
        before = zeros_like(x) if tangents[0] is None else tangents[0]
        written = tangents[2] if tangents[2] is not None else zeros_like(source) if hasattr(source, "_array") else 0
        return Scatter(self.dim)(before, index, written)

    def name(self):
        return "ScatterBackward1" if self.given is None else "ScatterBackward0"


class IndexSelect(Linear):
    r"""Slices along `dim`, in the order of `index`."""

    memory_order = "rows"
    formula = r"y_i = x_{k_i}"
    samples = (sample((3, 2), PLACES, dim=0), sample((2, 3), PLACES, dim=1))
    dim: int

    remembers = ("before",)

    def forward(self, xp, x, index):
        self.before = x.shape
        return xp.pick(x, index, self.dim)

    def grad_x(self, grad, index):
        r"""\bar x_{k_i} \mathrel{+}= \bar y_i"""
        zeros = wrap(grad._backend.zeros(self.before, grad._array.dtype), grad._backend)
        return IndexAdd(self.dim, 1)(zeros, index, grad)


class IndexAdd(InFloat32, Linear):
    r"""`x` with `alpha` times the slices of `source` added to the slices at `index`."""

    memory_order = "rows"
    formula = r"y_{k_i} \mathrel{+}= \alpha s_i"
    kinds = "ifc"
    samples = (sample((3, 2), PLACES, (3, 2), dim=0, alpha=1), sample((2, 3), PLACES, (2, 3), dim=1, alpha=2))
    dim: int
    alpha: Any

    def forward(self, xp, x, index, source):
        out = xp.copy(x)
        xp.scatter_add(out, slices(index, self.dim), source if self.alpha == 1 else source * self.alpha)
        return out

    def grad_x(self, grad):
        r"""\bar y"""
        return grad

    def grad_source(self, grad, index):
        r"""\alpha\, \bar y_{k_i}"""
        selected = IndexSelect(self.dim)(grad, index)
        return selected if self.alpha == 1 else selected * self.alpha


class IndexCopy(Linear):
    r"""`x` with the slices of `source` written at `index`."""

    memory_order = "rows"
    formula = r"y_{k_i} = s_i"
    samples = (sample((3, 2), exactly([2, 0]), (2, 2), dim=0), sample((2, 3), exactly([1]), (2, 1), dim=1))
    dim: int

    def forward(self, xp, x, index, source):
        out = xp.copy(x)
        out[slices(index, self.dim)] = source
        return out

    def grad_x(self, grad, index):
        r"""\bar y \text{ with } 0 \text{ at } k_i"""
        return IndexCopy(self.dim)(grad, index, wrap(grad._backend.zeros((), grad._array.dtype), grad._backend))

    def grad_source(self, grad, index):
        r"""\bar y_{k_i}"""
        return IndexSelect(self.dim)(grad, index)


# Index computations ---------------------------------------------------------------------------------------------------


def lines(xp: Any, x: Any, index: Any, dim: int) -> tuple[Any, ...]:
    """Return the array library's index for `index` along `dim`; every other dimension has its own position."""
    if not x.ndim:
        return (Ellipsis,) if not index.ndim else (index * 0,)
    where = []
    for other, size in enumerate(index.shape):
        shape = [1] * index.ndim
        shape[other] = size
        where.append(index if other == dim else xp.arange(size).reshape(shape))
    return tuple(where)


def in_a_row(x: Any) -> bool:
    """Return whether the elements are contiguous in memory: then one flat index is faster than several."""
    return bool(x.ndim and x.flags.c_contiguous)


def flat_places(xp: Any, x: Any, index: Any, dim: int) -> Any:
    """Return `lines` as flat indices: each index times the stride of its dimension, summed."""
    steps = [math.prod(x.shape[other + 1 :]) for other in range(x.ndim)]
    places = index.astype("int64", copy=False) * steps[dim]
    for other, size in enumerate(index.shape):
        if other != dim and size > 1:
            places += (xp.arange(size) * steps[other]).reshape(-1, *(1,) * (index.ndim - other - 1))
    return places


def slices(index: Any, dim: int) -> tuple[Any, ...]:
    return (slice(None),) * dim + (index,)


def part(source: Any, index: Any) -> Any:
    """Return the part of `source` that `index` covers."""
    return source[tuple([slice(size) for size in index.shape])]


def refill(grad: Any, shape: Any) -> Any:
    """Pad the gradient of that part with zeros to a source of `shape`."""
    if grad._array.shape == tuple(shape):
        return grad
    return SliceBackward(tuple(slice(size) for size in grad._array.shape), shape)(grad)


# The functions --------------------------------------------------------------------------------------------------------


@accepts_out
def gather(input: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    """For every element of `index`, the element of `input` that has this index along `dim`, and else the same indices.

    >>> import minigrad as mg
    >>> mg.tensor([[1, 2], [3, 4]]).gather(1, mg.tensor([[0, 0], [1, 0]])).tolist()
    [[1, 1], [4, 3]]
    """
    dim = checked("gather", input, dim, index)
    if not index._array.size and index._array.ndim != input._array.ndim:
        return input.reshape(-1)[:0].reshape(index._array.shape)
    if index._array.ndim != input._array.ndim:  # a scalar may stand for a vector of one element, and vice versa
        return Gather(0)(input.reshape(-1), index.reshape(-1)).reshape(index._array.shape)
    return Gather(dim)(input, index)


def checked(name: str, input: Tensor, dim: int, index: Any, source: Any = None) -> int:
    """Return `dim` as a non-negative number. Raise unless `index` fits `input` and `source` covers `index`."""
    where = index_of(name, index)
    shape = input._array.shape
    dim = wrap_dim(dim, len(shape))
    if where.size and max(where.ndim, 1) != max(len(shape), 1):
        raise ShapeError(
            "Index tensor must have the same number of dimensions as input tensor: "
            f"{name}() got {where.ndim} and {len(shape)}"
        )
    if isinstance(source, Tensor):
        if source._array.dtype != input._array.dtype:
            raise DtypeError(
                f"{name}(): Expected self.dtype to be equal to src.dtype, got {input.dtype} and {source.dtype}"
            )
        if where.size and max(where.ndim, 1) != max(source._array.ndim, 1):
            raise ShapeError(
                "Index tensor must have the same number of dimensions as src tensor: "
                f"{name}() got {where.ndim} and {source._array.ndim}"
            )
        if any(i > s for i, s in zip(where.shape, source._array.shape, strict=False)):
            raise ShapeError(
                f"Expected index {list(where.shape)} to be no larger than src {list(source.shape)} in {name}()"
            )
    for other, (i, size) in enumerate(zip(where.shape, shape, strict=False)):
        if other != dim and i > size:
            raise ShapeError(
                f"Size does not match at dimension {other}: expected index {list(where.shape)} to be no larger than "
                f"self "
                f"{list(shape)} apart from dimension {dim}"
            )
    in_bounds(where, shape[dim] if shape else 1, dim, error=GatherRange)
    return dim


class GatherRange(DimensionError, ShapeError):
    """The error for an index out of range. For these ops PyTorch raises RuntimeError, for others IndexError."""


def in_bounds(where: Any, size: int, dim: int, error: type[Exception] = DimensionError, low: int = 0) -> None:
    """Raise unless all elements of `where` are in [`low`, `size`)."""
    if where.size and (where.min() < low or where.max() >= size):
        wrong = where.max() if where.max() >= size else where.min()
        raise error(f"index {int(wrong)} is out of bounds for dimension {dim} with size {size}")


def index_of(name: str, index: Any) -> Any:
    if not isinstance(index, Tensor):
        raise ArgumentTypeError(f"{name}(): argument 'index' must be Tensor, not {type(index).__name__}")
    if index._array.dtype.kind not in "iu":
        raise DtypeError(f"{name}(): Expected dtype int64 for index, found {index.dtype}")
    return index._array


METHODS = {"gather": gather}
__all__ = ["gather"]

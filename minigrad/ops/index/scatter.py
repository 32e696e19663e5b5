"""Write, add and reduce along one dimension by an index tensor: scatter, index_add and their variants."""

from __future__ import annotations

from typing import Any

from ...core.inplace import inplace
from ...core.op import Op
from ...core.state import STATE
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, DimensionError, DtypeError, ShapeError
from ..common.arguments import accepts_out
from ..common.dims import wrap_dim
from ..common.numbers import held
from ..common.samples import exactly, sample
from ..common.writes import check_not_read, read_before
from .gather import IndexAdd, IndexCopy, IndexSelect, Scatter, ScatterAdd, checked, in_bounds, index_of, lines, part

__all__ = [
    "index_add", "index_copy", "index_fill", "index_reduce", "index_select", "scatter", "scatter_add", "scatter_reduce",
]  # fmt: skip

WHERE = exactly([[0, 1, 1], [2, 0, 1]])


class ScatterReduce(Op):
    r"""The product, maximum or minimum of all elements of `source` with the same index and the element of `x` there.

    Equal maxima (or minima) share the gradient evenly.
    """

    formula = r"y_{k} = \max(x_k, \{s_i : k_i = k\})"
    samples = (
        sample((3, 3), WHERE, (2, 3), dim=0, kind="amax", include_self=True),
        sample((3, 3), WHERE, (2, 3), dim=0, kind="amin", include_self=False),
        sample((3, 3), WHERE, (2, 3), dim=0, kind="prod", include_self=True),
    )
    dim: int
    kind: str
    include_self: bool

    def forward(self, xp, x, index, source):
        out = xp.copy(x)
        where = lines(xp, x, index, self.dim)
        if not self.include_self:
            low, high = -xp.inf, xp.inf
            if x.dtype.kind in "iub":
                low, high = (False, True) if x.dtype.kind == "b" else (xp.iinfo(x.dtype).min, xp.iinfo(x.dtype).max)
            out[where] = {"prod": 1, "amax": low, "amin": high}[self.kind]
        combine = {"prod": "multiply", "amax": "maximum", "amin": "minimum"}[self.kind]
        xp.scatter(combine, out, where, part(source, index))
        return out

    def backward(self, grad, x, index, source, out):
        r"""\bar s_i = \bar y_{k_i} \text{ shared among those with } s_i = y_{k_i}"""
        full, source = source, source[tuple([slice(size) for size in index._array.shape])]
        if not self.include_self:  # the old elements do not count
            x = x.scatter(self.dim, index, 1 if self.kind == "prod" else float("nan"))
        rule = self.of_product if self.kind == "prod" else self.of_extreme
        grad_x, grad_source = rule(grad, x, index, source, out)
        if not self.include_self:
            grad_x = grad_x.scatter(self.dim, index, 0)
        if grad_source._array.shape != full._array.shape:
            grad_source = full.new_zeros(full.shape).scatter_add(self.dim, index, grad_source)
        return [grad_x, None, grad_source]

    def of_extreme(self, grad, x, index, source, out):
        """Share the gradient evenly among the elements that are equal to the extreme."""
        there = (x == out).to(grad.dtype)
        sent = (source == out.gather(self.dim, index)).to(grad.dtype)
        share = grad / there.scatter_add(self.dim, index, sent)
        return share * there, share.gather(self.dim, index) * sent

    def of_product(self, grad, x, index, source, out):
        """Return the gradient of each factor, the product of the others, which is exact for factors of 0, too."""
        of_x = grad * ScatterReduce(self.dim, "prod", True)(x.new_ones(x.shape), index, source)
        divisor = source.where(source != 0, 1)
        of_source = (grad * out).gather(self.dim, index) / divisor
        for chosen in self.zeros_one_by_one(x, index, source):
            others = ScatterReduce(self.dim, "prod", True)(x, index, source.where(~chosen, 1))
            of_source = (grad * others).gather(self.dim, index).where(chosen, of_source)
        return of_x, of_source

    def zeros_one_by_one(self, x, index, source):
        """Return masks of the zeros in `source`, with at most one zero per target element in each mask.

        One mask is enough for the gradient: of two zeros, both have gradient 0. Higher derivatives need all masks.
        Inside a transform their number is unknown; two masks are enough for second derivatives.
        """
        if not source._array.ndim:
            yield source == 0
            return
        steps = range(source._array.shape[self.dim]) if STATE.mode.grad else range(1)
        counted = not STATE.mode.interpreters
        shape = [-1 if dim == self.dim else 1 for dim in range(source._array.ndim)]
        place = wrap(x._backend.arange(source._array.shape[self.dim]), x._backend).view(shape).expand(source.shape)
        left, none = source == 0, place.new_full(x.shape, -1)
        for _ in steps if counted else steps[:2]:
            if counted and not left._array.any():
                return
            last = none.scatter_reduce(self.dim, index, place.where(left, -1), "amax").gather(self.dim, index)
            yield left & (place == last)
            left = left & (place != last)


@accepts_out
def scatter(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """A copy of `input` with `src` (a tensor or a number) written at the positions `index` along `dim`."""
    return _scatter(input, dim, index, src, value, reduce, False)


def scatter_(
    input: Tensor, dim: int, index: Tensor, src: Any = None, *, value: Any = None, reduce: Any = None
) -> Tensor:
    """`scatter` in place."""
    return _scatter(input, dim, index, src, value, reduce, True)


def _scatter(input: Any, dim: int, index: Any, src: Any, value: Any, reduce: str | None, in_place: bool) -> Any:
    source = value if src is None else src
    dim = checked("scatter", input, dim, index, source)
    if not index.numel() and index.ndim != input.ndim:
        return input if in_place else input.clone()
    if isinstance(source, (bool, int, float, complex)):
        source = held(source, input.dtype, "scatter")
    if in_place:
        check_not_read("scatter_", input, index, source)
    op: Any = Scatter(dim)
    if reduce is not None:
        kinds = {"add": "sum", "multiply": "prod"}
        full = source if isinstance(source, Tensor) else input.new_full(index.shape, source)
        result = scatter_reduce(input, dim, index, full, kinds.get(reduce, reduce))
        return input.copy_(result) if in_place else result
    return inplace(op, input, index, source) if in_place else op(input, index, source)


@accepts_out
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """A copy of `input` with `src` added at the positions `index` along `dim`."""
    return ScatterAdd(checked("scatter_add", input, dim, index, src))(input, index, src)


def scatter_add_(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor:
    """`scatter_add` in place."""
    check_not_read("scatter_add_", input, index, src)
    return inplace(ScatterAdd(checked("scatter_add_", input, dim, index, src)), input, index, src)


@accepts_out
def scatter_reduce(input: Any, dim: int, index: Tensor, src: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """A copy of `input`, combined with the elements of `src` of the same index: "sum", "prod", "mean", "amax", "amin".

    With ``include_self=False``, old elements do not count where `src` has an element.
    """
    dim = checked("scatter_reduce", input, dim, index, src)
    if reduce in ("prod", "amax", "amin"):
        return ScatterReduce(dim, reduce, include_self)(input, index, src)
    if reduce not in ("sum", "mean"):
        raise ShapeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}.")
    start = input if include_self else input.scatter(dim, index, 0)
    total = start.scatter_add(dim, index, src)
    if reduce == "mean":
        ones = src.new_ones(src.shape)
        count = input.new_full(input.shape, int(include_self)).scatter_add(dim, index, ones)
        total = total / count.clamp(min=1) if input.dtype.is_differentiable else total // count.clamp(min=1)
    return total


def scatter_reduce_(input: Any, dim: int, index: Tensor, src: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """`scatter_reduce` in place."""
    check_not_read("scatter_reduce_", input, index, src)
    return input.copy_(scatter_reduce(input.clone(), dim, index, src, reduce, include_self=include_self))


# Whole slices ---------------------------------------------------------------------------------------------------------


def _whole(name: str, input: Any, dim: int, index: Any, source: Any = None) -> int:
    """Return `dim` as a non-negative number. Raise unless `index` is a vector that fits `dim` and `source`."""
    where = index_of(name, index)
    shape = input._array.shape
    dim = wrap_dim(dim, len(shape))
    if where.ndim > 1:
        raise DimensionError(f"{name}(): Index is supposed to be a vector, but got dim: {where.ndim}")
    in_bounds(where, shape[dim] if shape else 1, dim)
    if isinstance(source, Tensor) and source._array.ndim:
        wanted = (*shape[:dim], where.size, *shape[dim + 1 :])
        if source._array.shape != wanted:
            raise DimensionError(
                f"{name}(): Number of indices ({where.size}) should be equal to source.size(dim), and the other sizes "
                f"to "
                f"those of the input: the source has shape {list(source.shape)}, not {list(wanted)}"
            )
    return dim


@accepts_out
def index_select(input: Tensor, dim: int, index: Any) -> Tensor:
    """The slices of `input` along `dim` at the positions in the vector `index`, in its order.

    >>> import minigrad as mg
    >>> mg.eye(3).index_select(0, mg.tensor([2, 0])).tolist()
    [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]
    """
    dim = _whole("index_select", input, dim, index)
    if not input._array.ndim:
        return IndexSelect(0)(input.reshape(1), index.reshape(-1)).reshape(())
    return IndexSelect(dim)(input, index if index._array.ndim else index.reshape(1))


def _slices(name: str, make: Any, input: Any, dim: int, index: Any, source: Any, in_place: bool) -> Any:
    dim = _whole(name, input, dim, index, source)
    if in_place:
        check_not_read(name, input, index, source)
    if source.requires_grad and not source._array.ndim and input._array.ndim:  # one number for all slices
        shape = input._array.shape
        source = source.expand((*shape[:dim], index.numel(), *shape[dim + 1 :]))
    if not input._array.ndim:  # a scalar counts as a vector of one element
        made = _slices(name, make, input.reshape(1), 0, index, source.reshape(-1), False).reshape(())
        return input.copy_(made) if in_place else made
    if not index._array.ndim:
        index = index.reshape(1)
    return inplace(make(dim), input, index, source) if in_place else make(dim)(input, index, source)


@accepts_out
def index_add(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """A copy of `input` with `alpha` times the slices of `source` added at `index`."""
    return _slices("index_add", lambda dim: IndexAdd(dim, held(alpha, input.dtype)), input, dim, index, source, False)


def index_add_(input: Tensor, dim: int, index: Tensor, source: Tensor, *, alpha: Any = 1) -> Tensor:
    """`index_add` in place."""
    return _slices("index_add_", lambda dim: IndexAdd(dim, held(alpha, input.dtype)), input, dim, index, source, True)


@accepts_out
def index_reduce(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """A copy of `input` with the slices at `index` combined with those of `source`.

    `reduce` is "prod", "mean", "amax" or "amin". With ``include_self=False``, old slices do not count where `index` has
    an entry.

    >>> import minigrad as mg
    >>> x, source = mg.zeros(2), mg.tensor([1.0, 5.0, 3.0])
    >>> mg.index_reduce(x, 0, mg.tensor([1, 1, 0]), source, "amax")
    tensor([3., 5.])
    """
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise ShapeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = _whole("index_reduce", input, dim, index, source)
    if not input._array.ndim:
        given = input.reshape(1), 0, index.reshape(-1), source.reshape(-1)
        return index_reduce(*given, reduce, include_self=include_self).reshape(())
    along = [1] * input._array.ndim
    along[dim] = index.numel()
    positions = index.reshape(along).expand(source._array.shape)
    return scatter_reduce(input, dim, positions, source, reduce, include_self=include_self)


def index_reduce_(input: Any, dim: int, index: Any, source: Any, reduce: str, *, include_self: bool = True) -> Tensor:
    """`index_reduce` in place."""
    return input.copy_(index_reduce(input.clone(), dim, index, source, reduce, include_self=include_self))


@accepts_out
def index_copy(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """A copy of `input` with the slices of `source` written at `index`."""
    return _slices("index_copy", IndexCopy, input, dim, index, source, False)


def index_copy_(input: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    """`index_copy` in place."""
    return _slices("index_copy_", IndexCopy, input, dim, index, source, True)


def _filling(input: Any, value: Any) -> Any:
    if isinstance(value, Tensor):
        if value._array.ndim:
            raise ShapeError(
                "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
                f"{value._array.ndim} dimension(s)."
            )
        return read_before(value.to(input.dtype), input)
    if not isinstance(value, (bool, int, float, complex)):
        kind = type(value).__name__
        raise ArgumentTypeError(f"index_fill(): argument 'value' must be a number or a tensor, not {kind}")
    if isinstance(value, complex) and not input.dtype.is_complex:
        raise DtypeError("index_fill_(): Converting complex Scalar to non-complex type is not supported")
    return input.new_full((), value)


def index_fill(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """A copy of `input` with the slices at `index` filled with `value`."""
    return _slices("index_fill", _filled, input, dim, _once(index, value), _filling(input, value), False)


def index_fill_(input: Tensor, dim: int, index: Tensor, value: Any) -> Tensor:
    """`index_fill` in place."""
    return _slices("index_fill_", _filled, input, dim, _once(index, value), _filling(input, value), True)


def _once(index: Any, value: Any) -> Any:
    """Return `index` without duplicates if `value` requires a gradient, to which each slice must contribute once."""
    return index.unique() if isinstance(value, Tensor) and value.requires_grad else index


def _filled(dim: int) -> Any:
    op = IndexCopy(dim)
    op.grad_name = "IndexFillBackward0"  # type: ignore[misc]
    return op


METHODS = {
    "scatter": scatter,
    "scatter_add": scatter_add,
    "scatter_reduce": scatter_reduce,
    "index_select": index_select,
    "index_add": index_add,
    "index_copy": index_copy,
    "index_fill": index_fill,
    "index_reduce": index_reduce,
}
INPLACE = {
    "scatter_": scatter_,
    "scatter_add_": scatter_add_,
    "scatter_reduce_": scatter_reduce_,
    "index_add_": index_add_,
    "index_copy_": index_copy_,
    "index_fill_": index_fill_,
    "index_reduce_": index_reduce_,
}

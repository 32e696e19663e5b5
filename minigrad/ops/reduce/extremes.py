"""Maximum, minimum and median: over all elements or dimensions, with or without an index.

Over all elements, and in `amax` and `amin`, equal elements share the gradient evenly. `max(dim)` and similar functions
also return an index, and the gradient goes only to the element there.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ...core.state import STATE
from ...core.tensor import Tensor
from ...errors import DimensionError, DomainError
from ..common import return_types
from ..common.arguments import accepts_out, axes_of, check_has_order
from ..common.bases import sample
from ..common.dims import one_int, wrap_dim
from ..create.factories import finished
from ..elementwise import maximum as larger
from ..elementwise import where as choose
from .order_statistics import Kthvalue, MaxAlong, MedianAlong, MinAlong, Mode, NanMedianAlong
from .sums import spread

__all__ = [
    "amax", "amin", "aminmax", "argmax", "argmin", "kthvalue", "max", "median", "min", "mode", "nanmedian",
]  # fmt: skip


class _Shared(Op, abstract=True):
    """A maximum, minimum or median; equal elements share its gradient."""

    __slots__ = ("dim", "keepdim")
    dim: Any
    keepdim: bool
    kinds: ClassVar[str] = "bif"

    def grad_x(self, grad, x, out):
        r"\bar y / n \text{ for each of the } n \text{ elements that are } y"
        out = spread(out, x.shape, self.dim, self.keepdim)
        chosen = (x == out) | (x.isnan() & out.isnan())
        count = chosen.sum(self.dim, keepdim=True)
        return choose.where(chosen, spread(grad, x.shape, self.dim, self.keepdim) / count, 0)


class _Even(_Shared, abstract=True):
    """A maximum or minimum over some dimensions; if it is NaN, so is the gradient of all elements."""

    __slots__ = ()

    def grad_x(self, grad, x, out):
        r"\bar y / n \text{ for each of the } n \text{ elements that are } y"
        chosen = (x == spread(out, x.shape, self.dim, self.keepdim)).to(grad.dtype)
        count = chosen.sum(self.dim, keepdim=True)
        return spread(grad, x.shape, self.dim, self.keepdim) / count * chosen


class Amax(_Even):
    """The largest element over `dim`."""

    __slots__ = ()
    memory_order = "rows"
    formula = r"\max_i x_i"
    samples = (sample((2, 3), dim=(1,), keepdim=False), sample((2, 3, 2), dim=(0, 2), keepdim=True))

    def forward(self, xp, x):
        return xp.amax(x, axis=self.dim, keepdims=self.keepdim)


class Amin(_Even):
    """The smallest element over `dim`."""

    __slots__ = ()
    memory_order = "rows"
    formula = r"\min_i x_i"
    samples = (sample((2, 3), dim=(1,), keepdim=False), sample((2, 3, 2), dim=(0, 2), keepdim=True))

    def forward(self, xp, x):
        return xp.amin(x, axis=self.dim, keepdims=self.keepdim)


class Max(_Shared):
    """The largest of all elements."""

    __slots__ = ()
    formula = r"\max_i x_i"
    grad_name = "MaxBackward1"
    samples = (sample((2, 3), dim=None, keepdim=False), sample((), dim=None, keepdim=False))

    def forward(self, xp, x):
        return xp.amax(x, axis=None, keepdims=False)


class Min(_Shared):
    """The smallest of all elements."""

    __slots__ = ()
    formula = r"\min_i x_i"
    grad_name = "MinBackward1"
    samples = (sample((2, 3), dim=None, keepdim=False), sample((), dim=None, keepdim=False))

    def forward(self, xp, x):
        return xp.amin(x, axis=None, keepdims=False)


def in_order(xp: Any, x: Any) -> Any:
    """Return a sorted vector; bfloat16 is sorted as float32, since NumPy cannot order it with NaN."""
    return xp.sort(x.astype("float32")).astype(x.dtype) if x.dtype.kind == "V" else xp.sort(x)


class Median(_Shared):
    """The median of all elements; of an even number, the lower of the two middle ones. NaN if one is NaN."""

    __slots__ = ()
    formula = r"\operatorname{med}_i x_i"
    kinds = "if"
    samples = (sample((2, 3), dim=None, keepdim=False), sample((4,), dim=None, keepdim=False))

    def forward(self, xp, x):
        flat = in_order(xp, x.reshape(-1))
        if not flat.size and flat.dtype.kind in "fV":
            return xp.full((), xp.nan, flat.dtype)
        return flat[-1] if xp.isnan(flat[-1]) else flat[(flat.size - 1) // 2]


class NanMedian(_Shared):
    """The median of all elements that are not NaN."""

    __slots__ = ()
    formula = r"\operatorname{med}_i x_i"
    grad_name = "NanmedianBackward0"
    kinds = "if"
    samples = (sample((2, 3), dim=None, keepdim=False),)

    def forward(self, xp, x):
        flat = in_order(xp, x.reshape(-1))
        if not flat.size and flat.dtype.kind in "fV":
            return xp.full((), xp.nan, flat.dtype)
        count = int(flat.size - xp.isnan(flat).sum())
        return flat[0] if not count else flat[(count - 1) // 2]


# Functions ------------------------------------------------------------------------------------------------------------


def _not_empty(input: Tensor, name: str, dims: Any) -> None:
    shape = input._array.shape
    if dims is None:
        _some(input, name)
        return
    for dim in dims:
        if not shape[dim]:
            raise DimensionError(
                f"{name}(): Expected reduction dim {dim} to have non-zero size, but the shape is {list(shape)}."
            )


def _some(input: Tensor, name: str) -> None:
    if not input._array.size:
        error = DimensionError if name.startswith("arg") else DomainError
        raise error(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument."
        )


_BOOLS = ("max", "min", "mode")
"""The reductions that PyTorch also computes along a dimension of bools."""


def _along(op: Any, name: str, input: Tensor, dim: Any, keepdim: bool, *settings: Any) -> Any:
    check_has_order(name, input, bools=name in _BOOLS)
    axis = wrap_dim(dim, input._array.ndim)
    _not_empty(input, name, (axis,) if input._array.ndim else ())
    return getattr(return_types, name)(op(axis, keepdim, *settings)(input))


@accepts_out
def max(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The largest element; along `dim` (values, indices); with a second tensor, the elementwise maximum.

    >>> import minigrad as mg
    >>> mg.max(mg.tensor([[1.0, 5.0], [7.0, 3.0]]), 1).indices
    tensor([1, 0])
    """
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return larger.maximum(input, other)
    if dim is not None:
        return _along(MaxAlong, "max", input, dim, keepdim)
    check_has_order("max", input)
    _some(input, "max")
    return Max(None, False)(input)


@accepts_out
def min(input: Tensor, dim: Any = None, keepdim: bool = False, *, other: Any = None) -> Any:
    """The smallest element; along `dim` (values, indices); with a second tensor, the elementwise minimum."""
    other = dim if isinstance(dim, Tensor) else other
    if other is not None:
        return larger.minimum(input, other)
    if dim is not None:
        return _along(MinAlong, "min", input, dim, keepdim)
    check_has_order("min", input)
    _some(input, "min")
    return Min(None, False)(input)


@accepts_out
def amax(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The largest element over `dim`, one or several; equal elements share the gradient."""
    check_has_order("amax", input)
    axes = axes_of(dim, input._array.ndim)
    _not_empty(input, "amax", None if dim is None or dim == () else axes)
    return Amax(axes, keepdim)(input)


@accepts_out
def amin(input: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    """The smallest element over `dim`, one or several; equal elements share the gradient."""
    check_has_order("amin", input)
    axes = axes_of(dim, input._array.ndim)
    _not_empty(input, "amin", None if dim is None or dim == () else axes)
    return Amin(axes, keepdim)(input)


@accepts_out
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest and the largest element: (min, max)."""
    return return_types.aminmax(
        amin(input, () if dim is None else dim, keepdim), amax(input, () if dim is None else dim, keepdim)
    )


def _index(name: str, input: Tensor, dim: int | None, keepdim: bool) -> Tensor:
    check_has_order(name, input, bools=False)
    array, backend = input._array, input._backend
    axis = None if dim is None else wrap_dim(dim, array.ndim)
    axis = axis if array.ndim else None
    _not_empty(input, name, None if axis is None else (axis,))
    if STATE.mode.interpreters:
        return _index_of_each(name, input, axis, keepdim)
    found = getattr(backend, name)(array, axis=axis, keepdims=keepdim)
    return finished(backend.asarray(found), backend, False)


def _index_of_each(name: str, input: Tensor, axis: int | None, keepdim: bool) -> Tensor:
    """Do the same by an op, which works inside transforms."""
    op = MaxAlong if name == "argmax" else MinAlong
    if axis is not None:
        found: Tensor = op(axis, keepdim)(input)[1]
        return found
    found = op(0, False)(input.detach().reshape(-1))[1]
    return found.reshape((1,) * input.dim()) if keepdim else found


@accepts_out
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the largest element: flat, or along `dim`."""
    return _index("argmax", input, dim, keepdim)


@accepts_out
def argmin(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    """The index of the smallest element: flat, or along `dim`."""
    return _index("argmin", input, dim, keepdim)


@accepts_out
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median (the lower of two); along `dim` (values, indices)."""
    check_has_order("median", input, bools=False)
    if dim is None and not input.numel():  # empty: NaN, or PyTorch's value for integers
        if input.is_floating_point():
            return input.new_full((), float("nan"))
        return input.new_full((), dtypes.iinfo(input.dtype).min if input.dtype.itemsize >= 4 else 0)
    return Median(None, False)(input) if dim is None else _along(MedianAlong, "median", input, dim, keepdim)


@accepts_out
def nanmedian(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Any:
    """The median of the elements that are not NaN; along `dim` (values, indices)."""
    check_has_order("nanmedian", input, bools=False)
    if not input.is_floating_point():  # integers have no NaN
        return median(input) if dim is None else median(input, dim, keepdim)
    return NanMedian(None, False)(input) if dim is None else _along(NanMedianAlong, "nanmedian", input, dim, keepdim)


@accepts_out
def kthvalue(input: Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """The k-th smallest element along `dim`, counted from 1: (values, indices)."""
    size = input._array.shape[wrap_dim(dim, input._array.ndim)] if input._array.ndim else 1
    if not size:
        raise DimensionError(f"kthvalue(): Expected reduction dim {dim} to have non-zero size.")
    k = one_int("k", k)
    if not 1 <= k <= size:
        raise DomainError(f"kthvalue(): selected number k out of range for dimension {dim}: k is {k}, the size {size}")
    return _along(Kthvalue, "kthvalue", input, dim, keepdim, k)


@accepts_out
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The most frequent element along `dim`: (values, indices)."""
    return _along(Mode, "mode", input, dim, keepdim)


METHODS = {
    "max": max, "min": min, "amax": amax, "amin": amin, "aminmax": aminmax, "argmax": argmax, "argmin": argmin,
    "median": median, "nanmedian": nanmedian, "kthvalue": kthvalue, "mode": mode,
}  # fmt: skip

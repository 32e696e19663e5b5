"""Ops with a mask: read or write the elements where it is true, or return their indices."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, DtypeError, ShapeError
from ..common.arguments import accepts_out, into
from ..common.bases import Linear, exactly, sample
from ..create.factories import finished
from ..shape.join import cat

__all__ = ["argwhere", "masked_scatter", "masked_select", "nonzero"]

MASK = exactly([[True, False, True], [False, True, True]])


class MaskedSelect(Linear):
    """The elements where the mask is true, as a vector."""

    __slots__ = ("shape",)
    formula = r"(x_i)_{m_i}"
    broadcasts: ClassVar[bool] = True
    samples = (sample((2, 3), MASK), sample((3,), MASK), sample((2, 3), exactly([True, False, False])))

    remembers = ("shape",)

    def forward(self, xp, x, mask):
        self.shape = xp.broadcast_shapes(x.shape, mask.shape)
        return xp.broadcast_to(x, self.shape)[xp.broadcast_to(mask, self.shape)]

    def grad_x(self, grad, mask):
        r"\bar y \text{ where } m, \text{ else } 0"
        zeros = wrap(grad._backend.zeros(self.shape, grad._array.dtype), grad._backend)
        return MaskedScatter()(zeros, mask, grad)


class MaskedScatter(Linear):
    """The input with the elements of `source`, in order, at the positions where the mask is true."""

    __slots__ = ("size",)
    memory_order = "rows"
    formula = r"m\, ?\, s : x"
    samples = (sample((2, 3), MASK, (4,)), sample((2, 3), exactly([True, False, True]), (2, 3)))

    remembers = ("size",)

    def forward(self, xp, x, mask, source):
        mask = xp.broadcast_to(mask, x.shape)
        self.size = source.shape
        count = int(mask.sum())
        if count > source.size:
            raise ShapeError(
                f"masked_scatter: expected self and source to have same dtypes and the number of elements of source "
                f"({source.size}) to be at least the number of positions in the mask ({count})"
            )
        out = xp.copy(x)
        out[mask] = source.reshape(-1)[:count]
        return out

    def grad_x(self, grad, mask):
        r"m\, ?\, 0 : \bar y"
        return grad.masked_fill(mask, 0)

    def grad_source(self, grad, mask):
        r"(\bar y_i)_{m_i}"
        chosen = masked_select(grad, mask)
        whole = wrap(grad._backend.zeros(self.size, grad._array.dtype), grad._backend)
        rest = zeros_like(whole.reshape(-1).narrow(0, 0, whole.numel() - chosen.numel()))
        return cat([chosen, rest]).reshape(self.size)


def _checked(name: str, mask: Any) -> Tensor:
    if not isinstance(mask, Tensor) or mask.dtype is not dtypes.bool_:
        found = mask.dtype if isinstance(mask, Tensor) else type(mask).__name__
        raise DtypeError(f"{name}: expected BoolTensor for mask, but got {found}. Compare first, as in x > 0.")
    return mask


@accepts_out
def masked_select(input: Tensor, mask: Tensor) -> Tensor:
    """The elements where `mask` (broadcast) is true, as a vector.

    >>> import minigrad as mg
    >>> x = mg.tensor([[1.0, -2.0], [3.0, 4.0]])
    >>> mg.masked_select(x, x > 0)
    tensor([1., 3., 4.])
    """
    return MaskedSelect()(input, _checked("masked_select", mask))


def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """`input` with the elements of `source`, in order, at the positions where `mask` is true."""
    _same_type(input, source)
    mask = _checked("masked_scatter", mask)
    sizes = input._backend.broadcast_shapes(input._array.shape, mask._array.shape)
    input = input if input._array.shape == sizes else input.expand(sizes)
    return MaskedScatter()(input, mask, source)


def masked_scatter_(self: Tensor, mask: Tensor, source: Tensor) -> Tensor:
    """Write the elements of `source`, in order, at the positions where `mask` is true, in place."""
    _same_type(self, source)
    return inplace(MaskedScatter(), self, _checked("masked_scatter_", mask), source)


def _same_type(input: Tensor, source: Tensor) -> None:
    if input.dtype is not source.dtype:
        raise DtypeError(
            f"masked_scatter: expected self and source to have same dtypes but got {input.dtype} and {source.dtype}"
        )


def nonzero(input: Tensor, *, out: Tensor | None = None, as_tuple: bool = False) -> Any:
    """The indices of the nonzero elements: one per row, (count, ndim), or with `as_tuple` one vector per dimension.

    >>> import minigrad as mg
    >>> mg.nonzero(mg.tensor([[0, 1], [2, 0]]))
    tensor([[0, 1],
            [1, 0]])
    """
    backend, array = input._backend, input._array
    if out is not None and out.dtype is not dtypes.int64:
        raise DtypeError(f"nonzero: Expected out tensor to have scalar type Long but got scalar type {out.dtype.name}")
    if as_tuple:
        if out is not None:
            raise ArgumentError("nonzero does not support the out kwarg when as_tuple is True")
        positions = backend.nonzero(array if array.ndim else array.reshape(1))
        return tuple([finished(backend.asarray(each), backend, False) for each in positions])
    return into(out, finished(backend.argwhere(array), backend, False))


def argwhere(input: Tensor) -> Tensor:
    """The indices of the nonzero elements, one per row."""
    return nonzero(input)


METHODS = {
    "masked_select": masked_select, "masked_scatter": masked_scatter, "nonzero": nonzero, "argwhere": argwhere,
}  # fmt: skip
INPLACE = {"masked_scatter_": masked_scatter_}

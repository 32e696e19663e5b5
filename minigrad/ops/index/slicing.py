"""Basic indexing, ``x[1:3, None, ..., 0]``: views of a part of a tensor, and their gradients.

The gradient of a part is zeros with the given gradient in that part; the gradient of this op is the part again.
"""

from __future__ import annotations

import operator
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError, DimensionError, ShapeError
from ..common.bases import Linear
from ..common.dims import one_int, wrap_dim
from ..common.samples import sample


class Slice(Linear):
    r"""A part of a tensor: along each dimension an index, or a range of them."""

    formula = r"x_{[\,\cdot\,]}"
    is_view = "view"
    samples = (
        sample((4, 3), key=(slice(1, 3),)),
        sample((4, 3), key=(Ellipsis, slice(None, None, 2))),
        sample((4, 3), key=(2, None)),
        sample((4, 3), key=(slice(2, 2),)),
    )
    key: Any

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape
        return x[self.key]

    def grad_x(self, grad):
        r"""\bar x_{[\,\cdot\,]} = \bar y,\; 0 \text{ elsewhere}"""
        op = SliceBackward(self.key, self.before)
        op.grad_name = self.name()[:-1] + "Backward0"  # type: ignore[misc]
        return op(grad)

    def name(self):
        """Return the node name of the last part of the index, as if the parts were separate ops."""
        last = self.key[-1] if self.key else Ellipsis
        if last is None:
            return "UnsqueezeBackward0"
        if last is Ellipsis:
            return "AliasBackward0" if len(self.key) < 2 else Slice(self.key[:-1]).name()
        return "SliceBackward0" if type(last) is slice else "SelectBackward0"


class Select(Linear):
    r"""One slice along a dimension, which is removed."""

    formula = r"x_i"
    is_view = "view"
    samples = (sample((4, 3), dim=0, index=2), sample((4, 3), dim=1, index=-1))
    dim: int
    index: int

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape
        return x[(slice(None),) * self.dim + (self.index, ...)]

    def grad_x(self, grad):
        r"""\bar x_i = \bar y,\; 0 \text{ elsewhere}"""
        op = SliceBackward((slice(None),) * self.dim + (self.index, ...), self.before)
        op.grad_name = "SelectBackwardBackward0"  # type: ignore[misc]
        return op(grad)


class SliceBackward(Linear):
    r"""Zeros with the input in a part of them: the gradient of a slice."""

    formula = r"y_{[\,\cdot\,]} = x,\; 0 \text{ elsewhere}"
    samples = (sample((2, 3), key=(slice(1, 3),), shape=(4, 3)), sample((3,), key=(1,), shape=(4, 3)))
    key: Any
    shape: Any

    def forward(self, xp, x):
        out = xp.zeros(self.shape, x.dtype)
        out[self.key] = x
        return out

    def grad_x(self, grad):
        r"""\bar y_{[\,\cdot\,]}"""
        return Slice(self.key)(grad)


def slice_(input: Tensor, key: tuple[Any, ...]) -> Tensor:
    """The view ``input[key]``, where `key` has ints, slices, None and Ellipsis only, already checked."""
    return Slice(key)(input)


def select(input: Tensor, dim: int, index: int) -> Tensor:
    """A view of slice `index` along `dim`, without that dimension."""
    shape = input._array.shape
    if not shape:
        raise DimensionError("select() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, len(shape))
    index = one_int("index", index)
    if not -shape[dim] <= index < shape[dim]:
        raise DimensionError(
            f"select(): index {index} out of range for tensor of size {list(shape)} at dimension {dim}: "
            f"index {index} is out of bounds for dimension {dim} with size {shape[dim]}"
        )
    return Select(dim, index)(input)


def narrow(input: Tensor, dim: int, start: Any, length: int) -> Tensor:
    """A view of `length` slices along `dim`, from `start` on."""
    shape = input._array.shape
    if not shape:
        raise ShapeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start._array.ndim or start._array.dtype.kind not in "iu"):
        raise ShapeError("narrow(): start must be an 0-dim integral Tensor.")
    dim, start = wrap_dim(dim, len(shape)), operator.index(start)
    size = shape[dim]
    length = one_int("length", length)
    if length < 0:
        raise ShapeError(f"narrow(): length must be non-negative, got {length}.")
    if not -size <= start <= size:
        raise DimensionError(f"start out of range (expected to be in range of [{-size}, {size}], but got {start})")
    begin = start + size if start < 0 else start
    if begin + length > size:
        raise ShapeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return slice_(input, (slice(None),) * dim + (slice(begin, begin + length),))


def window(array: Any, dim: int, start: Any = None, end: Any = None, step: int = 1) -> tuple[Any, ...]:
    """Return the key of ``array[..., start:end:step, ...]`` at dimension `dim`, checked."""
    if step <= 0:
        raise ShapeError(f"slice step must be positive, got {step}")
    dim = wrap_dim(dim, array.ndim)
    return (slice(None),) * dim + (slice(start, end, step),)


def checked_slice(part: slice) -> slice:
    """Return a slice with plain ints and a positive step; raise if it has another step."""
    bounds = [None if each is None else _bound(each) for each in (part.start, part.stop, part.step)]
    if bounds[2] is not None and bounds[2] <= 0:
        raise ArgumentError(f"step must be greater than zero, but it is {bounds[2]}; use flip() to reverse")
    return slice(*bounds)


def _bound(given: Any) -> int:
    try:
        return operator.index(given)
    except TypeError:
        raise ArgumentTypeError(
            f"slice indices must be integers or None or have an __index__ method, not {type(given).__name__}"
        ) from None


METHODS = {"select": select, "narrow": narrow}
__all__ = ["select", "narrow"]

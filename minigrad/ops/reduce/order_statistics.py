"""One element along a dimension, with its index: maximum, minimum, median, k-th smallest, mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...core.further import zeros_like
from ...core.op import Op
from ..common.bases import sample
from .sorting import ordered


class OrderStatistic(Op, abstract=True):
    """One element along a dimension, and its index; the gradient goes only there."""

    __slots__ = ("dim", "keepdim", "shape")
    dim: int
    keepdim: bool
    place: ClassVar[Callable[..., Any]]
    """A function of `xp` and `x` that returns the element's index, with keepdim. Each op defines its own."""
    kinds: ClassVar[str] = "bif"
    outputs_named: ClassVar[tuple[str, ...]] = ("values", "indices")
    samples: ClassVar[tuple[Any, ...]] = (
        sample((2, 3), dim=1, keepdim=False),
        sample((2, 3, 2), dim=0, keepdim=True),
        sample((4,), dim=0, keepdim=False),
    )

    remembers = ("shape",)

    def forward(self, xp, x):
        self.shape = x.shape
        if not x.ndim:
            return xp.copy(x), xp.zeros((), "int64")
        indices = self.place(xp, x)
        values = xp.take_along_axis(x, indices, axis=self.dim)
        return (values, indices) if self.keepdim else (values.squeeze(self.dim), indices.squeeze(self.dim))

    def grad_x(self, grad, indices):
        r"\bar y \text{ at the place, 0 elsewhere}"
        if not self.shape:
            return grad
        if not self.keepdim:
            grad, indices = grad.unsqueeze(self.dim), indices.unsqueeze(self.dim)
        return zeros_like(grad.narrow(self.dim, 0, 1).expand(self.shape)).scatter(self.dim, indices, grad)


class MaxAlong(OrderStatistic):
    """The largest element along `dim`, and its index."""

    __slots__ = ()
    formula = r"\max_i x_i"
    grad_name = "MaxBackward0"

    def place(self, xp, x):
        return xp.argmax(x, axis=self.dim, keepdims=True)


class MinAlong(OrderStatistic):
    """The smallest element along `dim`, and its index."""

    __slots__ = ()
    formula = r"\min_i x_i"
    grad_name = "MinBackward0"

    def place(self, xp, x):
        return xp.argmin(x, axis=self.dim, keepdims=True)


class Kthvalue(OrderStatistic):
    """The k-th smallest element along `dim`, and its index. Equal elements keep their order.

    PyTorch's index among equal elements depends on how its search swaps elements.
    """

    __slots__ = ("k",)
    k: int
    formula = r"x_{(k)}"
    kinds = "if"
    samples = (sample((2, 3), dim=1, keepdim=False, k=2), sample((2, 3, 2), dim=0, keepdim=True, k=1))

    def place(self, xp, x):
        return xp.take(ordered(xp, x, self.dim, False), [self.k - 1], axis=self.dim)


class MedianAlong(OrderStatistic):
    """The median along `dim`, and its index; of an even number, the lower of the two middle ones."""

    __slots__ = ()
    formula = r"\operatorname{med}_i x_i"
    grad_name = "MedianBackward1"
    kinds = "if"

    def place(self, xp, x):
        order = ordered(xp, x, self.dim, False)
        middle = xp.take(order, [(x.shape[self.dim] - 1) // 2], axis=self.dim)
        broken = xp.isnan(x)
        return xp.where(
            broken.any(axis=self.dim, keepdims=True), xp.argmax(broken, axis=self.dim, keepdims=True), middle
        )


class NanMedianAlong(OrderStatistic):
    """The median along `dim` of the elements that are not NaN, and its index."""

    __slots__ = ()
    formula = r"\operatorname{med}_i x_i"
    grad_name = "NanmedianBackward1"
    kinds = "if"

    def place(self, xp, x):
        order = ordered(xp, x, self.dim, False)
        count = (~xp.isnan(x)).sum(axis=self.dim, keepdims=True)
        return xp.take_along_axis(order, xp.maximum(count - 1, 0) // 2, axis=self.dim)


class Mode(OrderStatistic):
    """The most frequent element along `dim` (the smallest of several), and its last index.

    PyTorch returns the same index for up to 16 elements; for more it depends on how its sort moves equal elements.
    """

    __slots__ = ()
    formula = r"\operatorname{mode}_i x_i"

    def place(self, xp, x):
        length = x.shape[self.dim]
        lines = xp.moveaxis(x, self.dim, -1)
        same = lines[..., :, None] == lines[..., None, :]
        count = same.sum(axis=-1)
        best = xp.where(count == count.max(axis=-1, keepdims=True), lines, lines.max(axis=-1, keepdims=True))
        chosen = (lines == best.min(axis=-1, keepdims=True)) & (count == count.max(axis=-1, keepdims=True))
        last = length - 1 - xp.argmax(chosen[..., ::-1], axis=-1, keepdims=True)
        return xp.moveaxis(last, -1, self.dim)

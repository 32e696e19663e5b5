"""Pooling: the maximum or the mean of each window, over any number of last dimensions.

All loop over the few positions *within* a window, and handle all windows at once for each. Large windows side by side,
as of adaptive pools, become rows of a matrix instead.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar

from ...core.op import Op
from ..common.bases import Linear
from ..common.samples import exactly, sample

SMALL: dict[str, Any] = {"kernel": (2,), "stride": (2,), "padding": (0,), "dilation": (1,), "output_size": (3,)}
WIDE: dict[str, Any] = {
    "kernel": (3, 2), "stride": (2, 1), "padding": (1, 0), "dilation": (1, 2), "output_size": (3, 3),
}  # fmt: skip
TILED: dict[str, Any] = {
    "kernel": (8, 5), "stride": (8, 5), "padding": (0, 0), "dilation": (1, 1), "output_size": (2, 1),
}  # fmt: skip


class MaxPool(Op):
    r"""The maximum of every window, and the position `which` in the window. Of equal ones the first counts."""

    formula = r"\max_k x_{s i + d k - p}"
    grad_name = "MaxPool2DWithIndicesBackward0"
    memory_order = "channels"
    outputs_named: ClassVar[tuple[str, ...]] = ("out", "which")
    samples = (sample((2, 6), **SMALL), sample((2, 5, 5), **WIDE), sample((2, 16, 5), **TILED))
    kernel: Any
    stride: Any
    padding: Any
    dilation: Any
    output_size: Any

    def forward(self, xp, x):
        if tiled(self, x.shape):
            return self.of_rows(xp, rows_of(x, self))
        least = -xp.inf if x.dtype.kind not in "iu" else xp.iinfo(x.dtype).min
        framed = frame(xp, x, self, least)
        best: Any = None
        for number, seen in enumerate(seen_from(self)):
            window = xp.ascontiguousarray(framed[seen])  # its rows are short, so a copy makes the later passes faster
            if best is None:
                best, which = xp.copy(window), xp.zeros(window.shape, place_type(self))
                continue
            which += (number - which) * (window > best)  # `copyto` with `where` would branch at every element
            xp.maximum(best, window, out=best)
        if framed is not x and xp.any(best == least):  # equal to the padding, which must not count as a position
            inside = frame(xp, xp.ones(x.shape[-len(self.kernel) :], "bool"), self, False)
            for number, seen in reversed(list(enumerate(seen_from(self)))):
                xp.copyto(which, number, where=(best == least) & inside[seen])
        if x.dtype.kind == "f" and xp.isnan(best).any():  # the position of a NaN is that of the last one in the window
            for number, seen in enumerate(seen_from(self)):
                xp.copyto(which, number, where=xp.isnan(framed[seen]))
        return best, which

    def of_rows(self, xp, rows):
        """Compute the maxima and positions for windows that are rows."""
        which = xp.argmax(rows, axis=-1)
        best = xp.take_along_axis(rows, which[..., None], -1)[..., 0]
        if rows.dtype.kind == "f" and xp.isnan(best).any():
            last = rows.shape[-1] - 1 - xp.argmax(xp.isnan(rows[..., ::-1]), axis=-1)
            which = xp.where(xp.isnan(best), last, which)
        return best, which.astype(place_type(self))

    def grad_x(self, grad, x, which):
        r"""\bar x_{k^*} \mathrel{+}= \bar y"""
        return PutIntoWindows(*geometry(self), x._array.shape)(grad, which)


class PutIntoWindows(Linear):
    r"""Each element added at its position in its window: the gradient of `MaxPool`."""

    formula = r"y_{k_i} \mathrel{+}= x_i"
    grad_name = "MaxPool2DWithIndicesBackwardBackward0"
    samples = (
        sample((2, 3), exactly([[0, 1, 1], [1, 0, 0]]), **SMALL, shape=(2, 6)),
        sample((1, 2, 1), exactly([[[7], [0]]]), **TILED, shape=(1, 16, 5)),
    )
    kernel: Any
    stride: Any
    padding: Any
    dilation: Any
    output_size: Any
    shape: Any

    def forward(self, xp, x, which):
        if tiled(self, self.shape):
            rows = xp.zeros((x.size, math.prod(self.kernel)), x.dtype)
            rows[xp.arange(x.size), which.ravel()] = x.ravel()
            return from_rows(xp, rows, self)
        out = frame(xp, xp.zeros(self.shape, x.dtype), self, 0)
        nothing, apart = x.dtype.type(0), windows_apart(self)
        for number, seen in enumerate(seen_from(self)):
            share = xp.where(which == number, x, nothing)
            if apart:
                out[seen] = share
            else:
                out[seen] += share
        return unframed(out, self)

    def grad_x(self, grad, which):
        r"""\bar y_{k_i}"""
        return PickFromWindows(*geometry(self))(grad, which)


class PickFromWindows(Linear):
    r"""The element of every window at the position `which`."""

    formula = r"y_i = x_{k_i}"
    samples = (
        sample((2, 6), exactly([[0, 1, 1], [1, 0, 0]]), **SMALL),
        sample((1, 16, 5), exactly([[[19], [3]]]), **TILED),
    )
    kernel: Any
    stride: Any
    padding: Any
    dilation: Any
    output_size: Any

    remembers = ("before",)

    def forward(self, xp, x, which):
        self.before = x.shape
        if tiled(self, x.shape):
            return xp.take_along_axis(rows_of(x, self), which[..., None].astype("int64"), -1)[..., 0]
        framed = frame(xp, x, self, 0)
        out = xp.zeros(which.shape, x.dtype)
        for number, seen in enumerate(seen_from(self)):
            out += framed[seen] * (which == number)
        return out

    def grad_x(self, grad, which):
        r"""\bar x_{k_i} \mathrel{+}= \bar y_i"""
        return PutIntoWindows(*geometry(self), self.before)(grad, which)


class AvgPool(Linear):
    r"""The sum of every window, divided by its size, or times the array `share`, which broadcasts."""

    formula = r"\tfrac1n \textstyle\sum_k x_{s i + k - p}"
    grad_name = "AvgPool2DBackward0"
    samples = (
        sample((2, 6), **SMALL, share=0.5),
        sample((2, 5, 5), **WIDE, share=1 / 6),
        sample((2, 16, 5), **TILED, share=0.05),
    )
    kernel: Any
    stride: Any
    padding: Any
    dilation: Any
    output_size: Any
    share: Any

    remembers = ("before",)

    def forward(self, xp, x):
        self.before = x.shape
        if one_window(self, x.shape):
            return (x.sum(tuple(range(-len(self.kernel), 0)), keepdims=True) * self.share).astype(x.dtype, copy=False)
        if tiled(self, x.shape):
            return (xp.sum(rows_of(x, self), axis=-1) * self.share).astype(x.dtype, copy=False)
        framed = frame(xp, x, self, 0)
        out: Any = None
        for seen in seen_from(self):
            out = xp.copy(framed[seen]) if out is None else xp.add(out, framed[seen], out=out)
        return (out * self.share).astype(x.dtype, copy=False)

    def grad_x(self, grad):
        r"""\bar x_{s i + k - p} \mathrel{+}= \tfrac1n \bar y_i"""
        return AvgPoolBackward(*geometry(self), self.share, self.before)(grad)


class AvgPoolBackward(Linear):
    r"""Each element distributed evenly over its window: the gradient of `AvgPool`."""

    formula = r"y_{s i + k - p} \mathrel{+}= \tfrac1n x_i"
    samples = (
        sample((2, 3), **SMALL, share=0.5, shape=(2, 6)), sample((2, 2, 1), **TILED, share=0.05, shape=(2, 16, 5)),
    )  # fmt: skip
    kernel: Any
    stride: Any
    padding: Any
    dilation: Any
    output_size: Any
    share: Any
    shape: Any

    def forward(self, xp, x):
        shares = (x * self.share).astype(x.dtype, copy=False)
        if one_window(self, self.shape):
            return xp.copy(xp.broadcast_to(shares, self.shape))
        if tiled(self, self.shape):
            return from_rows(xp, xp.broadcast_to(shares[..., None], (*shares.shape, math.prod(self.kernel))), self)
        out = frame(xp, xp.zeros(self.shape, x.dtype), self, 0)
        for seen in seen_from(self):
            out[seen] += shares
        return unframed(out, self)

    def grad_x(self, grad):
        r"""\tfrac1n \textstyle\sum_k \bar y_{s i + k - p}"""
        return AvgPool(*geometry(self), self.share)(grad)


# Windows --------------------------------------------------------------------------------------------------------------


def geometry(op: Any) -> tuple[Any, ...]:
    """Return the settings that all pools share."""
    return op.kernel, op.stride, op.padding, op.dilation, op.output_size


def seen_from(op: Any) -> Iterator[tuple[Any, ...]]:
    """Yield for each position in a window the slice of the padded input that all windows see there."""
    for at in itertools.product(*[range(n) for n in op.kernel]):
        yield (
            Ellipsis,
            *[
                slice(k * d, k * d + (n - 1) * s + 1, s)
                for k, d, n, s in zip(at, op.dilation, op.output_size, op.stride, strict=True)
            ],
        )


def windows_apart(op: Any) -> bool:
    """Return whether windows do not overlap."""
    return all(s > d * (k - 1) for s, d, k in zip(op.stride, op.dilation, op.kernel, strict=True))


def one_window(op: Any, shape: Any) -> bool:
    """Return whether a single window covers an input of this shape."""
    return not any(op.padding) and tuple(op.kernel) == tuple(shape[-len(op.kernel) :])


MANY_PLACES, MANY_IN_A_LINE = 40, 16
"""From this size on, windows side by side become rows; the second is for one dimension, where they already are."""


def tiled(op: Any, shape: Any) -> bool:
    """Return whether large windows side by side cover an input of this shape exactly."""
    enough = MANY_IN_A_LINE if len(op.kernel) == 1 else MANY_PLACES
    if math.prod(op.kernel) < enough or tuple(op.kernel) != tuple(op.stride):
        return False
    covered = tuple(k * n for k, n in zip(op.kernel, op.output_size, strict=True))
    plain = not any(op.padding) and all(d == 1 for d in op.dilation)
    return plain and math.prod(shape) > 0 and covered == tuple(shape[-len(op.kernel) :])


def rows_of(x: Any, op: Any) -> Any:
    """Return each window as a row: (..., *sizes) becomes (..., *output_size, elements of a window)."""
    lead, rank = x.ndim - len(op.kernel), len(op.kernel)
    parts = x.reshape(*x.shape[:lead], *[size for pair in zip(op.output_size, op.kernel, strict=True) for size in pair])
    order = (*range(lead), *range(lead, lead + 2 * rank, 2), *range(lead + 1, lead + 2 * rank, 2))
    return parts.transpose(order).reshape(*x.shape[:lead], *op.output_size, -1)


def from_rows(xp: Any, rows: Any, op: Any) -> Any:
    """Undo `rows_of` for an array of ``op.shape``."""
    lead, rank = len(op.shape) - len(op.kernel), len(op.kernel)
    parts = rows.reshape(*op.shape[:lead], *op.output_size, *op.kernel)
    order = (*range(lead), *[lead + i for pair in zip(range(rank), range(rank, 2 * rank), strict=True) for i in pair])
    return xp.ascontiguousarray(parts.transpose(order)).reshape(op.shape)


def place_type(op: Any) -> str:
    """Return the integer dtype for positions in a window."""
    return "int16" if math.prod(op.kernel) < 1 << 15 else "int32"


def frame(xp: Any, x: Any, op: Any, fill: Any) -> Any:
    """Return `x` with padding before, and after it as much as the last window needs."""
    before = x.shape[-len(op.kernel) :]
    reach = [
        (n - 1) * s + d * (k - 1) + 1
        for n, s, d, k in zip(op.output_size, op.stride, op.dilation, op.kernel, strict=True)
    ]
    if not any(op.padding) and all(r <= n for r, n in zip(reach, before, strict=True)):
        return x
    size = [max(r, n + p) for r, n, p in zip(reach, before, op.padding, strict=True)]
    out = xp.full((*x.shape[: -len(size)], *size), fill, x.dtype)
    out[(..., *[slice(p, p + n) for p, n in zip(op.padding, before, strict=True)])] = x
    return out


def unframed(out: Any, op: Any) -> Any:
    """Return the array without its padding."""
    if out.shape == tuple(op.shape):
        return out
    inner = op.shape[-len(op.kernel) :]
    return out[(..., *[slice(p, p + n) for p, n in zip(op.padding, inner, strict=True)])]

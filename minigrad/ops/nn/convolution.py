"""Convolution in any number of dimensions: a product that is linear in the input and in the weight.

Three ops are closed under differentiation: the convolution; its transpose, which adds each element times the kernel to
the window it came from; and the correlation of two images over the size of a kernel. The gradients of each are the
other two.

All use windows, which are views, and one matrix product. Shapes: input (N, C, *size), weight (O, C / groups, *kernel),
output (N, O, *output_size).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any, ClassVar

from ..common.bases import Multilinear, conj
from ..common.halves import InFloat32
from ..common.samples import sample
from ..linalg.matmul import product
from ..shape.padding import constant_pad_nd

PLAIN: dict[str, Any] = {"stride": (1, 1), "padding": (0, 0), "dilation": (1, 1), "groups": 1}
STRIDED: dict[str, Any] = {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2), "groups": 2}


class Convolve(InFloat32):
    r"""Every window of the input, multiplied by each kernel and summed, plus a bias for each kernel."""

    formula = r"y_{o,i} = \textstyle\sum_{c,k} w_{o,c,k}\, x_{c,\, s i + d k - p} + b_o"
    grad_name = "ConvolutionBackward0"
    kinds: ClassVar[str] = "fc"
    memory_order = "channels"
    samples = (
        sample((2, 3, 5, 4), (2, 3, 3, 2), (2,), **PLAIN),
        sample((1, 4, 5, 4), (2, 2, 2, 2), None, **STRIDED),
        sample((2, 2, 5), (3, 2, 2), (3,), stride=(2,), padding=(1,), dilation=(1,), groups=1),
    )
    stride: Any
    padding: Any
    dilation: Any
    groups: int

    def forward(self, xp, x, weight, bias):
        out = convolve(xp, x, weight, self)
        if bias is not None:
            out += bias.reshape(-1, *(1,) * len(self.stride))
        return out

    def grad_x(self, grad, x, weight):
        r"""w^{\top} * \bar y"""
        return Spread(*geometry(self), x._array.shape[2:])(grad, conj(weight))

    def grad_weight(self, grad, x, weight):
        r"""\textstyle\sum_i \bar y_{o,i}\, x_{c,\, s i + d k - p}"""
        return Collect(*geometry(self), weight._array.shape[2:])(conj(x), grad)

    def grad_bias(self, grad):
        r"""\textstyle\sum_i \bar y_{o,i}"""
        return grad.sum((0, *range(2, grad._array.ndim)))

    def jvp(self, tangents, inputs, outputs):
        """The product rule for input and weight; the bias only adds its own tangent."""
        x, weight, _ = inputs
        parts = [] if tangents[0] is None else [Convolve(*geometry(self))(tangents[0], weight, None)]
        parts += [] if tangents[1] is None else [Convolve(*geometry(self))(x, tangents[1], None)]
        if tangents[2] is not None:
            parts.append(tangents[2].reshape(-1, *(1,) * len(self.stride)).expand(outputs[0].shape))
        return sum(parts[1:], parts[0])


class Spread(InFloat32, Multilinear):
    r"""The transposed convolution: each element times its kernel, added to its window. `size` is that of the result."""

    formula = r"y_{c,\, s i + d k - p} \mathrel{+}= w_{o,c,k}\, x_{o,i}"
    grad_name = "ConvolutionBackward0"
    kinds: ClassVar[str] = "fc"
    memory_order = "channels"
    samples = (
        sample((2, 2, 3, 3), (2, 3, 3, 2), **PLAIN, size=(5, 4)),
        sample((1, 2, 3, 6), (2, 2, 2, 2), **STRIDED, size=(5, 4)),
    )
    stride: Any
    padding: Any
    dilation: Any
    groups: int
    size: Any

    remembers = ("before",)

    def forward(self, xp, x, weight):
        self.before = x.shape[2:]
        return spread(xp, x, weight, self)

    def grad_x(self, grad, weight):
        r"""w * \bar y"""
        found = Convolve(*geometry(self))(grad, conj(weight), None)
        return found if found._array.shape[2:] == self.before else found[(..., *[slice(n) for n in self.before])]

    def grad_weight(self, grad, x, weight):
        r"""\textstyle\sum_i x_{o,i}\, \bar y_{c,\, s i + d k - p}"""
        size = weight._array.shape[2:]
        return Collect(*geometry(self), size)(grad, conj(self.for_all_windows(x, size)))

    def for_all_windows(self, x, kernel):
        """Return `x`, padded with zeros at the end if the result has more windows than `x` has elements."""
        given = zip(self.size, self.padding, self.dilation, kernel, self.stride, self.before, strict=True)
        more = [(size + 2 * p - d * (k - 1) - 1) // s + 1 - n for size, p, d, k, s, n in given]
        return constant_pad_nd(x, [each for m in reversed(more) for each in (0, m)]) if any(more) else x


class Collect(InFloat32, Multilinear):
    r"""The correlation of an input and a gradient of the output over a kernel of `size`: the gradient of the weight."""

    formula = r"w_{o,c,k} = \textstyle\sum_i g_{o,i}\, x_{c,\, s i + d k - p}"
    grad_name = "ConvolutionBackwardBackward0"
    kinds: ClassVar[str] = "fc"
    samples = (
        sample((2, 3, 5, 4), (2, 2, 3, 3), **PLAIN, size=(3, 2)),
        sample((1, 4, 5, 4), (1, 2, 3, 6), **STRIDED, size=(2, 2)),
    )
    stride: Any
    padding: Any
    dilation: Any
    groups: int
    size: Any

    def forward(self, xp, x, g):
        return collect(xp, x, g, self)

    def grad_x(self, grad, x, g):
        r"""\bar w^{\top} * g"""
        return Spread(*geometry(self), x._array.shape[2:])(conj(g), grad)

    def grad_g(self, grad, x):
        r"""\bar w * x"""
        return Convolve(*geometry(self))(conj(x), grad, None)


def geometry(op: Any) -> tuple[Any, ...]:
    """Return the settings that all three share."""
    return op.stride, op.padding, op.dilation, op.groups


# On arrays ------------------------------------------------------------------------------------------------------------


# If the rows of an image are short, the batch dimension goes last, so that memory is accessed in long runs: a row of
# all images is long. If rows are long, the batch dimension stays first, without a transpose.

LONG_ROW = 16
"""The number of windows in a row from which the batch dimension stays first."""

PORTION = 1 << 21
"""The bytes of windows that are copied at a time: they fit the cache, and limit the memory for a large batch."""


def long_rows(op: Any, output_size: Any) -> bool:
    """Return whether the windows of an image form long runs in memory."""
    return bool(op.stride[-1] == 1 and output_size[-1] >= LONG_ROW)


def batch_last(xp: Any, x: Any) -> Any:
    """Return (N, C, *size) as (C, *size, N), contiguous."""
    return xp.ascontiguousarray(xp.moveaxis(x, 0, -1))


def batch_first(xp: Any, x: Any) -> Any:
    """Return (C, *size, N) as (N, C, *size), contiguous."""
    return xp.ascontiguousarray(xp.moveaxis(x, -1, 0))


def convolve(xp: Any, x: Any, weight: Any, op: Any) -> Any:
    """Compute the convolution without a bias: a matrix of kernels (rows) times one of windows (columns)."""
    kernel = weight.shape[2:]
    output_size = output_size_of(x.shape[2:], kernel, op)
    if depthwise(op, x.shape[1], weight.shape[0]):
        image, out = framed(xp, x, op), xp.zeros((x.shape[1], *output_size, x.shape[0]), x.dtype)
        for share, seen in zip(by_position(weight), views(op, kernel, output_size), strict=True):
            out += image[seen] * share
        return batch_first(xp, out)
    kernels = weight.reshape(op.groups, weight.shape[0] // op.groups, math.prod(weight.shape[1:]))
    if long_rows(op, output_size):
        parts = portions(x, math.prod(kernel) * math.prod(output_size))
        found = [product(xp, kernels, windows_of_each(xp, x[part], kernel, op)) for part in parts]
        whole = found[0] if len(found) == 1 else xp.concatenate(found)
        return whole.reshape(x.shape[0], weight.shape[0], *output_size)
    columns = windows(xp, x, kernel, op)
    return batch_first(xp, product(xp, kernels, columns).reshape(weight.shape[0], *output_size, x.shape[0]))


def spread(xp: Any, x: Any, weight: Any, op: Any) -> Any:
    """Compute the transpose of `convolve`: every element times its kernel, added to its window."""
    count, outer, *output_size = x.shape
    inner, kernel = weight.shape[1], weight.shape[2:]
    around = turned_round(op, kernel, output_size)
    if around is not None and not depthwise(op, outer, op.groups * inner):
        kernels = weight.reshape(op.groups, outer // op.groups, inner, *kernel).swapaxes(1, 2)
        kernels = kernels[(..., *[slice(None, None, -1)] * len(kernel))]
        return convolve(xp, x, kernels.reshape(op.groups * inner, outer // op.groups, *kernel), around)
    elements = batch_last(xp, x)
    if depthwise(op, outer, op.groups * inner):
        parts = (elements * share for share in by_position(weight))
    else:
        kernels = weight.reshape(op.groups, outer // op.groups, math.prod(weight.shape[1:])).swapaxes(1, 2)
        elements = elements.reshape(op.groups, outer // op.groups, math.prod(output_size) * count)
        columns = product(xp, kernels, elements).reshape(op.groups * inner, *kernel, *output_size, count)
        parts = (columns[(slice(None), *at)] for at in itertools.product(*map(range, kernel)))
    framed_size = [n + 2 * p for n, p in zip(op.size, op.padding, strict=True)]
    out = xp.zeros((op.groups * inner, *framed_size, count), x.dtype)
    for part, seen in zip(parts, views(op, kernel, output_size), strict=True):
        out[seen] += part
    inside = [slice(p, p + n) for n, p in zip(op.size, op.padding, strict=True)]
    return batch_first(xp, out[(slice(None), *inside)])


def collect(xp: Any, x: Any, g: Any, op: Any) -> Any:
    """Sum, over all windows, the input at each position of a kernel of `op.size` times the gradient of the window."""
    if depthwise(op, x.shape[1], g.shape[1]):
        image, grad = framed(xp, x, op), batch_last(xp, g)
        every = "cdefgh"[: grad.ndim]
        sums = [xp.einsum(f"{every},{every}->c", image[seen], grad) for seen in views(op, op.size, g.shape[2:])]
        return xp.stack(sums, 1).reshape(g.shape[1], 1, *op.size)
    if long_rows(op, g.shape[2:]):
        grads = g.reshape(g.shape[0], op.groups, g.shape[1] // op.groups, math.prod(g.shape[2:]))
        parts = portions(x, math.prod(op.size) * grads.shape[-1])
        found = [product(xp, grads[p], windows_of_each(xp, x[p], op.size, op).swapaxes(2, 3)).sum(0) for p in parts]
        return sum(found[1:], found[0]).reshape(g.shape[1], x.shape[1] // op.groups, *op.size)
    columns = windows(xp, x, op.size, op)
    kernels = batch_last(xp, g).reshape(op.groups, g.shape[1] // op.groups, columns.shape[2])
    return product(xp, kernels, columns.swapaxes(1, 2)).reshape(g.shape[1], x.shape[1] // op.groups, *op.size)


def turned_round(op: Any, kernel: Any, output_size: Any) -> Any:
    """Return the convolution that equals `spread` of `op` with reversed kernels; None if it would be slower.

    It exists for stride 1. It needs as many multiplications for each element of its result, which must not be much
    larger than the input, and no additions into windows.
    """
    size = tuple(op.size)
    padding = tuple(d * (k - 1) - p for d, k, p in zip(op.dilation, kernel, op.padding, strict=True))
    if any(s != 1 for s in op.stride) or min(padding) < 0 or math.prod(size) > 1.4 * math.prod(output_size):
        return None
    around = Convolve(op.stride, padding, op.dilation, op.groups)
    fits = tuple(output_size_of(output_size, kernel, around)) == size
    return around if fits and long_rows(around, size) else None


def depthwise(op: Any, inner: int, outer: int) -> bool:
    """Return whether each channel has its own kernel. Then sums of shifted views are faster than matrix products."""
    return bool(op.groups == inner == outer > 1)


def by_position(weight: Any) -> Any:
    """Return the depthwise kernels (C, 1, *kernel) by position; each broadcasts over (C, *output_size, N)."""
    rows = weight.reshape(weight.shape[0], -1)
    return [rows[:, k].reshape(-1, *(1,) * (weight.ndim - 1)) for k in range(rows.shape[1])]


def views(op: Any, kernel: Any, output_size: Any) -> Iterator[tuple[Any, ...]]:
    """Yield for each kernel position the slice of the padded image that all windows see there; the batch is last."""
    for at in itertools.product(*map(range, kernel)):
        steps = zip(at, op.dilation, output_size, op.stride, strict=True)
        yield (slice(None), *[slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in steps])


def output_size_of(size: Any, kernel: Any, op: Any) -> list[int]:
    """Return the number of windows along each dimension."""
    return [
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, p, k, s, d in zip(size, op.padding, kernel, op.stride, op.dilation, strict=True)
    ]


def framed(xp: Any, x: Any, op: Any) -> Any:
    """Return `x` with the batch dimension last, padded with zeros."""
    return padded(xp, batch_last(xp, x), op, 1)


def padded(xp: Any, image: Any, op: Any, before: int) -> Any:
    """Return `image` padded with zeros, in the dimensions after the first `before`."""
    if not any(op.padding):
        return image
    size = image.shape[before : before + len(op.padding)]
    around = [n + 2 * p for n, p in zip(size, op.padding, strict=True)]
    out = xp.zeros((*image.shape[:before], *around, *image.shape[before + len(size) :]), image.dtype)
    out[(*[slice(None)] * before, *[slice(p, p + n) for n, p in zip(size, op.padding, strict=True)])] = image
    return out


def windows(xp: Any, x: Any, kernel: Any, op: Any) -> Any:
    """Return the elements of the padded `x` at each kernel position: (groups, C / groups *kernel, *output_size N)."""
    count, channels, *size = x.shape
    image = framed(xp, x, op)
    first, *steps, last = image.strides
    output_size = output_size_of(size, kernel, op)
    inside = [step * d for step, d in zip(steps, op.dilation, strict=True)]
    moves = [step * s for step, s in zip(steps, op.stride, strict=True)]
    seen = xp.as_strided(image, (channels, *kernel, *output_size, count), (first, *inside, *moves, last), 0)
    rows = channels // op.groups * math.prod(kernel)
    return seen.reshape(op.groups, rows, math.prod(output_size) * count)


def portions(x: Any, times: int) -> list[slice]:
    """Split the batch into slices whose windows take `PORTION` bytes, with `times` elements per channel."""
    many = max(1, PORTION // max(1, x.shape[1] * times * x.itemsize))
    return [slice(start, start + many) for start in range(0, max(1, x.shape[0]), many)]


def windows_of_each(xp: Any, x: Any, kernel: Any, op: Any) -> Any:
    """Return `windows` of every image separately: (N, groups, C / groups *kernel, *output_size).

    They are copied in two steps: first the image shifted by each position in a kernel row, then from these, in long
    runs, the windows for all kernel rows.
    """
    image = xp.ascontiguousarray(padded(xp, x, op, 2))
    count, channels, *size = image.shape
    output_size = output_size_of(x.shape[2:], kernel, op)
    first, next, *steps, last = image.strides
    shape = (count, channels, kernel[-1], *size[:-1], output_size[-1])
    moved = xp.ascontiguousarray(xp.as_strided(image, shape, (first, next, last * op.dilation[-1], *steps, last), 0))
    first, next, place, *steps, last = moved.strides
    inside = [step * d for step, d in zip(steps, op.dilation[:-1], strict=True)]
    moves = [step * s for step, s in zip(steps, op.stride[:-1], strict=True)]
    seen = (count, channels, *kernel, *output_size)
    found = xp.as_strided(moved, seen, (first, next, *inside, place, *moves, last), 0)
    rows = channels // op.groups * math.prod(kernel)
    return found.reshape(count, op.groups, rows, math.prod(output_size))

"""Padding with a constant: the gradient is what is left when the frame is cut away again."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import ShapeError
from ..common.bases import Linear
from ..common.samples import sample

__all__ = ["constant_pad_nd"]


class ConstantPad(Linear):
    r"""A frame around the last dimensions; `before` and `after` count, for each dimension, what is added (or cut)."""

    formula = r"\operatorname{pad}(x)"
    grad_name = "ConstantPadNdBackward0"
    kinds = "bifc"
    samples = (
        sample((2, 3), before=(0, 1), after=(0, 2), value=0.0),
        sample((3, 3), before=(1, -1), after=(2, 0), value=0.0),
    )
    before: Any
    after: Any
    value: Any

    def forward(self, xp, x):
        size = [n + b + a for n, b, a in zip(x.shape, self.before, self.after, strict=True)]
        out = xp.full(size, self.value, x.dtype)
        inner = tuple([slice(max(b, 0), n - max(a, 0)) for n, b, a in zip(size, self.before, self.after, strict=True)])
        outer = tuple(
            [slice(max(-b, 0), n - max(-a, 0)) for n, b, a in zip(x.shape, self.before, self.after, strict=True)]
        )
        out[inner] = x[outer]
        return out

    def grad_x(self, grad):
        r"""\bar y \text{ inside}"""
        return ConstantPad(tuple(-b for b in self.before), tuple(-a for a in self.after), 0)(grad)

    def jvp(self, tangents, inputs, outputs):
        """The frame does not change."""
        return ConstantPad(self.before, self.after, 0)(tangents[0])


def constant_pad_nd(input: Tensor, pad: Any, value: Any = 0) -> Tensor:
    """`input` with a frame of `value`: `pad` counts (before, after) of the last dimension, of the one before, ..."""
    ndim, amounts = input._array.ndim, tuple(pad)
    if len(amounts) % 2 or len(amounts) > 2 * ndim:
        raise ShapeError(
            f"Length of pad must be even and no more than twice the number of dimensions ({ndim}), got {list(amounts)}"
        )
    before, after = [0] * ndim, [0] * ndim
    for i, (b, a) in enumerate(zip(amounts[::2], amounts[1::2], strict=True)):
        before[-1 - i], after[-1 - i] = int(b), int(a)
    sizes = [n + b + a for n, b, a in zip(input._array.shape, before, after, strict=True)]
    if any(size < 0 for size in sizes):
        raise ShapeError(
            f"The input size {list(input.shape)}, plus negative padding {list(amounts)} resulted in a negative output "
            f"size"
        )
    return ConstantPad(tuple(before), tuple(after), value)(input)

"""Padding of the last dimensions, by a constant or by elements of the input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.tensor import Tensor, wrap
from ...errors import ArgumentTypeError, MissingRuleError, ShapeError
from ..common.bases import Linear
from ..common.dims import one_int
from ..common.numbers import held
from ..common.samples import sample

__all__ = ["constant_pad_nd"]


class ConstantPad(Linear):
    r"""Padding of the last dimensions; `before` and `after` count the added (or, if negative, removed) elements."""

    formula = r"\operatorname{pad}(x)"
    grad_name = "ConstantPadNdBackward0"
    memory_order = "channels"
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
        """The tangent is padded with zeros: the constant does not change."""
        return ConstantPad(self.before, self.after, 0)(tangents[0])


def _amounts(input: Tensor, pad: Any) -> list[tuple[int, int]]:
    """Return the padding before and after each dimension, from the last one on; negative numbers remove elements."""
    if not isinstance(pad, (tuple, list)):
        raise ArgumentTypeError(f"pad must be a tuple of ints, the last dimension's (before, after) first, got {pad!r}")
    ndim, flat = input._array.ndim, [one_int("an element of pad", each) for each in pad]
    if len(flat) % 2:
        raise ShapeError(f"Padding length must be divisible by 2: (before, after) of each dimension, got {flat}")
    if len(flat) > 2 * ndim:
        raise ShapeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(flat)} and input of dimension {ndim}"
        )
    amounts = list(zip(flat[::2], flat[1::2], strict=True))
    if any(n + min(b, 0) + min(a, 0) < 0 for n, (b, a) in zip(reversed(input._array.shape), amounts, strict=False)):
        raise ShapeError(f"pad {flat} cuts off more than there is: the input size is {list(input.shape)}")
    return amounts


def constant_pad_nd(input: Tensor, pad: Any, value: Any = 0) -> Tensor:
    """`input` padded with `value`: `pad` is (before, after) of the last dimension, then of the one before, ..."""
    ndim = input._array.ndim
    before, after = [0] * ndim, [0] * ndim
    for i, (b, a) in enumerate(_amounts(input, pad)):
        before[-1 - i], after[-1 - i] = b, a
    return ConstantPad(tuple(before), tuple(after), held(value, input.dtype, "pad"))(input)


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """`input` with padding: `pad` is (before, after) of the last dimension, then of the one before, ...

    `mode` selects the values: "constant" (`value`, by default 0), "reflect", "replicate" (the edge) or "circular".

    >>> import minigrad as mg
    >>> mg.nn.functional.pad(mg.tensor([1.0, 2.0]), (1, 2)).tolist()
    [0.0, 1.0, 2.0, 0.0, 0.0]
    """
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if value:
        raise ShapeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise MissingRuleError(f"Unrecognised padding mode {mode}; there are constant, reflect, replicate and circular")
    amounts = _amounts(input, pad)
    _check_frame(input, len(amounts))
    return framed(input, amounts, mode)


def _check_frame(input: Any, count: int) -> None:
    """Raise unless 1, 2 or 3 dimensions are padded, after a channel dimension and, optionally, a batch dimension."""
    ndim = input._array.ndim
    if not 1 <= count <= 3 or ndim not in (count + 1, count + 2):
        raise MissingRuleError(
            f"Padding size {2 * count} is not supported for {ndim}D input tensor. Supported combinations for "
            "non-constant padding: 2 numbers for a 2D or 3D input, 4 for 3D or 4D, 6 for 4D or 5D. Put dimensions of "
            "size 1 in front, or give (0, 0) for dimensions that stay."
        )
    if 0 in input._array.shape[-count - 1 :]:
        raise ShapeError(
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
            f"dimensions for input, but got: {list(input.shape)}"
        )


def framed(input: Any, amounts: Sequence[tuple[int, int]], mode: str) -> Any:
    """Return `input` with its last dimensions padded: (before, after) of the last one, then of the one before, ..."""
    for i, (before, after) in enumerate(amounts):
        dim = input._array.ndim - 1 - i
        input = input.index_select(dim, _positions(input, dim, before, after, mode))
    return input


def _positions(input: Any, dim: int, before: int, after: int, mode: str) -> Tensor:
    """Return the input's index for each slice of the padded dimension."""
    xp, size = input._backend, input._array.shape[dim]
    reach = size - 1 if mode == "reflect" else size
    if mode != "replicate" and max(before, after) > reach:
        raise ShapeError(
            f"Padding size should be less than the corresponding input dimension, but got: padding ({before}, "
            f"{after}) at "
            f"dimension {dim} of input {list(input.shape)}"
        )
    positions = xp.arange(-before, size + after)
    if mode == "replicate":
        positions = xp.clip(positions, 0, size - 1)
    elif mode == "circular":  # removed elements are not repeated
        first, last = max(-before, 0), size + min(after, 0)
        positions = first + (positions - first) % (last - first)
    else:
        positions = (size - 1) - xp.abs((size - 1) - xp.abs(positions))
    return wrap(positions, xp)

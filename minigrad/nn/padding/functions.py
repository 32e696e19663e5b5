"""Padding as a function, in the ways that PyTorch has."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor, wrap
from ...errors import MissingRuleError, ShapeError
from ...ops.nn.padding import constant_pad_nd


def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Tensor:
    """`input` with a frame around its last dimensions: `pad` is (before, after) of the last one, of the one before, ...

    `mode` says what the frame shows: "constant" (`value`, 0), "reflect", "replicate" (the edge) or "circular".

    >>> import minigrad as mg
    >>> mg.nn.functional.pad(mg.tensor([1.0, 2.0]), (1, 2)).tolist()
    [0.0, 1.0, 2.0, 0.0, 0.0]
    """
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if value is not None:
        raise ShapeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in ("reflect", "replicate", "circular"):
        raise MissingRuleError(f"Unrecognised padding mode {mode}; there are constant, reflect, replicate and circular")
    for i, (before, after) in enumerate(zip(pad[::2], pad[1::2], strict=True)):
        dim = input._array.ndim - 1 - i
        input = input.index_select(dim, _places(input, dim, before, after, mode))
    return input


def _places(input: Any, dim: int, before: int, after: int, mode: str) -> Tensor:
    """Which slices the padded dimension shows."""
    xp, size = input._backend, input._array.shape[dim]
    reach = size - 1 if mode == "reflect" else size
    if mode != "replicate" and max(before, after) > reach:
        raise ShapeError(
            f"Padding size should be less than the corresponding input dimension, but got: padding ({before}, "
            f"{after}) at "
            f"dimension {dim} of input {list(input.shape)}"
        )
    places = xp.arange(-before, size + after)
    if mode == "replicate":
        places = xp.clip(places, 0, size - 1)
    elif mode == "circular":  # what is cut off does not come round
        first, last = max(-before, 0), size + min(after, 0)
        places = first + (places - first) % (last - first)
    else:
        places = (size - 1) - xp.abs((size - 1) - xp.abs(places))
    return wrap(places, xp)

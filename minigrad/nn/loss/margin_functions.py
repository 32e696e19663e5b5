"""Losses over several classes that require a margin between the right classes and the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.tensor import Tensor, wrap
from ...errors import ArgumentError, ShapeError
from ...ops.nn.activation import logsigmoid
from ...ops.nn.loss import checked_reduction
from ..distance.functions import pairwise_distance
from .functions import reduced, said_reduction


def multi_margin_loss(
    input: Any,
    target: Any,
    p: int = 1,
    margin: float = 1.0,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum over wrong classes j of ``max(0, margin - input[y] + input[j]) ** p``, over C: (N, C) or (C)."""
    reduction = checked_reduction(said_reduction(size_average, reduce, reduction))
    if p not in (1, 2):
        raise ArgumentError(f"only p == 1 and p == 2 supported, got {p}")
    if weight is not None and weight.dim() != 1:
        raise ArgumentError(f"weight must be one-dimensional, but its shape is {list(weight.shape)}")
    shape = _rows_of_classes(input)
    x, classes = input.reshape(-1, shape[-1]), target.reshape(-1)
    if classes.numel() != len(x):
        raise ShapeError(f"inconsistent target size, expected {len(x)} but got {list(target.shape)}")
    right = classes.unsqueeze(1)
    lacking: Any = (margin - x.gather(1, right) + x).relu()
    lacking = lacking if p == 1 else lacking * lacking
    lacking = lacking if weight is None else lacking * weight[classes].unsqueeze(1)
    losses = lacking.scatter(1, right, 0).sum(1) / shape[-1]
    return reduced(losses.reshape(target._array.shape), reduction)


def _rows_of_classes(input: Any) -> tuple[int, ...]:
    """Return the shape (N, C) or (C) of the scores; ShapeError for another, or without classes."""
    shape: tuple[int, ...] = input._array.shape or (1,)
    if len(shape) > 2 or not shape[-1]:
        raise ShapeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(shape)}")
    return shape


def multilabel_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The sum of ``max(0, 1 - input[right] + input[wrong])``, over C; `target` lists the right classes, up to a -1."""
    reduction = checked_reduction(said_reduction(size_average, reduce, reduction))
    shape = _rows_of_classes(input)
    if target._array.shape != input._array.shape:
        raise ShapeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(input.shape)}")
    size = shape[-1]
    x, named = input.reshape(-1, size), target.reshape(-1, size)
    xp = input._backend
    listed = wrap(xp.cumsum(named._array < 0, axis=1) == 0, xp)  # classes before the first -1
    positions = named.masked_fill(listed.logical_not(), 0)
    right = x.new_zeros(x.shape).scatter_add(1, positions, listed.to(x.dtype)) > 0
    lacking = (1 - x.gather(1, positions).unsqueeze(2) + x.unsqueeze(1)).relu()
    counted = lacking * (listed.unsqueeze(2) & right.logical_not().unsqueeze(1)).to(x.dtype)
    losses = counted.sum((1, 2)) / size
    return reduced(losses if len(shape) == 2 else losses.reshape(()), reduction)


def multilabel_soft_margin_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The binary cross-entropy of every class's score, averaged over the classes (the last dimension)."""
    reduction = said_reduction(size_average, reduce, reduction)
    losses: Any = -(target * logsigmoid(input) + (1 - target) * logsigmoid(-input))
    losses = losses if weight is None else losses * weight
    return reduced(losses.mean(-1), reduction)


def triplet_margin_with_distance_loss(
    anchor: Any, positive: Any, negative: Any, *, distance_function: Callable[..., Any] | None = None,
    margin: float = 1.0, swap: bool = False, reduction: str = "mean",
) -> Tensor:  # fmt: skip
    """The triplet loss with any distance: ``max(0, d(anchor, positive) - d(anchor, negative) + margin)``."""
    if margin <= 0:
        raise ArgumentError(f"margin must be greater than 0, got {margin}")
    if not anchor._array.ndim == positive._array.ndim == negative._array.ndim:
        raise ShapeError(
            "The anchor, positive, and negative tensors are expected to have the same number of dimensions, but got: "
            f"anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs"
        )
    distance = pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    far = far.minimum(distance(positive, negative)) if swap else far
    return reduced((margin + near - far).clamp(min=0), reduction)

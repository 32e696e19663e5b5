"""Batching rules for the ops of neural networks: the examples join the batch that these ops already have."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.index.advanced import Index
from ...ops.reduce.sums import Mean, Sum
from .base import aligned, changed, everywhere, one_by_one, padded, rank_of, rule
from .index import index_rule
from .shape import shifted, unchanged

# Convolutions ---------------------------------------------------------------------------------------------------------
# If only the data is batched, examples join the batch. If the weight is, they become groups of channels.


@rule("Convolve")
def convolved(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, weight, bias = values
    if batched[1]:
        groups = changed(op, groups=op.groups * size)
        out = channels_out(groups(channels_in(x, batched[0], size), joined(weight), None), size)
    elif batched[0]:
        out = parted(op.again()(joined(x), weight, None), size)
    else:
        out = op.again()(x, weight, None).unsqueeze(0)
    if bias is None:
        return out
    ones = (1,) * (out._array.ndim - 3)
    return out + bias.reshape((*bias._array.shape[:-1], *(1,) * batched[2], bias._array.shape[-1], *ones))


@rule("Spread")
def spread_out(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, weight = values
    if not batched[1]:
        return parted(op.again()(joined(x), weight), size)
    groups = changed(op, groups=op.groups * size)
    return channels_out(groups(channels_in(x, batched[0], size), joined(weight)), size)


@rule("Collect")
def collected(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x, grad = (channels_in(value, b, size) for value, b in zip(values, batched, strict=True))
    return parted(changed(op, groups=op.groups * size)(x, grad), size)


def joined(x: Any) -> Any:
    """(examples, n, ...) -> (examples * n, ...)."""
    first, second, *rest = x._array.shape
    return x.reshape((first * second, *rest))


def parted(x: Any, size: int) -> Any:
    """(examples * n, ...) -> (examples, n, ...)."""
    first, *rest = x._array.shape
    return x.reshape((size, first // max(size, 1), *rest))


def channels_in(x: Any, batched: bool, size: int) -> Any:
    """(examples, n, channels, ...) -> (n, examples * channels, ...)."""
    x = everywhere(x, batched, size).movedim(0, 1)
    n, examples, channels, *rest = x._array.shape
    return x.reshape((n, examples * channels, *rest))


def channels_out(x: Any, size: int) -> Any:
    """(n, examples * channels, ...) -> (examples, n, channels, ...)."""
    n, channels, *rest = x._array.shape
    return x.reshape((n, size, channels // max(size, 1), *rest)).movedim(1, 0)


# Windows, padding, normalisation, attention, embeddings ---------------------------------------------------------------


@rule("MaxPool", "AvgPool", "PickFromWindows")
def pooled(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return unchanged(op, size, [everywhere(v, b, size) for v, b in zip(values, batched, strict=True)], batched)


@rule("PutIntoWindows", "AvgPoolBackward")
def put_into_windows(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, shape=(size, *op.shape))(*[everywhere(v, b, size) for v, b in zip(values, batched, strict=True)])


@rule("ConstantPad")
def framed(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    return changed(op, before=(0, *op.before), after=(0, *op.after))(*values)


@rule("Normalise")
def normalised(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    x = everywhere(values[0], batched[0], size)
    rank = x._array.ndim - 1
    others = [padded(v, rank) if b else v for v, b in zip(values[1:], batched[1:], strict=True)]
    return changed(op, dims=shifted(op.dims, rank))(x, *others)


@rule("Attention")
def attended(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    rank = max(rank_of(v, b) for v, b in zip(values, batched, strict=True) if isinstance(v, Tensor))
    parts = [everywhere(v, b, size) for v, b in zip(values[:3], batched[:3], strict=True)]
    mask = padded(values[3], rank) if batched[3] else values[3]
    return op.again()(*[padded(each, rank) for each in parts], mask)


@rule("Embedding")
def looked_up(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    weight, index = values
    return op.again()(weight, index) if not batched[0] else index_rule(Index((0,)), size, [weight, index], batched)


# Losses ---------------------------------------------------------------------------------------------------------------


@rule("MseLoss", "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits", "HuberLoss", "SmoothL1Loss", "SoftMarginLoss")
def lost(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """Elementwise losses, summed or averaged within one example."""
    out = changed(op, reduction="none")(*aligned(op, values, batched))
    if op.reduction == "none":
        return out
    kind = Mean if op.reduction == "mean" else Sum
    return kind(tuple(range(1, out._array.ndim)), False)(out)


@rule("CrossEntropy", "CrossEntropyBackward", "ClassWeights", "NllLoss", "NllLossBackward")
def lost_by_row(op: Any, size: int, values: list[Any], batched: list[bool]) -> Any:
    """These ops reduce the rows of each example by themselves; the class weights, their last input, are common."""
    if batched[-1]:
        return one_by_one(op, size, values, batched)
    return op.again()(*[everywhere(v, b, size) for v, b in zip(values[:-1], batched, strict=False)], values[-1])

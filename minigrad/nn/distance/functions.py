"""Similarities and distances, and losses that draw similar inputs together and push others apart."""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...dtypes import result_type
from ...errors import ArgumentError, DtypeError, ShapeError
from ...ops.linalg.einsum import einsum
from ...ops.nn.elementwise_loss import SoftMarginLoss
from ...ops.nn.loss import checked_reduction
from ...ops.shape.splitting import broadcast_tensors
from ..loss.functions import reduced, said_reduction


def cosine_similarity(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """The cosine of the angle between vectors along `dim`; norms below `eps` count as `eps`."""
    if eps < 0:
        raise ShapeError(f"cosine_similarity: eps must be non-negative, got {eps}")
    kind = result_type(x1, x2)
    if not kind.is_differentiable:
        raise DtypeError(f"expected common dtype to be floating point, yet common dtype is {kind}")
    x1, x2 = broadcast_tensors(x1.to(kind), x2.to(kind))
    lengths: Any = x1.norm(2, dim).clamp(min=eps) * x2.norm(2, dim).clamp(min=eps)
    return (x1 * x2).sum(dim) / lengths


def pairwise_distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Tensor:
    """The `p`-norm of the difference of vectors along the last dimension, after `eps` is added to each element."""
    return (x1 - x2 + eps).norm(p, -1, keepdim)


def cosine_embedding_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``1 - cosine`` where `target` is 1; ``max(0, cosine - margin)`` where it is -1."""
    reduction = said_reduction(size_average, reduce, reduction)
    if target._array.ndim > 1:
        raise ShapeError(
            f"0D or 1D target tensor expected, multi-target not supported: its shape is {list(target.shape)}"
        )
    if not input1._array.ndim == input2._array.ndim == target._array.ndim + 1:
        raise ShapeError(
            f"{target._array.ndim}D target tensor expects {target._array.ndim + 1}D input tensors, but found inputs "
            f"with sizes {list(input1.shape)} and {list(input2.shape)}."
        )
    cosine: Any = (input1 * input2).sum(-1) / (
        ((input1 * input1).sum(-1) + 1e-12) * ((input2 * input2).sum(-1) + 1e-12)
    ).sqrt()
    apart = (cosine - margin).clamp(min=0)
    zero = cosine * 0
    losses = (1 - cosine).where(target == 1, zero) + apart.where(target == -1, zero)
    return reduced(losses, reduction)


def hinge_embedding_loss(
    input: Any,
    target: Any,
    margin: float = 1.0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """`input` where `target` is 1; ``max(0, margin - input)`` where it is -1."""
    reduction = said_reduction(size_average, reduce, reduction)
    near = input.where(target != -1, 0.0)
    far = (margin - input).clamp(min=0).where(target != 1, 0.0)
    return reduced(near + far, reduction)


def margin_ranking_loss(
    input1: Any,
    input2: Any,
    target: Any,
    margin: float = 0,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``max(0, margin - target * (input1 - input2))``, with `target` 1 or -1."""
    reduction = said_reduction(size_average, reduce, reduction)
    if not input1._array.ndim == input2._array.ndim == target._array.ndim:
        raise ShapeError(
            "margin_ranking_loss : All input tensors should have same dimension but got sizes: "
            f"input1: {input1.shape}, input2: {input2.shape}, target: {target.shape}"
        )
    return reduced((-target * (input1 - input2) + margin).clamp(min=0), reduction)


def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2,
    eps: float = 1e-6,
    swap: bool = False,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The triplet loss: ``max(0, d(anchor, positive) - d(anchor, negative) + margin)``."""
    reduction = said_reduction(size_average, reduce, reduction)
    if margin <= 0:
        raise ArgumentError(f"triplet_margin_loss(): expected margin to be greater than 0, got {margin}")
    near = pairwise_distance(anchor, positive, p, eps)
    far: Any = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = far.minimum(pairwise_distance(positive, negative, p, eps))
    return reduced((near - far + margin).clamp(min=0), reduction)


def soft_margin_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """``log(1 + exp(-target * input))``, with `target` 1 or -1."""
    reduction = said_reduction(size_average, reduce, reduction)
    return SoftMarginLoss(checked_reduction(reduction))(input, target)


def gaussian_nll_loss(
    input: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Tensor:
    """Minus the log-likelihood of `target` under normal distributions with mean `input` and variance `var`.

    `var` has the shape of `input`, or that without its last size, or with one size replaced by 1; ArgumentError
    otherwise, or if it is negative. Values below `eps` count as `eps`; the gradient ignores that.
    """
    if not isinstance(var, Tensor):
        var = input.new_full((), var)
    elif var.shape == input.shape[:-1] and var.shape != input.shape:
        var = var.unsqueeze(-1)
    elif var.shape != input.shape and not _lacks_one(var.shape, input.shape):
        raise ArgumentError(
            f"var is of incorrect size: {list(var.shape)} for an input of {list(input.shape)}. One variance for each "
            "element fits, or one for all along a dimension, whose size is then 1."
        )
    if bool((var < 0).any()):
        raise ArgumentError("var has negative entry/entries: it is the square of a standard deviation")
    spread = var + (var.clamp(min=eps) - var).detach()
    losses = (spread.log() + (input - target) ** 2 / spread) * 0.5
    return reduced(losses + (0.5 * math.log(2 * math.pi) if full else 0), reduction)


def _lacks_one(shape: Any, whole: Any) -> bool:
    """Return whether `shape` is `whole` with one size replaced by 1."""
    return len(shape) == len(whole) and [n for n, all_ in zip(shape, whole, strict=True) if n != all_] == [1]


def poisson_nll_loss(
    input: Any,
    target: Any,
    log_input: bool = True,
    full: bool = False,
    size_average: bool | None = None,
    eps: float = 1e-8,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-likelihood of counts `target` under Poisson distributions with (log-)rate `input`."""
    reduction = said_reduction(size_average, reduce, reduction)
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        many = target.where(target > 1, 1.0)  # below, the logarithm may be that of 0
        stirling = many * many.log() - many + 0.5 * (2 * math.pi * many).log()
        losses = losses + stirling.where(target > 1, 0.0)
    return reduced(losses, reduction)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Tensor:
    """``input1 @ weight[o] @ input2`` for every output o: (*, i), (*, j), (o, i, j) -> (*, o)."""
    for place, each in ((1, input1), (2, input2)):
        if each._array.shape[-1:] != weight._array.shape[place : place + 1]:
            raise ShapeError(
                f"bilinear(): input{place} size does not match weight size: got {each.shape[-1]} but expected "
                f"{weight.shape[place]}"
            )
    out: Any = einsum("...i,oij,...j->...o", input1, weight, input2)
    return out if bias is None else out + bias

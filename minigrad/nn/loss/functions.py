"""Losses as functions. Those that need care for numerical stability are single ops (`minigrad.ops.nn.loss`); the others
are composed here.

All take ``reduction``: "none" (one loss per element), "mean", or "sum".
"""

from __future__ import annotations

import math
import warnings
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, DomainError, DtypeError, GradError, ShapeError
from ...ops.common.dims import one_int
from ...ops.linalg.matmul import linear
from ...ops.nn.elementwise_loss import HuberLoss, SmoothL1Loss
from ...ops.nn.loss import (
    BinaryCrossEntropy,
    BinaryCrossEntropyWithLogits,
    CrossEntropy,
    MseLoss,
    NllLoss,
    checked_reduction,
)


def said_reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Return `reduction`, or what the older arguments mean: `reduce` False is "none", `size_average` False "sum"."""
    if size_average is None and reduce is None:
        return reduction
    said = "none" if reduce is False else "sum" if size_average is False else "mean"
    warnings.warn(
        f"size_average and reduce args will be deprecated, please use reduction='{said}' instead.",
        UserWarning,
        stacklevel=3,
    )
    return said


def reduced(losses: Any, reduction: str) -> Any:
    """Return the mean, the sum, or the losses themselves."""
    checked_reduction(reduction)
    return losses if reduction == "none" else losses.mean() if reduction == "mean" else losses.sum()


def _alike(name: str, input: Any, target: Any) -> None:
    """Warn if `input` and `target` have different shapes: broadcasting them is rarely intended."""
    if input._array.shape != target._array.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) in {name}. This "
            "will likely lead to incorrect results due to broadcasting. Please ensure they have the same size.",
            UserWarning,
            stacklevel=3,
        )


def mse_loss(
    input: Tensor,
    target: Tensor,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The squared difference, each element times `weight` if there is one."""
    reduction = said_reduction(size_average, reduce, reduction)
    _alike("mse_loss", input, target)
    if weight is not None:
        losses: Any = weight * MseLoss("none")(input, target)
        total = losses.sum()
        return (
            losses if reduction == "none" else total if reduction == "sum" else total / weight.expand_as(losses).sum()
        )
    return MseLoss(checked_reduction(reduction))(input, target)


def l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    weight: Tensor | None = None,
) -> Tensor:
    """The absolute difference, each element times `weight` if there is one."""
    reduction = said_reduction(size_average, reduce, reduction)
    _alike("l1_loss", input, target)
    losses = (input - target).abs()
    if weight is not None:
        losses = losses * weight
        if reduction == "mean":
            return losses.sum() / weight.expand_as(losses).sum()
    return reduced(losses, reduction)


def smooth_l1_loss(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    beta: float = 1.0,
) -> Tensor:
    """``d² / (2 beta)`` where the absolute difference d is below `beta`; ``d - beta / 2`` elsewhere."""
    reduction = said_reduction(size_average, reduce, reduction)
    _alike("smooth_l1_loss", input, target)
    if not beta >= 0:
        raise DomainError(f"smooth_l1_loss does not support negative values for beta, got {beta}")
    if beta == 0:
        return l1_loss(input, target, reduction=reduction)
    return SmoothL1Loss(checked_reduction(reduction), float(beta))(input, target)


def huber_loss(
    input: Any, target: Any, reduction: str = "mean", delta: float = 1.0, weight: Tensor | None = None
) -> Tensor:
    """``d² / 2`` where the absolute difference d is below `delta`; ``delta * (d - delta / 2)`` elsewhere."""
    _alike("huber_loss", input, target)
    if not delta > 0:
        raise DomainError(f"huber_loss does not support non-positive values for delta, got {delta}")
    if weight is not None and weight._array.shape != input._array.shape:
        raise ArgumentError(
            f"Weights and input must have the same size. The weights have {list(weight.shape)}, the input "
            f"{list(input.shape)}: expand them."
        )
    if weight is None:
        return HuberLoss(checked_reduction(reduction), float(delta))(input, target)
    return reduced(HuberLoss("none", float(delta))(input, target) * weight, reduction)


def _rows(name: str, input: Any, target: Any) -> tuple[Any, Any, Any]:
    """Return scores as (rows, classes), targets as (rows), and the shape of a loss per row."""
    shape = input._array.shape
    if not shape:
        raise ShapeError(f"{name}: expected an input with at least one dimension, the classes")
    wanted = target._array.shape
    if len(shape) == 1:
        if wanted not in ((), (1,)):
            raise ShapeError(
                f"{name}: for input of shape {list(shape)} (one row) the target must be one class, not {list(wanted)}"
            )
        return input.unsqueeze(0), target.reshape(1), wanted
    if (shape[0], *shape[2:]) != wanted:
        if len(shape) == 2 and len(wanted) > 1:
            raise ShapeError(
                f"0D or 1D target tensor expected, multi-target not supported: scores of shape {list(shape)} need one "
                f"class per row, [{shape[0]}], not {list(wanted)}"
            )
        if len(wanted) and shape[0] != wanted[0]:
            raise ArgumentError(f"Expected input batch_size ({shape[0]}) to match target batch_size ({wanted[0]}).")
        raise ShapeError(
            f"Expected target size {[shape[0], *shape[2:]]}, got {list(wanted)}: with classes in dimension 1 of the "
            f"input"
        )
    if len(shape) == 2:
        return input, target, wanted
    return input.movedim(1, -1).reshape(-1, shape[1]), target.reshape(-1), wanted


def _index(target: Any) -> Any:
    if target.dtype.is_differentiable:
        raise DtypeError(f"expected scalar type Long but found {target.dtype}: class targets are integers")
    return target


def cross_entropy(
    input: Any,
    target: Any,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """The cross-entropy of `target` and the logits `input`: (N, C), (C,) or (N, C, d1, ...).

    `target` holds classes, as integers, with the shape of `input` without C; or probabilities, with the shape of
    `input`. `weight` (C,) scales each class. Rows of class `ignore_index` do not count. The mean is weighted.

    >>> import minigrad as mg
    >>> mg.nn.functional.cross_entropy(mg.zeros(2, 4), mg.tensor([0, 3])).item()
    1.3862943649291992
    """
    reduction = said_reduction(size_average, reduce, reduction)
    checked_reduction(reduction)
    if not 0.0 <= label_smoothing <= 1.0:
        raise DomainError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    if target.dtype.is_floating_point:
        if one_int("ignore_index", ignore_index) >= 0:
            raise DomainError(
                f"ignore_index is not supported for floating point target: of probabilities no row can be class "
                f"{ignore_index}. Set ignore_index to a negative number, or give classes as integers."
            )
        return _cross_entropy_of_probabilities(input, target, weight, reduction, label_smoothing)
    _check_weights("cross_entropy", weight, input)
    rows, classes, wanted = _rows("cross_entropy", input, _index(target))
    losses = CrossEntropy(one_int("ignore_index", ignore_index), reduction, label_smoothing)(rows, classes, weight)
    return losses if reduction != "none" or losses._array.shape == wanted else losses.reshape(wanted)


def linear_cross_entropy(
    input: Any,
    linear_weight: Any,
    target: Any,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: Any = None,
) -> Tensor:
    """A linear layer followed by `cross_entropy`: the last layer and the loss of a classifier in one.

    Shapes: `input` (N, F), `linear_weight` (C, ..., F), `linear_bias` (C, ...), scores (N, C, ...).

    >>> import minigrad as mg
    >>> mg.nn.functional.linear_cross_entropy(mg.zeros(2, 3), mg.ones(4, 3), mg.tensor([0, 3])).item()
    1.3862943649291992
    """
    scores = linear_weight.shape[:-1]
    if len(scores) > 1 and input.dim() == 1:
        raise ShapeError(
            f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, "
            f"(N, {linear_weight.shape[-1]}), got unbatched input of shape {tuple(input.shape)}"
        )
    bias = None if linear_bias is None else linear_bias.reshape(-1)
    logits = linear(input, linear_weight.reshape(-1, linear_weight.shape[-1]), bias)
    if len(scores) > 1:
        logits = logits.unflatten(-1, scores)
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(
        logits, target, weight, reduction=reduction, ignore_index=ignored, label_smoothing=label_smoothing
    )


def _check_weights(name: str, weight: Any, input: Any) -> None:
    """Raise if the class weights do not fit, or require a gradient: these losses do not compute one."""
    classes = input._array.shape[min(1, input._array.ndim - 1)] if input._array.ndim else 1
    if weight is not None and weight._array.shape != (classes,):
        raise ShapeError(
            f"weight tensor should be defined either for all {classes} classes or no classes but got weight tensor of "
            f"shape: {list(weight.shape)}"
        )
    if weight is not None and weight.requires_grad:
        raise GradError(
            f"The function '{name}' is not differentiable with respect to argument 'weight'. This input cannot have "
            "requires_grad True: detach it, or multiply the losses of reduction='none' by weight[target]."
        )


def _cross_entropy_of_probabilities(input: Any, target: Any, weight: Any, reduction: str, smoothing: float) -> Any:
    if input._array.shape != target._array.shape:
        if target._array.ndim == input._array.ndim - 1:
            raise DtypeError(
                f"expected target dtype to be Long or Byte, but got {target.dtype.type_name}: numbers of classes are "
                "integers, write target.long()"
            )
        raise ShapeError(
            f"cross_entropy: for probabilities the target must have the shape of the input, {list(input.shape)}, "
            f"it has {list(target.shape)}"
        )
    dim = 0 if input._array.ndim == 1 else 1
    classes = input._array.shape[dim]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    logs = input.log_softmax(dim)
    if weight is not None:
        logs = logs * weight.reshape(-1, *(1,) * (input._array.ndim - dim - 1))
    losses = -(logs * target).sum(dim)
    if reduction == "mean":
        return losses.sum() / math.prod(losses._array.shape)
    return reduced(losses, reduction)


def nll_loss(
    input: Any,
    target: Any,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """Minus the log-probability that `input` (N, C, ...) assigns to the class `target` (N, ...)."""
    reduction = said_reduction(size_average, reduce, reduction)
    checked_reduction(reduction)
    _check_weights("nll_loss", weight, input)
    rows, classes, wanted = _rows("nll_loss", input, _index(target))
    losses = NllLoss(one_int("ignore_index", ignore_index), reduction)(rows, classes, weight)
    return losses if reduction != "none" or losses._array.shape == wanted else losses.reshape(wanted)


def binary_cross_entropy_with_logits(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    pos_weight: Tensor | None = None,
) -> Tensor:
    """The binary cross-entropy of `target` (elements between 0 and 1), given logits of the same shape."""
    reduction = said_reduction(size_average, reduce, reduction)
    _same("binary_cross_entropy_with_logits", input, target)
    if not target.dtype.is_differentiable:
        raise DtypeError(
            f"result type {input.dtype.type_name} can't be cast to the desired output type "
            f"{target.dtype.type_name}: write target.{input.dtype.type_name.lower()}()"
        )
    op = BinaryCrossEntropyWithLogits(checked_reduction(reduction))
    return op(input, target, weight, pos_weight)


def binary_cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
) -> Tensor:
    """The binary cross-entropy of `target` (elements between 0 and 1), given probabilities of the same shape."""
    reduction = said_reduction(size_average, reduce, reduction)
    _same("binary_cross_entropy", input, target)
    if target.dtype is not input.dtype:
        raise DtypeError(
            f"Found dtype {target.dtype.type_name} but expected {input.dtype.type_name}: write "
            f"target.{input.dtype.type_name.lower()}()"
        )
    return BinaryCrossEntropy(checked_reduction(reduction))(input, target, weight)


def _same(name: str, input: Tensor, target: Tensor) -> None:
    if input._array.shape != target._array.shape:
        raise ArgumentError(
            f"{name}: Using a target size ({target.shape}) that is different to the input size ({input.shape}) is "
            f"deprecated. Target size ({target.shape}) must be the same as input size ({input.shape})."
        )


def kl_div(
    input: Any,
    target: Any,
    size_average: bool | None = None,
    reduce: bool | None = None,
    reduction: str = "mean",
    log_target: bool = False,
) -> Tensor:
    """The Kullback-Leibler divergence of `target` from `input`, which holds log-probabilities.

    "batchmean" divides the sum by the size of the first dimension, which matches the definition.
    """
    reduction = said_reduction(size_average, reduce, reduction)
    checked_reduction(reduction, "batchmean")
    if not (input.dtype.is_differentiable and target.dtype.is_differentiable):
        raise DtypeError("kl_div: Integral inputs not supported: both hold (logarithms of) probabilities")
    if log_target:
        losses = target.exp() * (target - input)
    else:
        losses = target.xlogy(target) - target * input
    if reduction == "batchmean":
        return losses.sum() / input._array.shape[0] if input._array.ndim else losses.sum()
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the support size. 'batchmean' divides "
            "only by the batch size, and aligns with the KL div math definition.",
            UserWarning,
            stacklevel=2,
        )
    return reduced(losses, reduction)

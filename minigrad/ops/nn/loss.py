"""Losses: how far a prediction is from its target, per element, as a mean, or as a sum.

Losses that would lose precision or memory if composed of smaller ops are ops here: cross-entropy, binary cross-entropy,
the squared error. The others are composed in `minigrad.nn.loss.functions`.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ...core.op import Op
from ...errors import ArgumentError, DimensionError, GradError
from ..common.bases import Linear
from ..common.halves import InFloat32
from ..common.samples import exactly, sample, within
from ..reduce.row_kernels import largest, total
from .activation import softplus_of
from .softmax import SoftmaxBackward, softmax_of

CLASSES = exactly([0, 2, 1])


class CrossEntropy(InFloat32):
    r"""The cross-entropy of logits and classes: log-softmax, and the selection of one element per row.

    Its gradient is the softmax minus the target distribution. Rows are reduced over their last dimension: under vmap,
    those of each example.
    """

    formula = r"-\sum_n w_{t_n} \log \operatorname{softmax}(x_n)_{t_n}"
    grad_name = "NllLossBackward0"
    samples = (
        sample((3, 4), CLASSES, None, ignore_index=-100, reduction="mean", smoothing=0.0),
        sample((3, 4), CLASSES, None, ignore_index=2, reduction="sum", smoothing=0.1),
        sample((3, 4), CLASSES, exactly([0.5, 1.0, 2.0, 1.5]), ignore_index=-100, reduction="none", smoothing=0.1),
    )
    ignore_index: int
    reduction: str
    smoothing: float

    keeps = ("parts",)

    parts: ClassVar[Any] = None
    """The largest logit of each row, and the sum of the powers of e."""

    def forward(self, xp, x, target, weight):
        check_classes(target, self.ignore_index, x.shape[-1])
        chosen, factors = chosen_classes(xp, target, weight, self.ignore_index, x)
        peak = largest(xp, x, -1)
        shifted = x - peak
        target_scores = shifted[places(xp, chosen)]
        spread = 0
        if self.smoothing:
            spread = shifted.mean(-1) if weight is None else shifted @ weight / x.shape[-1]
        sums = total(xp, xp.exp(shifted, out=shifted), -1)
        self.parts = (peak, sums)  # type: ignore[misc] # the op's own
        scale = xp.log(sums)[..., 0]
        losses = scale - target_scores
        if factors is not None:
            losses *= factors
        if self.smoothing:
            spread = scale * (1 if weight is None else weight.mean()) - spread
            losses = losses * (1 - self.smoothing) + spread * self.smoothing
        return of_rows(counted(xp, losses, target, factors, self.ignore_index), factors, self.reduction)

    def grad_x(self, grad, x, target, weight):
        r"""\bar y\,(\operatorname{softmax}(x) \textstyle\sum_c q_c - q)"""
        op = CrossEntropyBackward(self.ignore_index, self.reduction, self.smoothing)
        op.parts = self.parts  # type: ignore[misc]
        return op(grad, x, target, weight)


class CrossEntropyBackward(InFloat32):
    r"""The gradient of `CrossEntropy` for the logits, given that of the loss."""

    formula = r"g\,(\operatorname{softmax}(x) \textstyle\sum_c q_c - q)"
    samples = (
        sample((), (3, 4), CLASSES, None, ignore_index=2, reduction="mean", smoothing=0.1),
        sample(
            (3,), (3, 4), CLASSES, exactly([0.5, 1.0, 2.0, 1.5]), ignore_index=-100, reduction="none", smoothing=0.0
        ),
    )
    ignore_index: int
    reduction: str
    smoothing: float

    parts: ClassVar[Any] = None
    """Those of the forward pass if they are known."""

    def forward(self, xp, g, x, target, weight):
        out = softmax_of(xp, x, -1, self.parts)
        share = g if self.reduction == "none" else g[..., None]  # of each row
        if not self.smoothing:  # only the right class counts
            chosen, factors = chosen_classes(xp, target, weight, self.ignore_index, x)
            if self.reduction == "mean":
                share = share / total_weight(xp, factors, target)
            if factors is not None:
                share = share * factors
            out *= share[..., None]
            out[places(xp, chosen)] -= share
            return out
        q = class_weights(xp, x, target, weight, self)
        out *= total(xp, q, -1)
        out -= q
        out *= share[..., None]
        return out

    def grad_g(self, grad, x, target, weight):
        r"""\textstyle\sum_c \bar x_c\,(\operatorname{softmax}(x)_c \sum_c q_c - q_c)"""
        dims = 1 if self.reduction == "none" else 2  # of classes, or of rows and classes
        ones = grad.new_ones(grad._array.shape[:-dims])
        share = grad * self.again()(ones, x, target, weight)
        return share.sum(tuple(range(-dims, 0)))

    def grad_x(self, grad, g, x, target, weight):
        r"""g \textstyle\sum_c q_c\; \operatorname{softmax}'(\bar x)"""
        q = ClassWeights(self.ignore_index, self.reduction, self.smoothing)(x.detach(), target, weight)
        share = g.unsqueeze(-1) if self.reduction == "none" else g.unsqueeze(-1).unsqueeze(-1)
        last = x._array.ndim - 1
        return SoftmaxBackward(last)(grad * (q.sum(last, keepdim=True) * share), x.softmax(last))


class ClassWeights(Op):
    r"""The weight of each class in each row of a `CrossEntropy`: the target distribution times the class weights."""

    formula = r"q_{n, c}"
    samples = (sample((3, 4), CLASSES, None, ignore_index=1, reduction="mean", smoothing=0.1),)
    ignore_index: int
    reduction: str
    smoothing: float

    def forward(self, xp, x, target, weight):
        return class_weights(xp, x, target, weight, self)


class NllLoss(Linear):
    r"""Minus the log-probability of the right class: selects one element per row."""

    formula = r"-\sum_n w_{t_n} x_{n, t_n}"
    samples = (
        sample((3, 4), CLASSES, None, ignore_index=-100, reduction="mean"),
        sample((3, 4), CLASSES, exactly([0.5, 1.0, 2.0, 1.5]), ignore_index=1, reduction="none"),
    )
    ignore_index: int
    reduction: str

    remembers = ("classes",)

    def forward(self, xp, x, target, weight):
        check_classes(target, self.ignore_index, x.shape[-1])
        chosen, factors = chosen_classes(xp, target, weight, self.ignore_index, x)
        self.classes = x.shape[-1]
        losses = -x[places(xp, chosen)]
        if factors is not None:
            losses *= factors
        return of_rows(counted(xp, losses, target, factors, self.ignore_index), factors, self.reduction)

    def grad_x(self, grad, target, weight):
        r"""-w_{t_n} \bar y \text{ at } t_n,\; 0 \text{ elsewhere}"""
        return NllLossBackward(self.ignore_index, self.reduction, self.classes)(grad, target, weight)


class NllLossBackward(Linear):
    r"""Minus a row's weight at its class, and zeros elsewhere: the gradient of `NllLoss`."""

    formula = r"-w_{t_n} g \text{ at } t_n"
    samples = (sample((), CLASSES, None, ignore_index=-100, reduction="sum", classes=4),)
    ignore_index: int
    reduction: str
    classes: int

    def forward(self, xp, g, target, weight):
        chosen, factors = chosen_classes(xp, target, weight, self.ignore_index, g)
        share = -g if self.reduction == "none" else -g[..., None]
        if self.reduction == "mean":
            share = share / total_weight(xp, factors, target)
        out = xp.zeros((*target.shape, self.classes), g.dtype)
        out[places(xp, chosen)] = share if factors is None else share * factors
        return out

    def grad_g(self, grad, target, weight):
        r"""-\textstyle\sum_n w_{t_n} \bar x_{n, t_n}"""
        return NllLoss(self.ignore_index, self.reduction)(grad, target, weight)


class MseLoss(InFloat32):
    r"""The squared difference."""

    formula = r"\tfrac1n \textstyle\sum_i (x_i - t_i)^2"
    broadcasts = True
    promotion = "together"
    samples = (sample((2, 3), (2, 3), reduction="mean"), sample((2, 3), (3,), reduction="none"))
    reduction: str

    def forward(self, xp, x, target):
        difference = x - target
        difference *= difference
        return reduced(difference, self.reduction)

    def grad_x(self, grad, x, target):
        r"""\tfrac2n (x - t) \odot \bar y"""
        difference = x - target
        scale = 2 / max(difference._array.size, 1) if self.reduction == "mean" else 2
        return difference * (grad * scale)

    def grad_target(self, grad, x, target):
        r"""-\tfrac2n (x - t) \odot \bar y"""
        return -self.grad_x(grad, x, target)


class BinaryCrossEntropyWithLogits(InFloat32):
    r"""The binary cross-entropy of logits; `weight` scales each element, `pos_weight` the positive targets."""

    formula = r"\log(1 + e^{-x}) + (1 - t)\,x"
    broadcasts = True
    samples = (
        sample((2, 3), within((2, 3), 0, 1), None, None, reduction="mean"),
        sample((2, 3), within((2, 3), 0, 1), within((3,), 0.5, 2), within((3,), 0.5, 2), reduction="none"),
    )
    reduction: str

    def forward(self, xp, x, target, weight, pos_weight):
        softplus = softplus_of(xp, -x)
        positive = softplus if pos_weight is None else softplus * (1 + (pos_weight - 1) * target)
        losses = (1 - target) * x + positive
        return reduced(losses if weight is None else losses * weight, self.reduction)

    def grad_x(self, grad, x, target, weight, pos_weight):
        r"""(\sigma(x) - t) \odot \bar y"""
        if pos_weight is None:
            slope = x.sigmoid() - target
        else:
            slope = (1 - target) - (1 + (pos_weight - 1) * target) * (-x).sigmoid()
        return self._scaled(grad, slope, weight)

    def grad_target(self, grad, x, weight, pos_weight):
        r"""-x \odot \bar y"""
        from .activation import logsigmoid

        slope = -x if pos_weight is None else -x - (pos_weight - 1) * logsigmoid(x)
        return self._scaled(grad, slope, weight)

    def grad_weight(self, grad, x, target, pos_weight):
        r"""(\log(1 + e^{-x}) + (1 - t)\,x) \odot \bar y"""
        return self._scaled(grad, BinaryCrossEntropyWithLogits("none")(x, target, None, pos_weight), None)

    def grad_pos_weight(self, grad, x, target, weight):
        r"""t \log(1 + e^{-x}) \odot \bar y"""
        from .activation import logsigmoid

        return self._scaled(grad, -target * logsigmoid(x), weight)

    def _scaled(self, grad, slope, weight):
        slope = slope if weight is None else slope * weight
        return slope * (grad * (1 / max(slope._array.size, 1)) if self.reduction == "mean" else grad)


class BinaryCrossEntropy(InFloat32):
    r"""The binary cross-entropy of probabilities; logarithms below -100 count as -100."""

    formula = r"-t \log x - (1 - t) \log(1 - x)"
    broadcasts = True
    samples = (
        sample(within((2, 3), 0.1, 0.9), within((2, 3), 0, 1), None, reduction="mean"),
        sample(within((2, 3), 0.1, 0.9), within((2, 3), 0, 1), within((3,), 0.5, 2), reduction="sum"),
    )
    reduction: str

    def forward(self, xp, x, target, weight):
        if x.size and not ((x >= 0) & (x <= 1)).all():
            raise GradError(
                f"all elements of input should be between 0 and 1, found {x.min()} to {x.max()}; "
                "for logits there is binary_cross_entropy_with_logits"
            )
        losses = (target - 1) * xp.maximum(xp.log1p(-x), -100) - target * xp.maximum(xp.log(x), -100)
        return reduced(losses if weight is None else losses * weight, self.reduction)

    def grad_x(self, grad, x, target, weight):
        r"""\frac{x - t}{x (1 - x)} \odot \bar y"""
        slope = (x - target) / ((1 - x) * x).clamp(min=1e-12)
        slope = slope if weight is None else slope * weight
        return slope * (grad * (1 / max(slope._array.size, 1)) if self.reduction == "mean" else grad)

    def grad_target(self, grad, x, weight):
        r"""(\log(1 - x) - \log x) \odot \bar y"""
        slope = (1 - x).log().clamp(min=-100) - x.log().clamp(min=-100)
        slope = slope if weight is None else slope * weight
        return slope * (grad * (1 / max(slope._array.size, 1)) if self.reduction == "mean" else grad)

    def grad_weight(self, grad, x, target):
        r"""(-t \log x - (1 - t) \log(1 - x)) \odot \bar y"""
        losses = BinaryCrossEntropy("none")(x, target, None)
        return losses * (grad * (1 / max(losses._array.size, 1)) if self.reduction == "mean" else grad)


def class_weights(xp: Any, x: Any, target: Any, weight: Any, op: Any) -> Any:
    """Return the weight of each class in each row of the cross-entropy `op`."""
    chosen, factors = chosen_classes(xp, target, weight, op.ignore_index, x)
    scale = 1 / total_weight(xp, factors, target) if op.reduction == "mean" else 1
    q = xp.zeros(x.shape, x.dtype)
    q[places(xp, chosen)] = (1 if factors is None else factors) * ((1 - op.smoothing) * scale)
    if op.smoothing:
        spread = ((target != op.ignore_index) * (op.smoothing / x.shape[-1] * scale))[..., None]
        q += spread if weight is None else spread * weight
    return q


def check_classes(target: Any, ignore: int, classes: int) -> None:
    """Raise DimensionError for a class that does not exist and is not ignored."""
    if target.size and (target.min() < 0 or target.max() >= classes):
        outside = target[(target != ignore) & ((target < 0) | (target >= classes))]
        if outside.size:
            raise DimensionError(
                f"Target {int(outside.max() if outside.max() >= classes else outside.min())} is out of bounds: "
                f"there are {classes} classes, 0 to {classes - 1}."
            )


def counted(xp: Any, losses: Any, target: Any, factors: Any, ignore_index: int) -> Any:
    """Return the losses of rows, 0 for ignored ones, even if theirs is NaN."""
    return losses if factors is None else xp.where(target == ignore_index, losses.dtype.type(0), losses)


def chosen_classes(xp: Any, target: Any, weight: Any, ignore: int, like: Any) -> tuple[Any, Any]:
    """Return the class of each row and the row's weight in the loss; both are 0 for ignored rows.

    The weights are None if all rows count alike.
    """
    kept = target != ignore
    if kept.all():
        return target, None if weight is None else weight[target]
    chosen = xp.where(kept, target, 0)
    return chosen, kept.astype(like.dtype) if weight is None else weight[chosen] * kept


def total_weight(xp: Any, factors: Any, target: Any) -> Any:
    """Return the sum of the weights of all rows, as `chosen_classes` returns them; 1 if no row counts."""
    if factors is None:
        return target.shape[-1] or 1
    found = factors.sum(-1, keepdims=True)
    return xp.where(found == 0, found.dtype.type(1), found)


def places(xp: Any, chosen: Any) -> tuple[Any, ...]:
    """Return the index of the chosen class of each row."""
    last = chosen.ndim - 1
    return (*(xp.arange(size).reshape(-1, *(1,) * (last - dim)) for dim, size in enumerate(chosen.shape)), chosen)


def of_rows(losses: Any, factors: Any, reduction: str) -> Any:
    """Return the losses of rows, their sum over the last dimension, or their mean, weighted by `factors` if given."""
    if reduction == "none":
        return losses
    found = losses.sum(-1)
    if reduction == "sum":
        return found
    return found / (losses.dtype.type(losses.shape[-1]) if factors is None else factors.sum(-1))


def reduced(losses: Any, reduction: str) -> Any:
    """Return the losses, their sum, or their mean."""
    if reduction == "none":
        return losses
    return losses.sum() if reduction == "sum" else losses.sum() / losses.dtype.type(losses.size)


def checked_reduction(reduction: str, *more: str) -> str:
    """Return `reduction` if it is valid; else raise ArgumentError, which lists the choices."""
    if reduction not in ("none", "mean", "sum", *more):
        raise ArgumentError(f"{reduction} is not a valid value for reduction; use 'none', 'mean' or 'sum'")
    return reduction

"""Losses of each element by itself: of a difference, or of a score and its sign. They are one op each."""

from __future__ import annotations

from typing import Any

from ..common.halves import InFloat32
from ..common.samples import exactly, sample
from .activation import hardtanh, softplus_of
from .loss import reduced

SIGNS = exactly([[1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]])


class ElementwiseLoss(InFloat32, abstract=True):
    """The base class of losses of elements, which are summed or averaged by `reduction`."""

    __slots__ = ()
    broadcasts = True
    promotion = "together"
    reduction: str

    def scaled(self, slope: Any, grad: Any) -> Any:
        """Return the gradient of elements with this slope, given that of the loss."""
        return slope * (grad * (1 / max(slope._array.size, 1)) if self.reduction == "mean" else grad)


def bent(xp: Any, difference: Any, width: float) -> Any:
    """Return half the square of the differences within ±`width`, and its tangents outside."""
    near = xp.clip(difference, -width, width)
    return near * (difference - near * 0.5)


class HuberLoss(ElementwiseLoss):
    r"""Half the square of the difference up to `delta`, and its tangent beyond (Huber, 1964)."""

    formula = r"\tfrac1n \textstyle\sum_i c_i\,(d_i - \tfrac12 c_i),\; d = x - t,\; c = \min(\max(d, -\delta), \delta)"
    samples = (
        sample((2, 3), (2, 3), reduction="mean", delta=0.7),
        sample((2, 3), (3,), reduction="none", delta=1.5),
    )
    delta: float

    def forward(self, xp, x, target):
        return reduced(bent(xp, x - target, self.delta), self.reduction)

    def grad_x(self, grad, x, target):
        r"""\tfrac1n c \odot \bar y"""
        return self.scaled(hardtanh(x - target, -self.delta, self.delta), grad)

    def grad_target(self, grad, x, target):
        r"""-\tfrac1n c \odot \bar y"""
        return -self.grad_x(grad, x, target)


class SmoothL1Loss(ElementwiseLoss):
    r"""The square of the difference over 2 `beta` up to `beta`, and its tangent beyond (Girshick, 2015)."""

    formula = r"\tfrac1n \textstyle\sum_i \tfrac{c_i}{\beta} (d_i - \tfrac12 c_i),\; c = \min(\max(d, -\beta), \beta)"
    samples = (
        sample((2, 3), (2, 3), reduction="mean", beta=0.7),
        sample((2, 3), (3,), reduction="none", beta=1.5),
    )
    beta: float

    def forward(self, xp, x, target):
        return reduced(bent(xp, x - target, self.beta) * (1 / self.beta), self.reduction)

    def grad_x(self, grad, x, target):
        r"""\tfrac{1}{n \beta} c \odot \bar y"""
        return self.scaled(hardtanh(x - target, -self.beta, self.beta) * (1 / self.beta), grad)

    def grad_target(self, grad, x, target):
        r"""-\tfrac{1}{n \beta} c \odot \bar y"""
        return -self.grad_x(grad, x, target)


class SoftMarginLoss(ElementwiseLoss):
    r"""The logistic loss of scores, for targets 1 and -1."""

    formula = r"\tfrac1n \textstyle\sum_i \log(1 + e^{-t_i x_i})"
    samples = (sample((2, 3), SIGNS, reduction="mean"), sample((2, 3), SIGNS, reduction="none"))

    def forward(self, xp, x, target):
        return reduced(softplus_of(xp, -target * x), self.reduction)

    def grad_x(self, grad, x, target):
        r"""-\tfrac1n t\,\sigma(-t x) \odot \bar y"""
        return self.scaled(-target * (-target * x).sigmoid(), grad)

    def grad_target(self, grad, x, target):
        r"""-\tfrac1n x\,\sigma(-t x) \odot \bar y"""
        return self.scaled(-x * (-target * x).sigmoid(), grad)

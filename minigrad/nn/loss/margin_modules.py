"""Margin losses over classes, and likelihoods of Poisson and normal distributions, as modules."""

from __future__ import annotations

from ...core.tensor import Tensor
from .. import functional as F
from .modules import Loss, WeightedLoss


class MultiMarginLoss(WeightedLoss):
    """Asks that the right class's score is above all others by a margin."""

    def __init__(
        self,
        p: int = 1,
        margin: float = 1.0,
        weight: Tensor | None = None,
        size_average: bool | None = None,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.p, self.margin = p, margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the scores `input`."""
        return F.multi_margin_loss(input, target, self.p, self.margin, self.weight, reduction=self.reduction)


class MultiLabelMarginLoss(Loss):
    """Asks that all right classes' scores are above all others by 1; the target lists them, -1 ends the list."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the scores `input`."""
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(WeightedLoss):
    """Binary cross-entropy of every class, given scores."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the scores `input`."""
        return F.multilabel_soft_margin_loss(input, target, self.weight, reduction=self.reduction)


class SoftMarginLoss(Loss):
    """Asks that the input has the sign of the target, which is 1 or -1."""

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the scores `input`."""
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class PoissonNLLLoss(Loss):
    """The negative log-likelihood of counts, given their expected value or its logarithm."""

    def __init__(
        self,
        log_input: bool = True,
        full: bool = False,
        size_average: bool | None = None,
        eps: float = 1e-8,
        reduce: bool | None = None,
        reduction: str = "mean",
    ) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input, self.full, self.eps = log_input, full, eps

    def forward(self, log_input: Tensor, target: Tensor) -> Tensor:
        """Return the loss of the expected values, or of their logarithms."""
        settings = {"log_input": self.log_input, "full": self.full, "eps": self.eps}
        return F.poisson_nll_loss(log_input, target, **settings, reduction=self.reduction)  # type: ignore[arg-type]


class GaussianNLLLoss(Loss):
    """The negative log-likelihood of numbers, given their mean and variance."""

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full, self.eps = full, eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor) -> Tensor:
        """Return the loss of the means `input` with the variances `var`."""
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)

"""Learning rates that change linearly or by a power within some steps, or by a factor that the user computes."""

from __future__ import annotations

from typing import Any

from ...errors import ArgumentError
from ..optimizer import Optimizer
from .base import LRScheduler, OfFunctions


class MultiplicativeLR(OfFunctions):
    """Multiplies the rate by a function of the epoch, every epoch."""

    _begins_afresh = False

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ArgumentError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self._is_initial:
            return self._present()
        return [lr * of(self.last_epoch) for lr, of in zip(self._present(), self.lr_lambdas, strict=True)]


class ConstantLR(LRScheduler):
    """The initial rate times `factor` for `total_iters` epochs, then the initial rate."""

    def __init__(
        self, optimizer: Optimizer, factor: float = 1.0 / 3, total_iters: int = 5, last_epoch: int = -1
    ) -> None:
        if not 0 <= factor <= 1:
            raise ArgumentError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor = factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [lr * self.factor for lr in self._present()]
        return [lr / self.factor if self.last_epoch == self.total_iters else lr for lr in self._present()]


class LinearLR(LRScheduler):
    """The initial rate times a factor that goes from `start_factor` to `end_factor` within `total_iters` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        start_factor: float = 1.0 / 3,
        end_factor: float = 1.0,
        total_iters: int = 5,
        last_epoch: int = -1,
    ) -> None:
        if not 0 < start_factor <= 1:
            raise ArgumentError("Starting multiplicative factor expected to be greater than 0 and less or equal to 1.")
        if not 0 <= end_factor <= 1:
            raise ArgumentError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self.last_epoch == 0:
            return [lr * self.start_factor for lr in self._present()]
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._present()
        rise = self.end_factor - self.start_factor
        before = self.total_iters * self.start_factor + (self.last_epoch - 1) * rise
        return [lr * (1 + rise / before) for lr in self._present()]


class PolynomialLR(LRScheduler):
    """Decays to 0 within `total_iters` epochs: the initial rate times the remaining fraction to the given `power`."""

    def __init__(self, optimizer: Optimizer, total_iters: int = 5, power: float = 1.0, last_epoch: int = -1) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        if self._is_initial or not 0 < self.last_epoch <= self.total_iters:
            return self._present()
        left = self.total_iters - self.last_epoch
        return [lr * (left / (left + 1)) ** self.power for lr in self._present()]

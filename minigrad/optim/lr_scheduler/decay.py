"""Schedules that lower the learning rate over the epochs, or when a metric stops improving."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ...errors import ArgumentError
from ..optimizer import Optimizer
from .base import LRScheduler, OfFunctions


class LambdaLR(OfFunctions):
    """The initial rate times a function of the epoch."""

    def __init__(self, optimizer: Optimizer, lr_lambda: Any, last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = list(lr_lambda) if isinstance(lr_lambda, (list, tuple)) else [lr_lambda] * groups
        if len(self.lr_lambdas) != groups:
            raise ArgumentError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * of(self.last_epoch) for base, of in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class StepLR(LRScheduler):
    """Multiplies the rate by `gamma` every `step_size` epochs."""

    def __init__(self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        due = self.last_epoch and self.last_epoch % self.step_size == 0
        return [lr * self.gamma if due else lr for lr in self._present()]


class MultiStepLR(LRScheduler):
    """Multiplies the rate by `gamma` at each epoch in `milestones`."""

    def __init__(
        self, optimizer: Optimizer, milestones: Iterable[int], gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        due = self.milestones[self.last_epoch]
        return [lr * self.gamma**due for lr in self._present()]


class ExponentialLR(LRScheduler):
    """Multiplies the rate by `gamma` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        going = self.last_epoch and not self._is_initial
        return [lr * self.gamma if going else lr for lr in self._present()]


class CosineAnnealingLR(LRScheduler):
    """Decays along half a cosine to `eta_min` within `T_max` epochs, then rises again (Loshchilov and Hutter, 2017).

    Each epoch multiplies the present rate by a factor, so that other schedules may change it too.
    """

    def __init__(self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        present, epoch, low = self._present(), self.last_epoch, self.eta_min
        if self._is_initial or epoch == 0:
            return present
        if (epoch - 1 - self.T_max) % (2 * self.T_max) == 0:  # at the minimum, where the factor would divide by 0
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            return [lr + (base - low) * rise for lr, base in zip(present, self.base_lrs, strict=True)]
        part = (1 + math.cos(math.pi * epoch / self.T_max)) / (1 + math.cos(math.pi * (epoch - 1) / self.T_max))
        return [low + (lr - low) * part for lr in present]


class OneCycleLR(LRScheduler):
    """Rises to `max_lr`, then falls far below the initial rate, within `total_steps` (Smith and Topin, 2019).

    Call ``step()`` after every batch. Momentum, or Adam's first beta, changes in the opposite direction.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: str = "cos",
        cycle_momentum: bool = True,
        base_momentum: float = 0.85,
        max_momentum: float = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        if total_steps is None:
            if epochs is None or steps_per_epoch is None:
                raise ArgumentError("You must define either total_steps OR (epochs AND steps_per_epoch)")
            total_steps = epochs * steps_per_epoch
        if not isinstance(total_steps, int) or total_steps <= 0:
            raise ArgumentError(f"Expected positive integer total_steps, but got {total_steps}")
        if not 0 <= pct_start <= 1:
            raise ArgumentError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        groups = optimizer.param_groups
        self.total_steps = total_steps
        self._anneal_func_type = anneal_strategy
        self.cycle_momentum = cycle_momentum
        self.use_beta1 = "betas" in groups[0]
        highest = list(max_lr) if isinstance(max_lr, (list, tuple)) else [max_lr] * len(groups)
        if last_epoch == -1:
            for group, top in zip(groups, highest, strict=True):
                group["max_lr"] = top
                group["initial_lr"] = group["lr"] = top / div_factor
                group["min_lr"] = group["initial_lr"] / final_div_factor
                group["base_momentum"], group["max_momentum"] = base_momentum, max_momentum
        top_at = pct_start * total_steps - 1
        turns: list[tuple[float, str, str]] = [(top_at, "max_lr", "base_momentum")]
        if three_phase:
            turns.append((2 * top_at, "initial_lr", "max_momentum"))
        turns.append((total_steps - 1, "min_lr", "max_momentum"))
        lr, momentum = "initial_lr", "max_momentum"
        self._schedule_phases: list[dict[str, Any]] = []
        for end, next_lr, next_momentum in turns:
            phase = {"end_step": end, "start_lr": lr, "end_lr": next_lr}
            self._schedule_phases.append({**phase, "start_momentum": momentum, "end_momentum": next_momentum})
            lr, momentum = next_lr, next_momentum
        super().__init__(optimizer, last_epoch)

    def _between(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "linear":
            return start + (end - start) * part
        return end + (start - end) / 2 * (1 + math.cos(math.pi * part))

    def get_lr(self) -> list[float]:
        step = self.last_epoch
        if step > self.total_steps:
            raise ArgumentError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        begin = 0.0
        for phase in self._schedule_phases:
            if step <= phase["end_step"] or phase is self._schedule_phases[-1]:
                break
            begin = phase["end_step"]
        part = (step - begin) / (phase["end_step"] - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._between(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                momentum = self._between(group[phase["start_momentum"]], group[phase["end_momentum"]], part)
                self._set_momentum(group, momentum)
        return rates

    @staticmethod
    def _set_momentum(group: dict[str, Any], momentum: float) -> None:
        if "betas" in group:
            group["betas"] = (momentum, *group["betas"][1:])
        elif "momentum" in group:
            group["momentum"] = momentum
        else:
            raise ArgumentError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")


class ReduceLROnPlateau(LRScheduler):
    """Multiplies the rate by `factor` if a metric has not improved for more than `patience` epochs."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr: float | list[float] = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ArgumentError(f"Factor should be < 1.0, got {factor}")
        if mode not in ("min", "max") or threshold_mode not in ("rel", "abs"):
            raise ArgumentError(
                f"mode is 'min' or 'max' and threshold_mode 'rel' or 'abs', got {mode}, {threshold_mode}"
            )
        self.optimizer = optimizer
        self.mode, self.factor, self.patience = mode, factor, patience
        self.threshold, self.threshold_mode = threshold, threshold_mode
        self.cooldown, self.eps = cooldown, eps
        groups = len(optimizer.param_groups)
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = list(min_lr) if isinstance(min_lr, (list, tuple)) else [min_lr] * groups
        if len(self.min_lrs) != groups:
            raise ArgumentError(f"expected {groups} min_lrs, got {len(self.min_lrs)}")
        self.best = self.mode_worse = math.inf if mode == "min" else -math.inf
        self.num_bad_epochs = self.cooldown_counter = self.last_epoch = 0
        self._last_lr = [group["lr"] for group in optimizer.param_groups]

    @property
    def in_cooldown(self) -> bool:
        """Whether it is waiting after a reduction, and counts no bad epochs."""
        return self.cooldown_counter > 0

    def step(self, metrics: Any, epoch: int | None = None) -> None:  # type: ignore[override] # as in PyTorch
        """Record the metric's value at the end of an epoch."""
        value = float(metrics)
        self.last_epoch += 1
        if self.is_better(value):
            self.best = value
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.cooldown_counter:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    def is_better(self, value: float) -> bool:
        """Return whether `value` is better than the best so far by more than the threshold."""
        if not math.isfinite(self.best):
            return value < self.best if self.mode == "min" else value > self.best
        margin = self.threshold * (self.best if self.threshold_mode == "rel" else 1.0)
        return value < self.best - margin if self.mode == "min" else value > self.best + margin

    def _reduce(self) -> None:
        for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
            lower = max(group["lr"] * self.factor, least)
            if group["lr"] - lower > self.eps:
                group["lr"] = lower

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimiser."""
        return {name: value for name, value in vars(self).items() if name != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another scheduler of this class."""
        vars(self).update(state_dict)

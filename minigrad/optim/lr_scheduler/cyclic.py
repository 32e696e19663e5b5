"""Learning rates that rise and fall in cycles."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...errors import ArgumentError
from ..optimizer import Optimizer
from .base import LRScheduler


class CosineAnnealingWarmRestarts(LRScheduler):
    """Decays along half a cosine within `T_0` epochs, then restarts; each cycle is `T_mult` times as long."""

    def __init__(
        self, optimizer: Optimizer, T_0: int, T_mult: int = 1, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ArgumentError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ArgumentError(f"Expected integer T_mult >= 1, but got {T_mult}")
        self.T_0 = self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def _advance(self, epoch: float | None) -> None:
        """Go to the next epoch, or to `epoch`, which may be a fraction: 3.5 is the middle of the fourth epoch."""
        at: float = self.last_epoch + 1 if epoch is None else epoch
        if at < 0:
            raise ArgumentError(f"Expected non-negative epoch, but got {epoch}")
        self.T_cur, self.T_i = at, self.T_0
        while self.T_cur >= self.T_i:
            self.T_cur -= self.T_i
            self.T_i *= self.T_mult
        self._enter(math.floor(at))

    def get_lr(self) -> list[float]:
        part = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * part for base in self.base_lrs]


class CyclicLR(LRScheduler):
    """Rises from `base_lr` to `max_lr` and falls again, in cycles (Smith, 2017). Call ``step()`` after every batch.

    `mode` sets the height of the cycles: "triangular" is constant, "triangular2" halves it each time, "exp_range"
    scales it by `gamma` to the power of the step; `scale_fn` replaces the mode. Momentum changes in the opposite
    direction.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: Any,
        max_lr: Any,
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: str = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: str = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        groups = optimizer.param_groups
        if mode not in ("triangular", "triangular2", "exp_range") and scale_fn is None:
            raise ArgumentError("mode is invalid and scale_fn is None")
        if cycle_momentum and not all("momentum" in group or "betas" in group for group in groups):
            raise ArgumentError("optimizer must support momentum or beta1 with `cycle_momentum` option enabled")
        lows, self.max_lrs = _for_each(base_lr, groups), _for_each(max_lr, groups)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up) + float(down)
        self.step_ratio = step_size_up / self.total_size
        self.mode, self.gamma = mode, gamma
        self.scale_fn, self.scale_mode = scale_fn, "iterations" if mode == "exp_range" and not scale_fn else scale_mode
        self.cycle_momentum = cycle_momentum
        self.use_beta1 = "betas" in groups[0]
        self.base_momentums, self.max_momentums = _for_each(base_momentum, groups), _for_each(max_momentum, groups)
        if last_epoch == -1:
            for group, low in zip(groups, lows, strict=True):
                group["lr"] = low
        super().__init__(optimizer, last_epoch)
        self.base_lrs = lows

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimiser and `scale_fn`."""
        return {**super().state_dict(), "_scale_fn_custom": None}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another scheduler of this class, from minigrad or PyTorch."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "_scale_fn_custom"})

    def _scale(self, cycle: float) -> float:
        """Return the factor on the height in this cycle, or at this step."""
        x = cycle if self.scale_mode == "cycle" else self.last_epoch
        if self.scale_fn is not None:
            return self.scale_fn(x)
        return {"triangular": 1.0, "triangular2": 0.5 ** (cycle - 1), "exp_range": self.gamma**self.last_epoch}[
            self.mode
        ]

    def get_lr(self) -> list[float]:
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        part = (x / self.step_ratio if x <= self.step_ratio else (x - 1) / (self.step_ratio - 1)) * self._scale(cycle)
        if self.cycle_momentum:
            for group, low, high in zip(
                self.optimizer.param_groups, self.base_momentums, self.max_momentums, strict=True
            ):
                momentum = high - (high - low) * part
                if "betas" in group:
                    group["betas"] = (momentum, *group["betas"][1:])
                else:
                    group["momentum"] = momentum
        return [low + (high - low) * part for low, high in zip(self.base_lrs, self.max_lrs, strict=True)]


def _for_each(value: Any, groups: Any) -> list[float]:
    """Return one value per group: the given ones, or the same number for all."""
    given = list(value) if isinstance(value, (list, tuple)) else [value] * len(groups)
    if len(given) != len(groups):
        raise ArgumentError(f"expected {len(groups)} values, one for each parameter group, got {len(given)}")
    return given

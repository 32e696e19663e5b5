"""What every schedule of learning rates does."""

from __future__ import annotations

import warnings
from typing import Any

from ...errors import ArgumentError, ArgumentTypeError
from ..optimizer import Optimizer


class LRScheduler:
    """The base: keeps count of the epochs, and puts what `get_lr` says into the optimiser's groups."""

    _is_initial = False
    _begins_afresh = True
    """Whether ``step(epoch)`` starts from the initial rates; else it asks `get_lr` at once."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", group["lr"])
            elif "initial_lr" not in group:
                raise ArgumentError(
                    "param 'initial_lr' is not specified in param_groups when resuming scheduler with last_epoch >= 0"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._begin()

    def _begin(self) -> None:
        """Enter the first epoch: schedules that go on from the present rates leave these as they are."""
        self._is_initial = True
        self._advance(None)
        self._is_initial = False

    def get_lr(self) -> list[float]:
        """The learning rate of each group at epoch `last_epoch`."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say its learning rates: write get_lr(self), which returns one for each of "
            "self.optimizer.param_groups."
        )

    def get_last_lr(self) -> list[float]:
        """The learning rates set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """The next epoch begins."""
        if self.last_epoch == 0 and not self.optimizer.steps:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first learning rate would be "
                "skipped. Call them in the opposite order.",
                UserWarning,
                stacklevel=2,
            )
        self._advance(epoch)

    def _advance(self, epoch: int | None) -> None:
        """One epoch on; or, from the initial rates, to the `epoch` that is named."""
        if epoch is None:
            self._enter(self.last_epoch + 1)
            return
        if not self._begins_afresh:
            self._enter(epoch)
            return
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            group["lr"] = base
        for each in range(epoch + 1):
            self._enter(each)

    def _enter(self, epoch: int) -> None:
        self.last_epoch = epoch
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._last_lr = self._present()

    def _present(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimiser and functions."""
        return {
            name: value
            for name, value in vars(self).items()
            if not callable(value) and name not in ("optimizer", "lr_lambdas")
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another scheduler of this kind stopped."""
        vars(self).update(state_dict)

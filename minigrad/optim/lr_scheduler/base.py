"""The base class of all learning rate schedules."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any

from ...core.grad_mode import no_grad
from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError
from ..optimizer import Optimizer

EPOCH_DEPRECATION_WARNING = (
    "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
    "Please use `scheduler.step()` to step the scheduler."
)


class LRScheduler:
    """The base class: it counts epochs, and sets the learning rates that `get_lr` returns in the optimiser's groups."""

    _is_initial = False
    _begins_afresh = True
    """Whether ``step(epoch)`` recomputes all epochs from the initial rates; else it calls `get_lr` once."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        if not isinstance(optimizer, Optimizer):
            raise ArgumentTypeError(f"{type(optimizer).__name__} is not an Optimizer")
        self.optimizer = optimizer
        for group in optimizer.param_groups:
            if last_epoch == -1:
                group.setdefault("initial_lr", copied(group["lr"]))
            elif "initial_lr" not in group:
                raise ArgumentError(
                    "param 'initial_lr' is not specified in param_groups when resuming scheduler with last_epoch >= 0"
                )
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        self._step_at_first = optimizer.step
        self._begin()

    def _begin(self) -> None:
        """Enter the first epoch. Schedules that multiply the present rates do not change them here."""
        self._is_initial = True
        self._advance(None)
        self._is_initial = False
        self._step_count = 1

    def get_lr(self) -> list[float]:
        """Return the learning rate of each group at epoch `last_epoch`."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say its learning rates: write get_lr(self), which returns one for each of "
            "self.optimizer.param_groups."
        )

    def get_last_lr(self) -> list[float]:
        """Return the learning rates that were set last."""
        return self._last_lr

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch."""
        if self._step_count == 1 and self.optimizer.step != self._step_at_first:
            warnings.warn(
                "Seems like `optimizer.step()` has been overridden after learning rate scheduler initialization. "
                "Please, make sure to call `optimizer.step()` before `lr_scheduler.step()`. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=2,
            )
        elif self._step_count == 1 and not self.optimizer.steps:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`: the first learning rate would be "
                "skipped. Call them in the opposite order. See more details at "
                "https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate",
                UserWarning,
                stacklevel=2,
            )
        if epoch is not None and type(self)._advance is LRScheduler._advance:
            warnings.warn(
                EPOCH_DEPRECATION_WARNING,
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        self._advance(epoch)

    def _advance(self, epoch: int | None) -> None:
        """Go to the next epoch, or to `epoch`."""
        if epoch is None:
            self._enter(self.last_epoch + 1)
            return
        if not self._begins_afresh:
            self._enter(epoch)
            return
        for group, base in zip(self.optimizer.param_groups, self.base_lrs, strict=True):
            assign(group, base)
        for each in range(epoch + 1):
            self._enter(each)

    def _enter(self, epoch: int) -> None:
        self.last_epoch = epoch
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            assign(group, lr)
        self._last_lr = self._present()

    def _present(self) -> list[float]:
        return [copied(group["lr"]) for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimiser and functions. For callable objects see `OfFunctions`."""
        return {
            name: value
            for name, value in vars(self).items()
            if not callable(value) and name not in ("optimizer", "scale_fn")
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another scheduler of this class, from minigrad or PyTorch."""
        vars(self).update(state_dict)


class OfFunctions(LRScheduler):
    """A schedule with one function per group. Its state holds the attributes of those that are callable objects."""

    lr_lambdas: list[Callable[[int], float]]

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimiser; for a function None, for a callable object its attributes."""
        plain = (types.FunctionType, types.BuiltinFunctionType)
        of_each = [None if isinstance(each, plain) else dict(vars(each)) for each in self.lr_lambdas]
        return {**super().state_dict(), "lr_lambdas": of_each}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another scheduler of this class, from minigrad or PyTorch."""
        super().load_state_dict({name: value for name, value in state_dict.items() if name != "lr_lambdas"})
        for function, saved in zip(self.lr_lambdas, state_dict.get("lr_lambdas", ()), strict=False):
            if saved is not None:
                vars(function).update(saved)


def copied(lr: Any) -> Any:
    """Return a learning rate, cloned if it is a tensor, since the schedule writes to that in place."""
    return lr.detach().clone() if isinstance(lr, Tensor) else lr


def assign(group: dict[str, Any], lr: Any) -> None:
    """Set the group's learning rate to `lr`; a tensor is filled in place."""
    if isinstance(group["lr"], Tensor):
        with no_grad():
            group["lr"].fill_(float(lr))
    else:
        group["lr"] = lr

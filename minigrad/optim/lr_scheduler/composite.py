"""Schedules that combine others: one after the other, or all at once."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Any

from ...errors import ArgumentError
from ..optimizer import Optimizer
from .base import LRScheduler, assign


class SequentialLR(LRScheduler):
    """Runs one schedule after the other; each starts from its epoch 0 at its milestone."""

    def __init__(
        self, optimizer: Optimizer, schedulers: Sequence[Any], milestones: Sequence[int], last_epoch: int = -1
    ) -> None:
        _check(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ArgumentError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of "
                f"milestone points, but got number of schedulers {len(schedulers)} and the number of milestones to be "
                f"equal to {len(milestones)}"
            )
        self._schedulers, self._milestones = list(schedulers), list(milestones)
        self.last_epoch = last_epoch + 1
        self.optimizer = optimizer
        for group in optimizer.param_groups:  # undo what the schedules changed when they were created
            assign(group, group["initial_lr"])
        for each in self._schedulers:
            each.last_epoch -= 1
        self._schedulers[0]._begin()
        self._last_lr = self._schedulers[0].get_last_lr()

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch."""
        self.last_epoch += 1
        number = bisect.bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._advance(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimiser, with the states of the schedules."""
        return _states(self)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another scheduler of this class."""
        _restore(self, state_dict)


class ChainedScheduler(LRScheduler):
    """Applies all schedules in turn, each to the rates that the one before has set."""

    def __init__(self, schedulers: Sequence[Any], optimizer: Optimizer | None = None) -> None:
        if not schedulers:
            raise ArgumentError("ChainedScheduler expects at least one scheduler to be chained, but got no scheduler.")
        optimizer = schedulers[0].optimizer if optimizer is None else optimizer
        _check(optimizer, schedulers)
        self._schedulers = list(schedulers)
        self.optimizer = optimizer
        self._last_lr = self._present()

    def step(self, epoch: int | None = None) -> None:
        """Go to the next epoch."""
        for each in self._schedulers:
            each.step()
        self._last_lr = self._present()

    def state_dict(self) -> dict[str, Any]:
        """Return all attributes except the optimiser, with the states of the schedules."""
        return _states(self)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from the state of another scheduler of this class."""
        _restore(self, state_dict)


def _check(optimizer: Optimizer | None, schedulers: Sequence[Any]) -> None:
    if not schedulers:
        raise ArgumentError("expects at least one scheduler to be chained, but got no scheduler.")
    for number, each in enumerate(schedulers):
        if each.optimizer is not optimizer:
            raise ArgumentError(
                f"all schedulers must belong to the same optimizer, but that at index {number} does not"
            )


def _states(scheduler: Any) -> dict[str, Any]:
    own = {name: value for name, value in vars(scheduler).items() if name != "optimizer"}
    return {**own, "_schedulers": [each.state_dict() for each in scheduler._schedulers]}


def _restore(scheduler: Any, state: dict[str, Any]) -> None:
    for each, saved in zip(scheduler._schedulers, state["_schedulers"], strict=True):
        each.load_state_dict(saved)
    vars(scheduler).update({name: value for name, value in state.items() if name != "_schedulers"})

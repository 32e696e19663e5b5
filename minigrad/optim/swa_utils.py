"""Averages of a model's parameters during training: stochastic weight averaging and exponential moving averages.

>>> import minigrad as mg
>>> model = mg.nn.Linear(1, 1, bias=False)
>>> average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.75))
>>> for value in (0.0, 4.0):
...     _ = mg.nn.init.constant_(model.weight, value)
...     average.update_parameters(model)
>>> average.module.weight.item(), average.n_averaged.item()
(1.0, 2)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial
from typing import Any

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError, GradError
from ..nn.module import Module
from ..nn.normalisation.batch import _BatchNorm
from ..ops.create.factories import tensor
from .lr_scheduler.base import LRScheduler
from .optimizer import Optimizer

__all__ = [
    "AveragedModel", "SWALR", "get_ema_avg_fn", "get_ema_multi_avg_fn", "get_swa_avg_fn", "get_swa_multi_avg_fn",
    "update_bn",
]  # fmt: skip

Average = Callable[[Tensor, Tensor, Any], Any]
"""A function of an average, a new value and the number of values averaged so far; it returns the new average."""

ManyAverages = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]
"""A function that updates the averages of all tensors at once, in place."""


def _mean(averaged: Tensor, new: Tensor, count: Any) -> Any:
    return averaged + (new - averaged) / (count + 1)


def _moving(averaged: Tensor, new: Tensor, count: Any, decay: float) -> Any:
    return averaged * decay + new * (1 - decay)


def get_swa_avg_fn() -> Average:
    """Return the average with equal weights for all models."""
    return _mean


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return the average with weight `decay` for the old average. ArgumentError unless it is between 0 and 1."""
    if not 0 <= decay <= 1:
        raise ArgumentError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")
    return partial(_moving, decay=decay)


def get_swa_multi_avg_fn() -> ManyAverages:
    """Return `get_swa_avg_fn` for all tensors, in place."""
    return _ForMany(get_swa_avg_fn())


def get_ema_multi_avg_fn(decay: float = 0.999) -> ManyAverages:
    """Return `get_ema_avg_fn` for all tensors, in place."""
    return _ForMany(get_ema_avg_fn(decay))


class _ForMany:
    """Applies the average of one tensor to several, in place."""

    def __init__(self, average: Average) -> None:
        self.average = average

    def __call__(self, averaged: Sequence[Tensor], new: Sequence[Tensor], count: Any) -> None:
        with no_grad():
            for each, current in zip(averaged, new, strict=True):
                each.copy_(self.average(each, current, count))


class AveragedModel(Module):
    """A copy of `model` whose parameters are averages: the mean, unless `avg_fn` or `multi_avg_fn` is given.

    Buffers are averaged with `use_buffers`, and otherwise copied. The first update copies the parameters.
    """

    n_averaged: Tensor

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: ManyAverages | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise GradError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", tensor(0, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn or _ForMany(avg_fn or get_swa_avg_fn())
        self.use_buffers = use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the averaged model's output."""
        return self.module(*args, **kwargs)

    def update_parameters(self, model: Module) -> None:
        """Add the present parameters of `model` to the average."""
        pairs = list(zip(self.module.parameters(), model.parameters(), strict=True))
        buffers = list(zip(self.module.buffers(), model.buffers(), strict=True))
        averaged = pairs + buffers if self.use_buffers else pairs
        first = not int(self.n_averaged.item())
        with no_grad():
            news = [new.detach().to(own.device) for own, new in averaged]
            if averaged and not first:
                self.multi_avg_fn([own.detach() for own, _ in averaged], news, self.n_averaged)
            elif first:
                for (own, _), new in zip(averaged, news, strict=True):
                    own.copy_(new)
            for own, new in () if self.use_buffers else buffers:
                own.copy_(new)
            self.n_averaged.add_(1)


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recompute the running statistics of every batch norm in `model`, by one pass over `loader`.

    If a batch is a list or tuple, its first item is the model's input.
    """
    norms = [each for each in model.modules() if isinstance(each, _BatchNorm)]
    if not norms:
        return
    training, momenta = model.training, [each.momentum for each in norms]
    for each in norms:
        each.reset_running_stats()
        each.momentum = None  # all batches have the same weight
    model.train()
    for batch in loader:
        given: Any = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(given if device is None else given.to(device))
    for each, momentum in zip(norms, momenta, strict=True):
        each.momentum = momentum
    model.train(training)


class SWALR(LRScheduler):
    """Changes the present rate to `swa_lr` within `anneal_epochs`, along a cosine ("cos") or a line ("linear")."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        rates = list(swa_lr) if isinstance(swa_lr, (list, tuple)) else [swa_lr] * len(optimizer.param_groups)
        if len(rates) != len(optimizer.param_groups):
            raise ArgumentError(
                f"swa_lr must have the same length as optimizer.param_groups: got {len(rates)} values, for "
                f"{len(optimizer.param_groups)} parameter groups"
            )
        if anneal_strategy not in ("cos", "linear"):
            raise ArgumentError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ArgumentError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        for group, rate in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = rate
        self.anneal_epochs, self._anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        epoch = max(1, self.last_epoch) if not self.anneal_epochs else self.last_epoch
        before, left = self._left(epoch - 1), self._left(epoch)
        share = left / before if before else 0.0
        return [group["swa_lr"] + (group["lr"] - group["swa_lr"]) * share for group in self.optimizer.param_groups]

    def _left(self, epoch: int) -> float:
        """Return the fraction of the change to `swa_lr` that is left at `epoch`."""
        gone = max(0.0, min(1.0, epoch / max(1, self.anneal_epochs)))
        return 1 - gone if self._anneal_strategy == "linear" else (1 + math.cos(math.pi * gone)) / 2

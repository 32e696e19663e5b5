"""RAdam (Liu et al., 2020)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .adam import check_betas
from .bundle import elementwise
from .nadam import shrunk
from .optimizer import Group, Optimizer, counted, hints_of, kept


class RAdam(Optimizer):
    r"""Adam that starts with plain momentum, and scales its steps down while the second moment is still unreliable."""

    at_least_zero = ("lr", "weight_decay", "eps")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        check_betas(betas)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, {**defaults, **hints_of(self, hints)})

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr m̂ r √(1 - β₂ᵗ) / (√v + eps)"""
        step = counted(state)
        beta1, beta2 = group["betas"]
        grad = shrunk(param, grad, group)
        mean, square = kept(state, "exp_avg", param, xp), kept(state, "exp_avg_sq", param, xp)
        mean += (grad - mean) * (1 - beta1)
        square *= beta2
        square += grad * grad * (1 - beta2)
        move = mean * (group["lr"] / (1 - beta1**step))
        longest = 2 / (1 - beta2) - 1  # the length of the moving average, in the limit and now
        length = longest - 2 * step * beta2**step / (1 - beta2**step)
        if length > 5:
            trust = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            move *= math.sqrt(trust * (1 - beta2**step)) / (xp.sqrt(square) + group["eps"])
        param -= move

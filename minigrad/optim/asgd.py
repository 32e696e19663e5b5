"""Averaged stochastic gradient descent (Polyak and Juditsky, 1992)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept, with_decay


class ASGD(Optimizer):
    r"""Gradient descent with a falling rate. Its state ``ax`` is the mean of the parameters after step `t0`."""

    at_least_zero = ("lr", "weight_decay")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        defaults = {
            "lr": lr, "lambd": lambd, "alpha": alpha, "t0": t0, "weight_decay": weight_decay, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, {**defaults, **hints_of(self, hints)})

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w = (1 - lambd η) w - η g"""
        step = counted(state)
        rate, share = state.get("eta", float(xp.float32(group["lr"]))), state.get("mu", 1.0)
        grad = with_decay(param, grad, group)
        param *= 1 - group["lambd"] * rate
        param -= grad * rate
        average = kept(state, "ax", param, xp)
        average += (param - average) * share
        # PyTorch keeps both in single precision.
        state["eta"] = float(xp.float32(group["lr"] / (1 + group["lambd"] * group["lr"] * step) ** group["alpha"]))
        state["mu"] = float(xp.float32(1 / max(1, step - group["t0"])))

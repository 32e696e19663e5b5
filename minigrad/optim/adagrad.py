"""Adagrad (Duchi et al., 2011)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..ops.create.like import full_like
from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept


class Adagrad(Optimizer):
    r"""The gradient over the root of the sum of all its squares so far:
    :math:`w \leftarrow w - \eta\, g / (\sqrt{\Sigma g^2} + \epsilon)`.
    """

    at_least_zero = ("lr", "lr_decay", "weight_decay", "initial_accumulator_value", "eps")
    lacks = ("capturable",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "eps": eps,
            "maximize": maximize,
            **hints_of(self, hints),
        }
        super().__init__(params, defaults)
        for group in self.param_groups:
            for each in group["params"]:
                if not each.is_complex():  # state of complex parameters is made at the first step
                    total = full_like(each.detach(), group["initial_accumulator_value"])
                    self.state[each] = {"step": 0, "sum": total}

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr g / (√Σg² + eps)"""
        step = counted(state)
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"]:
            grad = grad + param * group["weight_decay"]
        total = kept(state, "sum", param, xp, group["initial_accumulator_value"])
        total += grad * grad
        spread = xp.sqrt(total)
        spread += group["eps"]
        param -= grad / spread * (group["lr"] / (1 + (step - 1) * group["lr_decay"]))

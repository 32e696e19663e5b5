"""Adamax (Kingma and Ba, 2015, section 7.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .adam import check_betas
from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept, with_decay


class Adamax(Optimizer):
    r"""Adam with the largest recent gradient in place of the root mean square:
    :math:`u \leftarrow \max(\beta_2 u, |g| + \epsilon)`, :math:`w \leftarrow w - \eta\, \hat m / u`.
    """

    at_least_zero = ("lr", "weight_decay", "eps")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        check_betas(betas)
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {**defaults, **hints_of(self, hints)})

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr m̂ / u"""
        step = counted(state)
        beta1, beta2 = group["betas"]
        grad = with_decay(param, grad, group)
        mean = kept(state, "exp_avg", param, xp)
        largest = kept(state, "exp_inf", param, xp)
        mean += (grad - mean) * (1 - beta1)
        largest[...] = xp.maximum(largest * beta2, xp.abs(grad) + group["eps"])
        param -= mean / largest * (group["lr"] / (1 - beta1**step))

"""RMSprop (Hinton's lecture 6e, 2012)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept


class RMSprop(Optimizer):
    r"""The gradient divided by its root mean square: :math:`v \leftarrow \alpha v + (1-\alpha)\, g^2`,
    :math:`w \leftarrow w - \eta\, g / (\sqrt v + \epsilon)`; if `centered`, over its standard deviation.
    """

    at_least_zero = ("lr", "alpha", "eps", "weight_decay", "momentum")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        defaults = {
            "lr": lr,
            "alpha": alpha,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "centered": centered,
            "maximize": maximize,
            **hints_of(self, hints),
        }
        super().__init__(params, defaults)

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr g / (√v + eps)"""
        counted(state)
        alpha = group["alpha"]
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"]:
            grad = grad + param * group["weight_decay"]
        square = kept(state, "square_avg", param, xp)
        square *= alpha
        square += grad * grad * (1 - alpha)
        if group["centered"]:
            mean = kept(state, "grad_avg", param, xp)
            mean += (grad - mean) * (1 - alpha)
            spread = xp.sqrt(square - mean * mean)
        else:
            spread = xp.sqrt(square)
        spread += group["eps"]
        move = grad / spread
        if group["momentum"]:
            buffer = kept(state, "momentum_buffer", param, xp)
            buffer *= group["momentum"]
            buffer += move
            move = buffer
        param -= move * group["lr"]

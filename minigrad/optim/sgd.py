"""Stochastic gradient descent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ArgumentError
from .optimizer import Group, Optimizer, hints_of, kept


class SGD(Optimizer):
    r"""Gradient descent: :math:`w \leftarrow w - \eta\, v`, where :math:`v` is the gradient, or with momentum
    :math:`v \leftarrow \mu v + (1 - d)\, g` (Polyak, 1964), or with `nesterov` :math:`g + \mu v` (Sutskever et al.,
    2013).
    """

    at_least_zero = ("lr", "momentum", "weight_decay")
    lacks = ("capturable",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ArgumentError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            **hints_of(self, hints),
        }
        super().__init__(params, defaults)

    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr v"""
        if group["maximize"]:
            grad = -grad
        if group["weight_decay"]:
            grad = grad + param * group["weight_decay"]
        momentum = group["momentum"]
        if momentum:
            first = "momentum_buffer" not in state
            velocity = kept(state, "momentum_buffer", param, xp)
            velocity *= momentum
            velocity += grad if first else grad * (1 - group["dampening"])
            grad = grad + velocity * momentum if group["nesterov"] else velocity
        param -= grad * group["lr"]

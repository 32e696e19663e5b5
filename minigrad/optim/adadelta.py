"""Adadelta (Zeiler, 2012)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ArgumentError
from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept, with_decay


class Adadelta(Optimizer):
    r"""Steps in the units of the parameter: the gradient over its root mean square, times that of the past steps.

    .. math::
        v \leftarrow \rho v + (1-\rho)\, g^2 \qquad d = \sqrt{u + \epsilon} / \sqrt{v + \epsilon} \cdot g \qquad
        u \leftarrow \rho u + (1-\rho)\, d^2 \qquad w \leftarrow w - \eta\, d
    """

    at_least_zero = ("lr", "weight_decay", "eps")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        if not 0 <= rho <= 1:
            raise ArgumentError(f"Invalid rho value: {rho}: it must be between 0 and 1")
        defaults = {"lr": lr, "rho": rho, "eps": eps, "weight_decay": weight_decay, "maximize": maximize}
        super().__init__(params, {**defaults, **hints_of(self, hints)})

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr √(u + eps) / √(v + eps) g"""
        counted(state)
        rho, eps = group["rho"], group["eps"]
        grad = with_decay(param, grad, group)
        square = kept(state, "square_avg", param, xp)
        steps = kept(state, "acc_delta", param, xp)
        square *= rho
        square += grad * grad * (1 - rho)
        delta = xp.sqrt(steps + eps) / xp.sqrt(square + eps) * grad
        steps *= rho
        steps += delta * delta * (1 - rho)
        param -= delta * group["lr"]

"""Adam (Kingma and Ba, 2015)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentError
from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept


class Adam(Optimizer):
    r"""Steps of about size `lr` for every element, whatever the scale of its gradient.

    .. math::
        m \leftarrow \beta_1 m + (1-\beta_1)\, g \qquad v \leftarrow \beta_2 v + (1-\beta_2)\, g^2 \qquad
        w \leftarrow w - \eta\, \hat m / (\sqrt{\hat v} + \epsilon)

    where the hats correct the bias from starting both at zero. With `amsgrad` (Reddi et al., 2018) the largest v so far
    is used.
    """

    at_least_zero = ("lr", "weight_decay", "eps")
    lacks = ()

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        decoupled_weight_decay: bool = False,
        **hints: Any,
    ) -> None:
        check_betas(betas)
        check_tensors(lr, betas, bool(hints.get("foreach")) and not hints.get("capturable"))
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "decoupled_weight_decay": decoupled_weight_decay,
            **hints_of(self, hints),
        }
        super().__init__(params, defaults)

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr m̂ / (√v̂ + eps)"""
        beta1, beta2 = group["betas"]
        lr, decay = group["lr"], group["weight_decay"]
        step = counted(state)
        if group["maximize"]:
            grad = -grad
        if decay and group["decoupled_weight_decay"]:
            param *= 1 - lr * decay
        elif decay:
            grad = grad + param * decay
        mean = kept(state, "exp_avg", param, xp)
        square = kept(state, "exp_avg_sq", param, xp)
        quick = None if group["amsgrad"] else xp.compiled("adam", param, grad, mean, square)
        if quick is not None:
            root, rate = 1 / math.sqrt(1 - beta2**step), lr / (1 - beta1**step)
            quick(param, grad, mean, square, (1 - beta1, 1 - beta2, beta2, root, group["eps"], rate))
            return
        work = xp.subtract(grad, mean, out=xp.empty_like(mean))  # a scalar's `grad - mean` would be no array
        work *= 1 - beta1
        mean += work
        xp.multiply(grad, grad, out=work)
        work *= 1 - beta2
        square *= beta2
        square += work
        if group["amsgrad"]:
            largest = kept(state, "max_exp_avg_sq", param, xp)
            square = xp.maximum(largest, square, out=largest)
        xp.sqrt(square, out=work)
        work *= 1 / math.sqrt(1 - beta2**step)
        work += group["eps"]
        xp.divide(mean, work, out=work)
        work *= lr / (1 - beta1**step)
        param -= work


def check_tensors(lr: Any, betas: tuple[Any, Any], together: bool) -> None:
    """Raise if only one beta is a tensor, or if `lr` or the betas are tensors with `together` (foreach=True)."""
    tensors = [isinstance(each, Tensor) for each in betas]
    if len(set(tensors)) > 1:
        raise ArgumentError("betas must be either both floats or both Tensors")
    for name, found in (("lr", isinstance(lr, Tensor)), ("betas[0]", tensors[0])):
        if found and together:
            raise ArgumentError(f"{name} as a Tensor is not supported for capturable=False and foreach=True")


def check_betas(betas: tuple[float, float]) -> None:
    """Raise unless both betas are at least 0 and below 1."""
    for number, beta in enumerate(betas):
        if not 0 <= beta < 1:
            raise ArgumentError(f"Invalid beta parameter at index {number}: {beta}: it must be at least 0 and below 1")

"""NAdam (Dozat, 2016)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .adam import check_betas
from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept, with_decay


class NAdam(Optimizer):
    r"""Adam with Nesterov's momentum; the momentum :math:`\mu_t` grows towards :math:`\beta_1`."""

    at_least_zero = ("lr", "weight_decay", "eps", "momentum_decay")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        check_betas(betas)
        defaults = {
            "lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay, "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay, "maximize": maximize,
        }  # fmt: skip
        super().__init__(params, {**defaults, **hints_of(self, hints)})

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= lr (μ' m̂ + (1 - μ) ĝ) / (√v̂ + eps)"""
        step = counted(state)
        (beta1, beta2), lr = group["betas"], group["lr"]
        grad = shrunk(param, grad, group)
        mean, square = kept(state, "exp_avg", param, xp), kept(state, "exp_avg_sq", param, xp)
        now, next = (beta1 * (1 - 0.5 * 0.96 ** (t * group["momentum_decay"])) for t in (step, step + 1))
        before = state.get("mu_product", 1.0)
        product = state["mu_product"] = (before if getattr(before, "requires_grad", False) else float(before)) * now
        mean += (grad - mean) * (1 - beta1)
        square *= beta2
        square += grad * grad * (1 - beta2)
        scale = xp.sqrt(square / (1 - beta2**step)) + group["eps"]
        param -= grad / scale * (lr * (1 - now) / (1 - product))
        param -= mean / scale * (lr * next / (1 - product * next))


def shrunk(param: Any, grad: Any, group: Group) -> Any:
    """Return the gradient with weight decay added; with decoupled decay, shrink the parameter instead."""
    if not group["decoupled_weight_decay"]:
        return with_decay(param, grad, group)
    if group["weight_decay"]:
        param *= 1 - group["lr"] * group["weight_decay"]
    return -grad if group["maximize"] else grad

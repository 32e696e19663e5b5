"""Muon: orthogonalised momentum (Jordan et al., 2024)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from .. import dtypes
from ..errors import ArgumentError, DtypeError
from .optimizer import Group, Optimizer, kept


class Muon(Optimizer):
    r"""For the matrices of hidden layers: a step in which every direction of the momentum has the same weight.

    .. math::
        b \leftarrow \mu b + (1 - \mu)\, g \qquad u = (1 - \mu)\, g + \mu b \qquad
        W \leftarrow (1 - \eta\lambda)\, W - \eta\, s\, \operatorname{orthogonal}(u)

    where :math:`s` adjusts the step to the shape of W: :math:`\sqrt{\max(1, rows / columns)}`, or with
    "match_rms_adamw" as `adjust_lr_fn` :math:`0.2 \sqrt{\max(rows, columns)}`. Use another optimiser for biases and
    embeddings. ArgumentError for a parameter that is not a matrix.

    >>> import minigrad as mg
    >>> W = mg.eye(2).requires_grad_()
    >>> optimizer = mg.optim.Muon([W], lr=0.1)
    >>> (W @ mg.ones(2)).sum().backward()
    >>> optimizer.step()
    >>> W.shape
    minigrad.Size([2, 2])
    """

    at_least_zero = ("lr", "weight_decay", "momentum", "eps")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.7750, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ArgumentError(
                f"Adjust learning rate function {adjust_lr_fn} is not supported: give 'original', 'match_rms_adamw', "
                "or None"
            )
        if ns_steps >= 100:
            raise ArgumentError(f"Number of steps must be less than 100 for computational efficiency, got {ns_steps}")
        if len(ns_coefficients) != 3:
            raise ArgumentError(f"Coefficients must be a tuple of exactly 3 values, got {ns_coefficients}")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)

    def add_param_group(self, param_group: Mapping[str, Any]) -> None:
        """Add a group of matrices. ArgumentError for a parameter that is not a matrix, DtypeError for a complex one."""
        super().add_param_group(param_group)
        for each in self.param_groups[-1]["params"]:
            if each.ndim != 2:
                raise ArgumentError(
                    f"Muon only supports 2D parameters whereas we found a parameter with size: {list(each.shape)}. "
                    "Give it to another optimiser, such as AdamW."
                )
            if each.is_complex():
                raise DtypeError("Muon does not support complex parameters")

    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """W = (1 - lr decay) W - lr s orthogonal(u)"""
        momentum, lr = group["momentum"], group["lr"]
        average = kept(state, "momentum_buffer", grad, xp)
        average += (grad - average) * (1 - momentum)
        direction = grad + (average - grad) * momentum if group["nesterov"] else average
        step = orthogonal(xp, direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        param *= 1 - lr * group["weight_decay"]
        param -= step.astype(param.dtype) * (lr * _suited(param.shape, group["adjust_lr_fn"]))


def orthogonal(xp: Any, matrix: Any, coefficients: tuple[float, float, float], steps: int, eps: float) -> Any:
    """Approximate the orthogonal matrix nearest to `matrix`: its singular values become close to 1.

    Newton and Schulz's iteration :math:`X \\leftarrow a X + (b A + c A^2) X`, with :math:`A = X X^T`, applies the odd
    polynomial :math:`a s + b s^3 + c s^5` to every singular value s at once. That is precise enough in bfloat16, to
    which every product is rounded, as PyTorch does it.
    """
    a, b, c = coefficients
    x = _rounded(xp, matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T)
    x = _rounded(xp, x / max(float(_rounded(xp, xp.sqrt((x * x).sum()))), eps))
    for _ in range(steps):
        gram = _rounded(xp, x @ x.T)
        mixed = _rounded(xp, gram * b + (gram @ gram) * c)
        x = _rounded(xp, x * a + mixed @ x)
    return x if matrix.shape[0] <= matrix.shape[1] else x.T


def _rounded(xp: Any, array: Any) -> Any:
    """Round `array` to the precision of bfloat16, in float32, which the array library can multiply."""
    return xp.asarray(array).astype(dtypes.bfloat16.numpy).astype(dtypes.float32.numpy)


def _suited(shape: tuple[int, ...], how: str | None) -> float:
    """Return the factor on the learning rate of a matrix, so that matrices of all shapes change at the same scale."""
    rows, columns = shape
    return 0.2 * math.sqrt(max(rows, columns)) if how == "match_rms_adamw" else math.sqrt(max(1.0, rows / columns))

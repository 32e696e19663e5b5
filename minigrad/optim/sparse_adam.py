"""Adam for tables of which each step uses only a few rows."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from ..errors import ArgumentError
from .adam import check_betas
from .optimizer import Group, Optimizer, counted, kept


class SparseAdam(Optimizer):
    r"""Adam that updates only the rows that were used, and their averages; the others stay unchanged.

    It is for ``nn.Embedding(sparse=True)``. Gradients are dense here, so a row counts as used if its gradient is not
    all zeros.

    >>> import minigrad as mg
    >>> table = mg.nn.Embedding(4, 2, sparse=True)
    >>> optimizer = mg.optim.SparseAdam(table.parameters(), lr=0.1)
    >>> table(mg.tensor([1, 3])).sum().backward()
    >>> before = table.weight.detach().clone()
    >>> optimizer.step()
    >>> (table.weight != before).any(1).tolist()
    [False, True, False, True]
    """

    at_least_zero = ("lr", "eps")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})

    def _check(self, parameter: Any, group: Group) -> None:
        super()._check(parameter, group)
        if parameter.is_complex():
            raise ArgumentError("SparseAdam does not support complex parameters")

    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w_i -= lr m̂_i / (√v̂_i + eps) for each row i in use"""
        step = counted(state)
        beta1, beta2 = group["betas"]
        mean, square = kept(state, "exp_avg", param, xp), kept(state, "exp_avg_sq", param, xp)
        used = grad != 0 if grad.ndim < 2 else (grad != 0).reshape(len(grad), -1).any(1)
        slope = -grad[used] if group["maximize"] else grad[used]
        mean[used] += (slope - mean[used]) * (1 - beta1)
        square[used] += (slope * slope - square[used]) * (1 - beta2)
        rate = group["lr"] * math.sqrt(1 - beta2**step) / (1 - beta1**step)
        param[used] -= mean[used] / (xp.sqrt(square[used]) + group["eps"]) * rate

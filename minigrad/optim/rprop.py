"""Rprop (Riedmiller and Braun, 1993)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..errors import ArgumentError
from .bundle import elementwise
from .optimizer import Group, Optimizer, counted, hints_of, kept


class Rprop(Optimizer):
    r"""Only the sign of the gradient counts: an element's step grows while the sign stays, and shrinks when it
    changes.
    """

    at_least_zero = ("lr",)

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        if not 0 < etas[0] < 1 < etas[1]:
            raise ArgumentError(f"Invalid eta values: {etas[0]}, {etas[1]}: one must be below 1, one above")
        defaults = {"lr": lr, "etas": etas, "step_sizes": step_sizes, "maximize": maximize}
        super().__init__(params, {**defaults, **hints_of(self, hints)})

    @elementwise
    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= sign(g) s"""
        counted(state)
        (shorter, longer), (least, most) = group["etas"], group["step_sizes"]
        before = kept(state, "prev", param, xp)
        size = kept(state, "step_size", param, xp, group["lr"])
        grad = -grad if group["maximize"] else grad
        agreed = grad * before
        size *= xp.where(agreed > 0, longer, xp.where(agreed < 0, shorter, 1.0)).astype(size.dtype)
        size[...] = xp.clip(size, least, most)
        before[...] = xp.where(agreed < 0, 0, grad)
        param -= xp.sign(before) * size

"""Adafactor (Shazeer and Stern, 2018)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from .. import dtypes
from ..errors import ArgumentError, DtypeError
from .optimizer import Group, Optimizer, counted, kept


class Adafactor(Optimizer):
    r"""Adam's scaling with little memory: of a matrix's squared gradient, only row and column means are stored.

    .. math::
        r \leftarrow r + (\overline{g^2}_{rows} - r)\, t^\tau \qquad
        c \leftarrow c + (\overline{g^2}_{columns} - c)\, t^\tau \qquad
        u = g / \sqrt{r c / \bar r} \qquad
        w \leftarrow w - \alpha\, u / \max(1, \operatorname{rms}(u) / d)

    where :math:`\alpha = \max(\epsilon_2, \operatorname{rms}(w)) \min(\eta, 1 / \sqrt t)`. For vectors every square is
    stored.
    """

    at_least_zero = ("lr", "weight_decay")

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        if beta2_decay > 0:
            raise ArgumentError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        for number, each in enumerate(eps, 1):
            if each is not None and each < 0:
                raise ArgumentError(f"epsilon{number} should be >= 0 but is: {each}")
        if d < 1:
            raise ArgumentError(f"Clipping threshold d should be >= 1 but is: {d}")
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def move(self, group: Group) -> None:
        """Update the parameters of one group. DtypeError if one is complex."""
        if any(each.is_complex() for each in group["params"]):
            raise DtypeError("Adafactor does not support complex parameters")
        super().move(group)

    def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: Group) -> None:
        """w -= α u / max(1, rms(u) / d)"""
        step = counted(state)
        if group["maximize"]:
            grad = -grad
        eps1, eps2 = group["eps"]
        eps1 = dtypes.finfo(dtypes.of(param.dtype)).eps if eps1 is None else eps1
        alpha = max(eps2, _rms(xp, param)) * min(group["lr"], 1 / math.sqrt(step))
        if group["weight_decay"]:
            param *= 1 - group["lr"] * group["weight_decay"]
        share = step ** group["beta2_decay"]
        squares = grad * grad
        if grad.ndim > 1:
            rows = _followed(state, "row_var", squares.mean(-1, keepdims=True), share, xp)
            columns = _followed(state, "col_var", squares.mean(-2, keepdims=True), share, xp)
            squares = rows * columns / xp.maximum(rows.mean(-2, keepdims=True), eps1)
        else:
            squares = _followed(state, "variance", squares, share, xp)
        update = grad / xp.sqrt(xp.maximum(squares, eps1 * eps1))
        param -= update * (alpha / max(1.0, _rms(xp, update) / group["d"]))


def _rms(xp: Any, array: Any) -> float:
    """Return the root mean square."""
    return math.sqrt(float((array * array).sum()) / array.size) if array.size else 0.0


def _followed(state: dict[str, Any], name: str, now: Any, share: float, xp: Any) -> Any:
    """Return the average stored as `name` (0 at first), after moving it towards `now` by the fraction `share`."""
    memory = kept(state, name, xp.asarray(now), xp)
    memory += (now - memory) * share
    return memory

"""AdamW (Loshchilov and Hutter, 2019)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .adam import Adam


class AdamW(Adam):
    r"""Adam with weight decay that is not part of the gradient:
    :math:`w \leftarrow (1 - \eta \lambda)\, w` before each step.
    """

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        *,
        maximize: bool = False,
        **hints: Any,
    ) -> None:
        super().__init__(
            params, lr, betas, eps, weight_decay, amsgrad, maximize=maximize, decoupled_weight_decay=True, **hints
        )

"""`Chi2`: sums of squares of normal numbers."""

from __future__ import annotations

from typing import Any, ClassVar

from . import constraints
from .gamma import Gamma
from .utils import broadcast_all


class Chi2(Gamma):
    """The sum of `df` squares of standard normal numbers: a `Gamma` of shape df / 2 and rate ½.

    >>> Chi2(3.0).mean
    tensor(3.)
    """

    arg_constraints: ClassVar[dict[str, Any]] = {"df": constraints.positive}

    def __init__(self, df: Any, validate_args: bool | None = None) -> None:
        (self.df,) = broadcast_all(df)
        super().__init__(0.5 * self.df, 0.5, validate_args=validate_args)

    def _expanded(self, origin: Any, batch_shape: Any) -> None:
        self.concentration, self.rate = (each.expand(batch_shape) for each in (origin.concentration, origin.rate))

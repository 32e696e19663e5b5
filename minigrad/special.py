"""Special functions, under the names of ``torch.special``."""

from __future__ import annotations

from .ops.exponential import exp2, expm1, log1p
from .ops.pointwise import sigmoid as expit
from .ops.special_functions import (
    digamma,
    erf,
    erfc,
    erfinv,
    logit,
    polygamma,
    xlogy,
)
from .ops.special_functions import digamma as psi
from .ops.special_functions import lgamma as gammaln
from .ops.statistics import logsumexp
from .ops.trigonometry import sinc

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "exp2", "expit", "expm1", "gammaln", "log1p", "logit", "logsumexp",
    "polygamma", "psi",
    "sinc", "xlogy",
]  # fmt: skip

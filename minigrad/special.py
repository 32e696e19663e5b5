"""Special functions, by the names of ``torch.special``."""

from __future__ import annotations

from .ops.common.pickling import findable
from .ops.elementwise.exponential import exp2, expm1, log1p
from .ops.elementwise.pointwise import sigmoid as expit
from .ops.elementwise.rounding import round
from .ops.elementwise.trigonometry import sinc
from .ops.nn.softmax import log_softmax, softmax
from .ops.reduce.statistics import logsumexp
from .ops.special.bessel import (
    airy_ai,
    bessel_j0,
    bessel_j1,
    bessel_y0,
    bessel_y1,
    i0,
    i0e,
    i1,
    i1e,
    modified_bessel_i0,
    modified_bessel_i1,
    modified_bessel_k0,
    modified_bessel_k1,
    scaled_modified_bessel_k0,
    scaled_modified_bessel_k1,
    spherical_bessel_j0,
)
from .ops.special.error_and_gamma import digamma, erf, erfc, erfinv, logit, polygamma, xlogy
from .ops.special.error_and_gamma import digamma as psi
from .ops.special.error_and_gamma import lgamma as gammaln
from .ops.special.incomplete_gamma import igamma as gammainc
from .ops.special.incomplete_gamma import igammac as gammaincc
from .ops.special.incomplete_gamma import mvlgamma as multigammaln
from .ops.special.incomplete_gamma import zeta
from .ops.special.normal_distribution import entr, erfcx, log_ndtr, ndtr, ndtri, xlog1py
from .ops.special.polynomials import (
    chebyshev_polynomial_t,
    chebyshev_polynomial_u,
    chebyshev_polynomial_v,
    chebyshev_polynomial_w,
    hermite_polynomial_h,
    hermite_polynomial_he,
    laguerre_polynomial_l,
    legendre_polynomial_p,
    shifted_chebyshev_polynomial_t,
    shifted_chebyshev_polynomial_u,
    shifted_chebyshev_polynomial_v,
    shifted_chebyshev_polynomial_w,
)

__all__ = [
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "chebyshev_polynomial_t", "chebyshev_polynomial_u",
    "chebyshev_polynomial_v", "chebyshev_polynomial_w", "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "exp2",
    "expit", "expm1", "gammainc", "gammaincc", "gammaln", "hermite_polynomial_h", "hermite_polynomial_he", "i0", "i0e",
    "i1", "i1e", "laguerre_polynomial_l", "legendre_polynomial_p", "log1p", "log_ndtr", "log_softmax", "logit",
    "logsumexp", "modified_bessel_i0", "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1",
    "multigammaln", "ndtr", "ndtri", "polygamma", "psi", "round", "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1", "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u",
    "shifted_chebyshev_polynomial_v", "shifted_chebyshev_polynomial_w", "sinc", "softmax", "spherical_bessel_j0",
    "xlog1py", "xlogy", "zeta",
]  # fmt: skip
for _name in __all__:
    findable(globals()[_name], __name__, _name)

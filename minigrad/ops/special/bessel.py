"""Bessel functions and modified Bessel functions."""

from __future__ import annotations

import math
from typing import Any

from ...core.dispatch import unary
from ..common.arguments import accepts_out
from ..common.bases import in_places, sample, short_roads
from .error_and_gamma import Special

__all__ = ["i0"]


class I0(Special):
    """The modified Bessel function of order 0."""

    __slots__ = ()
    formula = r"I_0(x)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.special("i0")(x)

    def grad_x(self, grad, x):
        r"\bar y \odot I_1(x)"
        return grad * i1(x)


class I0e(Special):
    """The modified Bessel function of order 0, divided by the exponential of |x|."""

    __slots__ = ()
    formula = r"e^{-|x|} I_0(x)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.special("i0e")(x)

    def grad_x(self, grad, x):
        r"\bar y \odot (e^{-|x|} I_1(x) - \operatorname{sign}(x) e^{-|x|} I_0(x))"
        return grad * (i1e(x) - x.sgn() * i0e(x))


class I1(Special):
    """The modified Bessel function of order 1."""

    __slots__ = ()
    formula = r"I_1(x)"
    samples = (sample((2, 3), low=0.2, high=2),)

    def forward(self, xp, x):
        return xp.special("i1")(x)

    def grad_x(self, grad, x):
        r"\bar y \odot (I_0(x) - I_1(x) / x)"
        return grad * (i0(x) - _over(i1(x), x))


class I1e(Special):
    """The modified Bessel function of order 1, divided by the exponential of |x|."""

    __slots__ = ()
    formula = r"e^{-|x|} I_1(x)"
    samples = (sample((2, 3), low=0.2, high=2),)

    def forward(self, xp, x):
        return xp.special("i1e")(x)

    def grad_x(self, grad, x):
        r"\bar y \odot (e^{-|x|} I_0(x) - e^{-|x|} I_1(x) (\operatorname{sign}(x) + 1 / x))"
        return grad * (i0e(x) - i1e(x) * x.sgn() - _over(i1e(x), x))


def _over(out: Any, x: Any) -> Any:
    """Return ``out / x``, with the limit 1/2 at 0."""
    zero = x == 0
    return (out / x.masked_fill(zero, 1)).masked_fill(zero, 0.5)


class _Wave(Special, abstract=True):
    """A Bessel function without a derivative, as in PyTorch."""

    __slots__ = ()
    samples = (sample((2, 3), low=0.2, high=4),)
    scipy = ""

    def forward(self, xp, x):
        return xp.special(self.scipy)(x)


def _wave(name: str, scipy: str, formula: str, words: str) -> Any:
    body = {"__slots__": (), "__doc__": words, "formula": formula, "scipy": scipy, "__module__": __name__}
    made: Any = accepts_out(unary(type(name, (_Wave,), body)))
    return made


bessel_j0 = _wave("BesselJ0", "j0", "J_0(x)", "The Bessel function of the first kind of order 0.")
bessel_j1 = _wave("BesselJ1", "j1", "J_1(x)", "The Bessel function of the first kind of order 1.")
bessel_y0 = _wave("BesselY0", "y0", "Y_0(x)", "The Bessel function of the second kind of order 0.")
bessel_y1 = _wave("BesselY1", "y1", "Y_1(x)", "The Bessel function of the second kind of order 1.")
modified_bessel_i0 = _wave("ModifiedI0", "i0", "I_0(x)", "The modified Bessel function of order 0, without a slope.")
modified_bessel_i1 = _wave("ModifiedI1", "i1", "I_1(x)", "The modified Bessel function of order 1, without a slope.")
modified_bessel_k0 = _wave("ModifiedK0", "k0", "K_0(x)", "The modified Bessel function of the second kind of order 0.")
modified_bessel_k1 = _wave("ModifiedK1", "k1", "K_1(x)", "The modified Bessel function of the second kind of order 1.")
scaled_modified_bessel_k0 = _wave("ScaledK0", "k0e", "e^x K_0(x)", "K0 times the exponential of x.")
scaled_modified_bessel_k1 = _wave("ScaledK1", "k1e", "e^x K_1(x)", "K1 times the exponential of x.")


class SphericalBesselJ0(Special):
    """The spherical Bessel function of order 0: sin(x) / x."""

    __slots__ = ()
    formula = r"\sin(x) / x"
    samples = (sample((2, 3), low=0.2, high=4),)

    def forward(self, xp, x):
        return xp.sinc(x / x.dtype.type(math.pi)).astype(x.dtype, copy=False)


class AiryAi(Special):
    """The Airy function Ai."""

    __slots__ = ()
    formula = r"\operatorname{Ai}(x)"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.special("airy")(x)[0]


i0 = accepts_out(unary(I0))
i0e = accepts_out(unary(I0e))
i1 = accepts_out(unary(I1))
i1e = accepts_out(unary(I1e))
spherical_bessel_j0 = accepts_out(unary(SphericalBesselJ0))
airy_ai = accepts_out(unary(AiryAi))

METHODS = short_roads(i0)
INPLACE = in_places(i0)

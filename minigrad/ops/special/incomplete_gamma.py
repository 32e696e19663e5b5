"""Incomplete gamma functions, the zeta function, and the multivariate gamma function."""

from __future__ import annotations

import math
from typing import Any

from ...core.dispatch import binary
from ...core.tensor import Tensor, as_operand
from ...errors import DomainError, MissingRuleError
from ..common.arguments import accepts_out, of_tensors
from ..common.bases import Elementwise, in_places, rewritten, sample, short_roads, within
from .error_and_gamma import lgamma

__all__ = ["igamma", "igammac", "mvlgamma"]


class Igamma(Elementwise):
    """The regularised lower incomplete gamma function."""

    __slots__ = ()
    formula = r"P(a, x) = \tfrac{1}{\Gamma(a)} \int_0^x t^{a-1} e^{-t}\, dt"
    samples = (sample(2.5, within((2, 3), 0.3, 3)),)
    sign = 1
    scipy = "gammainc"

    def forward(self, xp, a, x):
        return xp.special(self.scipy)(a, x)

    def grad_a(self, grad):
        r"\text{not known in closed form}"
        name = type(self).__name__
        raise MissingRuleError(f"the derivative of {name} with respect to its first input is not implemented")

    def grad_x(self, grad, a, x):
        r"\bar y \odot x^{a-1} e^{-x} / \Gamma(a)"
        a = a if isinstance(a, Tensor) else x.new_full((), a)
        return grad * self.sign * ((a - 1) * x.log() - x - lgamma(a)).exp()


class Igammac(Igamma):
    """The regularised upper incomplete gamma function, 1 minus `igamma`."""

    __slots__ = ()
    formula = r"Q(a, x) = \tfrac{1}{\Gamma(a)} \int_x^\infty t^{a-1} e^{-t}\, dt"
    sign = -1
    scipy = "gammaincc"


class Zeta(Elementwise):
    """Hurwitz's zeta function: the sum of 1 / (k + q)^x over k = 0, 1, ..."""

    __slots__ = ()
    promotion = "floating"
    kinds = "bif"
    formula = r"\sum_k (k + q)^{-x}"
    samples = (sample(2.5, within((2, 3), 0.5, 3)),)

    def forward(self, xp, x, q):
        return xp.special("zeta")(x, q)

    def grad_x(self, grad):
        r"\text{not known in closed form}"
        raise MissingRuleError("the derivative of zeta with respect to its first input is not implemented")

    def grad_q(self, grad, x, q):
        r"-\bar y \odot x\, \zeta(x + 1, q)"
        return grad * -x * zeta(x + 1, q)


igamma = accepts_out(of_tensors(binary(Igamma)))
igammac = accepts_out(of_tensors(binary(Igammac)))


@accepts_out
def zeta(input: Any, other: Any) -> Tensor:
    """Hurwitz's zeta function; either may be a number."""
    return Zeta()(as_operand(input), as_operand(other))


@accepts_out
def mvlgamma(input: Any, p: int) -> Tensor:
    """The logarithm of the multivariate gamma function of dimension `p`."""
    if p < 1:
        raise DomainError(f"p has to be greater than or equal to 1, got {p}")
    shifts = [-0.5 * each for each in range(p)]
    x = input if input.dtype.is_floating_point else input.float()
    spread = x.unsqueeze(-1) + x.new_tensor(shifts)
    return lgamma(spread).sum(-1) + p * (p - 1) / 4 * math.log(math.pi)


METHODS = {"mvlgamma": mvlgamma} | short_roads(igamma, igammac)
INPLACE = {"mvlgamma_": rewritten(mvlgamma)} | in_places(igamma, igammac)

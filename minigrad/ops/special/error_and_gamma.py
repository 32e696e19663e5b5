"""The error function, the gamma function, and related functions."""

from __future__ import annotations

import math
from typing import Any

from ...core.dispatch import binary, unary
from ...core.inplace import inplace
from ...core.tensor import Tensor, as_operand
from ...errors import DomainError, MissingRuleError
from ..common.arguments import accepts_out, of_tensors
from ..common.bases import Elementwise, conj, in_place, in_places, sample, short_roads, within
from ..elementwise.exponential import Smooth
from ..elementwise.where import where

__all__ = [
    "digamma", "erf", "erfc", "erfinv", "lgamma", "logaddexp", "logaddexp2", "logit", "polygamma", "xlogy",
]  # fmt: skip


class Special(Smooth, abstract=True):
    """A smooth function of one real number. Integers become floats."""

    __slots__ = ()
    kinds = "bif"

    def compute(self, backend, arrays):
        """Raise for complex numbers, of which some array libraries would drop the imaginary part."""
        if arrays[0].dtype.kind == "c":
            raise MissingRuleError(
                f"{type(self).__name__} is not implemented for complex numbers; take .real or .abs()"
            )
        return super().compute(backend, arrays)


class Erf(Special):
    """The error function: twice the area under exp(-t²) / √π from 0 to each element."""

    __slots__ = ()
    formula = r"\operatorname{erf} x"
    samples = (sample((2, 3)), sample((0,)))

    def forward(self, xp, x):
        return xp.special("erf")(x)

    def grad_x(self, grad, x):
        r"\tfrac{2}{\sqrt\pi}\, \bar y \odot e^{-x^2}"
        return grad * (2 / math.sqrt(math.pi)) * (-(x * x)).exp()


class Erfc(Special):
    """1 minus the error function, accurate for tiny results."""

    __slots__ = ()
    formula = r"1 - \operatorname{erf} x"
    samples = (sample((2, 3)),)

    def forward(self, xp, x):
        return xp.special("erfc")(x)

    def grad_x(self, grad, x):
        r"-\tfrac{2}{\sqrt\pi}\, \bar y \odot e^{-x^2}"
        return grad * (-2 / math.sqrt(math.pi)) * (-(x * x)).exp()


class Erfinv(Special):
    """The inverse of the error function."""

    __slots__ = ()
    formula = r"\operatorname{erf}^{-1} x"
    samples = (sample((2, 3), low=-0.8, high=0.8),)

    def forward(self, xp, x):
        return xp.special("erfinv")(x)

    def grad_x(self, grad, out):
        r"\tfrac{\sqrt\pi}{2}\, \bar y \odot e^{y^2}"
        return grad * (math.sqrt(math.pi) / 2) * (out * out).exp()


class Lgamma(Special):
    """The logarithm of the absolute value of the gamma function."""

    __slots__ = ()
    formula = r"\ln |\Gamma(x)|"
    samples = (sample((2, 3), low=0.3, high=4), sample((3,), low=-1.8, high=-1.2))

    def forward(self, xp, x):
        return xp.special("gammaln")(xp.where(x == -xp.inf, -x, x))  # the limit at -inf, where the poles accumulate

    def grad_x(self, grad, x):
        r"\bar y \odot \psi(x)"
        return grad * digamma(x)


class Digamma(Special):
    """The derivative of the logarithm of the gamma function."""

    __slots__ = ()
    formula = r"\psi(x)"
    samples = (sample((2, 3), low=0.5, high=4),)

    def forward(self, xp, x):
        return xp.special("digamma")(x)

    def grad_x(self, grad, x):
        r"\bar y \odot \psi'(x)"
        return grad * polygamma(1, x)


class Polygamma(Special):
    """The n-th derivative of digamma."""

    __slots__ = ("n",)
    n: int
    formula = r"\psi^{(n)}(x)"
    samples = (sample((2, 3), n=1, low=0.6, high=4), sample((2, 3), n=2, low=0.6, high=4))

    def forward(self, xp, x):
        return xp.special("polygamma")(self.n, x)

    def grad_x(self, grad, x):
        r"\bar y \odot \psi^{(n+1)}(x)"
        return grad * polygamma(self.n + 1, x)


class Logit(Special):
    """The inverse of sigmoid; with `eps`, elements are first clipped to [eps, 1 - eps]."""

    __slots__ = ("eps",)
    eps: Any
    formula = r"\ln \frac{x}{1 - x}"
    samples = (sample((2, 3), low=0.1, high=0.9, eps=None), sample((2, 3), low=-0.1, high=1.1, eps=0.05))

    def forward(self, xp, x):
        if self.eps is not None:
            x = xp.clip(x, x.dtype.type(self.eps), x.dtype.type(1 - self.eps))
        return xp.log(x / (1 - x))

    def grad_x(self, grad, x):
        r"\bar y \oslash (x (1 - x))"
        if self.eps is None:
            return (grad / (x * (1 - x))).masked_fill((x < 0) | (x > 1), math.nan)
        inside = (x >= self.eps) & (x <= 1 - self.eps)
        safe = where(inside, x, 0.5)
        return (grad / (safe * (1 - safe))).masked_fill(inside.logical_not(), 0)


class Xlogy(Elementwise):
    """x ln y, and 0 where x is 0, whatever y is."""

    __slots__ = ()
    promotion = "floating"
    formula = r"x \ln y"
    kinds = "bif"
    samples = (sample((2, 3), within((2, 3), 0.2, 2)), sample((2, 1), within((3,), 0.2, 2)), sample((2, 3), 2.0))

    def forward(self, xp, x, y):
        return xp.where((x == 0) & ~xp.isnan(y), x.dtype.type(0), x * xp.log(y))

    def grad_x(self, grad, x, y):
        r"\bar y \ln y"
        slope = Xlogy()(grad, y)  # 0 if the gradient is 0, for any y
        if not isinstance(y, Tensor):
            return slope.masked_fill(x == 0, 0) if y <= 0 else slope
        return slope.masked_fill((x == 0) & (y <= 0), 0)

    def grad_y(self, grad, x, y):
        r"\bar y \odot x \oslash y"
        return grad * x / y


class Logaddexp(Elementwise):
    """The logarithm of the sum of two exponentials, computed without overflow."""

    __slots__ = ()
    kinds = "fc"
    formula = r"\ln(e^a + e^b)"
    samples = (sample((2, 3), (2, 3)), sample((2, 1), (3,)))

    def forward(self, xp, a, b):
        return log_of_sum(xp, a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \odot \sigma(a - b)"
        return grad * conj((a - b).sigmoid())

    def grad_b(self, grad, a, b):
        r"\bar y \odot \sigma(b - a)"
        return grad * conj((b - a).sigmoid())


def log_of_sum(xp: Any, a: Any, b: Any) -> Any:
    """Return the logarithm of the sum of the exponentials of two arrays, complex ones included."""
    if a.dtype.kind != "c":
        return xp.logaddexp(a, b)
    larger = a.real >= b.real
    top, low = xp.where(larger, a, b), xp.where(larger, b, a)
    same = xp.isinf(top.real) & (top == low)
    return xp.where(same, top, top + xp.log1p(xp.exp(low - top)))


class Logaddexp2(Elementwise):
    """The logarithm to base 2 of the sum of two powers of 2, computed without overflow."""

    __slots__ = ()
    formula = r"\log_2(2^a + 2^b)"
    samples = (sample((2, 3), (2, 3)),)

    def forward(self, xp, a, b):
        return xp.logaddexp2(a, b)

    def grad_a(self, grad, a, b):
        r"\bar y \odot \sigma((a - b) \ln 2)"
        return grad * ((a - b) * math.log(2)).sigmoid()

    def grad_b(self, grad, a, b):
        r"\bar y \odot \sigma((b - a) \ln 2)"
        return grad * ((b - a) * math.log(2)).sigmoid()


erf = accepts_out(unary(Erf))
erfc = accepts_out(unary(Erfc))
erfinv = accepts_out(unary(Erfinv))
lgamma = accepts_out(unary(Lgamma))
digamma = accepts_out(unary(Digamma))
logaddexp = accepts_out(of_tensors(binary(Logaddexp)))
logaddexp2 = accepts_out(of_tensors(binary(Logaddexp2)))


@accepts_out
def polygamma(n: int, input: Tensor) -> Tensor:
    """The n-th derivative of digamma."""
    if n < 0:
        raise DomainError(f"polygamma(n, x) does not support negative n. Got {n}")
    return digamma(input) if n == 0 else Polygamma(n)(input)


@accepts_out
def logit(input: Tensor, eps: float | None = None) -> Tensor:
    """The inverse of sigmoid; with `eps`, of elements clipped to [eps, 1 - eps]."""
    return Logit(eps)(input)


@accepts_out
def xlogy(input: Any, other: Any) -> Tensor:
    """``input * log(other)``, and 0 where `input` is 0."""
    return Xlogy()(as_operand(input), as_operand(other))


def logit_(self: Tensor, eps: float | None = None) -> Tensor:
    """Replace every element by its inverse sigmoid, in place."""
    return inplace(Logit(eps), self)


def _polygamma_of(self: Tensor, n: int) -> Tensor:
    """Return the function that computes the n-th derivative of digamma."""
    return polygamma(n, self)


_ONE = (erf, erfc, erfinv, lgamma, digamma)
METHODS = short_roads(*_ONE, logaddexp, logaddexp2) | {
    "logit": logit, "xlogy": xlogy, "polygamma": _polygamma_of,
}  # fmt: skip


def polygamma_(self: Tensor, n: int) -> Tensor:
    """Replace every element by the n-th derivative of digamma, in place."""
    return inplace(Digamma() if n == 0 else Polygamma(n), self)


INPLACE = in_places(*_ONE) | {"logit_": logit_, "polygamma_": polygamma_, "xlogy_": in_place(Xlogy)}

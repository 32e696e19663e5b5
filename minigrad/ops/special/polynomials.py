"""Orthogonal polynomials, each family by its three-term recurrence.

As in PyTorch, they have no derivative.
"""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor, as_operand
from ...errors import ArgumentTypeError
from ..common.arguments import accepts_out
from ..common.bases import Elementwise, sample
from ..common.samples import exactly

ORDERS = exactly([[0, 1, 2], [3, 5, 9]])


class Polynomial(Elementwise, abstract=True):
    """The polynomial of order `n` at `x`, by recurrence from 1 and `first` with `following`; 0 for negative `n`."""

    __slots__ = ()
    promotion = "floating"
    kinds = "bif"
    samples = (sample((2, 3), ORDERS, low=-1.0, high=1.0),)

    def forward(self, xp, x, n):
        kind = xp.asarray(x).dtype
        wide = xp.asarray(x).astype("float32" if kind.itemsize == 2 else kind)  # errors grow with the order
        x, order = xp.broadcast_arrays(self.within(wide), xp.trunc(xp.asarray(n)))
        before, now = xp.ones_like(x), self.first(x)
        out = xp.where(order == 0, before, xp.where(order == 1, now, xp.zeros_like(x)))
        for k in range(1, int(order.max()) if order.size else 0):
            before, now = now, self.following(x, k, now, before)
            out = xp.where(order == k + 1, now, out)
        return out.astype(kind)

    def within(self, x: Any) -> Any:
        """Map `x` to the interval of the recurrence, by default [-1, 1]."""
        return x

    def first(self, x: Any) -> Any:
        """The polynomial of order 1."""
        return x

    def following(self, x: Any, k: int, now: Any, before: Any) -> Any:
        """The polynomial of order k + 1, from those of order k and k - 1."""
        return 2 * x * now - before


class ChebyshevT(Polynomial):
    """The Chebyshev polynomial of the first kind."""

    __slots__ = ()
    formula = r"T_n(x), \quad T_{k+1} = 2 x T_k - T_{k-1},\; T_1 = x"


class ChebyshevU(Polynomial):
    """The Chebyshev polynomial of the second kind."""

    __slots__ = ()
    formula = r"U_n(x), \quad U_{k+1} = 2 x U_k - U_{k-1},\; U_1 = 2 x"

    def first(self, x):
        return 2 * x


class ChebyshevV(Polynomial):
    """The Chebyshev polynomial of the third kind."""

    __slots__ = ()
    formula = r"V_n(x), \quad V_{k+1} = 2 x V_k - V_{k-1},\; V_1 = 2 x - 1"

    def first(self, x):
        return 2 * x - 1


class ChebyshevW(Polynomial):
    """The Chebyshev polynomial of the fourth kind."""

    __slots__ = ()
    formula = r"W_n(x), \quad W_{k+1} = 2 x W_k - W_{k-1},\; W_1 = 2 x + 1"

    def first(self, x):
        return 2 * x + 1


class Shifted:
    """Mixed into families on the interval [0, 1]."""

    __slots__ = ()
    samples = (sample((2, 3), ORDERS, low=0.0, high=1.0),)

    def within(self, x: Any) -> Any:
        """Map `x` from [0, 1] to [-1, 1]."""
        return 2 * x - 1


class ShiftedChebyshevT(Shifted, ChebyshevT):
    """The Chebyshev polynomial of the first kind, between 0 and 1."""

    __slots__ = ()
    formula = r"T_n(2 x - 1)"


class ShiftedChebyshevU(Shifted, ChebyshevU):
    """The Chebyshev polynomial of the second kind, between 0 and 1."""

    __slots__ = ()
    formula = r"U_n(2 x - 1)"


class ShiftedChebyshevV(Shifted, ChebyshevV):
    """The Chebyshev polynomial of the third kind, between 0 and 1."""

    __slots__ = ()
    formula = r"V_n(2 x - 1)"


class ShiftedChebyshevW(Shifted, ChebyshevW):
    """The Chebyshev polynomial of the fourth kind, between 0 and 1."""

    __slots__ = ()
    formula = r"W_n(2 x - 1)"


class HermiteH(Polynomial):
    """The physicist's Hermite polynomial."""

    __slots__ = ()
    formula = r"H_n(x), \quad H_{k+1} = 2 x H_k - 2 k H_{k-1},\; H_1 = 2 x"

    def first(self, x):
        return 2 * x

    def following(self, x, k, now, before):
        return 2 * (x * now - k * before)


class HermiteHe(Polynomial):
    """The probabilist's Hermite polynomial."""

    __slots__ = ()
    formula = r"He_n(x), \quad He_{k+1} = x He_k - k He_{k-1},\; He_1 = x"

    def following(self, x, k, now, before):
        return x * now - k * before


class Laguerre(Polynomial):
    """The Laguerre polynomial."""

    __slots__ = ()
    formula = r"L_n(x), \quad (k + 1) L_{k+1} = (2 k + 1 - x) L_k - k L_{k-1},\; L_1 = 1 - x"

    def first(self, x):
        return 1 - x

    def following(self, x, k, now, before):
        return ((2 * k + 1 - x) * now - k * before) / (k + 1)


class Legendre(Polynomial):
    """The Legendre polynomial."""

    __slots__ = ()
    formula = r"P_n(x), \quad (k + 1) P_{k+1} = (2 k + 1) x P_k - k P_{k-1},\; P_1 = x"

    def following(self, x, k, now, before):
        return ((2 * k + 1) * x * now - k * before) / (k + 1)


def _function(op: type[Polynomial], name: str) -> Any:
    def polynomial(x: Any, n: Any) -> Tensor:
        if not isinstance(x, Tensor) and not isinstance(n, Tensor):
            raise ArgumentTypeError(f"{name}(): one of x and n must be a Tensor; both are numbers")
        return op()(as_operand(x), as_operand(n))

    polynomial.__name__ = polynomial.__qualname__ = name
    polynomial.__doc__ = f"{op.__doc__[:-1]} of order `n` at `x`, elementwise; either may be a number."  # type: ignore[index]
    return accepts_out(polynomial)


chebyshev_polynomial_t = _function(ChebyshevT, "chebyshev_polynomial_t")
chebyshev_polynomial_u = _function(ChebyshevU, "chebyshev_polynomial_u")
chebyshev_polynomial_v = _function(ChebyshevV, "chebyshev_polynomial_v")
chebyshev_polynomial_w = _function(ChebyshevW, "chebyshev_polynomial_w")
shifted_chebyshev_polynomial_t = _function(ShiftedChebyshevT, "shifted_chebyshev_polynomial_t")
shifted_chebyshev_polynomial_u = _function(ShiftedChebyshevU, "shifted_chebyshev_polynomial_u")
shifted_chebyshev_polynomial_v = _function(ShiftedChebyshevV, "shifted_chebyshev_polynomial_v")
shifted_chebyshev_polynomial_w = _function(ShiftedChebyshevW, "shifted_chebyshev_polynomial_w")
hermite_polynomial_h = _function(HermiteH, "hermite_polynomial_h")
hermite_polynomial_he = _function(HermiteHe, "hermite_polynomial_he")
laguerre_polynomial_l = _function(Laguerre, "laguerre_polynomial_l")
legendre_polynomial_p = _function(Legendre, "legendre_polynomial_p")

__all__: list[str] = []

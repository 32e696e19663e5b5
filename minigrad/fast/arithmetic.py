"""The exponential and its kin for float32, in a form that the compiler turns into vector instructions.

A library's `exp` is a call, and a call ends vectorising. Here it is a polynomial: x = n log 2 + r, e^x = 2^n e^r. To
round to n, a number so large is added that its last bit stands for 1, and the bits of the sum are n; 2^n is made of n
by moving it to where a float has its exponent. `floor`, or a cast to an integer, would not be vectorised.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

F = np.float32
FUSED = {"contract", "nsz"}
"""A product and a sum may be rounded once. Sums keep their order, else the rounding trick would be optimised away."""


@intrinsic
def power_of_two(context: Any, sum: Any) -> Any:
    """2^n, where `sum` is n + `ROUNDING`: its last bits, moved to the exponent. In 32 bits; Numba would take 64."""

    def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        whole = ir.IntType(32)
        bits = builder.bitcast(arguments[0], whole)
        exponent = builder.add(bits, ir.Constant(whole, 127 - ROUNDING_BITS))
        return builder.bitcast(builder.shl(exponent, ir.Constant(whole, 23)), ir.FloatType())

    return types.float32(types.float32), build


ROUNDING = F(12582912.0)  # 1.5 * 2**23
ROUNDING_BITS = 0x4B400000
LOG2_E, LOG_2, LOG_2_REST = F(1.4426950408889634), F(0.693359375), F(-2.12194440e-4)
E5, E4, E3, E2, E1, E0 = (
    F(1.9875691500e-4), F(1.3981999507e-3), F(8.3334519073e-3), F(4.1665795894e-2), F(1.6666665459e-1), F(0.5),
)  # fmt: skip
LOWEST, HIGHEST = F(-88.0), F(89.0)  # whose powers of two are 0 and infinity


@njit(fastmath=FUSED, inline="always")
def exp(x: Any) -> Any:
    """e^x to one unit in the last place; 0 below -87.7, infinity above 88.4, NaN for NaN."""
    x = LOWEST if x < LOWEST else HIGHEST if x > HIGHEST else x
    shifted = x * LOG2_E + ROUNDING
    n = shifted - ROUNDING
    r = (x - n * LOG_2) - n * LOG_2_REST
    p = ((((E5 * r + E4) * r + E3) * r + E2) * r + E1) * r + E0
    return (p * r * r + r + F(1)) * power_of_two(shifted)


T4, T3, T2, T1, T0 = (
    F(-5.70498872745e-3), F(2.06390887954e-2), F(-5.37397155531e-2), F(1.33314422036e-1), F(-3.33332819422e-1),
)  # fmt: skip


@njit(fastmath=FUSED, inline="always")
def tanh(x: Any) -> Any:
    """The hyperbolic tangent: near 0 by a polynomial, elsewhere by the exponential."""
    square = x * x
    near = ((((T4 * square + T3) * square + T2) * square + T1) * square + T0) * square * x + x
    size = abs(x)
    far = F(1) - F(2) / (exp(F(2) * size) + F(1))
    return near if size < F(0.625) else (far if x > F(0) else -far)

"""Counts from the Poisson distribution, computed from uniform numbers that `draw` returns one by one."""

from __future__ import annotations

import math
from collections.abc import Callable


def few(draw: Callable[[], float], rate: float) -> int:
    """For small rates: multiply uniform numbers until the product is at most exp(-rate) (Knuth, 1969)."""
    if rate == 0:
        return 0
    limit, product, count = math.exp(-rate), draw(), 0
    while product > limit:
        product *= draw()
        count += 1
    return count


def many(draw: Callable[[], float], rate: float) -> int:
    """For rates from 10 on: transformed rejection (Hörmann, 1993, algorithm PTRS)."""
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    accept = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = draw() - 0.5
        v = draw()
        distance = 0.5 - abs(u)
        count = math.floor((2 * a / distance + b) * u + rate + 0.43)
        if distance >= 0.07 and v <= accept:
            return count
        if count < 0 or (distance < 0.013 and v > distance):
            continue
        chance = -rate + count * math.log(rate) - math.lgamma(count + 1)
        if math.log(v * inverse_alpha / (a / distance**2 + b)) <= chance:
            return count

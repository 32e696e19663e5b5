"""Binomial counts of successes in `trials` trials, computed from uniform numbers that `draw` returns one by one."""

from __future__ import annotations

import math
from collections.abc import Callable

Draw = Callable[[], float]

MANY = 10
"""Counts with at least this many expected successes are drawn by rejection."""


def binomial(draw: Draw, trials: float, chance: float) -> float:
    """Return the number of successes. For chances above one half, it counts the failures."""
    if trials <= 0 or chance <= 0:
        return 0.0
    if chance >= 1:
        return trials
    if chance > 0.5:
        return trials - binomial(draw, trials, 1 - chance)
    return many(draw, trials, chance) if trials * chance >= MANY else few(draw, trials, chance)


def few(draw: Draw, trials: float, chance: float) -> float:
    """Add waiting times between successes until they exceed the number of trials."""
    waited, count, log = 0.0, 0, math.log1p(-chance)
    while True:
        u = draw()
        waited += math.ceil(math.log(u) / log) if u > 0 else math.inf
        if waited > trials:
            return float(count)
        count += 1


def many(draw: Draw, trials: float, chance: float) -> float:
    """Transformed rejection (Hörmann, 1993, algorithm BTRS)."""
    spread = math.sqrt(trials * chance * (1 - chance))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * chance
    c = trials * chance + 0.5
    accept = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * spread
    middle = math.floor((trials + 1) * chance)
    odds = math.log(chance) - math.log1p(-chance)
    ways = math.lgamma(middle + 1) + math.lgamma(trials - middle + 1)
    while True:
        u = draw() - 0.5
        v = draw()
        distance = 0.5 - abs(u)
        count = math.floor((2 * a / distance + b) * u + c)
        if distance >= 0.07 and v <= accept:
            return float(count)
        if not 0 <= count <= trials:
            continue
        likelihood = ways - math.lgamma(count + 1) - math.lgamma(trials - count + 1) + (count - middle) * odds
        if math.log(v * alpha / (a / distance**2 + b)) <= likelihood:
            return float(count)

"""A line search for the strong Wolfe conditions, by cubic interpolation (Nocedal and Wright, algorithms 3.5 and 3.6).

The points are tuples (t, f, g, slope): the distance along the direction, the loss there, its gradient, and the
directional derivative.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple


class Point(NamedTuple):
    """A point on the line."""

    t: float
    loss: float
    grad: Any
    slope: float


Probe = Callable[[float], Point]


def cubic_minimum(a: Point, b: Point, low: float | None = None, high: float | None = None) -> float:
    """Return the minimum of the cubic through two points with their slopes, clipped to [`low`, `high`]."""
    if low is None or high is None:
        low, high = min(a.t, b.t), max(a.t, b.t)
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    inside = d1 * d1 - a.slope * b.slope
    if inside < 0:
        return (low + high) / 2
    d2 = math.sqrt(inside)
    left, right = (a, b) if a.t <= b.t else (b, a)
    found = right.t - (right.t - left.t) * ((right.slope + d2 - d1) / (right.slope - left.slope + 2 * d2))
    return min(max(found, low), high)


def strong_wolfe(
    probe: Probe,
    start: Point,
    t: float,
    size: float,
    most: int = 25,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance: float = 1e-9,
) -> tuple[Point, int]:
    """Find a point with a low loss (c1) and a small slope (c2). Return it, and the number of `probe` calls (max.
    `most`).

    `size` is the largest element of the direction. The search stops at an interval shorter than `tolerance` along it.
    """

    def low_enough(point: Point) -> bool:
        return point.loss <= start.loss + c1 * point.t * start.slope

    def flat_enough(point: Point) -> bool:
        return abs(point.slope) <= -c2 * start.slope

    before, now, asked, tries = start, probe(t), 1, 0
    bracket = []
    while tries < most:
        if not low_enough(now) or (tries > 1 and now.loss >= before.loss):
            bracket = [before, now]
            break
        if flat_enough(now):
            return now, asked
        if now.slope >= 0:
            bracket = [before, now]
            break
        shortest = now.t + 0.01 * (now.t - before.t)
        further = cubic_minimum(before, now, shortest, now.t * 10)
        before, now = now, probe(further)
        asked += 1
        tries += 1
    if not bracket:
        bracket = [start, now]
    point, more = _zoom(probe, bracket, low_enough, flat_enough, size, tolerance, most - tries)
    return point, asked + more


def _zoom(
    probe: Probe,
    bracket: list[Point],
    low_enough: Callable[[Point], bool],
    flat_enough: Callable[[Point], bool],
    size: float,
    tolerance: float,
    most: int,
) -> tuple[Point, int]:
    """Narrow the bracket until its lower end satisfies both conditions."""
    low, high = sorted(bracket, key=lambda point: point.loss)
    stuck = False
    asked = 0
    while asked < most:
        if abs(high.t - low.t) * size < tolerance:
            break
        t = cubic_minimum(low, high)
        ends = sorted((low.t, high.t))
        margin = 0.1 * (ends[1] - ends[0])
        if min(ends[1] - t, t - ends[0]) < margin:  # too near an end: accepted once, but not twice in a row
            if stuck or t >= ends[1] or t <= ends[0]:
                t = ends[1] - margin if abs(t - ends[1]) < abs(t - ends[0]) else ends[0] + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        now = probe(t)
        asked += 1
        if not low_enough(now) or now.loss >= low.loss:
            high = now
            if high.loss < low.loss:
                low, high = high, low
        else:
            if flat_enough(now):
                return now, asked
            if now.slope * (high.t - low.t) >= 0:
                high = low
            low = now
    return low, asked

"""Numbers from the gamma distribution of rate 1, computed from uniform and normal numbers drawn one by one."""

from __future__ import annotations

import math
from collections.abc import Callable

Draw = Callable[[], float]


def gamma(uniform: Draw, normal: Draw, alpha: float) -> float:
    """Return the scaled cube of a normal number, drawn until it is accepted (Marsaglia and Tsang, 2000).

    For `alpha` below 1, a number for `alpha` + 1 is multiplied by a power of a uniform number, which is drawn first.
    """
    scale = 1.0
    if alpha < 1:
        scale = (1 - uniform()) ** (1 / alpha) if alpha > 0 else 0.0
        alpha += 1
    d = alpha - 1 / 3
    c = 1 / math.sqrt(9 * d)
    while True:
        x = normal()
        if 1 + c * x <= 0:
            continue
        cube = (1 + c * x) ** 3
        u = 1 - uniform()
        square = x * x
        if u < 1 - 0.0331 * square * square or math.log(u) < 0.5 * square + d * (1 - cube + math.log(cube)):
            return scale * d * cube

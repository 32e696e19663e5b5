"""A function over a part of the plane, drawn as letters, with points on it, for the demos' pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import minigrad as mg

Mark = tuple[float, float, str]
"""A point and its letter: (x, y, "●")."""


def landscape(
    share: Callable[[mg.Tensor], mg.Tensor],
    x: tuple[float, float],
    y: tuple[float, float],
    width: int,
    height: int,
    marks: Iterable[Mark] = (),
    shades: str = " ░",
) -> str:
    """A map of `width` by `height` letters, y upwards. A `share` of 0 is drawn as the first of `shades`, 1 as the last.

    `share` takes points of shape (n, 2) and returns n numbers, which are limited to 0 to 1. Later marks cover earlier
    ones.

    >>> print(landscape(lambda points: points[:, 0], (0, 1), (0, 1), 4, 2, [(1.0, 0.0, "●")]))
      ░░
      ░●
    """
    across, down = mg.linspace(*x, width), mg.linspace(y[1], y[0], height)
    points = mg.stack([across.repeat(height), down.repeat_interleave(width)], dim=1)
    with mg.no_grad():
        levels = (share(points).reshape(height, width).clamp(0, 1) * (len(shades) - 1)).round()
    rows = [[shades[int(level)] for level in row] for row in levels.nan_to_num(0.0).tolist()]
    for px, py, letter in marks:
        column = round((px - x[0]) / (x[1] - x[0]) * (width - 1))
        row = round((y[1] - py) / (y[1] - y[0]) * (height - 1))
        if 0 <= column < width and 0 <= row < height:
            rows[row][column] = letter
    return "\n".join("".join(row) for row in rows)

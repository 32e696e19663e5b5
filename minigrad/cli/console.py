"""The commands' output: results on stdout, everything else on stderr, and errors that say what to do.

Rich decides whether to use colour and to redraw lines: never if NO_COLOR is set or the output is not a
terminal.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

BLUE, ORANGE, GREEN, RED, VIOLET = "#3b7dc4", "#d8630d", "#1a9068", "#c62f3c", "#8c59b5"
"""The explorer's colours: value, gradient, leaf, error, saved."""

PIPED_WIDTH = 120
"""Columns if there is no terminal: a table in a file or a pipe should not be cut at 80."""

DECADES = 100.0
"""If the largest number of a curve is this many times the smallest, the curve has a logarithmic axis."""

BLOCKS = "▁▂▃▄▅▆▇█"


class Problem(Exception):
    """A usage error. It becomes one line on stderr, which says what to do, and exit status 2."""


@cache
def out() -> Console:
    """The console for a command's results, on stdout."""
    return _console(stderr=False)


@cache
def err() -> Console:
    """The console for messages, on stderr."""
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False, soft_wrap=False)
    if not console.is_terminal:
        console.width = PIPED_WIDTH
    return console


def escape(text: str) -> str:
    """Escape text of a program or trace for the terminal: neither markup nor control codes take effect."""
    from rich.markup import escape as without_markup

    from ..observe.escaping import printable

    return without_markup(printable(text))


def one_line(text: str) -> str:
    """Replace every run of white space by one space."""
    return " ".join(text.split())


def fail(message: str) -> None:
    """Print what went wrong, in one line that is not wrapped."""
    err().print(f"[bold {RED}]minigrad:[/] {escape(one_line(message))}", soft_wrap=True)


def say(message: str, style: str | None = None) -> None:
    """Print a message for the user, with Rich's markup, on stderr."""
    err().print(message, soft_wrap=True, style=style)


def forgiving() -> None:
    """Let a terminal that cannot show a character show a `?` instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def sparkline(values: Sequence[float], width: int = 24) -> str:
    """A curve one line high, with a logarithmic axis if it spans decades; a NaN is a cross.

    >>> sparkline([3.0, 2.0, 1.0, float("nan")])
    '█▅▁×'
    """
    shares = scaled(values, width)
    return "".join(BLOCKS[round(share * (len(BLOCKS) - 1))] if math.isfinite(share) else "×" for share in shares)


def scaled(values: Sequence[float], width: int) -> list[float]:
    """At most `width` of the values, from 0 for the smallest to 1; NaN and infinities are unchanged.

    >>> scaled([3.0, 2.0, 1.0], 3)
    [1.0, 0.5, 0.0]
    """
    kept = thinned(values, width)
    finite = [value for value in kept if math.isfinite(value)]
    if finite and min(finite) > 0 and max(finite) > DECADES * min(finite):
        kept = [math.log(value) if math.isfinite(value) else value for value in kept]
        finite = [value for value in kept if math.isfinite(value)]
    low, high = (min(finite), max(finite)) if finite else (0.0, 0.0)
    scale = 1 / (high - low) if high > low else 0.0
    return [(value - low) * scale if math.isfinite(value) else value for value in kept]


def thinned(values: Sequence[float], width: int) -> list[float]:
    """At most `width` of the values, evenly spaced, including the last."""
    if len(values) <= width:
        return list(values)
    return [values[round(i * (len(values) - 1) / (width - 1))] for i in range(width)]


def number(value: float) -> str:
    """A short text for a number; never 0.0000 for a number that is not zero.

    >>> number(0.04567), number(12345.6), number(3e-9)
    ('0.0457', '12346', '3.00e-09')
    """
    if not math.isfinite(value):
        return str(value)
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e3:
        return f"{value:.4f}"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.2e}"

"""Small programs that show something. Each is a script like one of yours: open it, read it, change it, run it.

    minigrad demo digits              watched, in the browser
    minigrad demo digits --live       shown in the terminal
    python -m minigrad.demos.digits   the same program, alone

A demo has one function, ``main``, whose arguments can be set on the command line. It reports its progress
through `report`, which the command line replaces by a progress bar, or by a display that also shows its picture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

CATALOGUE = {
    "digits": "A net learns to read handwritten digits; at the end it reads some that it has never seen.",
    "moons": "A deeper net bends a line until it separates two moons. Watch the boundary.",
    "gpt": "A transformer learns to write like Python's manual, one letter after another.",
    "scalar": "One neuron, three numbers: every gradient can be checked by hand, and two of them add up.",
    "xor": "Four points that no straight line separates, and the eight hidden units that do it.",
    "newton": "Gradients of gradients: Newton's method walks a valley in a few steps where descent needs thousands.",
    "nan": "A net of springs falls apart into NaN. Anomaly detection finds the line, one small change mends it.",
}
"""For each demo, by name, what it shows. The program is the module of that name in this folder."""


Picture = Callable[[int, int], str]
"""Draws what the demo does now in at most the given columns and rows. It is called only if its text is shown."""


class Report(Protocol):
    """The progress of a demo: `done` of `total`, numbers for curves, and how to draw what it does."""

    def __call__(self, done: int, total: int, picture: Picture | None = None, **numbers: float) -> None: ...


def print_report(done: int, total: int, picture: Picture | None = None, **numbers: float) -> None:
    """A plain report: about ten lines for a whole run.

    >>> print_report(5, 5, loss=0.125)
     5/5   loss 0.125
    """
    if done == total or done % max(1, total // 10) == 0:
        print(f" {done:>{len(str(total))}}/{total} ", *(f" {name} {value:.4g}" for name, value in numbers.items()))

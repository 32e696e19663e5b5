"""A demo's progress in the terminal: a bar, the loss as a curve, the numbers; plain lines in a pipe."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from .console import BLUE, GREEN, number, out, sparkline

if TYPE_CHECKING:
    from rich.progress import Progress

    from minigrad.demos import Picture

LINES = 10
"""How many progress lines to print on a terminal that cannot redraw a line."""


def shown(name: str, value: float) -> str:
    """A number with its name; an accuracy as a percentage.

    >>> shown("accuracy", 0.9722), shown("loss", 0.5)
    ('accuracy 97.2 %', 'loss 0.5000')
    """
    return f"{name} {100 * value:.1f} %" if name.endswith("accuracy") else f"{name} {number(value)}"


class Screen:
    """A demo's `Report`, which also passes every number on to `heard`.

    Use it as a context manager around the demo, so that what the demo prints appears above the bar.
    """

    def __init__(
        self, title: str, heard: Callable[[str, float], None] = lambda name, value: None, drawing: bool = True
    ) -> None:
        self.title = title
        self.heard = heard
        self.losses: list[float] = []
        self.numbers: dict[str, float] = {}
        self.total = 0
        self._began = time.monotonic()
        self._progress: Progress | None = None
        self._drawing = drawing and out().is_terminal

    def __enter__(self) -> Screen:
        if self._drawing:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

            columns = (
                TextColumn("[bold]{task.description}"),
                BarColumn(bar_width=24, complete_style=BLUE, finished_style=GREEN, pulse_style=BLUE),
                MofNCompleteColumn(),
                TextColumn(f"[{BLUE}]{{task.fields[curve]}}"),
                TextColumn("{task.fields[numbers]}"),
                TimeElapsedColumn(),
            )
            self._progress = Progress(*columns, console=out(), transient=True)
            self._progress.add_task(self.title, total=None, curve="", numbers="")
            self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def __call__(self, done: int, total: int, picture: Picture | None = None, **numbers: float) -> None:
        self.note(total, numbers)
        if self._progress is not None:
            self._progress.update(
                self._progress.task_ids[0],
                completed=done,
                total=total,
                curve=sparkline(self.losses),
                numbers=self.words(),
            )
        else:
            self.say(done, total)

    def note(self, total: int, numbers: Mapping[str, float]) -> None:
        """Keep the numbers, and pass them on."""
        for name, value in numbers.items():
            self.heard(name, value)
        if "loss" in numbers:
            self.losses.append(numbers["loss"])
        self.numbers.update(numbers)
        self.total = total

    def say(self, done: int, total: int) -> None:
        """Print a line from time to time, if lines cannot be redrawn."""
        if done == total or done % max(1, total // LINES) == 0:
            print(f"{self.title} {done:>{len(str(total))}}/{total}  {self.words()}", flush=True)

    def words(self) -> str:
        """The newest value of every number."""
        return "  ".join(shown(name, value) for name, value in self.numbers.items())

    def summary(self) -> str:
        """The outcome of the demo, for the last line."""
        return f"{self.title}: {sparkline(self.losses)} {self.words()}  in {self.seconds():.1f} s"

    def seconds(self) -> float:
        """The seconds since the start."""
        return time.monotonic() - self._began

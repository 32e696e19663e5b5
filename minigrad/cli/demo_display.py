"""`--live`: show a demo in the terminal while it learns: its curve, its numbers, and a picture."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .console import BLOCKS, BLUE, GREEN, out, scaled
from .progress import Screen, shown

if TYPE_CHECKING:
    from rich.live import Live

    from minigrad.demos import Picture

CURVE = 32
"""Columns of the curve."""

LEAST = 6.0
"""A demo lasts at least this many seconds: a faster one is slowed down, so that it can be seen."""

SHARE = 4
"""Drawing takes at most 1 / (1 + SHARE) of the time."""

PER_SECOND = 12
"""The most frames per second."""


class Display(Screen):
    """A demo's `Report` that redraws the same lines. In a pipe it prints lines, and the last picture."""

    def __init__(
        self, title: str, heard: Callable[[str, float], None] = lambda name, value: None, least: float = LEAST
    ) -> None:
        super().__init__(title, heard, drawing=False)
        self._least = least
        self._live: Live | None = None
        self._next = 0.0
        self._picture = ""

    def __enter__(self) -> Display:
        if out().is_terminal:
            from rich.live import Live

            self._live = Live(console=out(), auto_refresh=False, vertical_overflow="crop")
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, done: int, total: int, picture: Picture | None = None, **numbers: float) -> None:
        self.note(total, numbers)
        if self._live is None:
            self.say(done, total)
            if done == total and picture is not None:
                print(picture(72, 18), flush=True)
            return
        now = time.monotonic()
        if done == total or now >= self._next:
            if picture is not None:
                self._picture = picture(*self._room())
            self._live.update(self._frame(done, total), refresh=True)
            self._next = now + max(1 / PER_SECOND, SHARE * (time.monotonic() - now))
        time.sleep(max(0.0, self._least * done / total - self.seconds()))

    def _room(self) -> tuple[int, int]:
        """The columns and rows for the picture, which is beside the curve if the terminal is wide enough."""
        width, height = out().size
        beside = width >= 2 * CURVE + 12
        return max(16, min(76, width - (CURVE + 8 if beside else 4))), max(6, min(18, height - (4 if beside else 14)))

    def _frame(self, done: int, total: int) -> Any:
        from rich.panel import Panel
        from rich.table import Table
        from rich.text import Text

        filled = round(CURVE * done / total)
        said = Text.assemble(
            (self.title, "bold"), f"  {done}/{total}  {self.seconds():.1f} s\n",
            ("━" * filled, GREEN if done == total else BLUE), ("━" * (CURVE - filled), "dim"), "\n\n",
            (chart(self.losses, CURVE, 6), BLUE), "\n",
            *(f"\n{shown(name, value)}" for name, value in self.numbers.items()),
        )  # fmt: skip
        picture = Panel(Text(self._picture, no_wrap=True, overflow="crop"), border_style="dim", expand=False)
        grid = Table.grid(padding=(0, 2))
        if out().width >= 2 * CURVE + 12:
            grid.add_row(said, picture)
        else:
            grid.add_row(said)
            grid.add_row(picture)
        return grid


def chart(values: list[float], width: int, height: int) -> str:
    """A curve of several rows of blocks, logarithmic if it spans decades.

    >>> print(chart([0.0, 2.0, 4.0], 3, 2))
      █
    ▁██
    """
    columns = [1 + share * (8 * height - 1) if math.isfinite(share) else 0.0 for share in scaled(values, width)]
    rows = []
    for row in reversed(range(height)):
        levels = [max(0, min(8, round(column) - 8 * row)) for column in columns]
        rows.append("".join(BLOCKS[level - 1] if level else " " for level in levels))
    return "\n".join(rows)

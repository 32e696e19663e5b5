"""Draw the table as a picture: `python -m benchmarks.picture benchmarks.json` draws it from a file of results.

It has one line for each row, on a logarithmic scale. In the upper part, PyTorch is 1, and each library has its mark;
in the lower part, minigrad is compared with itself, and 1 is the same work without what is measured. A tick shows how
far left minigrad's mark should be. It is plain SVG with its own background, light or dark as in the reader's system.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

PICTURE = Path(__file__).with_name("ratios.svg")
"""The picture that README shows."""

WIDTH, LEFT, RIGHT = 880, 170, 145
"""Widths in pixels: the picture, the names at its left, the figures at its right."""
TOP, LINE, GAP, FOOT = 92, 22, 46, 58
"""Heights in pixels: the head, a row, the gap between the two parts, the foot."""
LOWEST, HIGHEST = 0.04, 8.0
"""The range of the scale. A ratio beyond it is drawn at its end."""
MARKED = (0.05, 0.1, 0.2, 0.5, 1, 2, 5)
MAIN, REFERENCE = "minigrad", "torch"
NAMES = {
    "minigrad": "minigrad",
    "numpy": "NumPy by hand",
    "autograd": "HIPS autograd",
    "mygrad": "MyGrad",
    "micrograd": "micrograd",
}

STYLE = """
svg { --paper: #ffffff; --ink: #1d1d1b; --quiet: #6b6b64; --rule: #e3e3dd; --target: #1d1d1b;
      --minigrad: #1f6fb5; --numpy: #6b6b64; --autograd: #d4640f; --mygrad: #8a5bb5; --micrograd: #1a8f6a; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #17181b; --ink: #ececea; --quiet: #a2a29b; --rule: #33353a; --target: #ececea;
        --minigrad: #63aef0; --numpy: #a2a29b; --autograd: #f0954a; --mygrad: #bd95e6; --micrograd: #4fc79d; }
}
text { font: 12px system-ui, sans-serif; fill: var(--ink); }
.quiet { fill: var(--quiet); } .title { font-size: 15px; font-weight: 600; } .small { font-size: 11px; }
.end { text-anchor: end; } .middle { text-anchor: middle; } .strong { font-weight: 600; }
.rule { stroke: var(--rule); } .one { stroke: var(--quiet); } .target { stroke: var(--target); stroke-width: 2; }
.cross { stroke: var(--micrograd); stroke-width: 2.5; }
.band { stroke: var(--rule); stroke-width: 3; stroke-linecap: round; }
"""


@dataclass
class Drawn:
    """A row of the picture: the place of each mark, as a multiple of the reference, and the target."""

    name: str
    what: str
    marks: dict[str, float] = field(default_factory=dict)
    target: float | None = None


def drawn(lines: Iterable[dict[str, Any]]) -> tuple[list[Drawn], list[Drawn]]:
    """The rows in which PyTorch takes part, and those in which minigrad is compared with itself or with NumPy alone."""
    works: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        if "ratio" in line:
            works.setdefault(line["work"], []).append(line)
    beside, apart = [], []
    for work, found in works.items():
        reference = next((line for line in found if line["against"] == REFERENCE), None)
        (apart if reference is None else beside).append(_row(work, found, reference or found[0]))
    return beside, apart


def _row(work: str, found: list[dict[str, Any]], reference: dict[str, Any]) -> Drawn:
    unit = reference["theirs"]
    row = Drawn(work, reference["what"], {MAIN: reference["ratio"]})
    for line in found:
        if line is not reference:
            row.marks[line["against"]] = line["theirs"] / unit
    reach = [line["target"] * line["theirs"] / unit for line in found if line.get("target") is not None]
    row.target = min(reach, default=None)
    return row


# Drawing --------------------------------------------------------------------------------------------------------------


def place(ratio: float) -> float:
    """The position of a ratio, in pixels from the left."""
    share = math.log(min(max(ratio, LOWEST), HIGHEST) / LOWEST) / math.log(HIGHEST / LOWEST)
    return round(LEFT + share * (WIDTH - LEFT - RIGHT), 1)


def mark(side: str, x: float, y: float) -> str:
    """A library's mark: a shape of its own, so that colour is not needed to tell them apart."""
    shapes = {
        "minigrad": f'<circle cx="{x}" cy="{y}" r="6"/>',
        "numpy": f'<rect x="{x - 4.5}" y="{y - 4.5}" width="9" height="9"/>',
        "autograd": f'<path d="M{x} {y - 5.5} l5.5 10 h-11 z"/>',
        "mygrad": f'<path d="M{x} {y - 6} l6 6 -6 6 -6 -6 z"/>',
        "micrograd": f'<path d="M{x - 5} {y - 5} l10 10 m0 -10 l-10 10" class="cross"/>',
    }
    shape = shapes.get(side, f'<circle cx="{x}" cy="{y}" r="4"/>')
    return f'<g style="fill:var(--{side})"><title>{escape(NAMES.get(side, side))}</title>{shape}</g>'


def text(x: float, y: float, words: str, style: str = "") -> str:
    """Text that begins at (x, y)."""
    return f'<text x="{x}" y="{y}" class="{style}">{escape(words)}</text>'


def head() -> Iterator[str]:
    """Title and legend."""
    yield text(16, 26, "How long the same work takes, PyTorch = 1", "title")
    yield text(WIDTH - 16, 26, "further left is faster; logarithmic", "quiet end")
    x = 22.0
    for side, name in NAMES.items():
        yield mark(side, x, 48)
        yield text(x + 12, 52, name)
        x += 36 + 6.7 * len(name)
    yield f'<path d="M{x} 41 v14" class="target"/>'
    yield text(x + 10, 52, "target of minigrad")


def grid(top: float, bottom: float) -> Iterator[str]:
    """The scale, and its lines from `top` to `bottom`."""
    for ratio in MARKED:
        x = place(ratio)
        yield f'<path d="M{x} {top} V{bottom}" class="{"one" if ratio == 1 else "rule"}"/>'
        yield text(x, top - 6, f"{ratio:g}", "quiet small middle")


def line(row: Drawn, y: float) -> Iterator[str]:
    """One row: its name, the marks, and minigrad's figure."""
    yield f"<g><title>{escape(row.what)}</title>" + text(LEFT - 14, y + 4, row.name, "end") + "</g>"
    places = [place(ratio) for ratio in row.marks.values()]
    yield f'<path d="M{min(places)} {y} H{max(places)}" class="band"/>'
    for side in reversed(row.marks):  # minigrad last, above the others
        yield mark(side, place(row.marks[side]), y)
    if row.target is not None:
        yield f'<path d="M{place(row.target)} {y - 9} v18" class="target"/>'
    reached = row.target is None or row.marks[MAIN] <= row.target
    yield text(WIDTH - RIGHT + 20, y + 4, f"{row.marks[MAIN]:.2f}", "strong")
    if not reached:
        yield text(WIDTH - RIGHT + 58, y + 4, f"wanted {row.target:.2f}", "quiet small")


def part(rows: list[Drawn], top: float) -> Iterator[str]:
    """A group of rows under their scale."""
    yield from grid(top, top + LINE * len(rows))
    for i, row in enumerate(rows):
        yield from line(row, top + LINE * (i + 0.5))


def foot(measured_on: dict[str, Any], bottom: float) -> Iterator[str]:
    """The date and the machine."""
    packages = measured_on["packages"]
    versions = [
        f"{title} {packages[name]}" for name, title in (("numpy", "NumPy"), ("torch", "PyTorch")) if packages[name]
    ]
    interpreter = f"CPython {measured_on['python']} ({measured_on['build']})"
    where = f"{measured_on['processor']}, {measured_on['cores']} cores"
    yield text(16, bottom - 32, " · ".join((measured_on["day"], where, interpreter, *versions)), "quiet small")
    how = "Medians of CPU time, float32, one thread (or of time with threads), in turn, each side a process."
    yield text(16, bottom - 14, f"{how} benchmarks/NOTES.md says how.", "quiet small")


def picture(found: dict[str, Any]) -> str:
    """The SVG for the results that `table.save` wrote."""
    beside, apart = drawn(found["rows"])
    second = TOP + LINE * len(beside) + GAP
    height = second + LINE * len(apart) + FOOT
    parts = [
        *head(),
        *part(beside, TOP),
        text(
            16, second - 22, "minigrad against itself = 1: without events, not recorded, in a short program", "strong"
        ),
    ]
    parts += [*part(apart, second), *foot(found["measured_on"], height)]
    size = f'width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}"'
    ground = f'<rect width="{WIDTH}" height="{height}" rx="8" style="fill:var(--paper)"/>'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="minigrad beside its peers">'
    return "\n".join((opening, f"<style>{STYLE}</style>", ground, *parts, "</svg>", ""))


def main() -> None:
    parser = argparse.ArgumentParser(description="draw measured figures as SVG")
    parser.add_argument("figures", type=Path, help="the JSON that `python -m benchmarks` wrote")
    parser.add_argument("--to", type=Path, default=PICTURE)
    asked = parser.parse_args()
    asked.to.write_text(picture(json.loads(asked.figures.read_text())))


if __name__ == "__main__":
    main()

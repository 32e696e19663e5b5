"""Draw how far data parallelism pays: the speed of a rank against that of one alone, from 8 to 4,096 ranks."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from math import log2
from pathlib import Path

from minigrad.distributed.simulate import LINKS, LOADS, efficiency

from .picture import STYLE

PICTURE = Path(__file__).with_name("scaling.svg")

SETTINGS = ((LOADS[0], 64, 2e12), (LOADS[1], 8, 50e12), (LOADS[2], 4, 150e12))
"""A model, samples per rank, and operations per second of a rank."""
RANKS = [2**k for k in range(3, 13)]

PANEL, HEIGHT, GAP, LEFT, TOP, FOOT = 240, 170, 32, 46, 70, 60
COLOURS = ("--mygrad", "--minigrad", "--micrograd")


def picture() -> str:
    """The SVG: one panel a model, one line a link."""
    width = LEFT + len(SETTINGS) * (PANEL + GAP)
    height = TOP + HEIGHT + FOOT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
        f"<style>{STYLE}</style>"
        f'<rect width="{width}" height="{height}" style="fill: var(--paper)"/>'
        f'<text class="title" x="{LEFT}" y="24">Speed of a rank in percent of one alone, as the model says</text>'
        f"{''.join(_panels())}{''.join(_legend(height))}</svg>\n"
    )


def _panels() -> Iterator[str]:
    for number, (load, samples, speed) in enumerate(SETTINGS):
        left = LEFT + number * (PANEL + GAP)
        yield f'<text class="strong" x="{left}" y="{TOP - 24}">{escape(load.name)}</text>'
        yield f'<text class="quiet small" x="{left}" y="{TOP - 9}">{samples} samples a rank, {speed:.2g} op/s</text>'
        for share in (0, 0.5, 1):
            y = _height(share)
            yield f'<line class="rule" x1="{left}" x2="{left + PANEL}" y1="{y}" y2="{y}"/>'
            yield f'<text class="quiet small end" x="{left - 6}" y="{y + 4}">{100 * share:.0f}</text>'
        for ranks in (8, 64, 512, 4096):
            x = _across(left, ranks)
            yield f'<text class="quiet small middle" x="{x}" y="{TOP + HEIGHT + 16}">{ranks:,}</text>'
        for colour, network in zip(COLOURS, LINKS.values(), strict=True):
            shares = [(ranks, efficiency(ranks, load, network, samples, speed)) for ranks in RANKS]
            points = " ".join(f"{_across(left, ranks):.1f},{_height(share):.1f}" for ranks, share in shares)
            yield f'<polyline points="{points}" style="fill: none; stroke: var({colour}); stroke-width: 2"/>'


def _legend(height: int) -> Iterator[str]:
    for number, (colour, link) in enumerate(zip(COLOURS, LINKS, strict=True)):
        x = LEFT + 150 * number
        stroke = f"stroke: var({colour}); stroke-width: 2"
        yield f'<line x1="{x}" x2="{x + 22}" y1="{height - 18}" y2="{height - 18}" style="{stroke}"/>'
        yield f'<text x="{x + 28}" y="{height - 14}">{escape(link)}</text>'
    yield f'<text class="quiet small" x="{LEFT + 460}" y="{height - 14}">across: ranks</text>'


def _across(left: float, ranks: int) -> float:
    return left + PANEL * (log2(ranks) - 3) / 9


def _height(share: float) -> float:
    return TOP + HEIGHT * (1 - share)

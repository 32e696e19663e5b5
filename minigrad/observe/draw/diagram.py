"""A graph as boxes and arrows, made from tensors in memory or from the records of one step.

The three ways of drawing it (`draw_dot`, `draw_text`, `draw_mermaid`) start from here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]


@dataclass
class Box:
    """An op, or a tensor that no op of the graph made. ``shape`` is the shape of its output."""

    key: str
    kind: str
    """op, parameter (requires a gradient), or constant"""
    title: str
    name: str = ""
    shape: tuple[int, ...] | None = None
    detail: str = ""
    number: int | None = None
    value: Record | None = None
    gradient: Record | None = None
    saved: list[str] = field(default_factory=list)
    released: bool = False
    scope: tuple[str, ...] = ()
    recorded: bool = True
    at: Record | None = None


@dataclass(frozen=True)
class Arrow:
    """A value that flows from one box into another, as the input named ``name``."""

    source: str
    target: str
    name: str = ""
    shape: tuple[int, ...] | None = None
    carries_gradient: bool = True


@dataclass
class Picture:
    """All boxes, in the order in which they were added, and the arrows between them."""

    boxes: dict[str, Box] = field(default_factory=dict)
    arrows: list[Arrow] = field(default_factory=list)
    roots: list[str] = field(default_factory=list)

    def ordered(self) -> list[Box]:
        """The leaves and constants, then the ops in the order in which they ran."""
        return sorted(self.boxes.values(), key=lambda box: box.kind == "op")

    def into(self) -> dict[str, list[Arrow]]:
        """The arrows that lead into each box."""
        found: dict[str, list[Arrow]] = {key: [] for key in self.boxes}
        for arrow in self.arrows:
            found[arrow.target].append(arrow)
        return found

    def find_roots(self) -> None:
        """Set ``roots``: the ops whose results no other box uses."""
        used = {arrow.source for arrow in self.arrows}
        self.roots = [key for key, box in self.boxes.items() if key not in used and box.kind == "op"]
        self.roots = self.roots or list(self.boxes)[-1:]


def spoken(shape: tuple[int, ...] | None) -> str:
    """A shape as the explorer writes it, such as 4×2; empty for a scalar."""
    return "" if not shape else "×".join(map(str, shape))


def amount(value: Record | None) -> str:
    """A scalar's value, or the norm of a larger tensor."""
    if value is None or value.get("norm") is None:
        return ""
    if value.get("rows") == 1 and value.get("cols") == 1 and value.get("mean") is not None:
        return f"{value['mean']:.4g}"
    return f"‖{value['norm']:.3g}‖"

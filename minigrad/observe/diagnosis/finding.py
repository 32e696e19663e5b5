"""One thing that is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Finding:
    """What is wrong, where, by what it is known, and what to do.

    `kind` is one word for programs: nan, detached, no_grad, unused, not_in_loss, uncleared, cleared_early, in_place,
    vanishing, exploding, dead_relu, step_large, step_small, growing_graph, memory.
    """

    kind: str
    message: str
    at: dict[str, Any] | None = None
    advice: str = ""

    def __str__(self) -> str:
        lines = [self.message.rstrip(".") + (f"  ({place(self.at)})" if self.at else ".")]
        if self.advice:
            lines.append(f"  → {self.advice}")
        return "\n".join(lines)


def place(at: dict[str, Any]) -> str:
    """train.py:12  `h.detach()`"""
    code = f"  `{at['code']}`" if at.get("code") else ""
    return f"{Path(at['file']).name}:{at['line']}{code}"

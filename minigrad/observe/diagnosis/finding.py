"""A finding: one thing that is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A problem: its kind, place, evidence, and the advice.

    `kind` is one word for programs: nan, detached, no_grad, frozen, not_differentiable, unused, not_in_loss, unowned,
    not_registered, uncleared, cleared_early, clipped_away, no_backward, no_step, order, double_step, in_place, freed,
    softmax_twice, softmax_axis, relu_logits, no_logarithm, broadcast, wrong_sign, shrinking, symmetric, vanishing,
    exploding, dead_relu, saturated, zero_gradient, step_large, step_small, train_mode, eval_mode, growing_graph,
    memory, crash.
    """

    kind: str
    message: str
    at: dict[str, Any] | None = None
    advice: str = ""
    step: int | None = None
    """A step with the problem, and there the number of its op, if known."""
    node: int | None = None

    def __str__(self) -> str:
        lines = [self.message.rstrip(".") + (f"  ({place(self.at)})" if self.at else ".")]
        if self.advice:
            lines.append(f"  → {self.advice}")
        return "\n".join(lines)


def place(at: dict[str, Any]) -> str:
    """A place as text, such as train.py:12  `h.detach()`"""
    code = f"  `{at['code']}`" if at.get("code") else ""
    return f"{Path(at['file']).name}:{at['line']}{code}"

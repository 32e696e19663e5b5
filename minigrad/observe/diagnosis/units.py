"""Rules about units that cannot learn: at the end of their range, all equal, or before an op without a slope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .finding import Finding
from .steps import LAYOUT, Record, Step, Steps, elements

ENOUGH = 3
FULL = 0.9
"""A layer is saturated if this part of it is at the ends of its range."""

FLAT = frozenset(("Round", "Floor", "Ceil", "Trunc", "Sign", "Heaviside"))
"""Ops whose slope is 0 or undefined everywhere."""

WEIGHTED = frozenset(("Affine", "MatMul", "Mm", "Mv", "Bmm", "Addmm", "Baddbmm", "Contract", "Convolve", "Spread"))
"""Ops in which each unit has weights of its own."""


def saturated(steps: Steps) -> Iterator[Finding]:
    """Find hidden sigmoids and tanhs that are almost always at an end of their range."""
    seen: dict[Any, list[tuple[Record, float]]] = {}
    for step in steps.kept:
        for node, part in step.extreme:
            if any(each["op"] in WEIGHTED for each in step.users(node)):
                seen.setdefault((str(node["scope"]), str(node["at"])), []).append((node, part))
    for found in seen.values():
        if len(found) >= ENOUGH and all(part >= FULL for _, part in found):
            node, part = found[-1]
            words = (
                f"{node['op']} is saturated: {part:.0%} of its results lie at the ends of its range, without a slope."
            )
            advice = "Scale the inputs to about 1, or start from smaller weights."
            yield Finding("saturated", words, node.get("at"), advice)
            return


def without_slope(steps: Steps) -> Iterator[Finding]:
    """Find weights whose gradient is 0 in every step although the loss is not."""
    looked = [step for step in steps.all if step.norms and (step.ended or {}).get("loss")]
    if len(looked) < ENOUGH or not steps.enough(ENOUGH):
        return
    reached = {leaf for leaf in looked[-1].arrived if all(leaf in step.arrived for step in looked)}
    learning = [each["tensor"] for each in looked[-1].norms if len(steps.shape(each["tensor"])) >= 2]
    zero = [leaf for leaf in learning if leaf in reached and leaf not in steps.felt]
    if not zero:
        return
    step = looked[-1]
    flat = next((node for leaf in zero for node in _after(step, leaf) if node["op"] in FLAT), None)
    names = ", ".join(map(steps.name, zero[:3])) + (f" and {len(zero) - 3} more" if len(zero) > 3 else "")
    words = f"The gradient of {names} is 0 in every step"
    if flat is not None:
        yield Finding(
            "zero_gradient",
            f"{words}: {flat['op']} has slope 0.",
            flat.get("at"),
            "Use an op with a slope, or a straight-through estimate.",
        )
    elif (stop := _stop(step, zero[0])) is not None:
        yield Finding(
            "zero_gradient",
            f"{words}: {stop['op']} gets one that is not 0, and passes none of it on.",
            stop.get("at"),
            "Look at its inputs and settings: its slope is 0 at all of them.",
        )
    else:
        yield Finding(
            "zero_gradient",
            f"{words}, though the loss is not 0.",
            None,
            "Follow its path: where the gradient becomes 0, there is the cause.",
        )


def _stop(step: Step, leaf: int) -> Record | None:
    """The op behind `leaf` where the gradient becomes 0; None if the step has no values that tell."""
    return next((node for node in _after(step, leaf) if node["id"] in step.stops), None)


def _after(step: Step, leaf: int) -> list[Record]:
    _, nodes = step.reached(leaf)
    return [step.nodes[each] for each in sorted(nodes)]


def clipped_away(steps: Steps) -> Iterator[Finding]:
    """Find gradients that arrive but are scaled to 0 before the optimiser steps."""
    looked = [step for step in steps.all if step.norms and step.optimizer]
    hit = [step for step in looked if _made_zero(step)]
    if len(hit) >= ENOUGH and len(hit) == len(looked):
        at = next((each.get("at") for each in hit[-1].grad_writes if each.get("at")), None)
        words = "Gradients arrive, and all of them are 0 when the optimiser moves: they are scaled by 0."
        yield Finding("clipped_away", words, at, "Clip to a positive norm, such as 1.")


def _made_zero(step: Step) -> bool:
    """Whether all gradients of a step were made 0 by a multiplication, as clipping does."""
    came = any(((each.get("contribution") or {}).get("norm") or 0.0) > 0 for each in step.arrived.values())
    none = all(each.get("norm") == 0 for each in step.norms)
    return came and none and is_clipped(step)


def is_clipped(step: Step) -> bool:
    """Whether the program measured its gradients after backward, or multiplied them."""
    return any(each.get("op") == "Mul" for each in step.grad_writes) or any(
        node["op"] == "ForeachNorm" and not node["recorded"] for node in step.nodes.values()
    )


def alike(steps: Steps) -> Iterator[Finding]:
    """Find layers whose weights all begin with one number: their units stay equal for ever."""
    if not steps.early or steps.count < ENOUGH:
        return
    step = steps.early[0]
    large = [leaf for leaf in step.uses if leaf in steps.moved and len(steps.shape(leaf)) >= 2]
    weights = [leaf for leaf in large if any(_weighs(step, node) for node in step.uses[leaf])]
    if len(weights) < 2 or any(leaf not in step.values or not step.values[leaf].get("data") for leaf in weights):
        return
    if all(_is_one_number(step.values[leaf]) for leaf in weights) and any(steps.shape(leaf)[0] > 1 for leaf in weights):
        words = f"All {len(weights)} weights begin as one number each: the units of a layer are the same, and stay so."
        at = step.uses[weights[0]][0].get("at")
        yield Finding("symmetric", words, at, "Begin with random weights, as the layers do by themselves.")


def _weighs(step: Step, node: Record) -> bool:
    """Whether an op uses its parameter as the weights of a layer, perhaps transposed first."""
    return node["op"] in WEIGHTED or (node["op"] in LAYOUT and any(each["op"] in WEIGHTED for each in step.users(node)))


def _is_one_number(value: Record) -> bool:
    found = elements(value)
    return bool(found.size and (found == found.flat[0]).all())

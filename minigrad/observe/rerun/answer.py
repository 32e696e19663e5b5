"""The effect of changing one element, compared with the prediction of its gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from ...autograd import grad
from ...core.tensor import Tensor
from ..record.values import measure
from .arguments import Record
from .step import NotRerun, Played, RecordedStep, Touch

ELEMENTS = 1_024
"""For a larger array the answer has statistics only, so that dragging in the explorer stays fast."""


def touched(step: RecordedStep, touch: Touch) -> dict[str, Any]:
    """Compute the step with one element changed: the loss, the gradients, and all values that depend on the element.

    Raises NotRerun, with the reason, if it cannot be computed.
    """
    if not math.isfinite(touch.value):
        raise NotRerun("An element can be moved to a finite number.")
    step.find_held()
    old = step.old(touch)
    affected = step.affected(touch)
    here, there = step.play(touch._replace(value=old)), step.play(touch)
    answer: dict[str, Any] = {"old": old, **_loss(here, there, touch)}
    for played in (here, there):
        played.go_back()
    follows = {key: step.nodes[key[0]]["outputs"][key[1]]["id"] in affected for key in there.outputs}
    answer["values"] = [
        {"node": node, "output": k, "follows": follows[node, k], "value": _said(result), "gradient": _said(result.grad)}
        for (node, k), result in there.outputs.items()
        if follows[node, k] or _differ(result.grad, here.outputs[node, k].grad)
    ]
    answer["leaves"] = [
        {
            "tensor": number,
            "value": _said(leaf),
            "before": _said(here.leaves[number].grad),
            "gradient": _said(leaf.grad),
        }
        for number, leaf in there.leaves.items()
        if leaf.requires_grad
    ]
    answer["notes"] = list(_notes(step))
    return answer


def _loss(here: Played, there: Played, touch: Touch) -> dict[str, Any]:
    """The loss before and after the change, and the slope, for the last backward that depends on the element."""
    moved = there.moved
    value = touch.value if moved is None else float(moved.detach().reshape(-1)[touch.element].item())
    for before, after in zip(reversed(here.losses), reversed(there.losses), strict=True):
        slope = _slope(before, here.moved, touch.element)
        if slope is not None or before.item() != after.item():
            return {"value": value, "before": _finite(before.item()), "after": _finite(after.item()), "slope": slope}
    return {"value": value, "before": None, "after": None, "slope": None}


def _slope(loss: Tensor, moved: Tensor | None, element: int) -> float | None:
    if moved is None or not moved.requires_grad or not loss.requires_grad:
        return None
    (found,) = grad(loss, moved, retain_graph=True, allow_unused=True)
    return None if found is None else _finite(found.reshape(-1)[element].item())


def _differ(mine: Tensor | None, other: Tensor | None) -> bool:
    if mine is None or other is None:
        return mine is not other
    return bool((mine != other).any())


def _notes(step: RecordedStep) -> Iterator[str]:
    """Sentences about how this computation differs from the program's."""
    if step.held:
        first = next(iter(step.held.values()))
        rest = f" ({len(step.held) - 1} more likewise)" if len(step.held) > 1 else ""
        yield f"Kept as recorded, with no gradient before it: {first}{rest}."
    changes = [
        record for record in (*step.script, *step.after) if record["type"] == "hook_ran" and record.get("changed")
    ]
    if changes:
        yield "Hooks changed gradients in this step; they are not run again."
    if step.unlike:
        names = ", ".join(dict.fromkeys(map(step.named, step.unlike[:3])))
        yield f"To {names} the program brought another gradient: something on its way was not recorded."
    if any(_rewrites(record) for record in step.after):
        yield "The gradients are those that backward gives: the program changed them afterwards, as clipping does."
    if not step.has_backward:
        yield "No backward of this step was recorded: the last single number stands for the loss."


def _rewrites(record: Record) -> bool:
    return (
        record["type"] == "mutated" and bool(record.get("grad")) and "clip" in (record.get("at") or {}).get("code", "")
    )


def _said(tensor: Tensor | None) -> Record | None:
    return None if tensor is None else measure(tensor.detach().numpy(), tensor.numel() <= ELEMENTS)


def _finite(number: float) -> float | None:
    return float(number) if math.isfinite(number) else None

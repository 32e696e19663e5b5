"""Rules about programs that end with an error: what the error means, and where it comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .finding import Finding
from .steps import Record, Step, Steps

NO_GRAD_YET = (
    "A .grad is None before backward, and of what is no leaf: `w = w - lr * w.grad` makes w a result; "
    "write `w -= lr * w.grad` under no_grad()."
)

SAME_SHAPE = "Give the result and the target the same shape: squeeze(1) or unsqueeze(1) of one of them."

MEANINGS = (
    ("out of bounds", "Classes count from 0: labels lie below the number of outputs."),
    ("more than 1 value per channel", "Batch statistics need two rows: use drop_last=True, or eval()."),
    ("index out of range", "An embedding takes numbers below its size."),
    ("between 0 and 1", "Use a sigmoid before it, or binary_cross_entropy_with_logits."),
    ("shapes cannot be multiplied", "The second size of the first must be the first of the second."),
    ("NoneType", NO_GRAD_YET),
    ("class probabilities, got", "Write target.argmax(1), the number of each row's class, or target.float()."),
    (
        "multi-target not supported",
        "Give each row one number: target.argmax(1) of one-hot rows, squeeze(1) of a column.",
    ),
    ("target dtype to be Long", "The numbers of classes are integers: write target.long()."),
    ("desired output type Long", "This loss takes a target of floating-point numbers: write target.float()."),
    ("must be the same as input size", SAME_SHAPE),
    ("different to the input size", SAME_SHAPE),
    ("must have the same dtype", "Convert the input: x.float(), or x.double() for a net of double precision."),
    ("must match the size of tensor b", "Sizes match from the last one on: equal, or one of them 1."),
    ("only for scalar outputs", "Backward begins at one number: call .mean() or .sum() of it first."),
    ("channels, but got", "A convolution takes batch, channels, height, width: see permute() and unsqueeze(1)."),
    ("must be equal to input_size", "The last size of what a recurrent layer is given is its input_size."),
    ("scalar types: Long, Int", "An embedding takes integers: write x.long()."),
    ("empty parameter list", "Layers in a plain list are no part of a module: keep them in an nn.ModuleList."),
)
"""For each text in an error message, the advice."""

MISFIT = re.compile(r"cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)")
"""The features of an input, and those that a weight takes."""


def freed(steps: Steps) -> Iterator[Finding]:
    """Find a backward through a graph whose saved tensors an earlier backward has released."""
    error = (steps.finished or {}).get("error") or ""
    if "second time" not in error:
        return
    step = steps.kept[-1]
    at = (step.backward or {}).get("at") or (steps.finished or {}).get("at")
    bridge = step.bridge or next((node for node in step.nodes.values() if node["old"]), None) or _across(step)
    if bridge is not None:
        words = "This step hangs on the graph of an earlier one, which a backward has used up: a state is carried over."
        yield Finding("growing_graph", words, bridge.get("at"), "Call detach() on the state where a step begins.")
        return
    words = "backward() ran a second time through the same graph, which had let go of what it kept."
    yield Finding("freed", words, at, "Compute the loss anew, or say retain_graph=True the first time.")


def _across(step: Step) -> Record | None:
    """The first op after the first backward that uses a result from before it; None if both began at the same root."""
    if len(step.roots) < 2 or _hangs_on(step, step.roots[-1], step.roots[:-1]):
        return None
    end = max(step.newest[:-1], default=0)
    after = (node for node in step.nodes.values() if node["id"] > end)
    return next((node for node in after if any(0 < (each.get("node") or 0) <= end for each in node["inputs"])), None)


def _hangs_on(step: Step, root: int, others: list[int]) -> bool:
    """Whether `root` is one of `others`, or is computed from one of them: the same loss is used again."""
    seen, open_ = {root}, [root]
    while open_:
        node = step.nodes.get(open_.pop())
        before = {each["node"] for each in (node or {}).get("inputs", ()) if each.get("node")} - seen
        seen |= before
        open_ += before
    return not seen.isdisjoint(others)


def crashed(steps: Steps) -> Iterator[Finding]:
    """Report any other error, with advice if there is some."""
    finished: Record = steps.finished or {}
    error = finished.get("error") or ""
    if finished.get("status") != "failed" or not error or error.startswith(("KeyboardInterrupt", "SystemExit")):
        return
    first = error.splitlines()[0].rstrip(".")
    known = [advice for part, advice in MEANINGS if part in error]
    advice = _misfit(error, steps.left_empty) or next(iter(known), "")
    yield Finding("crash", f"The program ended with {first}.", finished.get("at"), advice)


def _misfit(error: str, module: list[str]) -> str:
    """A sentence about a linear layer whose input has another number of features than it takes; else empty."""
    sizes = MISFIT.search(error)
    if sizes is None or not module or not module[-1].endswith(":Linear"):
        return ""
    path = ".".join(each.rpartition(":")[0] for each in module)
    return f"{path} takes {sizes[2]} features, and was given {sizes[1]}."

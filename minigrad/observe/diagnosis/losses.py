"""Rules about the inputs of a loss: probabilities in place of logits, the wrong axis, shapes that broadcast."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .finding import Finding
from .steps import Record, Step, Steps

TWICE = {
    "CrossEntropy": ("Softmax", "CrossEntropyLoss takes the softmax itself"),
    "BinaryCrossEntropyWithLogits": ("Sigmoid", "BCEWithLogitsLoss takes the sigmoid itself"),
}
"""Losses that take logits, and the op that must not come before them."""

LOSSES = frozenset(
    (
        "CrossEntropy",
        "NllLoss",
        "BinaryCrossEntropy",
        "MseLoss",
        "KlDiv",
        "L1Loss",
        "SmoothL1Loss",
        "HuberLoss",
        "SoftMarginLoss",
    )
)

PICKS = frozenset(("Index", "Gather"))
"""Ops that take the probability of each row's label, in a cross-entropy that is written out."""

ENOUGH = 3
"""The finding must hold in this many steps."""

ELEMENTWISE = frozenset(("MseLoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "KlDiv", "Sub"))
"""Ops that compare a result with a target, element by element."""

SQUARES = frozenset(("Pow", "Square", "Abs", "Mul", "Mean", "Sum"))
"""Ops that make a loss of a difference."""


def logits(steps: Steps) -> Iterator[Finding]:
    """Find a loss that takes logits but gets probabilities or a ReLU's results, or a loss that gets no logarithms."""
    for step, node in _recorded(steps):
        given = step.source(node["inputs"][0]) if node["inputs"] else None
        if given is None:
            continue
        if node["op"] in TWICE and TWICE[node["op"]][0] in (given["op"], _by_hand(step, given)):
            words = f"{given['op']} stands before {node['op']}: {TWICE[node['op']][1]}, so it is taken twice."
            yield Finding("softmax_twice", words, given.get("at"), "Give the loss what comes before it: the logits.")
            return
        if node["op"] in TWICE and given["op"] == "Relu":
            words = f"A ReLU stands before {node['op']}: what is below 0 becomes 0, and learns nothing from there."
            yield Finding("relu_logits", words, given.get("at"), "Leave out the ReLU after the last layer.")
            return
        if node["op"] == "NllLoss" and given["op"] != "LogSoftmax" and _is_no_logarithm(given):
            words = f"NllLoss is given what {given['op']} made, up to {given['high']:.3g}"
            words += ": it takes logarithms of probabilities, which are never above 0."
            yield Finding("no_logarithm", words, node.get("at"), "Use log_softmax before it, or cross_entropy instead.")
            return


def _by_hand(step: Step, given: Record) -> str:
    """ "Softmax" if the ops compute one: the exponential of a LogSoftmax, or elements divided by their sum; else ""."""
    sources = [step.source(each) for each in given["inputs"]]
    if given["op"] == "Exp" and sources[0] is not None and sources[0]["op"] == "LogSoftmax":
        return "Softmax"
    if given["op"] == "Div" and len(sources) == 2:
        above, below = sources
        if above is not None and below is not None and (above["op"], below["op"]) == ("Exp", "Sum"):
            return "Softmax" if step.source(below["inputs"][0]) is above else ""
    return ""


def _is_no_logarithm(given: Record) -> bool:
    return given["op"] == "Softmax" or (given["high"] is not None and given["high"] > 1e-3)


def axis(steps: Steps) -> Iterator[Finding]:
    """Find a softmax before a loss that runs over the batch, or over a single class."""
    for step, node in _recorded(steps):
        if not node["inputs"] or node["op"] not in LOSSES | PICKS:
            continue
        given = step.source(node["inputs"][0])
        if given is not None and given["op"] == "Log":
            given = step.source(given["inputs"][0])
        if given is None or given["op"] not in ("Softmax", "LogSoftmax") or len(given["shapes"][0]) != 2:
            continue
        rows, classes = given["shapes"][0]
        if node["op"] in PICKS and (rows == classes or not _one_a_row(node, rows)):
            continue
        dim = (given.get("params") or {}).get("dim")
        if not isinstance(dim, int):
            continue
        if dim in (0, -2) and rows > 1:
            words = (
                f"{given['op']} runs over dim 0, which are the {rows} rows of the batch, and not the {classes} classes."
            )
            yield Finding("softmax_axis", words, given.get("at"), "Use dim=1 (or -1).")
            return
        if dim in (1, -1) and classes == 1:
            number = 1 if given["op"] == "Softmax" else 0
            words = f"{given['op']} runs over a single class: it is {number} whatever it is given."
            yield Finding("softmax_axis", words, given.get("at"), "Use a sigmoid for one output, or two outputs.")
            return


def _one_a_row(node: Record, rows: int) -> bool:
    """Whether one element of each row was taken."""
    if node["op"] == "Gather":
        return node["shapes"][0] == [rows, 1] and (node.get("params") or {}).get("dim") in (1, -1)
    return node["shapes"][0] == [rows] and len(node["inputs"]) == 3  # of two indices: the row's, and the label


def shapes(steps: Steps) -> Iterator[Finding]:
    """Find a column that is compared with a row, which compares each element with every other."""
    for step, node in _recorded(steps):
        if node["op"] not in ELEMENTWISE or len(node["inputs"]) < 2:
            continue
        made, target = (_shape(steps, step, each) for each in node["inputs"][:2])
        if not _column_and_row(made, target):
            continue
        if node["op"] == "Sub" and not (_one_is_a_target(steps, step, node) and _becomes_a_loss(step, node)):
            continue
        (count,) = made if len(made) == 1 else target
        words = f"A result of shape {_said(made)} is compared with a target of shape {_said(target)}"
        words += f": they broadcast to {_said([count, count])}, each of the one with each of the other."
        yield Finding("broadcast", words, node.get("at"), "Give both the same shape: squeeze(1) or unsqueeze(1).")
        return


def _recorded(steps: Steps) -> Iterator[tuple[Step, Record]]:
    return ((step, node) for step in steps.all for node in step.nodes.values() if node["recorded"])


def _shape(steps: Steps, step: Step, given: Record) -> list[int]:
    """The shape of an input before it was broadcast."""
    maker = step.maker(given)
    while maker is not None and maker["op"] in ("BroadcastTensors", "Expand"):
        given = maker["inputs"][min(_output(maker, given), len(maker["inputs"]) - 1)]
        maker = step.maker(given)
    if maker is None:
        return steps.shape(given.get("tensor", 0))
    return list(maker["shapes"][min(_output(maker, given), len(maker["shapes"]) - 1)])


def _output(maker: Record, given: Record) -> int:
    outputs = maker["outputs"]
    return outputs.index(given["tensor"]) if given.get("tensor") in outputs else int(given.get("output") or 0)


def _column_and_row(a: list[int], b: list[int]) -> bool:
    column, row = (a, b) if len(a) == 2 else (b, a)
    return len(column) == 2 and len(row) == 1 and column == [row[0], 1] and row[0] > 1


def _one_is_a_target(steps: Steps, step: Step, node: Record) -> bool:
    recorded = [_takes_part(steps, step, each) for each in node["inputs"][:2]]
    return recorded[0] != recorded[1]


def _takes_part(steps: Steps, step: Step, given: Record) -> bool:
    maker = step.maker(given)
    return bool(maker["recorded"] if maker else steps.tensors.get(given.get("tensor", 0), {}).get("requires_grad"))


def _becomes_a_loss(step: Step, node: Record) -> bool:
    """Whether the difference is only squared, or the like, and summed."""
    for _ in range(4):
        users = [each for each in step.users(node) if each["recorded"]]
        if len(users) != 1 or users[0]["op"] not in SQUARES:
            return False
        node = users[0]
        if node["shapes"] == [[]]:
            return True
    return False


def _said(shape: Any) -> str:
    return str(tuple(shape))


def wrong_sign(steps: Steps) -> Iterator[Finding]:
    """Find an optimiser that minimises the negative of a loss, so that the error grows."""
    taken = [step for step in steps.all if step.optimizer and step.roots]
    found = [_negated(step) for step in taken]
    if len(taken) < ENOUGH or None in found:
        return
    losses = [(step.ended or {}).get("loss") for step in (taken[0], taken[-1])]
    if losses[0] is None or losses[1] is None or not losses[1] < min(losses[0], 0.0):
        return
    negated = found[-1]
    assert negated is not None
    words = f"The loss is minus {negated[1]['op']}: each step makes the error larger."
    yield Finding("wrong_sign", words, negated[0].get("at"), "Leave out the minus: an optimiser makes its loss small.")


def _negated(step: Step) -> tuple[Record, Record] | None:
    """The negation at which all backwards of a step began, and the loss that it negates; else None."""
    pair = None
    for root in step.roots:
        node = step.nodes.get(root)
        given = step.source(node["inputs"][0]) if node is not None and node["op"] == "Neg" else None
        if node is None or given is None or given["op"] not in LOSSES:
            return None
        pair = node, given
    return pair

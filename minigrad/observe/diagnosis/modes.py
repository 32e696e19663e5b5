"""Rules about train() and eval(): dropout that is active in evaluation, or no longer active in training."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import Finding
from .losses import ELEMENTWISE, LOSSES
from .steps import Record, Step, Steps

ENOUGH = 3
MEASURES = (LOSSES | ELEMENTWISE | {"BinaryCrossEntropyWithLogits", "Eq"}) - {"Sub"}


def training_in_evaluation(steps: Steps) -> Iterator[Finding]:
    """Find dropout that is active while the program evaluates."""
    every = [node for step in steps.all for node in step.nodes.values()]
    trained = {str(node["scope"]) + str(node["at"]) for node in every if node["recorded"] and _drops(node)}
    for step in steps.all:
        for node in step.nodes.values():
            known = str(node["scope"]) + str(node["at"])
            if node["recorded"] or not _drops(node) or not _in_the_same(node, known, trained, every):
                continue
            if _measures(step, node):
                words = "Dropout is on while the loss is measured under no_grad(): the net is still in training mode."
                yield Finding("train_mode", words, node.get("at"), "Call net.eval() before, and net.train() after.")
                return


def _in_the_same(node: Record, known: str, trained: set[str], every: list[Record]) -> bool:
    """Whether the same module is trained as well, even if it is called on another line."""
    scope = node["scope"]
    if not scope:
        return known in trained
    return any(each["recorded"] and each["scope"] == scope and _drops(each) for each in every)


def _drops(node: Record) -> bool:
    """Whether an op is an active dropout."""
    if node["op"] in ("Dropout", "FeatureDropout"):
        return (node.get("params") or {}).get("train", True) is not False
    scope = node.get("scope") or []
    return node["op"] == "Mul" and bool(scope) and "Dropout" in scope[-1].rpartition(":")[2]


def _measures(step: Step, node: Record) -> bool:
    """Whether the result of `node` ends in a loss or a comparison, without a gradient."""
    tensors = set(node["outputs"])
    for each in step.nodes.values():
        if each["id"] > node["id"] and any(one.get("tensor") in tensors for one in each["inputs"]):
            if each["recorded"]:
                return False
            tensors.update(each["outputs"])
            if each["op"] in MEASURES:
                return True
    return False


def evaluation_in_training(steps: Steps) -> Iterator[Finding]:
    """Find a net whose dropout was active when training began, but not after an evaluation."""
    trained = [step for step in steps.all if step.optimizer and step.backward is not None]
    if len(trained) < 2 * ENOUGH:
        return
    first, last = trained[: ENOUGH - 1], trained[-ENOUGH:]
    if not all(map(_dropped, first)) or any(map(_dropped, last)):
        return
    if not all(_shared(first[0], step) for step in last):
        return
    words = "Dropout is off in training: after the net was evaluated it was not set back to training mode."
    yield Finding("eval_mode", words, (last[-1].backward or {}).get("at"), "Call net.train() before each epoch.")


def _dropped(step: Step) -> bool:
    return any(node["recorded"] and _drops(node) for node in step.nodes.values())


def _shared(first: Step, last: Step) -> bool:
    """Whether both steps train the same leaves."""
    return bool(first.arrived) and set(first.arrived) == set(last.arrived)

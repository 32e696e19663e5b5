"""Make the records of a step that is like no earlier step, from its held forward and its own events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ... import events
from .flight import complete
from .retelling import UNLIKE, Different, Retelling
from .script import Record, Step

if TYPE_CHECKING:
    from .ledger import Ledger


def told_by_itself(step: Step, ledger: Ledger, held: list[Record]) -> list[Record]:
    """The records of `step`, from the `held` records of its forward; empty if these or others are missing."""
    if not any(record["type"] == "node" for record in held):
        return []
    try:
        records = OwnStep(step, ledger, held).records()
    except UNLIKE:
        return []
    for record in records:
        complete(record)
    return records


class OwnStep(Retelling):
    """A step without a script: its held records need no change, and its events have the gradients."""

    def __init__(self, step: Step, ledger: Ledger, held: list[Record]) -> None:
        super().__init__(list(_script(step, ledger, held)), step, ledger)
        for event in step.events:
            if type(event) is events.GradComputed:
                for node in (event.node, event.edge[0]):
                    self.nodes[ledger.nodes.get(node).id] = node


def _script(step: Step, ledger: Ledger, held: list[Record]) -> Iterator[Record]:
    """The held records, and after the beginning of each backward pass the records of its gradients."""
    counts = Counter[Any]()
    runs = iter([event.run for event in step.events if type(event) is events.BackwardStarted])
    for place, record in enumerate(held):
        yield record
        if record["type"] == "backward_started":
            ends = (each["t"] for each in held[place:] if each["type"] == "backward_finished")
            run = next(runs, None)
            if run is None:
                raise Different
            yield from _backward(step, ledger, record, run, next(ends, record["t"]), counts)


def _backward(
    step: Step, ledger: Ledger, started: Record, run: int, end: float, counts: Counter[Any]
) -> Iterator[Record]:
    mine = [event for event in step.events if getattr(event, "run", None) == run]
    found = list(_gradients([e for e in mine if getattr(e, "leaf", None) is None], ledger, started, counts))
    pace = (end - started["t"]) / (len(found) + 1)
    for place, record in enumerate(found, 1):
        yield {"seq": 0, "t": started["t"] + place * pace, "step": step.number, "run": started["run"], **record}


def _gradients(mine: list[Any], ledger: Ledger, started: Record, counts: Counter[Any]) -> Iterator[Record]:
    """Records of the way of each gradient through the graph, without its values.

    `counts` tells how many gradients of the step have arrived where.
    """
    framework = ledger.framework
    sender: int | None = None
    for event in mine:
        if type(event) is events.GradComputed:
            node, target = ledger.nodes.get(event.node), event.edge[0]
            if node.id != sender:
                sender = node.id
                yield {"type": "node_entered", "node": node.id, "grads": [{} for _ in node.outputs]}
            names = [each["name"] for each in node.bare["inputs"]]
            leaf = framework.leaf(target)
            to = (
                {"to_node": ledger.nodes.get(target).id, "to_output": event.edge[1]}
                if leaf is None
                else {"to_leaf": ledger.tensors.get(leaf).id}
            )
            told = {"node": node.id, "index": event.index, "input": names[event.index], **to}
            yield {"type": "grad_computed", **told, "shape": list(framework.shape(event.grad)), "value": None}
        elif type(event) is events.GradAccumulated:
            target, output = event.edge
            leaf = framework.leaf(target)
            at: Record = (
                {"node": ledger.nodes.get(target).id, "output": output}
                if leaf is None
                else {"leaf": ledger.tensors.get(leaf).id}
            )
            key = tuple(at.items())
            counts[key] += 1
            total: Record | None = None if leaf is not None and started["captures"] else {}
            numbers = {"count": counts[key], "contribution": None, "total": total}
            yield {"type": "grad_accumulated", **at, "from_node": sender, **numbers}

"""The flight recorder: the last steps, held in memory until something happens that makes them worth keeping.

A step that is not recorded whole is held: its forward is recorded as ever, with a `Glimpse` of each value, but not
written. When it ends, its numbers are written in one record, which refers to the ops of a step just like it that was
written; the rest is forgotten two steps later. At the first NaN, at a crash or at the end of the run, `Ledger.keep`
writes what is still held.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from .glimpse import Glimpse, filled

Record = dict[str, Any]

RING = 2
"""The number of steps before the present one that are held."""

MOST_PLANS = 64
"""At most this many steps are written whole because their ops differ. Of later ones only the numbers are."""


class Plan(NamedTuple):
    """A step that was written, which others are just like: the same ops, on the same lines, on the same shapes."""

    step: int
    nodes: list[int]


class Flight:
    """Holds records of steps that are not written, and knows which of them are alike."""

    def __init__(self) -> None:
        self.present: list[Record] = []
        self.past: deque[list[Record]] = deque(maxlen=RING)
        self._ops: list[Record] = []
        self._plans: dict[tuple[Any, ...], Plan] = {}

    def ran(self, node: Record) -> None:
        """An op of this step, by its record."""
        self._ops.append(node)

    def take(self, past: bool = True) -> list[Record]:
        """Hand over the held records, of this step alone or also of the `past`, oldest first; then forget them."""
        steps = (*self.past, self.present) if past else (self.present,)
        records = [record for held in steps for record in held]
        if past:
            self.past.clear()
        self.present = []
        for record in records:
            complete(record)
        return records

    def held(self, past: bool) -> list[Record]:
        """The held records of this step, or of the one before it."""
        return self.present if not past else self.past[-1] if self.past else []

    def drop(self, past: bool) -> None:
        """Forget what is held of this step, or of the one before."""
        if not past:
            self.present = []
        elif self.past:
            self.past.pop()

    def forget(self) -> None:
        """Hold nothing of this step."""
        self.present, self._ops = [], []

    def plan(self, step: int, whole: bool) -> Plan | None:
        """The written step that the present one is just like; itself where it is the first of its kind.

        None where it is unlike all others, there are too many others, and it is not written itself.
        """
        key = tuple(map(_signature, self._ops))
        found = self._plans.get(key)
        if found is None and (whole or len(self._plans) < MOST_PLANS):
            found = self._plans[key] = Plan(step, [node["id"] for node in self._ops])
        return found

    def numbers(self, plan: Plan | None) -> Record:
        """The fields of the record with what each op of the present step came to."""
        values = [(node["outputs"][0].get("value") if node["outputs"] else None) or {} for node in self._ops]
        fields: Record = {name: [value.get(name) for value in values] for name in ("norm", "min", "max")}
        broken = [i for i, value in enumerate(values) if value.get("nan") or value.get("inf")]
        if broken:
            fields["broken"] = [[i, values[i]["nan"], values[i]["inf"]] for i in broken]
        if plan is None:
            return {**fields, "ops": [node["op"] for node in self._ops]}
        return {"like": plan.step, "nodes": plan.nodes, **fields}

    def turn(self) -> None:
        """The step is over. What is held of it is kept for a while."""
        self.past.append(self.present)
        self.present = []
        self._ops = []


def _signature(node: Record) -> tuple[Any, ...]:
    at = node.get("at")
    shapes = tuple([tuple(output["shape"]) for output in node["outputs"]])
    return node["op"], shapes, None if at is None else (at["file"], at["line"]), tuple(node.get("scope", ()))


def complete(holder: Any) -> None:
    """Write out every glimpse inside of a record, or of a list in it."""
    for key, each in list(holder.items()) if isinstance(holder, dict) else enumerate(holder):
        if type(each) is Glimpse:
            holder[key] = filled(each)
        elif isinstance(each, (dict, list)):
            complete(each)

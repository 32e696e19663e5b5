"""Keep the last steps in memory until something happens that makes them worth writing: a flight recorder.

A step that is not recorded whole is held: its forward is recorded as usual, with a `Glimpse` of each value, but the
records stay in memory. When the step ends, its numbers are written in one record. That record refers to the ops of a
written step with the same ops. The held records are dropped two steps later. At the first NaN, at a crash or at the end
of the run, `Ledger.keep` writes all records that are still held.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

from .glimpse import Glimpse, filled

Record = dict[str, Any]

RING = 2
"""How many steps before the current one are held."""

MOST_PLANS = 64
"""At most this many steps are written whole because their ops differ. After that only the numbers of such steps are
written."""


class Plan(NamedTuple):
    """A written step that stands for all steps with the same ops, on the same lines, with the same shapes."""

    step: int
    nodes: list[int]


class Flight:
    """Hold the records of steps that are not written, and find out which steps have the same ops."""

    def __init__(self) -> None:
        self.present: list[Record] = []
        self.past: deque[list[Record]] = deque(maxlen=RING)
        self._ops: list[Record] = []
        self._plans: dict[tuple[Any, ...], Plan] = {}

    def ran(self, node: Record) -> None:
        """Note an op of the current step, by its record."""
        self._ops.append(node)

    def take(self, past: bool = True) -> list[Record]:
        """Return and forget the held records of this step, and with `past` also of those before it, oldest first."""
        steps = (*self.past, self.present) if past else (self.present,)
        records = [record for held in steps for record in held]
        if past:
            self.past.clear()
        self.present = []
        for record in records:
            complete(record)
        return records

    def held(self, past: bool) -> list[Record]:
        """The held records of this step; with `past`, those of the step before it."""
        return self.present if not past else self.past[-1] if self.past else []

    def drop(self, past: bool) -> None:
        """Forget the held records of this step; with `past`, those of the step before it."""
        if not past:
            self.present = []
        elif self.past:
            self.past.pop()

    def forget(self) -> None:
        """Forget all held records and ops of this step."""
        self.present, self._ops = [], []

    def plan(self, step: int, whole: bool) -> Plan | None:
        """The written step with the same ops as the current one, or the current one if it is the first with them.

        None if no written step has the same ops, `MOST_PLANS` steps are known already, and this one is not written
        `whole`.
        """
        key = tuple(map(_signature, self._ops))
        found = self._plans.get(key)
        if found is None and (whole or len(self._plans) < MOST_PLANS):
            found = self._plans[key] = Plan(step, [node["id"] for node in self._ops])
        return found

    def numbers(self, plan: Plan | None) -> Record:
        """The fields of the record with the norm and extremes of each op's output in the current step."""
        values = [(node["outputs"][0].get("value") if node["outputs"] else None) or {} for node in self._ops]
        fields: Record = {name: [value.get(name) for value in values] for name in ("norm", "min", "max")}
        broken = [i for i, value in enumerate(values) if value.get("nan") or value.get("inf")]
        if broken:
            fields["broken"] = [[i, values[i]["nan"], values[i]["inf"]] for i in broken]
        if plan is None:
            return {**fields, "ops": [node["op"] for node in self._ops]}
        return {"like": plan.step, "nodes": plan.nodes, **fields}

    def turn(self) -> None:
        """End the current step. Its held records are kept for `RING` more steps."""
        self.past.append(self.present)
        self.present = []
        self._ops = []


def _signature(node: Record) -> tuple[Any, ...]:
    at = node.get("at")
    shapes = tuple([tuple(output["shape"]) for output in node["outputs"]])
    return node["op"], shapes, None if at is None else (at["file"], at["line"]), tuple(node.get("scope", ()))


def complete(holder: Any) -> None:
    """Replace every `Glimpse` in a record, or in a list inside it, by its full value."""
    for key, each in list(holder.items()) if isinstance(holder, dict) else enumerate(holder):
        if type(each) is Glimpse:
            holder[key] = filled(each)
        elif isinstance(each, (dict, list)):
            complete(each)

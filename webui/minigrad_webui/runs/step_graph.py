"""The graph at the end of a step, from the records of the step."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any


def fold(run: str, step: int, texts: Iterable[str]) -> dict[str, Any]:
    """The protocol's `Graph`: every node and tensor of a step, with the last version, value and gradient of each.

    A tensor that an op made is in its node's `outputs`; `tensors` has those made without an op.
    """
    nodes: dict[int, dict[str, Any]] = {}
    tensors: dict[int, dict[str, Any]] = {}
    made: dict[int, dict[str, Any]] = {}
    for record in map(json.loads, texts):
        match record["type"]:
            case "node":
                nodes[record["id"]] = record
                made.update((output["id"], output) for output in record["outputs"])
            case "tensor":
                tensors[record["id"]] = record
            case "mutated":
                tensor = tensors.get(record["tensor"]) or made.get(record["tensor"])
                if tensor is not None and record.get("grad"):
                    tensor["grad"] = record.get("value")
                elif tensor is not None:
                    tensor["version"] = record["version"]
                    tensor["value"] = record.get("value")
            case "grad_accumulated" if record.get("leaf") in tensors:
                tensors[record["leaf"]]["grad"] = record.get("total")
    return {"run": run, "step": step, "nodes": list(nodes.values()), "tensors": list(tensors.values())}

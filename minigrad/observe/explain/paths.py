"""The paths by which a gradient reaches a tensor, found in the graphs in memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..framework import MINIGRAD, Framework, framework_of
from ..record.recorder import ACTIVE

Path = dict[str, Any]
"""One use of a tensor: the op, for which of its inputs, on which line, and the formula of the gradient for that input.
"""


def asked_of(x: Any) -> Framework:
    """The framework that a tensor belongs to."""
    return framework_of(x) or MINIGRAD


def graph_of(result: Any) -> Iterator[Any]:
    """Every node that leads to `result`."""
    framework = asked_of(result)
    start = framework.place(result)
    stack = [] if start is None else [start[0]]
    seen = set(map(id, stack))
    while stack:
        node = stack.pop()
        yield node
        for edge in framework.edges(node):
            if edge is not None and id(edge[0]) not in seen:
                seen.add(id(edge[0]))
                stack.append(edge[0])


def was_walked(result: Any) -> bool:
    """Whether a backward has run through the graph of `result` and released its saved tensors."""
    framework = asked_of(result)
    return any(framework.released(node) for node in graph_of(result)) or framework.is_used_up(result)


def paths_to(result: Any, x: Any) -> Iterator[Path]:
    """Every use of `x` in the graph that leads to `result`: the op, and for which of its inputs."""
    framework = asked_of(x)
    nodes = list(graph_of(result)) if result is not x else []
    target = framework.target(x)
    if target is None:
        return
    for node in nodes:
        edges = framework.edges(node)
        for name, edge in zip(framework.input_names(node, len(edges)), edges, strict=True):
            if edge is not None and edge[0] is target[0] and edge[1] == target[1]:
                facts = framework.op_facts(node)
                path = {"node": id(node), "run": 0, "op": facts["op"], "input": name, "at": recorded_place(node)}
                yield {**path, "formula": facts["gradients"].get(name, "")}


def recorded_place(node: Any) -> dict[str, Any] | None:
    """The line that made a node, if a recorder knows it, else None."""
    for recorder in reversed(ACTIVE):
        known = recorder.trace.ledger.nodes.find(node)
        if known is not None and known.bare.get("at"):
            return dict(known.bare["at"])
    return None


def cut_of(x: Any) -> tuple[str, Path | None] | None:
    """The name of the tensor that `x` was detached from, and the place, if recorded; else None."""
    for recorder in reversed(ACTIVE):
        known = recorder.trace.ledger.tensors.find(x)
        if known is not None and known.cut is not None:
            return known.cut[0].name or "the graph", known.cut[1]
    return None


def detached_after(x: Any) -> Iterator[tuple[str, Path | None]]:
    """Where something was detached from `x` or from a living result of it, as (name, place)."""
    for recorder in reversed(ACTIVE):
        for known in recorder.trace.ledger.tensors:
            tensor = known.ref()
            if known.cut is None or known.cut[0] is not known or tensor is None:
                continue
            if tensor is x or any(paths_to(tensor, x)):
                yield known.name or "a result of it", known.cut[1]

"""Finds the nodes that a call has made, and where a tensor comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .nodes import KEY, SINKS, Call, Edge, Inner, Sink
from .ops import op_of

ACCUMULATE = "AccumulateGrad"

MOST = 50_000
"""Unknown nodes are looked for among at most this many."""

Hook = Callable[[Any, Inner], None]


def node_of(tensor: Any) -> Any:
    """Its ``grad_fn``; None of a view whose history PyTorch will not give."""
    try:
        return tensor.grad_fn
    except RuntimeError:
        return None


def place_of(tensor: Any) -> Edge | None:
    """The call and the number of its output that made `tensor`; None for a leaf."""
    node = node_of(tensor)
    if node is None:
        return None
    inner = known(node)
    if inner is None:
        discover(node)
        inner = known(node)
    return None if inner is None else (inner.call, inner.outputs.get(tensor.output_nr, 0))


def edge_of(tensor: Any) -> Edge | None:
    """The target of its gradient: a call, or a leaf's sink; None where it takes none."""
    if not tensor.requires_grad:
        return None
    return place_of(tensor) or (SINKS.of(tensor), 0)


def target_of(tensor: Any) -> Edge | None:
    """The edge as `edge_of` finds it, but without a new sink for a leaf that no graph leads to."""
    place = place_of(tensor)
    sink = SINKS.find(tensor) if place is None else None
    return place if sink is None else (sink, 0)


def known(node: Any) -> Inner | None:
    """The role of a node in its call, if it has been met."""
    inner: Inner | None = node.metadata.get(KEY)
    return inner


def fold(call: Call, outputs: Sequence[Any], hook: Hook | None) -> list[tuple[str, Any]]:
    """Make all nodes that `outputs` have come to hang on, and that were not there before, one `call`.

    Its edges are filled in: by input, in the order of the arguments that they belong to. What the call uses besides its
    arguments is appended, and returned with a name.
    """
    starts = []
    for index, output in enumerate(outputs):
        node = node_of(output) if output.requires_grad else None
        if node is None:
            continue
        inner = known(node)
        if inner is None:
            inner = _begin(node, call)
            starts.append(node)
        if inner.call is call:
            inner.outputs.setdefault(output.output_nr, index)
    fresh = _new_nodes(starts, call)
    free: dict[tuple[int, int], list[int]] = {}
    for index, edge in enumerate(call.edges):
        if edge is not None:
            free.setdefault((id(edge[0]), edge[1]), []).append(index)
    more: list[tuple[str, Any]] = []
    for node in fresh:
        inner = known(node)
        assert inner is not None
        for target, number in node.next_functions:
            inner.inputs.append(None if target is None else _leaving(call, target, number, free, more))
        if hook is not None:
            hook(node, inner)
    return more


def _begin(node: Any, call: Call) -> Inner:
    inner = node.metadata[KEY] = Inner(call, {}, [])
    return inner


def _new_nodes(starts: list[Any], call: Call) -> list[Any]:
    """The nodes of this call: from its outputs back to what was known before."""
    fresh, stack = list(starts), list(starts)
    while stack and len(fresh) < MOST:
        for target, _ in stack.pop().next_functions:
            if target is not None and known(target) is None and target.name() != "torch::autograd::AccumulateGrad":
                _begin(target, call)
                fresh.append(target)
                stack.append(target)
    return fresh


def _leaving(
    call: Call, target: Any, number: int, free: dict[tuple[int, int], list[int]], more: list[tuple[str, Any]]
) -> tuple[int, Edge] | None:
    """As which input of the call this edge leaves it; None where it stays inside."""
    edge, value = _end(target, number)
    if edge is None or edge[0] is call:
        return None
    places = free.get((id(edge[0]), edge[1]))
    if places is None:
        index = len(call.edges)
        call.edges.append(edge)
        places = free[id(edge[0]), edge[1]] = [index]
        more.append((f"input[{index}]", edge[0].output(edge[1]) if value is None else value))
    index = places.pop(0) if len(places) > 1 else places[0]
    kept = call.edges[index]
    assert kept is not None
    return index, kept


def _end(target: Any, number: int) -> tuple[Edge | None, Any]:
    """The call or the sink that an edge leads to, and the leaf."""
    leaf = getattr(target, "variable", None)
    if leaf is not None:
        return (SINKS.of(leaf), 0), leaf
    inner = known(target)
    return (None, None) if inner is None else ((inner.call, inner.outputs.get(number, 0)), None)


def leaves_behind(tensor: Any) -> dict[int, Sink]:
    """The sinks of the leaves that its gradient goes to, by their numbers; of a very large graph only some."""
    found: dict[int, Sink] = {}
    stack, seen = [node_of(tensor)], set[Any]()
    while stack and len(seen) < MOST:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            found[SINKS.of(leaf).number] = SINKS.of(leaf)
        stack += [target for target, _ in node.next_functions]
    return found


def discover(root: Any, hook: Hook | None = None) -> list[Call]:
    """Calls for `root` and all nodes before it that had no event yet, one each, the oldest first."""
    missing: list[Any] = []
    stack, seen = [root], {root}
    while stack and len(missing) < MOST:
        node = stack.pop()
        missing.append(node)
        for target, _ in node.next_functions:
            if target is None or target in seen or getattr(target, "variable", None) is not None:
                continue
            seen.add(target)
            if known(target) is None:
                stack.append(target)
    calls = []
    for node in _oldest_first(missing):
        call = Call(op_of(_name(node)), [], {}, [])
        inner = _begin(node, call)
        for i, shape in enumerate(_shapes(node)):
            inner.outputs[i] = i
            call.output(i, *shape)
        for target, number in node.next_functions:
            edge = None if target is None else _end(target, number)[0]
            call.edges.append(edge)
            inner.inputs.append(None if edge is None else (len(call.edges) - 1, edge))
        if hook is not None:
            hook(node, inner)
        calls.append(call)
    return calls


def _oldest_first(nodes: list[Any]) -> list[Any]:
    """Each after those that it leads to."""
    waiting, done, ordered = dict.fromkeys(nodes, True), set[Any](), []
    stack = [(node, False) for node in nodes]
    while stack:
        node, ready = stack.pop()
        if ready:
            ordered.append(node)
        elif node not in done:
            done.add(node)
            stack.append((node, True))
            stack += [(target, False) for target, _ in node.next_functions if target in waiting and target not in done]
    return ordered


def _name(node: Any) -> str:
    return str(type(node).__name__ if isinstance(node, torch.autograd.function.BackwardCFunction) else node.name())


def _shapes(node: Any) -> list[tuple[tuple[int, ...], str]]:
    """Shape and type of each of its outputs, where PyTorch tells."""
    try:
        return [
            (tuple(each.shape), str(each.dtype).rpartition(".")[2])
            for each in getattr(node, "_input_metadata", None) or ()
        ]
    except (AttributeError, RuntimeError):  # such as a nested tensor's
        return []

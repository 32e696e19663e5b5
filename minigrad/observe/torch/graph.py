"""Find the nodes that a call has made, and the origin of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from .nodes import KEY, SINKS, Call, Edge, Inner, Sink
from .ops import op_of

ACCUMULATE = "AccumulateGrad"

MOST = 50_000
"""At most this many nodes are searched for unknown ones."""

Hook = Callable[[Any, Inner], None]


def node_of(tensor: Any) -> Any:
    """The ``grad_fn`` of a tensor; None if PyTorch refuses it, as for some views."""
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
    """Where the gradient of a tensor goes: a call, or a leaf's sink; None if it requires no gradient."""
    if not tensor.requires_grad:
        return None
    return place_of(tensor) or (SINKS.of(tensor), 0)


def target_of(tensor: Any) -> Edge | None:
    """Like `edge_of`, but without creating a sink for a leaf that no graph leads to."""
    place = place_of(tensor)
    sink = SINKS.find(tensor) if place is None else None
    return place if sink is None else (sink, 0)


def known(node: Any) -> Inner | None:
    """The role of a node in its call; None if the node is unknown."""
    inner: Inner | None = node.metadata.get(KEY)
    return inner


def fold(call: Call, outputs: Sequence[Any], hook: Hook | None) -> list[tuple[str, Any]]:
    """Make all new nodes behind `outputs` one `call`.

    Fills in the edges of the call by input, in the order of its arguments. Inputs that the call uses besides its
    arguments are appended, and returned with a name.
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
    """The nodes of this call: from its outputs back to nodes that are known already."""
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
    """The input of the call at which this edge leaves it, and the edge; None if it stays inside."""
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
    """The call or sink that an edge leads to, and its leaf if it is a sink."""
    leaf = getattr(target, "variable", None)
    if leaf is not None:
        return (SINKS.of(leaf), 0), leaf
    inner = known(target)
    return (None, None) if inner is None else ((inner.call, inner.outputs.get(number, 0)), None)


def leaves_behind(tensor: Any) -> dict[int, Sink]:
    """The sinks of the leaves that the gradient of `tensor` reaches, by number; of a very large graph only some."""
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
    """One call for each node before and including `root` that has no event yet, oldest first."""
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
    """The nodes, each after those that it leads to."""
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
    """The shape and dtype of each output of a node, if PyTorch has them."""
    try:
        return [
            (tuple(each.shape), str(each.dtype).rpartition(".")[2])
            for each in getattr(node, "_input_metadata", None) or ()
        ]
    except (AttributeError, RuntimeError):  # for example, of a nested tensor
        return []

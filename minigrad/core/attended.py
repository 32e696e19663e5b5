"""The rarer parts of a backward pass: hooks, listeners, captured gradients, goals.

The loop in `core.engine` calls this file only if one of these is present.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from .. import events
from ..events import LISTENERS, SKIPPED, emit
from .accumulate import accumulate, fit
from .attachment import attach
from .engine import Pass
from .gradients import copied
from .graph import AccumulateGrad, Edge, Node
from .graph_extra import created
from .hooks import run_post_accumulate_hooks, run_post_hooks, run_pre_hooks, run_tensor_hooks
from .smallprint import grad_dtype_of
from .tensor import Tensor

ALL_ASKED: Sequence[int] | None = ()
"""The inputs whose gradients may be left out when every gradient is wanted: none."""


class PassExtras:
    """Methods that are attached to `Pass`."""

    number: int
    captures: Any
    goals: Any
    waiting: dict[Node, int]
    needed: dict[Node, Sequence[int] | None] | None

    def announced_work(self: Any) -> None:
        """Run the pass; tell the listeners when it starts and how it ends."""
        captures = self.goals is not None
        emit(events.BackwardStarted(self.number, tuple(self.roots), self.create, self.retain, captures))
        try:
            self.work()
        except BaseException as error:
            emit(events.BackwardFinished(self.number, len(self.waiting), error))
            raise
        emit(events.BackwardFinished(self.number, len(self.waiting), None))

    def tell_ready(self: Any, node: Node, waiting: int) -> None:
        """Tell the listeners that all gradients of `node` have arrived."""
        if events.NodeReady not in SKIPPED:
            emit(events.NodeReady(self.number, node, waiting))

    def tell_added(self, edge: Edge, grad: Tensor, total: Any, leaf: Tensor | None = None) -> None:
        """Tell the listeners that `grad` was added at `edge`, or to ``leaf.grad``, and that `total` is the sum."""
        emit(events.GradAccumulated(self.number, edge, grad, total, leaf))

    def oldest_goal(self) -> int:
        """Return the sequence number of the goal that was created first."""
        return min(map(created, self.goals))

    def restrict(self: Any, goals: set[Node]) -> None:
        """Restrict the pass to nodes that lead to a goal; note for each which of its inputs lead to none."""
        needed: dict[Node, Sequence[int] | None] = dict.fromkeys(goals)
        for node in sorted(self.waiting, key=attrgetter("seq")):  # inputs come before their consumers
            targets = node.links[::2]
            if not needed.keys().isdisjoint(targets):
                needed[node] = [i for i, target in enumerate(targets) if target is not None and target not in needed]
        self.needed = needed

    def reaches(self: Any, edge: Edge | None) -> bool:
        """Return whether this pass computes a gradient for `edge`."""
        node = None if edge is None else edge[0]
        return node in self.waiting and (self.needed is None or node in self.needed)

    def fitted(self: Any, node: Node, index: int, grad: Tensor) -> Tensor:
        """Cast and sum the gradient to the dtype and shape of input `index`; emit an event if it was summed."""
        metas = node.metas
        if metas is None or metas[index] is None:
            return grad
        found = fit(grad, *metas[index])
        if LISTENERS and found._array.shape != grad._array.shape:
            emit(events.GradReduced(self.number, node, index, grad, found))
        return found

    def send(self: Any, node: Node, index: int, edge: Edge, grad: Tensor) -> None:
        """Pass a gradient along `edge`, summed and cast to fit the input there, and tell the listeners."""
        grad = self.fitted(node, index, grad)
        emit(events.GradComputed(self.number, node, index, edge, grad))
        self.add(edge, grad)

    def visit(self: Any, node: Node, grads: Any) -> Sequence[Any]:
        """Run one node with its hooks; return the gradients of its inputs."""
        if type(node) is AccumulateGrad:
            arrive(self, node, grads)
            return ()
        extra, several, unasked = node.extra, node.outputs > 1, ALL_ASKED
        if several:
            grads = (None,) * node.outputs if grads is None else tuple(grads)
        if self.needed is not None:
            unasked = self.needed[node]
            if self.captures is not None:
                if extra is not None and unasked is None:
                    grads = _at_tensors(node, extra, grads)
                if node in self.goals:
                    capture(self, node, grads)
                if unasked is None:
                    return ()
        if extra is not None:
            grads = _at_tensors(node, extra, grads)
            if extra.pre:
                grads = run_pre_hooks(node, extra.pre, grads if several else (grads,))
                grads = grads if several else grads[0]
        results = run(self, node, grads, unasked)
        if extra is not None and extra.post:
            outer = grads if node.outputs > 1 else (grads,)
            rest = (None,) * (len(node.next_functions) - len(results))
            sent = [each if each is None else self.fitted(node, i, each) for i, each in enumerate(results)]
            results = run_post_hooks(node, extra.post, (*sent, *rest), outer)
        return results


def run(self: Pass, node: Node, grads: Any, unasked: Sequence[int] | None) -> Sequence[Any]:
    """Run `node` if any gradient has arrived. `unasked` None means that no input's gradient is needed."""
    if not node.takes_nothing and (grads is None or (type(grads) is tuple and all(each is None for each in grads))):
        return ()
    if LISTENERS and events.NodeEntered not in SKIPPED:
        emit(events.NodeEntered(self.number, node, grads if type(grads) is tuple else (grads,)))
    results = node.run(grads, range(len(node.links) // 2) if unasked is None else unasked)
    if LISTENERS and events.NodeLeft not in SKIPPED:
        emit(events.NodeLeft(self.number, node))
    if not self.retain:
        node.release()
    return results


def capture(self: Pass, node: Node, grads: Any) -> None:
    """Store those gradients of this node that the pass captures."""
    assert self.captures is not None
    for number, grad in enumerate(grads if node.outputs > 1 else (grads,)):
        if (node, number) in self.captures:
            self.captures[node, number] = grad


def arrive(self: Pass, node: AccumulateGrad, grad: Any) -> None:
    """Handle a gradient that has arrived at a leaf: run the hooks, then add it to ``.grad``."""
    leaf = node.variable
    extra = leaf._extra
    if extra is not None and extra.hooks:
        grad = run_tensor_hooks(extra.hooks, grad, leaf)
        self.owned.discard(node)
    if grad is None:
        return
    grad = fit(grad, leaf._array.shape, grad_dtype_of(leaf))
    if self.captures is not None and (node, 0) in self.captures:
        self.captures[node, 0] = grad
        return
    if node.extra is not None and node.extra.pre:
        (grad,) = run_pre_hooks(node, node.extra.pre, (grad,))
        self.owned.discard(node)
    if (leaf._requires_grad or leaf.requires_grad) and accumulate(self, node, grad):
        grad = leaf._grad
    if extra is not None and extra.post_accumulate:
        run_post_accumulate_hooks(extra.post_accumulate, leaf)
    if node.extra is not None and node.extra.post:
        run_post_hooks(node, node.extra.post, (), (grad,))


def _at_tensors(node: Node, extra: Any, grads: Any) -> Any:
    """Run the tensor hooks on the gradients of a node's outputs, and store the gradients that tensors retain."""
    values = list(grads) if node.outputs > 1 else [grads]
    for number, hooks in extra.tensor_hooks.items():
        values[number] = run_tensor_hooks(hooks, values[number], (node, number))
    for number, kept in extra.retains.items():
        tensor, grad = kept(), values[number]
        if tensor is not None and grad is not None:
            tensor._grad = copied(grad) if tensor._grad is None else tensor._grad + grad
    return tuple(values) if node.outputs > 1 else values[0]


attach(Pass, PassExtras)

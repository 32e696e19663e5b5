"""The engine: walks the graph from the roots back to the leaves, each node once, after everything that uses it.

Two passes, neither recursive. The first counts, for every node that can be reached, how many edges lead to it. The
second keeps a queue of nodes all of whose gradients have arrived, newest first, runs one, sends its results along its
edges, and adds up what meets at the same place. The newest first, because a node made later can never feed one made
earlier; so the order, and with it every rounding, is the reverse of the forward pass on every run.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from typing import Any

from .. import events
from ..events import LISTENERS, emit
from .accumulate import accumulate, copied, fit
from .graph import (
    AccumulateGrad,
    Edge,
    Node,
    created,
)
from .hooks import run_post_accumulate_hooks, run_post_hooks, run_pre_hooks, run_tensor_hooks
from .state import STATE
from .tensor import Tensor

Roots = list[tuple[Edge, Tensor]]

NO_GRADS: tuple[Any, ...] = ()

_next_run = itertools.count(1).__next__


class Pass:
    """One run of the engine over a graph.

    `captures` maps edges to where their gradient is kept instead of (leaves) or besides (others) being passed on;
    None means: accumulate into every leaf, or, where `goals` are given, into every leaf among these nodes.
    """

    def __init__(
        self,
        roots: Roots,
        captures: dict[Edge, Tensor | None] | None,
        retain: bool,
        create: bool,
        goals: set[Node] | None = None,
    ) -> None:
        self.roots = roots
        self.captures = captures
        self.goals = goals if captures is None else {node for node, _ in captures}
        """Nodes to run at most, besides those on the way to them; None for all."""
        self.retain = retain
        self.create = create
        self.number = _next_run()

        self.callbacks: list[Callable[[], Any]] = []
        """What to call when everything has run."""

        self.waiting: dict[Node, int] = {}
        self.needed: set[Node] | None = None
        self.buffers: dict[Node, Any] = {}
        self.owned: set[Node] = set()
        """Nodes whose buffer nobody else holds: it may be added to in place, and become a leaf's ``.grad`` as it is."""

    def execute(self) -> None:
        """Run to the end, with recording on only where the gradient's own graph is wanted.

        The mode is put back twice: an interrupt may come in one ``finally``, but then the other still runs. In neither
        is there a place where Python looks for signals.
        """
        before = STATE.mode
        inside = before.but(grad=self.create, passes=(*before.passes, self))
        try:
            try:
                STATE.mode = inside
                self.work()
            finally:
                STATE.mode = before
        finally:
            STATE.mode = before

    def work(self) -> None:
        """Count, walk, and call back; listeners hear when it starts and how it ends."""
        if LISTENERS:
            captures = self.goals is not None
            emit(events.BackwardStarted(self.number, tuple(self.roots), self.create, self.retain, captures))
        try:
            self.count()
            if self.goals is not None:
                self.restrict(self.goals)
            self.walk()
            for callback in self.callbacks:  # which may add others
                callback()
        except BaseException as error:
            if LISTENERS:
                emit(events.BackwardFinished(self.number, len(self.waiting), error))
            raise
        if LISTENERS:
            emit(events.BackwardFinished(self.number, len(self.waiting)))

    def count(self) -> None:
        """How many edges lead to each reachable node; nothing older than the oldest goal is looked behind."""
        waiting = self.waiting
        oldest = min(map(created, self.goals), default=0) if self.goals else 0
        stack = []
        for (node, _), _ in self.roots:
            if node not in waiting:
                waiting[node] = 0
                stack.append(node)
        while stack:
            for node in stack.pop().links[::2]:
                if node is not None:
                    if node in waiting:
                        waiting[node] += 1
                    else:
                        waiting[node] = 1
                        if node.seq >= oldest:
                            stack.append(node)

    def restrict(self, goals: set[Node]) -> None:
        """Only nodes from which a goal can be reached need to run."""
        needed = set(goals)
        for node in sorted(self.waiting, key=_sequence_number):  # inputs come before what was made of them
            if not needed.isdisjoint(node.links[::2]):
                needed.add(node)
        self.needed = needed

    def reaches(self, edge: Edge | None) -> bool:
        """Whether this pass brings a gradient to `edge`."""
        node = None if edge is None else edge[0]
        return node in self.waiting and (self.needed is None or node in self.needed)

    def walk(self) -> None:
        """Run every node whose gradients are complete, until none is left."""
        ready: list[tuple[int, Node]] = []
        waiting, needed, buffers = self.waiting, self.needed, self.buffers
        retain, plain = self.retain, self.goals is None
        for start, seed in self.roots:
            self.add(start, seed)
        for node in dict.fromkeys(start[0] for start, _ in self.roots):
            if not waiting[node]:
                heapq.heappush(ready, (-node.seq, node))
                if LISTENERS:
                    emit(events.NodeReady(self.number, node, len(ready)))
        while ready:
            node = heapq.heappop(ready)[1]
            while True:  # as long as exactly one node becomes ready, the queue is not needed
                following: Node | None = None
                grads = buffers.pop(node, None)
                if needed is not None and node not in needed:
                    break  # and nothing behind it is
                if grads is None and node.extra is None and not node.takes_nothing:
                    results: Sequence[Any] = NO_GRADS
                elif plain and node.extra is None and node.outputs == 1 and not LISTENERS and node.links:
                    results = node.run(grads)
                    if not retain:
                        node.release()
                else:
                    results = self.visit(node, grads)
                metas, links = node.metas, node.links
                for index, target in enumerate(links[::2]):
                    if target is None:
                        continue
                    grad = results[index] if results else None
                    if grad is not None:
                        if metas is None and target not in buffers and target.outputs == 1:
                            if target.__class__ is AccumulateGrad and _is_new(grad, node, grads, results):
                                self.owned.add(target)
                            if LISTENERS:
                                self.send(node, index, (target, links[2 * index + 1]), grad)
                            else:
                                buffers[target] = grad
                        else:
                            self.send(node, index, (target, links[2 * index + 1]), grad)
                    left = waiting[target] - 1
                    waiting[target] = left
                    if not left:
                        if LISTENERS:
                            emit(events.NodeReady(self.number, target, len(ready) + 1))
                        if following is None:
                            following = target
                        else:
                            heapq.heappush(ready, (-target.seq, target))
                if following is None:
                    break
                if ready and ready[0][0] < -following.seq:
                    node = heapq.heappushpop(ready, (-following.seq, following))[1]
                else:
                    node = following

    def send(self, node: Node, index: int, edge: Edge, grad: Tensor) -> None:
        """Pass a gradient along an edge, fitted to the input it belongs to."""
        metas = node.metas
        if metas is not None and metas[index] is not None:
            fitted = fit(grad, *metas[index])
            if LISTENERS and fitted._array.shape != grad._array.shape:
                emit(events.GradReduced(self.number, node, index, grad, fitted))
            grad = fitted
        if LISTENERS:
            emit(events.GradComputed(self.number, node, index, edge, grad))
        self.add(edge, grad)

    def add(self, edge: Edge, grad: Tensor) -> None:
        """Add a contribution to what waits at `edge`."""
        target, number = edge
        buffers = self.buffers
        if target.outputs == 1:
            before = buffers.get(target)
            if before is None:
                buffers[target] = total = grad
            else:
                buffers[target] = total = self.sum(target, before, grad)
        else:
            slots = buffers.get(target)
            if slots is None:
                slots = buffers[target] = [None] * target.outputs
            before = slots[number]
            slots[number] = total = grad if before is None else before + grad
        if LISTENERS:
            emit(events.GradAccumulated(self.number, edge, grad, total))

    def sum(self, target: Node, before: Any, grad: Any) -> Any:
        """``before + grad``, in place where `before` is a sum of ours that nobody else holds."""
        if self.create or LISTENERS:
            return before + grad
        if (
            target in self.owned
            and type(before) is Tensor
            and before._array.dtype == grad._array.dtype
            and not STATE.mode.interpreters
        ):
            before._array += grad._array
            return before
        self.owned.add(target)
        return before + grad

    def visit(self, node: Node, grads: Any) -> Sequence[Any]:
        """Run one node with its hooks; the gradients of its inputs."""
        if type(node) is AccumulateGrad:
            self.arrive(node, grads)
            return ()
        extra, several = node.extra, node.outputs > 1
        if several:
            grads = (None,) * node.outputs if grads is None else tuple(grads)
        if self.captures is not None and self.needed is not None:
            runs = not self.needed.isdisjoint(node.links[::2])
            if extra is not None and not runs:
                grads = _at_tensors(node, extra, grads)
            if self.goals and node in self.goals:
                self.capture(node, grads)
            if not runs:
                return ()
        if extra is not None:
            grads = _at_tensors(node, extra, grads)
            if extra.pre:
                grads = run_pre_hooks(node, extra.pre, grads if several else (grads,))
                grads = grads if several else grads[0]
        results = self.run(node, grads)
        if extra is not None and extra.post:
            outer = grads if node.outputs > 1 else (grads,)
            rest = (None,) * (len(node.next_functions) - len(results))
            results = run_post_hooks(node, extra.post, (*results, *rest), outer)
        return results

    def run(self, node: Node, grads: Any) -> Sequence[Any]:
        """The node's own work, where anything has arrived for it."""
        if not node.takes_nothing and (grads is None or (type(grads) is tuple and all(each is None for each in grads))):
            return ()
        if LISTENERS:
            emit(events.NodeEntered(self.number, node, grads if type(grads) is tuple else (grads,)))
        needed = self.needed
        if needed is None:
            results = node.run(grads)
        else:
            unasked = [i for i, target in enumerate(node.links[::2]) if target is not None and target not in needed]
            results = node.run(grads, unasked)
        if LISTENERS:
            emit(events.NodeLeft(self.number, node))
        if not self.retain:
            node.release()
        return results

    def capture(self, node: Node, grads: Any) -> None:
        """Keep what was asked for of this node's gradients."""
        assert self.captures is not None
        for number, grad in enumerate(grads if node.outputs > 1 else (grads,)):
            if (node, number) in self.captures:
                self.captures[node, number] = grad

    def arrive(self, node: AccumulateGrad, grad: Any) -> None:
        """A gradient has come to a leaf: its hooks, and then ``.grad``."""
        leaf = node.variable
        extra = leaf._extra
        if extra is not None and extra.hooks:
            grad = run_tensor_hooks(extra.hooks, grad, leaf)
            self.owned.discard(node)
        if grad is None:
            return
        grad = fit(grad, leaf._array.shape, leaf._array.dtype if extra is None else extra.grad_dtype_of(leaf))
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


def _is_new(grad: Tensor, node: Node, arrived: Any, results: Sequence[Any]) -> bool:
    """Whether nobody but the engine holds `grad`: an op's rule made its array, which is no view and no one else's."""
    array = grad._array
    return (
        node.computes
        and node.outputs == 1
        and array.base is None
        and array is not arrived._array
        and sum(each is not None and each._array is array for each in results) == 1
    )


def _sequence_number(node: Node) -> int:
    return node.seq


def _at_tensors(node: Node, extra: Any, grads: Any) -> Any:
    """What happens to gradients as those of tensors, before the node: hooks, then tensors that retain theirs."""
    values = list(grads) if node.outputs > 1 else [grads]
    for number, hooks in extra.tensor_hooks.items():
        values[number] = run_tensor_hooks(hooks, values[number], (node, number))
    for number, kept in extra.retains.items():
        tensor, grad = kept(), values[number]
        if tensor is not None and grad is not None:
            tensor._grad = copied(grad) if tensor._grad is None else tensor._grad + grad
    return tuple(values) if node.outputs > 1 else values[0]

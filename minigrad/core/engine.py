"""The engine: walks the graph from the roots back to the leaves, each node once, after everything that uses it.

Two loops, neither recursive. The first counts, for every reachable node, how many edges lead to it. The second keeps a
queue of nodes all of whose gradients have arrived. It runs the newest, sends the results along its edges, and sums
gradients that meet at the same place. Newest first, because a node made later can never be an input of one made
earlier. So the order, and with it every rounding, is the reverse of the forward pass on every run.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..events import LISTENERS
from .accumulate import accumulate, fit
from .graph import AccumulateGrad, Edge, Node
from .state import STATE
from .tensor import Tensor

if TYPE_CHECKING:
    from .attended import PassExtras
else:
    PassExtras = object  # `core.attended` attaches what hooks, listeners and captures need

Roots = list[tuple[Edge, Tensor]]

NO_GRADS: tuple[Any, ...] = ()

_next_run = itertools.count(1).__next__


class Pass(PassExtras):
    """One run of the engine over a graph.

    `captures` maps edges to the gradients captured there. A captured leaf does not accumulate into ``.grad``; a
    captured node still runs. None means: accumulate into every leaf, or, if `goals` is a set of nodes, into every leaf
    among them.
    """

    def __init__(self, roots: Roots, captures: Any, retain: bool, create: bool, goals: Any = None) -> None:
        self.roots = roots
        self.captures: dict[Edge, Tensor | None] | None = captures
        self.goals: set[Node] | None = goals if captures is None else {node for node, _ in captures}
        """The nodes that must run, besides those on the way to them; None for all."""
        self.retain = retain
        self.create = create
        self.number = _next_run()

        self.callbacks: list[Callable[[], Any]] = []
        """Called in order when all nodes have run."""

        self.waiting: dict[Node, int] = {}
        self.needed: dict[Node, Sequence[int] | None] | None = None
        self.buffers: dict[Node, Any] = {}
        self.owned: set[Node] = set()
        """Nodes whose buffer only the engine holds. It may be added to in place, or become a leaf's ``.grad``."""

    def execute(self) -> None:
        """Run the pass; ops are recorded only with `create_graph`.

        The mode is restored twice: if an interrupt hits one ``finally``, the other still runs. Inside both blocks there
        is no point at which Python checks for signals.
        """
        before = STATE.mode
        inside = before.but(grad=self.create, passes=(*before.passes, self))
        try:
            try:
                STATE.mode = inside
                (self.announced_work if LISTENERS else self.work)()
            finally:
                STATE.mode = before
        finally:
            STATE.mode = before

    def work(self) -> None:
        """Count, walk, and run the callbacks."""
        self.count()
        if self.goals is not None:
            self.restrict(self.goals)
        self.walk()
        for callback in self.callbacks:  # a callback may add others
            callback()

    def count(self) -> None:
        """Count the edges that lead to each reachable node; nodes older than the oldest goal are not searched."""
        waiting = self.waiting
        oldest = self.oldest_goal() if self.goals else 0
        for (node, _), _ in self.roots:
            waiting[node] = 0
        stack = list(waiting)
        while stack:
            for node in stack.pop().links[::2]:
                if node is not None:
                    if node in waiting:
                        waiting[node] += 1
                    else:
                        waiting[node] = 1
                        if node.seq >= oldest:
                            stack.append(node)

    def walk(self) -> None:
        """Run every node whose gradients are complete, until none is left."""
        ready: list[tuple[int, Node]] = []
        waiting, needed, buffers = self.waiting, self.needed, self.buffers
        retain, plain = self.retain, self.goals is None
        for start, seed in self.roots:
            self.add(start, seed)
        for node in dict.fromkeys([start[0] for start, _ in self.roots]):
            if not waiting[node]:
                heapq.heappush(ready, (-node.seq, node))
                if LISTENERS:
                    self.tell_ready(node, len(ready))
        while ready:
            node = heapq.heappop(ready)[1]
            while True:  # as long as exactly one node becomes ready, the queue is not needed
                following: Node | None = None
                grads = buffers.pop(node, None)
                if needed is not None and node not in needed:
                    break  # no goal lies behind it
                if grads is None and node.extra is None and not node.takes_nothing:
                    results: Sequence[Any] = NO_GRADS
                elif LISTENERS or not plain or node.extra is not None or grads is None:
                    results = self.visit(node, grads)
                elif node.__class__ is AccumulateGrad:
                    self.arrive(node, grads)
                    results = NO_GRADS
                else:
                    results = node.run(grads if node.outputs == 1 else tuple(grads))
                    if not retain:
                        node.release()
                metas, links = node.metas, node.links
                index = -1
                for target in links[::2]:
                    index += 1
                    if target is None:
                        continue
                    grad = results[index] if results else None
                    if grad is not None:
                        if metas is not None:
                            if metas[index] is not None and not LISTENERS:
                                grad = fit(grad, *metas[index])
                        elif target.__class__ is AccumulateGrad and self.may_own(target, grad, node, grads, results):
                            self.owned.add(target)
                        if LISTENERS:
                            self.send(node, index, (target, links[2 * index + 1]), grad)
                        elif target in buffers or target.outputs > 1:
                            self.add((target, links[2 * index + 1]), grad)
                        else:
                            buffers[target] = grad
                    left = waiting[target] - 1
                    waiting[target] = left
                    if not left:
                        if LISTENERS:
                            self.tell_ready(target, len(ready) + 1)
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

    def add(self, edge: Edge, grad: Tensor) -> None:
        """Add a contribution to the gradient at `edge`."""
        target, number = edge
        if target.outputs == 1:
            before = self.buffers.get(target)
            self.buffers[target] = total = grad if before is None else self.sum(target, before, grad)
        else:
            slots = self.buffers.setdefault(target, [None] * target.outputs)
            slots[number] = total = grad if slots[number] is None else slots[number] + grad
        if LISTENERS:
            self.tell_added(edge, grad, total)

    def sum(self, target: Node, before: Any, grad: Any) -> Any:
        """Return ``before + grad``, computed in place if `before` is a sum that only the engine holds."""
        if not (self.create or LISTENERS):
            if target in self.owned and before._array.dtype == grad._array.dtype and not STATE.mode.interpreters:
                before._array += grad._array
                return before
            self.owned.add(target)
        return before + grad

    def may_own(self, target: Node, grad: Tensor, node: Node, arrived: Any, results: Sequence[Any]) -> bool:
        """Return whether only the engine holds `grad`: a rule of `node` has just made its array, and it is no view."""
        array = grad._array
        if not node.computes or node.outputs != 1 or array.base is not None or array is arrived._array:
            return False
        return target not in self.buffers and [r is not None and r._array is array for r in results].count(True) == 1

    def arrive(self, node: Any, grad: Tensor) -> None:
        """Handle a gradient that has arrived at a leaf: fit it, and add it to ``.grad``."""
        leaf = node.variable
        if leaf._extra is not None and leaf._extra.attended:
            self.visit(node, grad)
        elif leaf._requires_grad or leaf.requires_grad:
            accumulate(self, node, fit(grad, leaf._array.shape, leaf._array.dtype))

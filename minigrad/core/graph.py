"""The graph: nodes, and the edges between them.

A node is one recorded op. For each input it has an *edge*, the pair (node that made the input, which of that node's
outputs it was), or None where no gradient is wanted. At a leaf the graph ends in an `AccumulateGrad`, which adds the
gradient to the leaf's ``.grad``. The graph is nothing but these pairs; the tensors of the forward pass are not in it,
unless a gradient rule asked for them.

    w ── AccumulateGrad ◄──┐
                           Mul ◄── Sum ◄── loss
    x (no gradient)  None ◄┘

>>> import minigrad as mg
>>> w = mg.tensor([2.0], requires_grad=True)
>>> loss = (w * 3).sum()
>>> loss.grad_fn.name(), loss.grad_fn.next_functions[0][0].name()
('SumBackward0', 'MulBackward0')
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..backend.memory import settle

if TYPE_CHECKING:
    from .graph_extra import Extra, NodeExtras
    from .tensor import Tensor
else:
    NodeExtras = object  # `core.graph_extra` attaches names, single edges, hooks

Edge = tuple["Node", int]
Edges = tuple[Edge | None, ...]

NOWHERE = (None, 0)
"""Stands for the edge of an input that takes no gradient."""

next_sequence_number = itertools.count().__next__
SOON = 1 << 62
"""Leaf nodes are numbered above this value, so the queue runs them first; among them, the oldest first."""


class Node(NodeExtras):
    """One recorded op. The base class of every op, of users' Functions, and of autograd's own few nodes.

    Its ``run(grad, unasked)`` returns the gradient of every input, given that of the output (a tuple if there are
    several outputs). `unasked` lists the inputs whose gradient may be left out.
    """

    __slots__ = ("links", "seq", "extra", "__weakref__")

    outputs: int = 1
    """The number of outputs; the engine keeps one gradient for each."""

    begins = False
    """Whether a tensor with this node is a leaf: the graph does not show how it was made."""

    adrift = False
    """Whether a gradient that arrives here is dropped: see `gradient_edge.Adrift`."""

    computes = False
    """Whether `run` makes new arrays for its gradients, and never returns one that it or another node keeps."""

    takes_nothing = False
    """Whether it runs even if no gradient has arrived, as a user's Function does."""

    metas: Any = None
    """(shape, dtype) of each input whose gradient must be fitted to it; None if none needs it."""

    links: tuple[Any, ...]
    """The edges in one flat tuple, (node, output, node, output, ...); (None, 0) is a missing edge, left out at the end.

    A graph may hold a million nodes, and Python's garbage collector looks at each object again and again; a tuple for
    every edge would double its work. A single edge is not even copied: the tuple is the one that the input holds.
    """

    seq: int
    """The node's sequence number: nodes are numbered in the order of creation."""

    extra: Extra | None
    """Hooks and other attributes that few nodes have."""

    def release(self) -> None:
        """Release the saved tensors."""


def links_of(edges: Sequence[Edge | None]) -> tuple[Any, ...]:
    """Return `edges` as one flat tuple, for `Node.links`."""
    if len(edges) == 1:
        return edges[0] or NOWHERE
    return tuple([part for edge in edges for part in edge or NOWHERE])


class AccumulateGrad(Node):
    """The last node before a leaf: adds the gradient that arrives to the leaf's ``.grad``.

    The node holds its leaf; the leaf has only a weak reference to its node. So the node lives as long as a graph leads
    to it.
    """

    __slots__ = ("variable",)

    begins = True
    takes_nothing = True
    links = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.seq = 2 * SOON - next_sequence_number()
        self.extra = None


def leaf_edge(leaf: Tensor) -> Edge:
    """Return the edge to `leaf`: always to the same node, as long as a graph holds that node."""
    extra = leaf.extra
    node = None if extra.accumulator is None else extra.accumulator()
    if node is None:
        settle()  # tune memory and garbage collection at the first recorded op
        node = AccumulateGrad(leaf)
        extra.accumulator = weakref.ref(node)
    return (node, 0)

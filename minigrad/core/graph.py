"""The graph: nodes, and the edges between them.

A node is one recorded op. For each input it has an *edge*, the pair (node that made the input, which of that node's
outputs it was), or None where no gradient is wanted. A leaf ends the walk in an `AccumulateGrad`, which adds what
arrives to the leaf's ``.grad``. The graph is nothing but these pairs; the tensors of the forward pass are not in it,
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
from typing import TYPE_CHECKING, Any, ClassVar

from ..backend.memory import settle
from ..errors import MissingRuleError
from .graph_extra import Extra, Hookable

if TYPE_CHECKING:
    from .tensor import Tensor

Edge = tuple["Node", int]

NOWHERE = (None, 0)
"""Stands for the edge of an input that takes no gradient."""

next_sequence_number = itertools.count().__next__
SOON = 1 << 62
"""What the numbers of leaves' nodes begin above, since these run as soon as they can; among them the oldest first."""


class Node(Hookable):
    """One recorded op. The base of every op, of users' Functions, and of the few nodes that autograd needs itself."""

    __slots__ = ("links", "seq", "extra", "__weakref__")

    outputs: int = 1
    """How many outputs it has; the engine keeps one gradient for each."""

    begins = False
    """Whether a tensor here is a leaf: nothing that made it is in the graph."""

    adrift = False
    """Whether a gradient ends here unseen: see `graph_extra.Adrift`."""

    computes = False
    """Whether `run` computes every gradient anew: it never returns something it saved, or that somebody else keeps."""

    takes_nothing = False
    """Whether it runs even where no gradient has arrived at all, as a user's Function does."""

    metas: Any = None
    """(shape, dtype) of each input whose gradient must be fitted to it, or None where all fit as they are."""

    inputs_named: ClassVar[tuple[str, ...]] = ()
    """What its inputs are called, where their number is known."""

    links: tuple[Any, ...]
    """The edges in one row, (node, output, node, output, ...), with (None, 0) where there is none, save at the end.

    A graph may hold a million of these, and Python's garbage collector looks at each again and again; a tuple for every
    edge would double its work. So an only edge is not even copied: the row is the tuple that the input's tensor holds.
    """

    seq: int
    extra: Extra | None

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        """The gradient of every input, given that of the output (a tuple of them where there are several outputs).

        `unasked` are the numbers of inputs whose gradient nobody asks for: the node may leave these out (None).
        """
        raise MissingRuleError(
            f"{type(self).__name__} does not say the gradients of its inputs: write run(self, grad, unasked), which "
            "returns one for each, or None."
        )

    def release(self) -> None:
        """Let go of what was saved for backward."""

    def name(self) -> str:
        """The name PyTorch would show: MulBackward0."""
        return type(self).__name__

    @property
    def edges(self) -> tuple[Edge | None, ...]:
        """Where the gradient of each input goes."""
        return tuple([None if edge[0] is None else edge for edge in self.next_functions])

    @edges.setter
    def edges(self, edges: Sequence[Edge | None]) -> None:
        if len(edges) == 1:
            self.links = edges[0] or NOWHERE
        else:
            self.links = tuple([part for edge in edges for part in edge or NOWHERE])

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        """The edges, with (None, 0) for inputs that take no gradient."""
        given = [
            NOWHERE if node is not None and node.adrift else (node, output)
            for node, output in zip(self.links[::2], self.links[1::2], strict=True)
        ]
        return (*given, *(NOWHERE,) * (len(self.inputs_named) - len(given)))

    def __repr__(self) -> str:
        return f"<{self.name()} object at {id(self):#x}>"


# Leaves -------------------------------------------------------------------------------------------------------------


class AccumulateGrad(Node):
    """The end of the walk: adds the gradient that arrives to the ``.grad`` of one leaf.

    The node holds its leaf, the leaf knows its node only weakly: the node lives as long as some graph leads to it.
    """

    __slots__ = ("variable",)

    begins = True
    takes_nothing = True
    links = ()

    def __init__(self, variable: Tensor) -> None:
        self.variable = variable
        self.seq = 2 * SOON - next_sequence_number()
        self.extra = None

    def name(self) -> str:
        return "AccumulateGrad"

    def __repr__(self) -> str:
        return f"<AccumulateGrad object at {id(self):#x}>"


def created(node: Node) -> int:
    """The number of a node in the order of creation."""
    return node.seq if node.seq < SOON else 2 * SOON - node.seq


def leaf_edge(leaf: Tensor) -> Edge:
    """The edge that leads to `leaf`: always the same node while anybody holds it."""
    extra = leaf._extra or leaf.extra
    known = extra.accumulator
    node = None if known is None else known()
    if node is None:
        settle()  # a program that records is one that gains by it
        node = AccumulateGrad(leaf)
        extra.accumulator = weakref.ref(node)
    return (node, 0)

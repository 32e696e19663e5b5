"""The questions of a recorder about the tensors and the nodes of the framework that it watches.

The recorder takes the events of `minigrad.events`; the objects in them are the framework's own. All that is read off
those objects goes through one `Framework`, a small table of functions. minigrad's is `observe.framework.MINIGRAD`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import Any, NamedTuple, Protocol

from ... import events

Tensor = Any
Node = Any
Edge = tuple[Node, int]
"""A node and the number of its output."""
Record = dict[str, Any]

LONGEST_TEXT = 2_000
"""Characters of a text that are recorded."""


class Folders(NamedTuple):
    """The folders of the framework's own code, as the beginnings of file names."""

    own: tuple[str, ...] = ()
    """All of it: what it detaches itself is no cut in the user's graph."""
    housekeeping: tuple[str, ...] = ()
    """Optimisers and initialisers: ops outside the graph that run there are not recorded."""
    modules: tuple[str, ...] = ()
    """The place where a module calls its ``forward``."""
    checkpoint: tuple[str, ...] = ()
    """The place where a checkpoint runs its region again."""
    detach: tuple[str, ...] = ()
    """The place where ``detach`` is defined."""


class Framework(ABC):
    """Access to one framework's tensors and nodes. Nothing here changes, keeps or computes anything of theirs.

    Two kinds of objects: a *tensor* flows through the graph, a *node* is an op in it. Both must allow weak references
    and keep their identity as long as they live; where a framework's own node does not, hand out a stand-in for it, in
    events and here. What is abstract must be known; everything else has an answer that says "not known".
    """

    name: str = ""
    folders: Folders = Folders()

    def listen(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Call `listener` with every event of this framework from now on; the returned function stops that.

        Where nothing else is said, the framework's source emits its events with `minigrad.events`.
        """
        return events.listen(listener, rules=False)

    def leave(self) -> None:  # noqa: B027  # most have nothing to do
        """A recorder has stopped for good: take out what `listen` has put in, where nobody else listens."""

    # Tensors

    @abstractmethod
    def is_tensor(self, value: Any) -> bool:
        """Whether `value` flows through this framework's graphs.

        Any object of the user's may come. Ask ``type(value)``: `isinstance` would run the code of a proxy.
        """

    @abstractmethod
    def facts(self, tensor: Tensor) -> Record:
        """``shape``, ``dtype``, ``device``, ``strides``, ``bytes``, ``version``, ``leaf``, ``requires_grad``, and
        ``parameter`` where it is one: the fields of a tensor's record that need no look at its elements."""

    @abstractmethod
    def has_elements(self, value: Any) -> bool:
        """Whether `value` is a tensor whose elements can be read now. Not so a text, or a result nobody has seen."""

    @abstractmethod
    def array(self, tensor: Tensor) -> Any:
        """All its elements as a NumPy array, which nobody will write to. Under vmap those of all examples."""

    def part(self, tensor: Tensor, index: tuple[int | slice, ...]) -> Any:
        """``array(tensor)[index]``; override it where only that part need be copied from a device."""
        return self.array(tensor)[index]

    @abstractmethod
    def shape(self, tensor: Tensor) -> Sequence[int]:
        """Its sizes; of a text none."""

    @abstractmethod
    def size(self, tensor: Tensor) -> int:
        """The number of elements; 0 where it has none to read."""

    @abstractmethod
    def nbytes(self, tensor: Tensor) -> int:
        """The number of bytes of its elements."""

    @abstractmethod
    def version(self, tensor: Tensor) -> int:
        """Counts the writes to its memory, by whatever tensor that looks into it."""

    @abstractmethod
    def memory(self, tensor: Tensor) -> int:
        """A number that two tensors share as long as both live and have the same elements in the same memory."""

    @abstractmethod
    def requires_grad(self, tensor: Tensor) -> bool:
        """Whether a gradient of it is wanted."""

    @abstractmethod
    def grad(self, tensor: Tensor) -> Tensor | None:
        """Its ``.grad``, without computing or creating one."""

    def shares_memory(self, a: Tensor, b: Tensor) -> bool:
        """Whether a write to one may be seen in the other."""
        return self.memory(a) == self.memory(b)

    def base(self, tensor: Tensor) -> Tensor | None:
        """The tensor that it is a view of."""
        return None

    def is_parameter(self, tensor: Tensor) -> bool:
        """Whether it is a module's parameter, which goes by its path."""
        return False

    @abstractmethod
    def place(self, tensor: Tensor) -> Edge | None:
        """The node and the number of its output that made it; None for a leaf."""

    def target(self, tensor: Tensor) -> Edge | None:
        """The target of its gradient: its place, or a leaf's accumulating node while a living graph leads there."""
        return self.place(tensor)

    def is_used_up(self, tensor: Tensor) -> bool:
        """Whether a backward that nobody watched has been through the graph behind it, as far as that can be told."""
        return False

    @abstractmethod
    def squares(self, tensor: Tensor) -> float:
        """The sum of the squares of its elements' absolute values, added where its memory is."""

    def text(self, value: Any) -> Record | None:
        """The value's record of something that flows through the graph and has no elements, such as a text."""
        return None

    # Nodes

    def is_node(self, value: Any) -> bool:
        """Whether `value` is a node."""
        return hasattr(value, "edges")

    @abstractmethod
    def edges(self, node: Node) -> Sequence[Edge | None]:
        """The edge to the node of each input; None where no gradient is needed. A leaf's is its accumulating node."""

    @abstractmethod
    def sequence(self, node: Node) -> int:
        """A number that is larger the later a node was made."""

    @abstractmethod
    def leaf(self, node: Node) -> Tensor | None:
        """The leaf whose ``.grad`` an accumulating node adds to; None for any other node."""

    @abstractmethod
    def kind(self, node: Node) -> Hashable:
        """The key that all nodes of one op share, such as its class or its name."""

    @abstractmethod
    def op_name(self, node: Node) -> str:
        """The op, as a person calls it: MatMul."""

    @abstractmethod
    def op_facts(self, node: Node) -> Record:
        """``op``, ``formula``, ``gradients`` by input, all in LaTeX, and ``elementwise``. Do not change the answer."""

    @abstractmethod
    def input_names(self, node: Node, count: int) -> list[str]:
        """The op's names for its first `count` inputs: a, b; tensors[0], tensors[1]."""

    def settings(self, node: Node) -> Record:
        """The op's settings, such as axes, as JSON has them: see `plain`."""
        return {}

    def saved(self, node: Node) -> list[tuple[str, Tensor, int]] | None:
        """(name, tensor, version when it was saved) of what it keeps for backward now; None where that is not known."""
        return None

    def released(self, node: Node) -> bool:
        """Whether a backward has been through it and let go of what it had saved."""
        return False

    def writes_in_place(self, node: Node, outputs: Sequence[Tensor]) -> bool:
        """Whether the op has just written to memory that may have been there before it ran."""
        return False

    def input_shape(self, node: Node, index: int) -> Sequence[int] | None:
        """The shape of that input, where the node remembers it."""
        return None

    def examples(self, outputs: Sequence[Tensor]) -> int | None:
        """For how many examples at once the op ran that made these, under the innermost vmap; None outside of one."""
        return None

    # The program

    def in_backward(self) -> bool:
        """Whether this thread is inside a backward pass."""
        return False

    def in_rule(self) -> bool:
        """Whether this thread is inside a gradient rule whose ops are not recorded."""
        return False

    def memory_counter(self) -> MemoryCounter | None:
        """Something new that takes every event and counts what is held in memory; None where that is not known."""
        return None


class MemoryCounter(Protocol):
    """Counts bytes by kind: parameters, optimizer, gradients, inputs, saved, activations, temporary."""

    now: dict[str, int]
    total: int
    crest: int
    """The most since somebody set it to 0."""
    changes: int
    """Grows whenever a number grows or shrinks."""

    def __call__(self, event: Any, /) -> None:
        """Take an event."""

    def awake(self) -> None:
        """Events were missed."""


def plain(value: Any, framework: Framework, depth: int = 3) -> Any:
    """A setting of an op as JSON has it; what JSON has not becomes short text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if type(value).__name__ == "dtype":
        return getattr(value, "name", None) or str(value).rpartition(".")[2]
    if framework.is_tensor(value) or (hasattr(value, "dtype") and hasattr(type(value), "shape")):
        return f"a tensor {list(getattr(value, 'shape', ()))}"
    if isinstance(value, (tuple, list)) and depth:
        return [plain(each, framework, depth - 1) for each in value[:32]]
    if isinstance(value, slice):
        return ":".join("" if part is None else str(part) for part in (value.start, value.stop, value.step))
    if value is Ellipsis:
        return "..."
    return getattr(value, "__name__", None) or repr(value)[:80]

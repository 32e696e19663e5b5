"""The interface through which a recorder reads the tensors and nodes of the framework that it watches.

The recorder takes the events of `minigrad.events`; the objects in them are the framework's own. Everything read from
those objects goes through one `Framework`, a small table of functions. minigrad's is `observe.framework.MINIGRAD`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from types import FrameType
from typing import Any, NamedTuple, Protocol

from ... import events
from ..source.callsites import Parts

Tensor = Any
Node = Any
Edge = tuple[Node, int]
"""A node and the number of its output."""
Record = dict[str, Any]

LONGEST_TEXT = 2_000
"""The most characters of a text that are recorded."""


class Folders(NamedTuple):
    """The folders of the framework's own code, as the beginnings of file names."""

    own: tuple[str, ...] = ()
    """All of the framework: a tensor that its own code detaches is not a cut in the user's graph."""
    housekeeping: Parts = Parts()
    """Optimisers, checks, what makes, copies and loads modules: ops outside the graph that they run are not recorded.
    """
    loading: Parts = Parts()
    """Data loaders: their ops outside the graph are not recorded either. There may be hundreds of them."""
    modules: tuple[str, ...] = ()
    """The place where a module calls its ``forward``."""
    checkpoint: tuple[str, ...] = ()
    """The place where a checkpoint runs its region again."""
    detach: tuple[str, ...] = ()
    """The place where ``detach`` is defined."""


class Framework(ABC):
    """Read access to one framework's tensors and nodes. It changes, keeps and computes none of them.

    Two kinds of objects: a *tensor* flows through the graph, a *node* is an op in it. Both must allow weak references
    and keep their identity as long as they live. If a framework's own node does not, use a proxy object for it, in
    events and here. Abstract functions must be written; all others have a default that means "not known".
    """

    name: str = ""
    folders: Folders = Folders()
    tells_writes: bool = True
    """Whether an event tells of every write in place, however a step is recorded."""
    one_thread: bool = True
    """Whether a backward pass runs in the thread that started it."""

    def listen(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Call `listener` with every event of this framework from now on; the returned function stops that.

        By default, the framework's source emits its events with `minigrad.events`.
        """
        return events.listen(listener, rules=False)

    def leave(self) -> None:  # noqa: B027  # most have nothing to do
        """A recorder has stopped for good: remove what `listen` has installed, if nothing else listens."""

    # Tensors

    @abstractmethod
    def is_tensor(self, value: Any) -> bool:
        """Whether `value` flows through this framework's graphs.

        `value` may be any object of the user's. Check ``type(value)``: `isinstance` would run the code of a proxy.
        """

    @abstractmethod
    def facts(self, tensor: Tensor) -> Record:
        """``shape``, ``dtype``, ``device``, ``strides``, ``bytes``, ``version``, ``leaf``, ``requires_grad``, and
        ``parameter`` where it is one: the fields of a tensor's record that need no look at its elements."""

    def keeps_house(self, frame: FrameType | None) -> bool:
        """Whether the framework works for itself on the stack from `frame`: it makes or copies modules, loads data."""
        return self.folders.housekeeping.run(frame) or self.folders.loading.run_around(frame)

    @abstractmethod
    def has_elements(self, value: Any) -> bool:
        """Whether `value` is a tensor whose elements can be read now.

        False for a text, or for a result not computed yet.
        """

    @abstractmethod
    def array(self, tensor: Tensor) -> Any:
        """All elements as a NumPy array, which will not be written to. Under vmap, the elements of all examples."""

    def part(self, tensor: Tensor, index: tuple[int | slice, ...]) -> Any:
        """``array(tensor)[index]``. Override it if a device can copy only that part."""
        return self.array(tensor)[index]

    @abstractmethod
    def shape(self, tensor: Tensor) -> Sequence[int]:
        """The shape; empty for a text."""

    @abstractmethod
    def size(self, tensor: Tensor) -> int:
        """The number of elements; 0 if there are none to read."""

    @abstractmethod
    def nbytes(self, tensor: Tensor) -> int:
        """The number of bytes of the elements."""

    @abstractmethod
    def version(self, tensor: Tensor) -> int:
        """The number of writes to the tensor's memory, through any tensor that shares it."""

    @abstractmethod
    def memory(self, tensor: Tensor) -> int:
        """A number that two tensors share as long as both live and have the same elements in the same memory."""

    @abstractmethod
    def requires_grad(self, tensor: Tensor) -> bool:
        """Whether the tensor requires a gradient."""

    @abstractmethod
    def grad(self, tensor: Tensor) -> Tensor | None:
        """The tensor's ``.grad``, without computing or creating one."""

    def shares_memory(self, a: Tensor, b: Tensor) -> bool:
        """Whether a write to one may be seen in the other."""
        return self.memory(a) == self.memory(b)

    def base(self, tensor: Tensor) -> Tensor | None:
        """The tensor that this one is a view of, or None."""
        return None

    def is_parameter(self, tensor: Tensor) -> bool:
        """Whether the tensor is a module's parameter, which is named by its path."""
        return False

    @abstractmethod
    def place(self, tensor: Tensor) -> Edge | None:
        """The node that made the tensor, and the number of its output; None for a leaf."""

    def target(self, tensor: Tensor) -> Edge | None:
        """Where the tensor's gradient goes: its place, or a leaf's accumulating node while a graph leads there."""
        return self.place(tensor)

    def is_used_up(self, tensor: Tensor) -> bool:
        """Whether an unrecorded backward has run through the tensor's graph, as far as that can be known."""
        return False

    @abstractmethod
    def squares(self, tensor: Tensor) -> float:
        """The sum of the squared absolute values of the elements, computed on their device."""

    def text(self, value: Any) -> Record | None:
        """The value's record for an object without elements that flows through the graph, such as a text; else None."""
        return None

    # Nodes

    def is_node(self, value: Any) -> bool:
        """Whether `value` is a node."""
        return hasattr(value, "edges")

    @abstractmethod
    def edges(self, node: Node) -> Sequence[Edge | None]:
        """The edge of each input; None if the input needs no gradient.

        The edge of a leaf leads to its accumulating node.
        """

    @abstractmethod
    def sequence(self, node: Node) -> int:
        """A number that is larger the later a node was made."""

    @abstractmethod
    def leaf(self, node: Node) -> Tensor | None:
        """The leaf whose ``.grad`` an accumulating node adds to; None for any other node."""

    @abstractmethod
    def kind(self, node: Node) -> Hashable:
        """A key that is the same for all nodes of one op, such as its class or its name."""

    @abstractmethod
    def op_name(self, node: Node) -> str:
        """The name of the op, such as MatMul."""

    @abstractmethod
    def op_facts(self, node: Node) -> Record:
        """``op``, ``formula``, ``gradients`` by input, all in LaTeX, and ``elementwise``.

        The caller must not change the result.
        """

    @abstractmethod
    def input_names(self, node: Node, count: int) -> list[str]:
        """The op's names for its first `count` inputs: a, b; tensors[0], tensors[1]."""

    def settings(self, node: Node) -> Record:
        """The op's settings, such as axes, as values for JSON: see `plain`."""
        return {}

    def saved(self, node: Node) -> list[tuple[str, Tensor, int]] | None:
        """The tensors saved now, as (name, tensor, version when it was saved); None if that is not known."""
        return None

    def released(self, node: Node) -> bool:
        """Whether a backward has run through the node and released its saved tensors."""
        return False

    def writes_in_place(self, node: Node, outputs: Sequence[Tensor]) -> bool:
        """Whether the op has just written to memory that may have been there before it ran."""
        return False

    def input_shape(self, node: Node, index: int) -> Sequence[int] | None:
        """The shape of that input, if the node has it, else None."""
        return None

    def examples(self, outputs: Sequence[Tensor]) -> int | None:
        """The number of examples in the innermost vmap in which these outputs were made; None outside vmap."""
        return None

    # The program

    def in_backward(self) -> bool:
        """Whether this thread is inside a backward pass."""
        return False

    def in_transform(self, frame: FrameType | None) -> bool:
        """Whether a transform such as ``func.grad``, on the stack from `frame`, runs here, and no other around it."""
        return False

    def in_rule(self) -> bool:
        """Whether this thread is inside a gradient rule whose ops are not recorded."""
        return False

    def memory_counter(self) -> MemoryCounter | None:
        """A new counter that takes every event and counts the memory in use; None if that is not known."""
        return None


class MemoryCounter(Protocol):
    """Counts bytes by kind: parameters, optimizer, gradients, inputs, saved, activations, temporary."""

    now: dict[str, int]
    total: int
    crest: int
    """The highest total since it was last set to 0."""
    changes: int
    """Increases whenever one of the counts changes."""

    def __call__(self, event: Any, /) -> None:
        """Take an event."""

    def awake(self) -> None:
        """Note that events were missed."""


def plain(value: Any, framework: Framework, depth: int = 3) -> Any:
    """A setting of an op as a value for JSON; what JSON cannot write becomes short text."""
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

"""Autograd over text: the engine works with any kind of gradient.

A `Variable` holds a string. Ops on variables record nodes in the same graph, under the same modes, with the same hooks
and events as tensors; backward sends feedback, a text, instead of numbers. Contributions are not summed, but collected
in a list, one for each path to the variable.

>>> from minigrad import text
>>> prompt = text.Variable("Be brief. ", role="system prompt", requires_grad=True)
>>> answer = prompt + text.Variable("What is 6 x 7?", role="question")
>>> answer.backward(text.Variable("Too terse: name the answer's unit."))
>>> print(prompt.grad[0].data)
Feedback on 'Be brief. What is 6 x 7?': Too terse: name the answer's unit. Apply it to the system prompt.

A function ``(variable, result, feedback) -> str``, set by `set_feedback`, turns feedback on a result into feedback on
an input. It may be a rule, a person or a model. The default is deterministic and works offline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import events
from .core.engine import Pass
from .core.grad_mode import enable_grad, is_grad_enabled, no_grad, set_grad_enabled
from .core.graph import Edge, Node, next_sequence_number
from .core.nested import execute
from .core.state import STATE
from .errors import ArgumentError, ArgumentTypeError, GradError
from .events import LISTENERS, emit

Feedback = Callable[["Variable", "Variable", "Variable"], str]


def advise(variable: Variable, result: Variable, feedback: Variable) -> str:
    """The default rule: pass the feedback on, and say what it was about."""
    if feedback.data == "":
        return ""
    return f"Feedback on {result.data!r}: {feedback.data} Apply it to the {variable.role}."


_feedback: Feedback = advise


def set_feedback(rule: Feedback | None) -> Feedback:
    """Use `rule` from now on (None: the default). Return the rule that was in use."""
    global _feedback
    before, _feedback = _feedback, rule or advise
    return before


class Variable:
    """A text with its role and its place in the graph. ``grad`` is the list of feedback that it received."""

    outputs = 1

    def __init__(self, data: Any = "", role: str = "variable", requires_grad: bool = False) -> None:
        if not isinstance(data, str):
            raise ArgumentTypeError(f"a text Variable holds a str, got {type(data).__name__}")
        self.data = data
        self.role = role
        self._leaf_requires_grad = requires_grad
        self.grad: list[Variable] = []
        self.grad_fn: Node | None = None
        self._gather: Gather | None = None

    @property
    def requires_grad(self) -> bool:
        """Whether feedback is wanted for this text, or for one it was made from."""
        return self._leaf_requires_grad or self.grad_fn is not None

    def requires_grad_(self, mode: bool = True) -> Variable:
        """Set whether feedback is wanted for this leaf. Return the variable."""
        if self.grad_fn is not None:
            raise GradError("you can only change requires_grad flags of leaf variables.")
        self._leaf_requires_grad = mode
        return self

    @property
    def is_leaf(self) -> bool:
        """Whether the variable is a leaf."""
        return self.grad_fn is None

    def detach(self) -> Variable:
        """Return the same text outside the graph."""
        return Variable(self.data, self.role)

    def backward(self, gradient: Any = None, retain_graph: bool | None = None, create_graph: bool = False) -> None:
        """Send feedback on this text back to the texts that it was made from."""
        backward(self, gradient, retain_graph, create_graph)

    def edge(self) -> Edge | None:
        """Return the edge for feedback on this text."""
        if self.grad_fn is not None:
            return (self.grad_fn, 0)
        if not self._leaf_requires_grad:
            return None
        if self._gather is None:
            self._gather = Gather(self)
        return (self._gather, 0)

    def __add__(self, other: Any) -> Variable:
        return Concatenate.apply(self, as_variable(other))

    def __radd__(self, other: Any) -> Variable:
        return Concatenate.apply(as_variable(other), self)

    def __eq__(self, other: Any) -> bool:
        return self.data == (other.data if isinstance(other, Variable) else other)

    def __hash__(self) -> int:
        return id(self)

    def __str__(self) -> str:
        return self.data

    def __repr__(self) -> str:
        place = f", grad_fn=<{self.grad_fn.name()}>" if self.grad_fn is not None else ""
        place = place or (", requires_grad=True" if self._leaf_requires_grad else "")
        return f"Variable(data={self.data!r}, role={self.role!r}{place})"


class Parameter(Variable):
    """A text to be improved: it requires grad wherever it is created, also under `no_grad`."""

    def __init__(self, data: str = "", role: str = "parameter", requires_grad: bool = True) -> None:
        super().__init__(data, role, requires_grad)


def as_variable(value: Any) -> Variable:
    """Return a string as a Variable that needs no feedback; return a Variable as it is."""
    return value if isinstance(value, Variable) else Variable(value)


class Feedbacks(tuple[Variable, ...]):
    """The contributions at a node, in order: a list takes the place of a sum."""

    def __add__(self, other: Any) -> Feedbacks:
        return Feedbacks((*self, *other))


class Gather(Node):
    """The last node before a leaf: appends the feedback that arrives to the leaf's ``grad``."""

    links = ()

    def __init__(self, variable: Variable) -> None:
        self.variable = variable
        self.seq = next_sequence_number()
        self.extra = None

    def run(self, grad: Feedbacks, unasked: Sequence[int] = ()) -> Sequence[Any]:
        self.variable.grad.extend(grad)
        return ()


class TextNode(Node):
    """One recorded op on text. A subclass computes the result; the rule gives feedback to every input."""

    inputs: tuple[Variable, ...] | None
    result: Variable

    @classmethod
    def forward(cls, *texts: str) -> str:
        """Compute the result of the op from the texts of its inputs."""
        raise NotImplementedError(
            f"{cls.__name__} does not say what it makes of texts: write a class method forward(cls, *texts), which "
            "returns the result."
        )

    def feedback(self, grad: Feedbacks) -> Sequence[str | None]:
        """Return the feedback for every input."""
        assert self.inputs is not None
        said = Variable("\n".join(each.data for each in grad), "feedback")
        return [
            None if edge is None else _feedback(each, self.result, said)
            for each, edge in zip(self.inputs, self.edges, strict=True)
        ]

    @classmethod
    def apply(cls, *inputs: Variable) -> Variable:
        """Run the op, and record it if feedback is wanted."""
        result = Variable(
            cls.forward(*(each.data for each in inputs)), " and ".join(dict.fromkeys(v.role for v in inputs))
        )
        edges = tuple(each.edge() for each in inputs)
        node = cls()
        node.edges, node.inputs, node.result = edges, inputs, result.detach()
        node.seq, node.extra = next_sequence_number(), None
        recorded = STATE.mode.grad and any(edge is not None for edge in edges)
        if recorded:
            result.grad_fn = node
        if LISTENERS:
            emit(events.NodeRecorded(node, inputs, (result,), recorded))
        return result

    def run(self, grad: Feedbacks, unasked: Sequence[int] = ()) -> Sequence[Any]:
        if self.inputs is None:
            raise GradError(
                "Trying to backward through the graph a second time. Specify retain_graph=True if you need to send "
                f"feedback through it again ({self.name()} had already let go of its texts)."
            )
        return [None if each is None else Feedbacks((Variable(each, "feedback"),)) for each in self.feedback(grad)]

    def release(self) -> None:
        self.inputs = None
        if LISTENERS:
            emit(events.SavedReleased(self))

    def name(self) -> str:
        return type(self).__name__ + "Backward"


class Concatenate(TextNode):
    """Concatenates two texts."""

    @classmethod
    def forward(cls, *texts: str) -> str:
        return "".join(texts)


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, Iterable) and not isinstance(value, (str, Variable)) else [value]


def backward(
    variables: Any,
    grad_variables: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Send feedback on `variables` back through the graph, and collect it in the ``grad`` lists of the leaves.

    `grad_variables` are the feedback texts, one for each variable; without them the feedback is empty. With `inputs`,
    which must be leaves, only these collect it.
    """
    roots = _listed(variables)
    said = [None] * len(roots) if grad_variables is None else _listed(grad_variables)
    if len(said) != len(roots):
        raise ArgumentError(f"got {len(roots)} variables and {len(said)} pieces of feedback")
    chosen = None if inputs is None else _listed(inputs)
    if chosen is not None and not chosen:
        raise GradError("`inputs` argument to `backward()` cannot be empty.")
    for each in chosen or ():
        if not each.is_leaf or not each.requires_grad:
            raise GradError("`inputs` must be leaf Variables that require grad: feedback gathers only there.")
    starts = []
    for index, (root, feedback) in enumerate(zip(roots, said, strict=True)):
        edge = root.edge()
        if edge is None:
            raise GradError(f"element {index} of variables does not require grad and does not have a grad_fn.")
        starts.append((edge, Feedbacks((Variable("") if feedback is None else as_variable(feedback),))))
    captures: Any = None if chosen is None else {each.edge(): None for each in chosen}
    retain = create_graph if retain_graph is None else retain_graph
    execute(Pass(starts, captures, retain, create_graph))  # type: ignore[arg-type] # texts, not tensors
    for each in chosen or ():
        each.grad.extend(captures[each.edge()] or ())


__all__ = [
    "Concatenate",
    "Parameter",
    "TextNode",
    "Variable",
    "advise",
    "backward",
    "enable_grad",
    "is_grad_enabled",
    "no_grad",
    "set_feedback",
    "set_grad_enabled",
]

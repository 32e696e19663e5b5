"""Another framework than minigrad is watched by the same recorder: it says through `Framework` what its objects are."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import events
from minigrad.observe import Recorder, framework
from minigrad.observe.framework import Folders, Framework
from minigrad_webui.protocol import RECORD

from .helpers import Record, of_type

OBSERVE = Path(mg.observe.__file__).parent


class Toy:
    """A tensor of a framework that knows only `double` and `add`."""

    def __init__(self, numbers: Any, made_by: Step | None = None) -> None:
        self.numbers = np.asarray(numbers, dtype=np.float32)
        self.made_by = made_by
        self.slope: Toy | None = None


class Step:
    """A node of it, whose kind is a name, as PyTorch's are."""

    made = 0

    def __init__(self, kind: str, *inputs: Toy) -> None:
        Step.made += 1
        self.kind, self.number = kind, Step.made
        self.sources = [each.made_by or Sink(each) for each in inputs]


class Sink:
    """Where the gradient of a leaf ends."""

    def __init__(self, leaf: Toy) -> None:
        self.leaf, self.number, self.sources = leaf, 0, list[Any]()


class ToyFramework(Framework):
    """Only what must be known."""

    name = "toy"
    folders = Folders()

    def is_tensor(self, value: Any) -> bool:
        return isinstance(value, Toy)

    def facts(self, tensor: Toy) -> Record:
        leaf = tensor.made_by is None
        return {"shape": list(tensor.numbers.shape), "dtype": "float32", "leaf": leaf, "requires_grad": True}

    def has_elements(self, value: Any) -> bool:
        return isinstance(value, Toy)

    def array(self, tensor: Toy) -> Any:
        return tensor.numbers

    def shape(self, tensor: Toy) -> Sequence[int]:
        return tensor.numbers.shape

    def size(self, tensor: Toy) -> int:
        return tensor.numbers.size

    def nbytes(self, tensor: Toy) -> int:
        return tensor.numbers.nbytes

    def version(self, tensor: Toy) -> int:
        return 0

    def memory(self, tensor: Toy) -> int:
        return id(tensor.numbers)

    def requires_grad(self, tensor: Toy) -> bool:
        return True

    def grad(self, tensor: Toy) -> Toy | None:
        return tensor.slope

    def place(self, tensor: Toy) -> tuple[Any, int] | None:
        return None if tensor.made_by is None else (tensor.made_by, 0)

    def squares(self, tensor: Toy) -> float:
        return float((tensor.numbers**2).sum())

    def is_node(self, value: Any) -> bool:
        return isinstance(value, (Step, Sink))

    def edges(self, node: Any) -> list[tuple[Any, int] | None]:
        return [(source, 0) for source in node.sources]

    def sequence(self, node: Any) -> int:
        return int(node.number)

    def leaf(self, node: Any) -> Toy | None:
        return node.leaf if isinstance(node, Sink) else None

    def kind(self, node: Step) -> str:
        return node.kind

    def op_name(self, node: Step) -> str:
        return node.kind

    def op_facts(self, node: Step) -> Record:
        return {"op": node.kind, "formula": "", "gradients": {}, "elementwise": True}

    def input_names(self, node: Step, count: int) -> list[str]:
        return ["a", "b"][:count]


@pytest.fixture
def toy() -> Iterator[ToyFramework]:
    before = list(framework._known)
    made = ToyFramework()
    framework.register(made)
    yield made
    framework._known[:] = before


def run(kind: str, *inputs: Toy) -> Toy:
    """What a source does: the framework computes, and its event is emitted."""
    node = Step(kind, *inputs)
    made = Toy(sum(each.numbers for each in inputs) * (2 if kind == "Double" else 1), node)
    events.emit(events.NodeRecorded(node, inputs, (made,)))
    return made


def pull(root: Toy) -> None:
    """A backward pass of the toy framework, of a chain."""
    node, grad = root.made_by, Toy(np.ones_like(root.numbers))
    assert node is not None
    events.emit(events.BackwardStarted(1, (((node, 0), grad),), False, False))
    while isinstance(node, Step):
        events.emit(events.NodeEntered(1, node, (grad,)))
        grad = Toy(grad.numbers * (2 if node.kind == "Double" else 1))
        edge = (node.sources[0], 0)
        events.emit(events.GradComputed(1, node, 0, edge, grad))
        if isinstance(edge[0], Sink):
            events.emit(events.GradAccumulated(1, edge, grad, None))
            edge[0].leaf.slope = grad
        node = edge[0]  # type: ignore[assignment]
    events.emit(events.BackwardFinished(1, 2))


def recorded(toy: ToyFramework) -> list[Record]:
    records: list[Record] = []
    recorder = Recorder(records.append, values="all", framework=toy)
    with recorder:
        w = Toy([1.0, -2.0])
        h = run("Double", w)
        loss = run("Add", h)
        pull(loss)
    assert recorder.failure is None, repr(recorder.failure)
    for record in records:
        RECORD.validate_python(record)
    return records


def test_its_ops_and_gradients_are_recorded(toy: ToyFramework) -> None:
    records = recorded(toy)
    ops = of_type(records, "node")
    assert [each["op"] for each in ops] == ["Double", "Add"]
    assert [each["outputs"][0]["value"]["norm"] for each in ops] == pytest.approx([20**0.5, 20**0.5])
    assert ops[1]["inputs"][0]["node"] == ops[0]["id"], "the edge is there"
    (leaf,) = of_type(records, "tensor")
    (arrived,) = of_type(records, "grad_accumulated")
    assert arrived["leaf"] == leaf["id"]
    assert arrived["contribution"]["max"] == 2.0
    assert arrived["total"] is None, "this framework does not tell the sum"


def test_what_it_does_not_tell_is_missing_and_no_error(toy: ToyFramework) -> None:
    records = recorded(toy)
    assert all("memory" not in each for each in records)
    assert not of_type(records, "saved", "released", "grad_reduced", "node_ready")
    assert of_type(records, "step_taken")[0]["grad_norm"] == pytest.approx(8**0.5)


def test_its_graphs_are_drawn_from_records_and_from_its_tensors(toy: ToyFramework) -> None:
    w = Toy([1.0, -2.0])
    loss = run("Add", run("Double", w))
    living = mg.observe.draw(loss)
    assert [box.title for box in living.picture.ordered()] == ["w", "Double", "Add"]
    drawn = mg.observe.draw(recorded(toy))
    assert [box.title for box in drawn.picture.ordered()][1:] == ["Double", "Add"]
    assert drawn.picture.boxes["n1"].gradient is not None


def test_a_closer_look_goes_through_the_framework(toy: ToyFramework) -> None:
    from minigrad.observe.record.tiles import tile

    found = tile(Toy([[1.0, 2.0], [3.0, 4.0]]), {"row": 1, "rows": 1}, toy)
    assert (found["shape"], found["rows"], found["cols"]) == ([2, 2], 1, 2)


PRIVATE = {"_array", "_storage", "_view", "_grad", "_edge", "_backend", "_extra", "_requires_grad"}


@pytest.mark.parametrize("room", ["record", "debug", "draw", "source", "publish"])
def test_only_the_framework_reads_private_attributes_of_tensors(room: str) -> None:
    for path in (OBSERVE / room).rglob("*.py"):
        read = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
        assert not read & PRIVATE, f"{path} reads {read & PRIVATE}: ask the framework"

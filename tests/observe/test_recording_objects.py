"""Objects that the program calls like modules: a net that is written neuron by neuron, in Python alone."""

from __future__ import annotations

import itertools
import random
import sys
from collections import Counter
from types import FrameType
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.observe import Recorder
from minigrad.observe.source.calls import DEEPEST

from .helpers import Record, named, of_type, recorded


class Neuron:
    def __init__(self, inputs: int) -> None:
        self.w = [mg.tensor(0.5, requires_grad=True) for _ in range(inputs)]
        self.b = mg.tensor(0.1, requires_grad=True)

    def __call__(self, x: list[mg.Tensor]) -> mg.Tensor:
        return sum((wi * xi for wi, xi in zip(self.w, x, strict=True)), self.b).tanh()


class Layer:
    def __init__(self, inputs: int, outputs: int) -> None:
        self.neurons = [Neuron(inputs) for _ in range(outputs)]

    def __call__(self, x: list[mg.Tensor]) -> list[mg.Tensor]:
        return [n(x) for n in self.neurons]


class MLP:
    def __init__(self, *sizes: int) -> None:
        self.layers = [Layer(a, b) for a, b in itertools.pairwise(sizes)]
        self.last = Neuron(sizes[-1])

    def forward(self, x: list[mg.Tensor]) -> mg.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.last(x)

    def parameters(self) -> list[mg.Tensor]:
        neurons = [*(n for layer in self.layers for n in layer.neurons), self.last]
        return [p for n in neurons for p in (*n.w, n.b)]


def train(net: MLP, steps: int = 1) -> None:
    optimizer = mg.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(steps):
        outputs = [net.forward([mg.tensor(x), mg.tensor(1.0)]) for x in (2.0, 3.0)]
        loss = (outputs[0] - outputs[1]) ** 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def scopes(records: list[Record], step: int = 0) -> list[str]:
    """The scope of each op of a step that is recorded in the graph, without types; equal ones in a row once."""
    nodes = [each for each in of_type(records, "node") if each["step"] == step and each["recorded"]]
    found = ["/".join(part.split(":")[0] for part in node["scope"]) for node in nodes]
    return [scope for before, scope in zip([None, *found], found, strict=False) if scope != before]


CALL = ["{}/layers.0/neurons.0", "{}/layers.0/neurons.1", "{}/last"]


def test_an_object_that_is_called_is_the_scope_of_what_it_computes() -> None:
    records = recorded(lambda: train(MLP(2, 2)))
    assert scopes(records) == [each.format(net) for net in ("net", "net (2)") for each in CALL] + [""]
    (kinds,) = {tuple(part.split(":")[1] for part in node["scope"]) for node in of_type(records, "node")[:3]}
    assert kinds == ("MLP", "Layer", "Neuron")


def test_what_such_an_object_keeps_goes_by_its_whole_path() -> None:
    names = named(recorded(lambda: train(MLP(2, 2))))
    paths = ["net.layers.0.neurons.0", "net.layers.0.neurons.1", "net.last"]
    assert {f"{path}.{own}" for path in paths for own in ("w[0]", "w[1]", "b")} <= names.keys()


def test_an_object_that_keeps_its_output_is_a_scope_from_its_first_call_on() -> None:
    class Tanh:
        def __call__(self, x: mg.Tensor) -> mg.Tensor:
            self.out = x.tanh()
            return self.out

    def program() -> None:
        layers, x = [Tanh(), Tanh()], mg.tensor(1.0, requires_grad=True)
        for layer in layers:
            x = layer(x)

    assert scopes(recorded(program)) == ["layers.0", "layers.1"]


def test_calls_are_counted_anew_in_each_step() -> None:
    records = recorded(lambda: train(MLP(2, 2), steps=3))
    assert scopes(records, 0) == scopes(records, 1) == scopes(records, 2)


def test_a_call_that_goes_on_over_steps_is_no_part_of_the_next() -> None:
    class Trainer:
        def __init__(self) -> None:
            self.net = MLP(2)

        def __call__(self) -> None:
            train(self.net, steps=2)

    records = recorded(lambda: Trainer()())
    assert scopes(records, 1) == ["net/last", "net (2)/last", ""]


def test_an_object_around_modules_is_not_drawn_since_they_are_drawn_themselves() -> None:
    class Model:
        def __init__(self) -> None:
            self.linear = nn.Linear(2, 1)

        def __call__(self, x: mg.Tensor) -> mg.Tensor:
            return self.linear(x * 2).sum()

    def program() -> None:
        model, last = Model(), Neuron(1)
        last([model(mg.ones(1, 2))]).backward()

    records = recorded(program)
    assert [each for each in scopes(records) if each] == ["linear"]


@pytest.mark.skipif(sys.gettrace() is not None, reason="this run is traced itself")
def test_a_program_that_is_traced_has_its_calls_told_apart_and_its_lines_traced() -> None:
    lines: list[int] = []

    class Traced:
        def __init__(self) -> None:
            self.w = mg.tensor(2.0, requires_grad=True)

        def __call__(self, x: mg.Tensor) -> mg.Tensor:
            x = x * self.w
            return x + self.w

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if event == "line":
            lines.append(frame.f_lineno - Traced.__call__.__code__.co_firstlineno)
        return trace if frame.f_code is Traced.__call__.__code__ else None

    def program() -> None:
        net = Traced()
        sys.settrace(trace)
        net(net(mg.tensor(3.0)))
        sys.settrace(None)

    assert scopes(recorded(program)) == ["net", "net (2)"]
    assert lines == [1, 2, 1, 2]


def test_a_program_may_begin_to_trace_itself_within_a_call() -> None:
    class Traced:
        def __init__(self) -> None:
            self.w = mg.tensor(2.0, requires_grad=True)

        def __call__(self, x: mg.Tensor) -> mg.Tensor:
            x = x * self.w
            before = sys.gettrace()
            sys.settrace(lambda *_: None)
            x = x + self.w
            sys.settrace(before)
            return x

    def program() -> None:
        net = Traced()
        net(mg.tensor(3.0)).backward()
        assert net.w.grad == 4.0

    assert scopes(recorded(program)) == ["net"]


def test_a_call_goes_on_where_a_viewer_begins_a_step_in_it() -> None:
    records: list[Record] = []
    recorder = Recorder(records.append)

    class Net:
        def __init__(self) -> None:
            self.w = mg.tensor(2.0, requires_grad=True)

        def __call__(self, x: mg.Tensor) -> mg.Tensor:
            x = x * self.w
            recorder.look()
            return x + self.w

    with recorder:
        net = Net()
        net(net(mg.tensor(3.0)))
    nodes = {node["op"] + str(node["id"]): node["scope"] for node in of_type(records, "node") if node["step"] > 0}
    assert [scope for name, scope in nodes.items() if name.startswith("Add")] == [["net:Net"], ["net (2):Net"]]


def test_a_deep_recursion_does_not_make_each_scope_as_long_as_itself() -> None:
    class Tree:
        def __init__(self) -> None:
            self.w = mg.tensor(1.0, requires_grad=True)

        def __call__(self, x: mg.Tensor, depth: int) -> mg.Tensor:
            return x * self.w if depth == 0 else self(x * self.w, depth - 1)

    nodes = of_type(recorded(lambda: Tree()(mg.tensor(1.0), 300)), "node")
    assert len(nodes) == 301
    assert [len(node["scope"]) for node in nodes] == [min(depth + 1, DEEPEST) for depth in range(301)]


class Part:
    """A part of a net that multiplies, and calls its own parts in some order, some of them several times."""

    def __init__(self, draw: random.Random, depth: int) -> None:
        self.w = mg.tensor(1.0, requires_grad=True)
        self.parts = [Part(draw, depth - 1) for _ in range(draw.randint(0, 3))] if depth > 0 else []
        self.order = [draw.randrange(len(self.parts)) for _ in range(draw.randint(0, 4)) if self.parts]

    def __call__(self, x: mg.Tensor, around: Expected) -> mg.Tensor:
        x = around.op(x * self.w)
        for i in self.order:
            x = around.call(self.parts[i], f"parts.{i}", x)
            if i % 2:
                x = around.op(x + self.w)
        return x


class Expected:
    """Notes the call around each op, as the program itself knows it."""

    def __init__(self) -> None:
        self.ops: list[list[str]] = []
        self._path: list[str] = []
        self._counts = [Counter[str]()]

    def op(self, x: mg.Tensor) -> mg.Tensor:
        self.ops.append(list(self._path))
        return x

    def call(self, part: Part, name: str, x: mg.Tensor) -> mg.Tensor:
        self._counts[-1][name] += 1
        number = self._counts[-1][name]
        self._path.append(f"{name}:Part" if number == 1 else f"{name} ({number}):Part")
        self._counts.append(Counter())
        try:
            return part(x, self)
        finally:
            self._counts.pop()
            self._path.pop()


@pytest.mark.parametrize("seed", range(40))
def test_each_op_of_a_generated_net_is_in_the_call_that_computes_it(seed: int) -> None:
    draw = random.Random(seed)
    expected = Expected()

    def program() -> Any:
        net, x = Part(draw, 3), mg.tensor(1.0)
        for _ in range(draw.randint(1, 3)):
            x = expected.call(net, "part", x)  # what `call` calls it

    found = [node["scope"] for node in of_type(recorded(program), "node")]
    assert found == expected.ops

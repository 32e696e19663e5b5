"""The program's functions around an op, which the explorer draws as boxes. With minigrad and PyTorch."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.framework import MINIGRAD


@pytest.fixture(params=["minigrad", "torch"])
def watched(request: pytest.FixtureRequest) -> Any:
    """A library, and how the recorder reads it."""
    if request.param == "minigrad":
        return mg, MINIGRAD
    return pytest.importorskip("torch"), pytest.importorskip("minigrad.observe.torch").TORCH


def calls_in(program: Callable[[], Any], framework: Any = MINIGRAD) -> list[tuple[int, str, list[str]]]:
    """The step, the op and the calls of each op of a program, without the program itself."""
    records: list[dict[str, Any]] = []
    recorder = Recorder(records.append, values="all", framework=framework)
    with recorder:
        program()
    assert recorder.failure is None, repr(recorder.failure)
    nodes = [each for each in records if each["type"] == "node"]
    return [(each["step"], each["op"], _within(program, each.get("calls", []))) for each in nodes]


def _within(program: Callable[[], Any], calls: list[str]) -> list[str]:
    name = program.__name__
    return calls[calls.index(name) + 1 :] if name in calls else calls


class Expected:
    """Notes the calls around each op, as the program itself knows them."""

    def __init__(self) -> None:
        self.ops: list[list[str]] = []
        self._path: list[str] = []
        self._counts = [Counter[str]()]

    def op(self, x: Any) -> Any:
        self.ops.append(list(self._path))
        return x

    def enter(self, name: str) -> None:
        self._counts[-1][name] += 1
        number = self._counts[-1][name]
        self._path.append(name if number == 1 else f"{name} ({number})")
        self._counts.append(Counter())

    def leave(self) -> None:
        self._counts.pop()
        self._path.pop()


def generated(draw: random.Random) -> str:
    """Functions that compute, and call each other in loops, comprehensions and recursions."""
    lines = []
    for number in range(4):
        lines += [f"def f{number}(x, depth):", f"    seen.enter('f{number}')", "    x = seen.op(x * w)"]
        for _ in range(draw.randint(0, 3)):
            called = f"f{draw.randrange(max(1, number))}" if number else "f0"
            if called == f"f{number}" and draw.random() < 0.5:
                continue
            call = f"{called}(x, depth - 1)"
            lines += draw.choice(
                [
                    [f"    if depth > 0: x = {call}"],
                    [f"    for _ in range({draw.randint(1, 3)}):", f"        if depth > 0: x = {call}"],
                    [f"    x = [{call} for _ in range(2) if depth > 0][-1] if depth > 0 else x"],
                    [f"    x = (lambda x: {call})(x) if depth > 0 else x"],
                    ["    x = seen.op(x + w)"],
                ]
            )
        lines += ["    seen.leave()", "    return x"]
    return "\n".join(lines)


@pytest.mark.parametrize("seed", range(60))
def test_each_op_of_a_generated_program_is_in_the_calls_that_compute_it(watched: Any, seed: int) -> None:
    lib, framework = watched
    draw = random.Random(seed)
    seen = Expected()
    names: dict[str, Any] = {"seen": seen, "w": lib.tensor(1.0, requires_grad=True)}
    exec(compile(generated(draw), "<generated>", "exec"), names)

    def program() -> None:
        x = lib.tensor(1.0)
        for _ in range(3):
            x = names[f"f{draw.randrange(4)}"](x, 3)

    assert [calls for _, _, calls in calls_in(program, framework)] == seen.ops


def double(x: Any) -> Any:
    return x * 2 + 1


def twice(x: Any) -> Any:
    for _ in range(2):
        x = double(x)
    return x.tanh()


def test_calls_are_counted_anew_in_each_step_and_those_that_last_longer_are_left_out(watched: Any) -> None:
    lib, framework = watched

    def program() -> None:
        w = lib.ones(3, requires_grad=True)
        optimizer = lib.optim.SGD([w], lr=0.1)
        for _ in range(3):
            twice(w).sum().backward()
            optimizer.step()

    found = calls_in(program, framework)
    each = [*[["twice", "double"]] * 2, *[["twice", "double (2)"]] * 2, ["twice"], []]
    assert [calls for _, _, calls in found] == each * 3
    assert {step for step, _, _ in found} == {0, 1, 2}


def test_calls_in_a_module_are_its_own_and_those_around_it_are_left_out(watched: Any) -> None:
    lib, framework = watched

    class Net(lib.nn.Module):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            super().__init__()
            self.linear = lib.nn.Linear(3, 3)

        def forward(self, x: Any) -> Any:
            return double(self.helper(x))

        def helper(self, x: Any) -> Any:
            return self.linear(x).relu()

    def program() -> None:
        net = Net()

        def loss(x: Any) -> Any:
            return double(net(net(x))).sum()

        loss(lib.ones(2, 3))

    once = [[], ["helper"], ["double"], ["double"]]
    expected = [*once, *once, ["loss", "double"], ["loss", "double"], ["loss"]]
    assert [calls for _, _, calls in calls_in(program, framework)] == expected
    lib.nn.modules.module.register_module_forward_hook(
        lambda *_: None
    ).remove()  # from now on each call looks for such hooks
    assert [calls for _, _, calls in calls_in(program, framework)] == expected


def test_a_gradient_s_graph_has_the_calls_of_the_ops_that_it_belongs_to(watched: Any) -> None:
    lib, framework = watched

    def program() -> None:
        x = lib.ones(3, requires_grad=True)
        lib.autograd.grad(twice(x).sum(), x, create_graph=True)

    found = calls_in(program, framework)
    later = [calls for _, _, calls in found[6:]]
    assert ["twice"] in later and ["twice", "double"] in later and ["twice", "double (2)"] in later


def test_a_program_that_traces_itself_goes_on_doing_so(watched: Any) -> None:
    lib, framework = watched
    lines: list[int] = []

    def trace(frame: FrameType, event: str, argument: Any) -> Any:
        if frame.f_code in (twice.__code__, double.__code__):
            lines.append(frame.f_lineno)
        return trace

    def program() -> None:
        before = sys.gettrace()
        sys.settrace(trace)
        try:
            twice(lib.ones(3, requires_grad=True))
        finally:
            sys.settrace(before)

    assert [calls for _, _, calls in calls_in(program, framework)][-1] == ["twice"]
    alone: list[int] = []
    lines, alone = alone, lines
    program()
    assert alone == lines


def test_a_loss_that_begins_with_data_is_a_call_of_its_own_in_every_step() -> None:
    """Its first op is outside the graph, and runs before the step that it belongs to has begun."""
    w = mg.tensor([1.0, 2.0], requires_grad=True)

    def loss() -> mg.Tensor:
        x = mg.ones(2)
        x[0] = 3
        return (x * w).square().sum()

    def moved_by_hand() -> None:
        for _ in range(4):
            loss().backward()
            with mg.no_grad():
                w.sub_(0.01 * w.grad)  # type: ignore[operator]
                w.grad = None

    found = calls_in(moved_by_hand)
    assert [calls for _, op, calls in found if op == "Square"] == [["loss"]] * 4
    assert [calls for _, op, calls in found if op == "Sub"] == [[]] * 4

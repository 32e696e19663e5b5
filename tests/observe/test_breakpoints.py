"""What breakpoints say, and where a program stops."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg
from minigrad.errors import ArgumentError
from minigrad.observe import Breakpoint

from .debugging import DebuggedProgram, two_layers
from .helpers import positions

# What a breakpoint says -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["op=MatMul", "name=w1", "line=train.py:12", "line=7", "module=blocks.0,nan", "norm>10", "op=Tanh,backward"],
)
def test_a_breakpoint_is_written_as_it_is_read(text: str) -> None:
    assert str(Breakpoint.parse(text)) == text
    assert Breakpoint.of(Breakpoint.parse(text).plain()) == Breakpoint.parse(text)


@pytest.mark.parametrize("text", ["", "MatMul", "line=here", "norm>much", "norm>-1", "op=", "op=Tanh,sideways"])
def test_what_is_no_breakpoint_is_refused_with_a_word_on_how_to_write_one(text: str) -> None:
    with pytest.raises(ArgumentError, match=r"op=MatMul|norm>10"):
        Breakpoint.parse(text)


def test_an_op_that_does_not_exist_is_doubted_but_may_be_the_users_own() -> None:
    session = DebuggedProgram("op=MatMull").run(two_layers)
    assert "Did you mean MatMul?" in session.said.getvalue()


# Where it stops -------------------------------------------------------------------------------------------------------


@positions
def test_it_stops_before_an_op_in_forward_and_in_backward() -> None:
    session = DebuggedProgram("op=MatMul").run(two_layers)
    assert session.places == [("Mm", "forward"), ("Mm", "forward"), ("Mm", "backward"), ("Mm", "backward")]
    assert [stop["at"]["code"] for stop in session.stops] == ["x @ w1", "hidden @ w2", "hidden @ w2", "x @ w1"]
    assert all(stop["when"] == "before" for stop in session.stops)
    assert session.stops[2]["running_at"]["code"] == "loss.backward()"


def test_the_op_has_not_run_yet_where_it_stops() -> None:
    session = DebuggedProgram("op=Tanh,forward")
    session.during = lambda stop: None
    session.run(two_layers)
    nodes = [r["seq"] for r in session.records if r["type"] == "node" and r["op"] == "Tanh"]
    (paused,) = (r["seq"] for r in session.records if r["type"] == "paused")
    assert paused < nodes[0]
    (before,) = (r["seq"] for r in session.records if r["type"] == "node" and r["op"] == "Mm" and r["seq"] < paused)
    made = next(r for r in session.records if r["seq"] == before)
    assert session.stops[0]["from_nodes"] == [made["id"]]


def test_in_backward_it_stops_after_the_gradient_has_come_and_before_the_node_sends_its_own() -> None:
    session = DebuggedProgram("op=Tanh,backward").run(two_layers)
    (stop,) = session.stops
    kinds = [(r["type"], r.get("node")) for r in session.records]
    at = kinds.index(("paused", None))
    assert ("node_entered", stop["node"]) in kinds[:at]
    assert ("grad_computed", stop["node"]) in kinds[at:]


def test_a_name_stops_before_the_call_that_makes_the_tensor_and_at_its_backward() -> None:
    session = DebuggedProgram("name=hidden").run(two_layers)
    assert session.places == [("Tanh", "forward"), ("Tanh", "backward")]


def test_a_leafs_name_stops_where_its_gradient_has_arrived() -> None:
    session = DebuggedProgram("name=w1").run(two_layers)
    (stop,) = session.stops
    assert (stop["op"], stop["when"], stop["names"]) == ("AccumulateGrad", "after", ["w1"])
    assert "w1.grad has arrived" in session.said.getvalue()


def test_a_line_stops_once_each_time_the_program_comes_to_it() -> None:
    line = two_layers.__code__.co_firstlineno + 4
    session = DebuggedProgram(f"line=debugging.py:{line}").run(lambda: two_layers(steps=3))
    assert session.places == 3 * [("Mm", "forward"), ("Tanh", "backward")]
    assert DebuggedProgram(f"line=elsewhere.py:{line}").run(two_layers).stops == []


def test_a_loop_in_a_single_line_stops_each_time() -> None:
    def loop() -> None:
        x = mg.ones(2)
        for _ in range(3): x = x * 2  # fmt: skip # noqa: E701

    line = loop.__code__.co_firstlineno + 2
    assert len(DebuggedProgram(f"line={line}").run(loop).stops) == 3


def test_a_line_that_calls_a_function_stops_before_the_first_op_in_there() -> None:
    def net(x: Any) -> Any:
        return mg.tanh(x * 2)

    def program() -> None:
        net(mg.ones(2))

    session = DebuggedProgram(f"line={program.__code__.co_firstlineno + 1}").run(program)
    assert session.places == [("Mul", "forward")]


def test_nan_stops_after_the_op_that_made_it_and_not_at_those_that_pass_it_on() -> None:
    def program() -> None:
        x = mg.tensor([1.0, -1.0], requires_grad=True)
        (mg.log(x) * 2).sum()

    session = DebuggedProgram("nan").run(program)
    assert session.places == [("Log", "forward")]
    assert (session.stops[0]["when"], session.stops[0]["node"]) == ("after", 1)


def test_nan_stops_in_backward_at_the_node_that_made_it() -> None:
    def program() -> None:
        x = mg.tensor(0.0, requires_grad=True)
        (x.sqrt() * 1.0).backward()

    assert DebuggedProgram("nan").run(program).places == [("Sqrt", "backward")]


def test_a_norm_over_a_bound_stops_where_that_gradient_arrives() -> None:
    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        (x * 100).tanh().sum().backward()
        (x * 100).sum().backward()

    session = DebuggedProgram("norm>50").run(program)
    assert session.places == [("AccumulateGrad", "backward")]
    assert DebuggedProgram("norm>200").run(program).stops == []


def test_conditions_narrow_each_other_and_a_module_is_one() -> None:
    net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Tanh(), mg.nn.Linear(2, 1))

    def program() -> None:
        net(mg.ones(3, 2)).sum().backward()

    assert DebuggedProgram("op=Affine,module=2").run(program).places == [("Affine", "forward"), ("Affine", "backward")]
    assert DebuggedProgram("module=Tanh,backward").run(program).places == [("Tanh", "backward")]
    assert len(DebuggedProgram("module=net.0").run(program).stops) == 2


def test_the_arithmetic_of_an_optimiser_and_of_gradient_rules_is_no_place_to_stop() -> None:
    def program() -> None:
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.Adam([w], lr=0.1)
        (w * w).sum().backward()
        optimizer.step()

    session = DebuggedProgram("op=Mul").run(program)
    assert session.places == [("Mul", "forward"), ("Mul", "backward")]


def test_the_graph_of_a_gradient_can_be_stopped_in() -> None:
    def program() -> None:
        x = mg.tensor(2.0, requires_grad=True)
        mg.autograd.grad(x**3, x, create_graph=True)

    assert ("Pow", "forward") in DebuggedProgram("op=Pow").run(program).places
    assert ("Mul", "backward") in DebuggedProgram("op=Mul").run(program).places

"""How a program goes on from where it stopped, and what a debugger costs."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad import events
from minigrad.observe import Debugger, Recorder
from minigrad.observe.debug import debugger as debugging
from minigrad.observe.debug.terminal import headline
from minigrad.observe.schema import check

from .debugging import DebuggedProgram, Stop, two_layers
from .helpers import positions

# How it goes on -------------------------------------------------------------------------------------------------------


def test_steps_go_from_op_to_op_from_node_to_node_and_to_the_leaves() -> None:
    session = DebuggedProgram(then="step")
    session.run(lambda: (session.debugger.pause(), two_layers()))  # type: ignore[union-attr]
    places = [op for op, _ in session.places]
    assert places[:9] == ["Mm", "Tanh", "Mm", "Sum", "Sum", "Mm", "AccumulateGrad", "Tanh", "Mm"]
    assert session.stops[0]["reason"] == "pause"
    assert {stop["reason"] for stop in session.stops[1:]} == {"step"}


def test_over_leaves_the_module_and_from_outside_steps_past_those_that_are_entered() -> None:
    net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Tanh())

    def program() -> None:
        x = mg.ones(3, 2) * 2
        net(x).sum().backward()

    session = DebuggedProgram("op=Mul", answers=["over"], then="continue").run(program)
    assert session.places == [("Mul", "forward"), ("Sum", "forward")]
    session = DebuggedProgram("op=Affine,forward", answers=["over"]).run(program)
    assert session.places == [("Affine", "forward"), ("Tanh", "forward")]


def test_run_to_stops_there_one_time() -> None:
    session = DebuggedProgram("op=Tanh,forward", answers=["continue"])

    def run_on(stop: Stop) -> None:
        assert session.debugger is not None
        if len(session.stops) == 1:
            session.debugger.remove("op=Tanh,forward")
            session.debugger.take({"type": "control", "action": "run_to", "breakpoint": {"op": "Sum"}})

    session.during = run_on
    session.run(lambda: two_layers(steps=3))
    assert session.places == [("Tanh", "forward"), ("Sum", "forward")]
    assert session.stops[1]["reason"] == "run_to"


def test_the_program_can_be_ended() -> None:
    session = DebuggedProgram("op=Tanh", then="stop")
    with pytest.raises(KeyboardInterrupt):
        session.run(two_layers)
    assert [r["by"] for r in session.records if r["type"] == "resumed"] == ["stop"]


def test_ctrl_c_works_while_it_is_held() -> None:
    session = DebuggedProgram("op=Tanh,backward")

    def interrupt(stop: Stop) -> None:
        raise KeyboardInterrupt

    session.during = interrupt
    with pytest.raises(KeyboardInterrupt):
        session.run(two_layers)
    assert [r["by"] for r in session.records if r["type"] == "resumed"] == ["interrupted"]
    assert session.debugger is not None
    assert session.debugger.stop is None


def test_breakpoints_can_be_set_and_taken_away_while_it_is_held() -> None:
    session = DebuggedProgram("op=Tanh,forward")

    def change(stop: Stop) -> None:
        assert session.debugger is not None
        session.debugger.take({"action": "break", "breakpoint": {"op": "Sum", "phase": "backward"}})
        session.debugger.take({"action": "unbreak", "breakpoint": {"op": "Tanh", "phase": "forward"}})

    session.during = change
    session.run(lambda: two_layers(steps=2))
    assert session.places == [("Tanh", "forward"), ("Sum", "backward"), ("Sum", "backward")]
    told = [r["breakpoints"] for r in session.records if r["type"] == "breakpoints"]
    assert told[0] == [{"op": "Tanh", "phase": "forward"}]
    assert [{"op": "Sum", "phase": "backward"}] in told


def test_pauses_are_records_of_the_protocol() -> None:
    session = DebuggedProgram("op=MatMul", "name=w1", "norm>0.1", answers=["step", "over"]).run(two_layers)
    mine = [r for r in session.records if r["type"] in ("paused", "resumed", "breakpoints")]
    for record in mine:
        assert check(record) is None
    pairs = [r["type"] for r in mine if r["type"] != "breakpoints"]
    assert pairs == ["paused", "resumed"] * (len(pairs) // 2)


def test_nonsense_from_a_viewer_is_told_and_changes_nothing() -> None:
    session = DebuggedProgram()
    session.run(lambda: session.debugger.take({"action": "break", "breakpoint": {}}))  # type: ignore[union-attr]
    assert "makes no sense" in session.said.getvalue()


# What it costs --------------------------------------------------------------------------------------------------------


def test_a_debugger_with_nothing_to_do_does_not_listen() -> None:
    with Recorder() as recorder:
        debugger = Debugger(recorder, terminal=None)
        assert debugger not in events.LISTENERS
        debugger.add("op=Tanh")
        assert events.LISTENERS.index(recorder) < events.LISTENERS.index(debugger)
        debugger.remove("op=Tanh")
        assert debugger not in events.LISTENERS
        debugger.pause()
        assert debugger in events.LISTENERS
        debugger.go("continue")
        assert debugger not in events.LISTENERS
        debugger.close()


@positions
def test_breakpoint_needs_no_recorder_of_the_users() -> None:
    found = mg.observe.breakpoint("op=Tanh,backward")
    debugger = debugging.DEBUGGING[-1]
    stops: list[Stop] = []
    debugger.terminal = None
    debugger.asked = lambda stop: stops.append(stop) or "continue"  # type: ignore[func-returns-value]
    try:
        two_layers()
    finally:
        assert found is not None
        mg.observe.unbreak(found)
        debugger.close()
        debugger.recorder.stop()
    assert [stop["at"]["code"] for stop in stops] == ["mg.tanh(x @ w1)"]


def test_the_terminal_says_where_with_names_and_numbers() -> None:
    said = DebuggedProgram("op=MatMul").run(two_layers).said.getvalue()
    assert "Paused before Mm, forward, step 0 (breakpoint op=MatMul)" in said
    assert "b = w1" in said
    assert "0.5 -0.3 0.2 0.8" in said
    assert "from" in said
    stop = {"when": "after", "op": "Log", "phase": "forward", "step": 3, "names": [], "reason": "pause"}
    assert headline(stop) == "Paused after Log, forward, step 3"

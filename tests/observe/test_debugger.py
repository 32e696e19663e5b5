"""Where a program stops, what it says there, and how it goes on."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad import events
from minigrad.errors import ArgumentError
from minigrad.observe import Breakpoint, Debugger, Recorder
from minigrad.observe import debugger as debugging
from minigrad.observe.terminal import Terminal, headline
from minigrad_webui.protocol import RECORD

from .helpers import positions

Stop = dict[str, Any]
Record = dict[str, Any]


class Session:
    """A debugger whose stops are kept, and answered from a list; after its end with `then`."""

    def __init__(self, *breakpoints: str, answers: list[str] | None = None, then: str = "continue") -> None:
        self.breakpoints = breakpoints
        self.answers = list(answers or [])
        self.then = then
        self.stops: list[Stop] = []
        self.records: list[Record] = []
        self.said = io.StringIO()
        self.during: Callable[[Stop], None] = lambda stop: None
        self.debugger: Debugger | None = None

    def answer(self, stop: Stop) -> str:
        self.stops.append(stop)
        self.during(stop)
        return self.answers.pop(0) if self.answers else self.then

    def run(self, program: Callable[[], Any]) -> Session:
        recorder = Recorder(self.records.append, values="all").start()
        self.debugger = Debugger(recorder, self.breakpoints, terminal=Terminal(lambda: self.said))
        self.debugger.asked = self.answer
        try:
            program()
        finally:
            self.debugger.close()
            recorder.stop()
        assert recorder.failure is None, repr(recorder.failure)
        return self

    @property
    def places(self) -> list[tuple[str, str]]:
        return [(stop["op"], stop["phase"]) for stop in self.stops]


W1, W2 = [[0.5, -0.3], [0.2, 0.8]], [[1.0], [-1.5]]


def two_layers(steps: int = 1) -> None:
    w1, w2 = mg.tensor(W1, requires_grad=True), mg.tensor(W2, requires_grad=True)
    x = mg.tensor([[1.0, 2.0], [3.0, -1.0]])
    for _ in range(steps):
        hidden = mg.tanh(x @ w1)
        loss = (hidden @ w2).sum()
        loss.backward()
        with mg.no_grad():
            for w in (w1, w2):
                w -= 0.1 * w.grad
                w.grad = None


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
    session = Session("op=MatMull").run(two_layers)
    assert "Did you mean MatMul?" in session.said.getvalue()


# Where it stops -------------------------------------------------------------------------------------------------------


@positions
def test_it_stops_before_an_op_in_forward_and_in_backward() -> None:
    session = Session("op=MatMul").run(two_layers)
    assert session.places == [("Mm", "forward"), ("Mm", "forward"), ("Mm", "backward"), ("Mm", "backward")]
    assert [stop["at"]["code"] for stop in session.stops] == ["x @ w1", "hidden @ w2", "hidden @ w2", "x @ w1"]
    assert all(stop["when"] == "before" for stop in session.stops)
    assert session.stops[2]["running_at"]["code"] == "loss.backward()"


def test_the_op_has_not_run_yet_where_it_stops() -> None:
    session = Session("op=Tanh,forward")
    session.during = lambda stop: None
    session.run(two_layers)
    nodes = [r["seq"] for r in session.records if r["type"] == "node" and r["op"] == "Tanh"]
    (paused,) = (r["seq"] for r in session.records if r["type"] == "paused")
    assert paused < nodes[0]
    (before,) = (r["seq"] for r in session.records if r["type"] == "node" and r["op"] == "Mm" and r["seq"] < paused)
    made = next(r for r in session.records if r["seq"] == before)
    assert session.stops[0]["from_nodes"] == [made["id"]]


def test_in_backward_it_stops_after_the_gradient_has_come_and_before_the_node_sends_its_own() -> None:
    session = Session("op=Tanh,backward").run(two_layers)
    (stop,) = session.stops
    kinds = [(r["type"], r.get("node")) for r in session.records]
    at = kinds.index(("paused", None))
    assert ("node_entered", stop["node"]) in kinds[:at]
    assert ("grad_computed", stop["node"]) in kinds[at:]


def test_a_name_stops_before_the_call_that_makes_the_tensor_and_at_its_backward() -> None:
    session = Session("name=hidden").run(two_layers)
    assert session.places == [("Tanh", "forward"), ("Tanh", "backward")]


def test_a_leafs_name_stops_where_its_gradient_has_arrived() -> None:
    session = Session("name=w1").run(two_layers)
    (stop,) = session.stops
    assert (stop["op"], stop["when"], stop["names"]) == ("AccumulateGrad", "after", ["w1"])
    assert "w1.grad has arrived" in session.said.getvalue()


def test_a_line_stops_once_each_time_the_program_comes_to_it() -> None:
    line = two_layers.__code__.co_firstlineno + 4
    session = Session(f"line=test_debugger.py:{line}").run(lambda: two_layers(steps=3))
    assert session.places == 3 * [("Mm", "forward"), ("Tanh", "backward")]
    assert Session(f"line=elsewhere.py:{line}").run(two_layers).stops == []


def test_a_loop_in_a_single_line_stops_each_time() -> None:
    def loop() -> None:
        x = mg.ones(2)
        for _ in range(3): x = x * 2  # fmt: skip # noqa: E701

    line = loop.__code__.co_firstlineno + 2
    assert len(Session(f"line={line}").run(loop).stops) == 3


def test_a_line_that_calls_a_function_stops_before_the_first_op_in_there() -> None:
    def net(x: Any) -> Any:
        return mg.tanh(x * 2)

    def program() -> None:
        net(mg.ones(2))

    session = Session(f"line={program.__code__.co_firstlineno + 1}").run(program)
    assert session.places == [("Mul", "forward")]


def test_nan_stops_after_the_op_that_made_it_and_not_at_those_that_pass_it_on() -> None:
    def program() -> None:
        x = mg.tensor([1.0, -1.0], requires_grad=True)
        (mg.log(x) * 2).sum()

    session = Session("nan").run(program)
    assert session.places == [("Log", "forward")]
    assert (session.stops[0]["when"], session.stops[0]["node"]) == ("after", 1)


def test_nan_stops_in_backward_at_the_node_that_made_it() -> None:
    def program() -> None:
        x = mg.tensor(0.0, requires_grad=True)
        (x.sqrt() * 1.0).backward()

    assert Session("nan").run(program).places == [("Sqrt", "backward")]


def test_a_norm_over_a_bound_stops_where_that_gradient_arrives() -> None:
    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        (x * 100).tanh().sum().backward()
        (x * 100).sum().backward()

    session = Session("norm>50").run(program)
    assert session.places == [("AccumulateGrad", "backward")]
    assert Session("norm>200").run(program).stops == []


def test_conditions_narrow_each_other_and_a_module_is_one() -> None:
    net = mg.nn.Sequential(mg.nn.Linear(2, 2), mg.nn.Tanh(), mg.nn.Linear(2, 1))

    def program() -> None:
        net(mg.ones(3, 2)).sum().backward()

    assert Session("op=Affine,module=2").run(program).places == [("Affine", "forward"), ("Affine", "backward")]
    assert Session("module=Tanh,backward").run(program).places == [("Tanh", "backward")]
    assert len(Session("module=net.0").run(program).stops) == 2


def test_the_arithmetic_of_an_optimiser_and_of_gradient_rules_is_no_place_to_stop() -> None:
    def program() -> None:
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.Adam([w], lr=0.1)
        (w * w).sum().backward()
        optimizer.step()

    session = Session("op=Mul").run(program)
    assert session.places == [("Mul", "forward"), ("Mul", "backward")]


def test_the_graph_of_a_gradient_can_be_stopped_in() -> None:
    def program() -> None:
        x = mg.tensor(2.0, requires_grad=True)
        mg.autograd.grad(x**3, x, create_graph=True)

    assert ("Pow", "forward") in Session("op=Pow").run(program).places
    assert ("Mul", "backward") in Session("op=Mul").run(program).places


# How it goes on -------------------------------------------------------------------------------------------------------


def test_steps_go_from_op_to_op_from_node_to_node_and_to_the_leaves() -> None:
    session = Session(then="step")
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

    session = Session("op=Mul", answers=["over"], then="continue").run(program)
    assert session.places == [("Mul", "forward"), ("Sum", "forward")]
    session = Session("op=Affine,forward", answers=["over"]).run(program)
    assert session.places == [("Affine", "forward"), ("Tanh", "forward")]


def test_run_to_stops_there_one_time() -> None:
    session = Session("op=Tanh,forward", answers=["continue"])

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
    session = Session("op=Tanh", then="stop")
    with pytest.raises(KeyboardInterrupt):
        session.run(two_layers)
    assert [r["by"] for r in session.records if r["type"] == "resumed"] == ["stop"]


def test_ctrl_c_works_while_it_is_held() -> None:
    session = Session("op=Tanh,backward")

    def interrupt(stop: Stop) -> None:
        raise KeyboardInterrupt

    session.during = interrupt
    with pytest.raises(KeyboardInterrupt):
        session.run(two_layers)
    assert [r["by"] for r in session.records if r["type"] == "resumed"] == ["interrupted"]
    assert session.debugger is not None
    assert session.debugger.stop is None


def test_breakpoints_can_be_set_and_taken_away_while_it_is_held() -> None:
    session = Session("op=Tanh,forward")

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
    session = Session("op=MatMul", "name=w1", "norm>0.1", answers=["step", "over"]).run(two_layers)
    mine = [r for r in session.records if r["type"] in ("paused", "resumed", "breakpoints")]
    for record in mine:
        read = RECORD.validate_python(record)
        assert not getattr(read, "pause", read).model_extra
    pairs = [r["type"] for r in mine if r["type"] != "breakpoints"]
    assert pairs == ["paused", "resumed"] * (len(pairs) // 2)


def test_nonsense_from_a_viewer_is_told_and_changes_nothing() -> None:
    session = Session()
    session.run(lambda: session.debugger.take({"action": "break", "breakpoint": {}}))  # type: ignore[union-attr]
    assert "makes no sense" in session.said.getvalue()


# Who is there ---------------------------------------------------------------------------------------------------------


class Explorer:
    """As much of a publisher as the debugger knows."""

    audience = 1
    control: Callable[[dict[str, Any]], None] | None = None


def held(
    explorer: Explorer, program: Callable[[], None], grace: float
) -> tuple[threading.Thread, Debugger, io.StringIO]:
    """A program in a thread of its own, under a debugger that only the explorer can continue."""
    said = io.StringIO()
    recorder = Recorder(lambda record: None).start()
    debugger = Debugger(recorder, ["op=Tanh"], terminal=Terminal(lambda: said), grace=grace)
    debugger.connect(explorer)

    def run() -> None:
        program()
        debugger.close()
        recorder.stop()

    thread = threading.Thread(target=run)
    thread.start()
    return thread, debugger, said


def until_held(debugger: Debugger) -> Stop:
    with debugger._changed:
        assert debugger._changed.wait_for(lambda: debugger.stop is not None, 20)
    assert debugger.stop is not None
    return debugger.stop


def test_a_viewer_continues_it_and_an_answer_to_an_older_stop_does_not() -> None:
    explorer = Explorer()
    thread, debugger, _ = held(explorer, two_layers, grace=60)
    first = until_held(debugger)
    assert explorer.control is not None
    explorer.control({"action": "continue", "number": first["number"] + 7})
    assert debugger._command is None
    explorer.control({"action": "stop" if first["op"] != "Tanh" else "continue", "number": first["number"]})
    with debugger._changed:
        assert debugger._changed.wait_for(lambda: (debugger.stop or first)["number"] != first["number"], 20)
    explorer.control({"action": "continue"})
    thread.join(20)
    assert not thread.is_alive()


def test_a_program_that_nobody_is_left_to_continue_goes_on_and_says_so() -> None:
    explorer = Explorer()
    thread, debugger, said = held(explorer, two_layers, grace=0.05)
    until_held(debugger)
    explorer.audience = 0
    thread.join(20)
    assert not thread.is_alive()
    assert "goes on by itself" in said.getvalue()
    assert said.getvalue().count("Paused") == 1, "it does not stop again while nobody is there"


def test_where_nobody_can_ever_come_it_does_not_stop_at_all() -> None:
    said = io.StringIO()
    with Recorder() as recorder:
        debugger = Debugger(recorder, ["op=Tanh"], terminal=Terminal(lambda: said))
        two_layers()
        debugger.close()
    assert said.getvalue().count("does not stop here") == 1


def test_the_other_threads_wait_at_their_next_op_while_one_is_held() -> None:
    explorer = Explorer()
    thread, debugger, _ = held(explorer, two_layers, grace=60)
    until_held(debugger)
    done = threading.Event()
    other = threading.Thread(target=lambda: (mg.ones(2) * 2, done.set()))
    other.start()
    assert not done.wait(0.05)
    debugger.close()
    thread.join(20)
    other.join(20)
    assert done.is_set()


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
    said = Session("op=MatMul").run(two_layers).said.getvalue()
    assert "Paused before Mm, forward, step 0 (breakpoint op=MatMul)" in said
    assert "b = w1" in said
    assert "0.5 -0.3 0.2 0.8" in said
    assert "from" in said
    stop = {"when": "after", "op": "Log", "phase": "forward", "step": 3, "names": [], "reason": "pause"}
    assert headline(stop) == "Paused after Log, forward, step 3"

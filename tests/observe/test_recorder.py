"""The recorder: delivers everything, harms nothing, costs little."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad import events
from minigrad.observe import Recorder, read
from minigrad.observe.record import sampling as sampling_module
from minigrad.observe.record.sampling import FREE, STEP_FREE, WHOLE_SHARE, Sampling

from .helpers import Record, named, of_type, recorded


def one_backward() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()


@pytest.mark.parametrize("name", ["run.jsonl", "run.jsonl.gz"])
def test_a_file_holds_what_a_function_is_given(tmp_path: Path, name: str) -> None:
    records: list[Record] = []
    with Recorder(records.append, tmp_path / name, values="all"):
        one_backward()
    assert read(tmp_path / name).records == json.loads(json.dumps(records))
    assert read(tmp_path / name).complete


def test_a_file_whose_name_ends_in_gz_is_compressed(tmp_path: Path) -> None:
    with mg.observe.record(tmp_path / "run.jsonl.gz"):
        one_backward()
    with gzip.open(tmp_path / "run.jsonl.gz", "rt") as file:
        assert json.loads(next(file))["type"] == "run_started"


def test_an_error_belongs_to_the_run_and_goes_on_to_the_program() -> None:
    records: list[Record] = []
    with pytest.raises(ZeroDivisionError), Recorder(records.append):
        1 / 0
    last = records[-1]
    assert (last["status"], last["error"]) == ("failed", "ZeroDivisionError: division by zero")
    assert last["at"]["code"] == "1 / 0"


def test_ctrl_c_is_an_interruption() -> None:
    records: list[Record] = []
    with pytest.raises(KeyboardInterrupt), Recorder(records.append):
        raise KeyboardInterrupt
    assert records[-1]["status"] == "interrupted"


def test_an_error_of_the_recorder_ends_the_recording_and_not_the_program() -> None:
    records: list[Record] = []
    recorder = Recorder(records.append)

    def fail(event: Any) -> None:
        raise LookupError("a bug of ours")

    recorder.trace.handlers[events.BackwardStarted] = fail
    with recorder:
        with pytest.warns(RuntimeWarning, match="stopped recording this run .* error of its own.*a bug of ours"):
            one_backward()
        x = mg.tensor(1.0, requires_grad=True)
        x.exp().backward()
        assert x.grad is not None
    assert isinstance(recorder.failure, LookupError)
    assert "a bug of ours" in of_type(records, "dropped")[0]["reason"]
    assert records[-1]["type"] == "run_finished"


def test_even_where_warnings_are_errors_the_program_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    recorder = Recorder()
    recorder.trace.handlers[events.NodeRecorded] = None.__getattribute__  # not to be called with an event
    with recorder:
        one_backward()  # this very test run makes errors of warnings
    assert "The program goes on" in capsys.readouterr().err


def test_a_sink_that_fails_does_not_stop_the_program(tmp_path: Path) -> None:
    class Full:
        def send(self, record: Record) -> None:
            raise OSError("no space left on device")

        def close(self) -> None:
            pass

    recorder = Recorder(Full()).start()
    one_backward()
    with pytest.warns(RuntimeWarning, match="no space left"):
        recorder.stop()


def test_a_logged_number_is_a_point_of_a_curve_of_the_step_that_ended() -> None:
    def program() -> None:
        w = mg.tensor(1.0, requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        for step in range(2):
            (w * w).backward()
            optimizer.step()
            mg.observe.log("accuracy", mg.tensor(step / 2))

    points = [(each["step"], each["name"], each["value"]) for each in of_type(recorded(program), "scalar")]
    assert points == [(0, "accuracy", 0.0), (1, "accuracy", 0.5)]


def test_a_logged_nan_is_an_anomaly() -> None:
    records = recorded(lambda: mg.observe.log("loss", float("nan")))
    assert of_type(records, "anomaly_found")[0]["message"] == "The program logged 'loss' as nan."


def test_the_last_step_is_the_last_that_has_ops() -> None:
    def program() -> None:
        w = mg.tensor(1.0, requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(2):
            (w * w).backward()
            optimizer.step()

    assert max(record["step"] for record in recorded(program)) == 1


def test_logging_without_a_recorder_does_nothing() -> None:
    mg.observe.log("accuracy", 0.5)


def test_a_name_is_found_while_the_program_rests() -> None:
    """Nothing happens after the assignment: the recorder looks for itself."""
    arrived = threading.Event()
    records: list[Record] = []

    def take(record: Record) -> None:
        records.append(record)
        if record["type"] == "node":
            arrived.set()

    with Recorder(take):
        x = mg.tensor(1.0, requires_grad=True)
        slow = x.exp()
        assert arrived.wait(10)
        assert named(records).keys() == {"x", "slow"}
    del slow


def test_records_are_delivered_while_the_program_runs() -> None:
    arrived = threading.Event()
    with Recorder(lambda record: arrived.set() if record["type"] == "backward_finished" else None):
        one_backward()
        assert arrived.wait(10)


def test_a_recorder_records_one_run() -> None:
    recorder = Recorder()
    with recorder:
        pass
    with pytest.raises(RuntimeError, match="make a new one"):
        recorder.start()


def test_two_recorders_do_not_disturb_each_other() -> None:
    first: list[Record] = []
    second: list[Record] = []
    with Recorder(first.append), Recorder(second.append):
        one_backward()
    strip = ("t", "id", "started")
    keep = [[{key: value for key, value in r.items() if key not in strip} for r in each] for each in (first, second)]
    assert [r["type"] for r in keep[0]][2:] == [r["type"] for r in keep[1]][2:]


def test_events_are_not_listened_to_after_the_end() -> None:
    before = len(events.LISTENERS)
    with Recorder():
        assert len(events.LISTENERS) == before + 1
    assert len(events.LISTENERS) == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize(("rules", "create_graph"), [(True, False), (False, True)])
def test_ops_of_gradient_rules_are_told_to_who_wants_them_or_where_they_are_recorded(
    rules: bool, create_graph: bool
) -> None:
    heard: list[Any] = []
    x = mg.ones(2, requires_grad=True)
    y = x.exp()
    with events.listening(heard.append, rules=rules):
        mg.autograd.grad(y.sum(), x, create_graph=create_graph)
    ran = [type(event.node).__name__ for event in heard if type(event) is events.NodeRecorded]
    assert "Mul" in ran  # of exp's rule


def test_ops_of_gradient_rules_are_silent_where_nobody_wants_them() -> None:
    heard: list[Any] = []
    y = mg.ones(2, requires_grad=True).exp()
    with events.listening(heard.append, rules=False):
        y.sum().backward()
        y.detach() * 2
    kinds = (events.OpEntered, events.NodeRecorded)
    ran = [type(getattr(event, "node", None) or event.op).__name__ for event in heard if type(event) in kinds]
    assert ran.count("Mul") == 2  # the program's own: entered, and recorded
    assert "Expand" not in ran  # of the sum's rule


def test_gradients_arrive_uncopied_whether_or_not_somebody_listens() -> None:
    weight = mg.ones(3, 3, requires_grad=True)
    sent: list[Any] = []
    with events.listening(lambda event: sent.append(event.grad) if type(event) is events.GradComputed else None):
        (mg.ones(2, 3) @ weight).sum().backward()
    assert any(weight.grad is grad for grad in sent)


def test_a_forked_child_does_not_record(tmp_path: Path) -> None:
    program = f"""
import os, minigrad as mg
with mg.observe.record({str(tmp_path / "run.jsonl")!r}):
    x = mg.tensor(1.0, requires_grad=True)
    child = os.fork()
    if child == 0:
        x.exp().backward()
        os._exit(len(mg.events.LISTENERS))
    _, status = os.waitpid(child, 0)
    assert status == 0
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", program], check=True, timeout=60)
    assert not of_type(read(tmp_path / "run.jsonl").records, "node")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_whole_steps_take_a_small_share_of_the_time() -> None:
    clock = Clock()
    sampling = Sampling("auto", clock)
    whole = 0
    for _ in range(100_000):
        clock.now += 0.001  # what the step itself takes
        if sampling.recording:
            whole += 1
            clock.now += 0.001
            sampling.spent += 0.001
        sampling.next_step()
    assert sampling.spent <= FREE + 1.05 * WHOLE_SHARE * clock.now
    assert whole > 1_000


def test_what_it_takes_to_deliver_a_whole_step_belongs_to_its_share() -> None:
    clock = Clock()
    sampling = Sampling("auto", clock)
    sampling.spent = 2.0  # dear first steps
    before = clock.now
    for _ in range(100_000):
        clock.now += 0.001
        if sampling.recording:
            clock.now += 0.002
            sampling.spent += 0.001
            sampling.next_step()
            sampling.delivered(0.001)
        else:
            sampling.next_step()
    assert sampling.spent - 2.0 <= 1.05 * WHOLE_SHARE * (clock.now - before) + 0.01


def test_dear_first_steps_do_not_keep_later_ones_from_being_whole() -> None:
    clock = Clock()
    sampling = Sampling("auto", clock)
    whole = []
    for step in range(10_000):
        clock.now += 0.001
        if sampling.recording:
            whole.append(clock.now)
            cost = 0.5 if step < 2 else 0.02  # a busy machine, or first steps that compile
            clock.now += cost
            sampling.spent += cost
        sampling.next_step()
    assert [b - a for a, b in pairwise([*whole, clock.now]) if b - a > 1] == []
    assert sampling.spent <= 1.0 + 1.05 * WHOLE_SHARE * clock.now


def test_numbers_are_taken_in_every_step_that_is_not_whole_while_they_cost_little() -> None:
    clock = Clock()
    sampling = Sampling("auto", clock)
    without = 0
    for _ in range(10_000):
        clock.now += 0.001
        if sampling.recording:
            sampling.spent += 0.001
        elif sampling.holding:
            sampling.spent_holding += 0.0001
        else:
            without += 1
        sampling.next_step()
    assert without == 0


def test_a_short_program_is_recorded_whole_however_fast() -> None:
    clock = Clock()
    sampling = Sampling("auto", clock)
    for _ in range(100):
        sampling.spent += FREE / 101
        sampling.next_step()
        assert sampling.recording


def test_a_slow_program_is_recorded_whole() -> None:
    clock = Clock()
    sampling = Sampling("auto", clock)
    for _ in range(1_000):
        clock.now += 0.1
        sampling.spent += 0.003
        sampling.next_step()
        assert sampling.recording


def test_a_step_of_too_many_ops_is_cut_and_the_next_ones_are_not_held() -> None:
    clock = Clock()
    worked = Clock()
    sampling = Sampling("auto", clock, worked)
    clock.now = worked.now = 8.0
    sampling.spent = STEP_FREE + 0.7
    assert not sampling.too_dear
    sampling.spent += 0.2
    assert sampling.too_dear
    sampling.cut()
    assert not sampling.writing and not sampling.too_dear
    sampling.next_step()
    assert not sampling.writing

    sampling.ask()
    sampling.spent += 100
    assert not sampling.too_dear, "somebody looks at this step"


def test_a_step_that_waits_for_a_busy_machine_is_not_cut() -> None:
    clock, worked = Clock(), Clock()
    sampling = Sampling("auto", clock, worked)
    clock.now, worked.now = 8.0, STEP_FREE
    sampling.spent = 4.0
    assert not sampling.too_dear
    worked.now = 3.0
    assert sampling.too_dear


@pytest.mark.parametrize(("ops", "cut"), [(150, False), (2_000, True)])
def test_a_small_step_is_whole_however_slow_the_machine_is(
    monkeypatch: pytest.MonkeyPatch, ops: int, cut: bool
) -> None:
    monkeypatch.setattr(sampling_module, "STEP_FREE", 0.0)
    monkeypatch.setattr(sampling_module, "STEP_SHARE", 0.0)

    def program() -> None:
        y = mg.tensor(1.0, requires_grad=True)
        for _ in range(ops):
            y = y + 1
        y.backward()

    records = recorded(program, values="auto")
    assert bool(of_type(records, "dropped")) == cut
    assert bool(of_type(records, "backward_finished")) == (not cut)


def test_somebody_who_looks_gets_every_step() -> None:
    sampling = Sampling("none")
    sampling.ask(2)
    seen = []
    for _ in range(4):
        seen.append(sampling.taking)
        sampling.next_step()
    assert seen == [True, True, False, False]


def test_a_program_can_ask_for_its_next_step_to_be_seen_whole() -> None:
    def program() -> None:
        x = mg.tensor(2.0, requires_grad=True)
        for _ in range(5):
            (x * x).backward()
            x.grad = None
        mg.observe.look()
        y = mg.tanh(x)
        y.backward()

    records = recorded(program, values="none")
    nodes = of_type(records, "node")
    assert [node["op"] for node in nodes if node["step"] == nodes[-1]["step"]] == ["Tanh"]
    assert [node["op"] for node in nodes if node["outputs"][0].get("value")] == ["Tanh"]
    assert of_type(records, "step_taken")[-1]["step"] == nodes[-1]["step"]


def test_asking_to_look_where_nobody_records_does_nothing() -> None:
    mg.observe.look()


def test_after_a_mark_the_next_op_begins_a_step_and_none_where_nothing_was_recorded() -> None:
    records: list[dict[str, Any]] = []
    with Recorder(records.append) as recorder:
        recorder.mark()
        x = mg.tensor(2.0, requires_grad=True)
        y = x * x
        recorder.mark()
        y.backward()
        recorder.mark()
        x + 1.0
    steps = {record["op"]: record["step"] for record in records if record["type"] == "node"}
    assert steps == {"Mul": 0, "Add": 1}
    assert {record["step"] for record in records if record["type"] == "backward_started"} == {0}


def test_what_may_be_written_to_unwatched_may_be_written_to_watched() -> None:
    records: list[Record] = []
    with Recorder(records.append, values="all"):
        table = mg.nn.Embedding(4, 2, padding_idx=1)  # writes to a view that was made in no_grad mode
    assert table.weight[1].tolist() == [0.0, 0.0]
    assert records


def test_an_error_while_the_last_step_is_told_harms_neither_the_program_nor_what_is_known_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    records: list[Any] = []
    with Recorder(records.append, values="all") as recorder:
        w = mg.tensor([2.0], requires_grad=True)
        (w * w).sum().backward()
        monkeypatch.setattr(recorder.trace.ledger, "complete", lambda ending: 1 / 0)
    (gap,) = [each["reason"] for each in records if each["type"] == "dropped"]
    assert "division by zero" in gap
    assert [each["loss"] for each in records if each["type"] == "step_taken"] == [4.0]
    assert records[-1]["type"] == "run_finished"

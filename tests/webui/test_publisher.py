"""The publisher alone: what it does to the program it runs in, and what it leaves out when it must."""

from __future__ import annotations

import json
import logging
import multiprocessing
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.publish.publisher import Publisher
from minigrad.observe.publish.wire import BETWEEN
from minigrad_webui.protocol import RECORD
from tests.webui.conftest import Server, environment, free_port, wait_until
from tests.webui.synthetic import Record, one_step, record, started


@pytest.fixture
def lonely(data_dir: Path) -> Iterator[Callable[..., Publisher]]:
    """Make publishers whose server does not exist (yet)."""
    made: list[Publisher] = []

    def make(**limits: int) -> Publisher:
        made.append(Publisher(f"http://127.0.0.1:{free_port()}", "token", **limits))
        return made[-1]

    yield make
    for publisher in made:
        publisher.close(0)


def queued(publisher: Publisher) -> list[Record]:
    """What would be sent: what is written as JSON already, then what waits for that."""
    written = [json.loads(line) for piece in publisher._outbox._unsent for line in piece.text.split(BETWEEN)]
    return written + [dict(one) for one in publisher._inbox]


def send_steps(publisher: Publisher, steps: range, seq: int, nodes: int = 10) -> int:
    for step in steps:
        for one in one_step(seq, step, step * (nodes + 1), nodes):
            publisher.send(one)
            seq = one["seq"]
    return seq


def test_sending_takes_microseconds_although_nobody_answers(lonely: Callable[..., Publisher]) -> None:
    publisher = lonely()
    publisher.send(started())
    begun = time.perf_counter()
    for seq in range(2, 50_000):
        publisher.send(record(seq, 0, "released", node=1))
    assert time.perf_counter() - begun < 60, "sending waits for something"


def test_a_full_queue_leaves_out_whole_steps_and_says_so(lonely: Callable[..., Publisher]) -> None:
    publisher = lonely(queue=200, backlog=0)
    publisher.send(started())
    last = send_steps(publisher, range(60), 1)
    records = queued(publisher)
    for one in records:
        RECORD.validate_python(one)
    kinds_of: dict[int, list[str]] = {}
    for one in records:
        kinds_of.setdefault(one["step"], []).append(one["type"])
    assert kinds_of[0] == ["run_started"] + [one["type"] for one in one_step(1, 0, 0, 10)]
    assert kinds_of[59] == ["dropped", "step_taken"]
    assert all(kinds[-1] == "step_taken" for kinds in kinds_of.values())
    assert sum(one.get("count", 1) for one in records) == last


def test_the_numbers_of_what_is_left_out_are_accounted_for(lonely: Callable[..., Publisher]) -> None:
    publisher = lonely(queue=50, backlog=0)
    publisher.send(started())
    send_steps(publisher, range(30), 1)
    expected = 1
    for one in queued(publisher):
        expected += one.get("count", 1) - 1
        assert one["seq"] == expected
        expected += 1


def test_once_there_is_room_again_the_next_whole_step_is_taken(lonely: Callable[..., Publisher]) -> None:
    publisher = lonely(queue=100, backlog=0)
    publisher.send(started())
    seq = send_steps(publisher, range(20), 1)
    publisher._inbox.clear()
    rest = list(one_step(seq, 20, 400, 10))
    for one in rest:
        publisher.send(one)
    assert queued(publisher) == rest


def test_the_end_of_the_run_is_never_left_out(lonely: Callable[..., Publisher]) -> None:
    publisher = lonely(queue=10, backlog=0)
    publisher.send(started())
    seq = send_steps(publisher, range(100), 1)
    publisher.send(record(seq + 1, 99, "run_finished", status="finished"))
    assert len(queued(publisher)) < 50
    assert queued(publisher)[-1]["type"] == "run_finished"


def test_closing_without_a_server_does_not_wait_for_one_and_says_what_is_lost(
    lonely: Callable[..., Publisher], caplog: pytest.LogCaptureFixture
) -> None:
    publisher = lonely()
    publisher.send(started())
    begun = time.monotonic()
    with caplog.at_level(logging.WARNING):
        publisher.close()
    assert time.monotonic() - begun < 30, "closing waits for something"
    assert "1 records did not reach the explorer" in caplog.text
    publisher.send(record(2, 0, "released", node=1))
    assert not publisher._inbox


def test_a_server_that_hangs_holds_up_neither_the_trace_file_nor_the_names(data_dir: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as hung:  # takes the connection, and never answers
        publisher = Publisher(f"http://127.0.0.1:{hung.getsockname()[1]}", "token")
        trace = tmp_path / "run.jsonl"
        recorder = Recorder(str(trace), publisher).start()
        try:
            weight = mg.ones(2, requires_grad=True)
            total = (weight * weight).sum()
            total.backward()
            wait_until(lambda: '"backward_finished"' in trace.read_text(), "the end of backward, in the file")
            assert '"total"' in trace.read_text()
        finally:
            publisher.close(0)
            recorder.stop()


def test_without_any_server_known_it_says_how_to_start_one(data_dir: Path) -> None:
    with pytest.raises(ValueError, match="start one with `minigrad serve`, or set MINIGRAD_URL"):
        Publisher()


def test_a_wrong_token_is_told_once_and_the_program_goes_on(
    server: Server, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINIGRAD_URL", server.note.url.replace("127.0.0.1", "localhost"))
    monkeypatch.setenv("MINIGRAD_TOKEN", "wrong")
    publisher = Publisher()
    with caplog.at_level(logging.WARNING):
        publisher.send(started())
        wait_until(lambda: "refused this run" in caplog.text, "the refusal")
    publisher.send(record(2, 0, "released", node=1))
    publisher.close()
    assert "The token is wrong" in caplog.text
    assert len(caplog.records) == 1


def test_url_and_token_are_taken_from_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_URL", server.note.url + "/")
    monkeypatch.setenv("MINIGRAD_TOKEN", server.note.token)
    publisher = Publisher()
    publisher.send(started())
    publisher.close()
    assert server.seqs() == [1]


def test_a_program_that_starts_before_its_server_is_caught_up_with(data_dir: Path) -> None:
    server = Server(data_dir)
    server.port = free_port()
    publisher = Publisher(f"http://127.0.0.1:{server.port}", "not yet known")
    publisher.send(started())
    send_steps(publisher, range(3), 1)
    try:
        server.start()
        publisher.close(20)
        wait_until(lambda: server.run().get("steps") == 3, "all steps")
    finally:
        server.kill()


def test_a_server_over_the_same_store_is_followed_to_another_port(server: Server) -> None:
    publisher = Publisher(server.note.url, server.note.token)
    publisher.send(started())
    wait_until(lambda: server.run().get("records") == 1, "the first record")
    server.stop()
    server.port = 0
    server.start()
    send_steps(publisher, range(3), 1)
    publisher.close(20)
    assert server.run()["steps"] == 3


class Stubborn:
    """An object of the user's that will not be printed."""

    def __str__(self) -> str:
        raise RuntimeError("no")


class NumpyLike:
    """As NumPy's scalars are."""

    ndim = 0

    def item(self) -> float:
        return 0.5


@pytest.mark.parametrize(
    ("params", "stored"),
    [
        ({"p": float("nan"), "q": [float("inf"), 1.0]}, {"p": None, "q": [None, 1.0]}),
        ({"p": NumpyLike()}, {"p": 0.5}),
        ({"p": Path("a") / "b", "q": (1, 2)}, {"p": str(Path("a") / "b"), "q": [1, 2]}),
        ({"p": "ä\n\u2028"}, {"p": "ä\n\u2028"}),
    ],
)
def test_what_json_lacks_arrives_as_the_nearest_thing(server: Server, params: Any, stored: Any) -> None:
    publisher = Publisher()
    publisher.send(started())
    publisher.send(record(2, 0, "node", id=1, op="Tanh", inputs=[], outputs=[], params=params))
    publisher.close()
    (_, node) = server.get("/api/runs/r1/records").text.splitlines()
    assert json.loads(node)["params"] == stored


def test_a_record_that_cannot_be_written_is_dropped_by_name(server: Server) -> None:
    publisher = Publisher()
    publisher.send(started())
    publisher.send(record(2, 0, "scalar", name="x", value=Stubborn()))
    publisher.send(record(3, 0, "released", node=1))
    publisher.close()
    records = [json.loads(line) for line in server.get("/api/runs/r1/records").text.splitlines()]
    assert [one["type"] for one in records] == ["run_started", "dropped", "released"]
    assert "RuntimeError('no')" in records[1]["reason"]


def test_what_waits_is_delivered_when_the_program_ends_without_closing(server: Server) -> None:
    code = (
        "from minigrad.observe.publish.publisher import Publisher; from tests.webui.synthetic import *\n"
        "p = Publisher(); [p.send(one) for one in training(steps=50)]"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), check=True, timeout=120)
    assert server.run()["status"] == "finished"


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system cannot fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_neither_fills_the_queue_nor_disturbs_the_parent(server: Server) -> None:
    publisher = Publisher()
    publisher.send(started())

    def child() -> None:
        for seq in range(2, 1_000):
            publisher.send(record(seq, 0, "released", node=1))
        assert not publisher._inbox

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(20)
    assert process.exitcode == 0
    publisher.send(record(2, 0, "run_finished", status="finished"))
    publisher.close()
    assert server.seqs() == [1, 2]


def test_the_publisher_does_not_bring_the_server_into_the_program() -> None:
    code = "import sys; from minigrad.observe.publish import publisher, server_process; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True, check=True)
    assert not {"fastapi", "starlette", "uvicorn", "pydantic", "minigrad_webui"} & set(ran.stdout.split())


class Slow(Publisher):
    """Hands on one record every tenth of a second, and after so many none any more."""

    taken = 1_000

    def _work(self) -> None:
        self._welcomed = True
        wait_until(lambda: len(self._inbox) == 20, "the records")
        while self._inbox:
            time.sleep(0.1)
            if self.taken:
                self._inbox.popleft()
                self.taken -= 1


class Stuck(Slow):
    taken = 5


@pytest.mark.parametrize(("kind", "left"), [(Slow, 0), (Stuck, 15)])
def test_at_the_end_it_waits_as_long_as_the_explorer_takes_records(
    kind: type[Slow], left: int, caplog: pytest.LogCaptureFixture
) -> None:
    publisher = kind(f"http://127.0.0.1:{free_port()}", "token")
    for seq in range(20):
        publisher.send(record(seq, 0, "released", node=1))
    publisher.close(0.8)  # all of them take two seconds
    assert (f"{left} records did not reach the explorer" in caplog.text) == (left > 0)

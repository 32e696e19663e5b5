"""A real program is held inside forward and backward, seen and continued over the server, and never left hanging."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import Any, cast

import pytest
from websockets.sync.client import ClientConnection

from minigrad_webui.protocol import LIVE
from tests.webui.conftest import Server, environment, wait_until
from tests.webui.synthetic import record, started

HELD = Path(__file__).with_name("held.py")
Json = dict[str, Any]


class Program:
    """`held.py` on that server, with what it has printed."""

    def __init__(self, server: Server, folder: Path, *breakpoints: str, **variables: str) -> None:
        self.server = server
        self._out, self._err = folder / "stdout", folder / "stderr"
        with self._out.open("w") as out, self._err.open("w") as err:
            command = [sys.executable, str(HELD), *breakpoints]
            variables = environment() | variables
            self.process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=out, stderr=err)

    @property
    def steps(self) -> list[str]:
        """What it has printed."""
        return self._out.read_text().splitlines()

    @property
    def said(self) -> str:
        """What was said in its terminal."""
        return self._err.read_text()

    @property
    def run(self) -> Json:
        found = self.server.get("/api/runs").json()
        return found[0] if found else {}

    @property
    def id(self) -> str:
        """The run's id, as soon as the server has heard of it."""
        found: str = wait_until(lambda: self.run.get("id"), "the run to be there")
        return found

    def pause(self, after: int = 0) -> Json:
        """Where it is held, at a later pause than number `after`; waits for it."""

        def later() -> Json | None:
            paused = self.run.get("paused")
            return paused if paused and paused["number"] > after else None

        return wait_until(later, "the program to be held")

    def goes_on(self) -> None:
        """Wait for a step that it had not taken before."""
        before = len(self.steps)
        wait_until(lambda: len(self.steps) > before, "the program to go on")

    def ask(self, action: str, **more: Any) -> int:
        """The status of a request for control."""
        control = {"type": "control", "action": action, **more}
        return self.server.get(f"/api/runs/{self.id}/control", method="POST", json=control).status_code

    @contextmanager
    def watch(self) -> Iterator[ClientConnection]:
        """Another viewer; the program is told of it."""
        with self.server.connect(f"/api/runs/{self.id}/live") as viewer:
            viewer.send('{"type":"subscribe","protocol":1}')
            yield viewer

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def held(server: Server, tmp_path: Path) -> Iterator[Callable[..., Program]]:
    started: list[Program] = []

    def start(*breakpoints: str, **variables: str) -> Program:
        started.append(Program(server, tmp_path, *breakpoints, **variables))
        return started[-1]

    yield start
    for program in started:
        program.end()


def told(viewer: ClientConnection, holds: Callable[[Json], Any]) -> Json:
    """The next message of that kind that a viewer gets; fails where what was asked for is refused, or nothing comes."""
    until = monotonic() + 120
    while True:
        message: Json = json.loads(viewer.recv(timeout=until - monotonic()))
        LIVE.validate_python(message)
        if holds(message):
            return message
        assert message["type"] != "notice", message


def is_paused(message: Json) -> bool:
    return message["type"] in ("snapshot", "steps") and bool(message["run"]["paused"])


def test_a_program_is_held_inside_backward_stepped_and_continued(held: Callable[..., Program]) -> None:
    program = held("op=Tanh,backward")
    first = program.pause()
    assert (first["op"], first["phase"], first["when"], first["reason"]) == ("Tanh", "backward", "before", "breakpoint")
    assert first["at"]["code"].endswith("mg.tanh(x @ w1)")  # Python 3.10 knows the whole line only
    assert first["running_at"]["code"] == "loss.backward()"
    assert first["breakpoint"]["op"] == "Tanh"
    assert program.steps == []
    graph = program.server.get(f"/api/runs/{program.id}/graph").json()
    assert next(node for node in graph["nodes"] if node["id"] == first["node"])["op"] == "Tanh"

    assert program.ask("step", number=first["number"]) == 202
    second = program.pause(first["number"])
    assert (second["op"], second["reason"]) == ("Mm", "step")
    assert program.ask("continue", number=first["number"]) == 202, "an answer to the pause before is ignored"
    assert program.ask("unbreak", breakpoint={"op": "Tanh", "phase": "backward"}) == 202
    wait_until(lambda: not program.run["breakpoints"], "the breakpoint to be gone")
    assert program.run["paused"]["number"] == second["number"]
    assert program.ask("continue", number=second["number"]) == 202
    program.goes_on()
    wait_until(lambda: program.run["paused"] is None, "the run to say so")


def test_a_running_program_is_paused_by_a_viewer_and_a_new_viewer_sees_it_paused(held: Callable[..., Program]) -> None:
    program = held()
    program.goes_on()
    with program.watch() as viewer:
        told(viewer, lambda m: m["type"] == "snapshot")
        viewer.send('{"type":"control","action":"pause"}')
        update = told(viewer, lambda m: m["type"] == "steps" and m["run"]["paused"])
        assert update["run"]["paused"]["reason"] == "pause"
        with program.watch() as another:
            snapshot = told(another, lambda m: m["type"] == "snapshot")
            assert snapshot["run"]["paused"] == update["run"]["paused"]
            another.send('{"type":"control","action":"continue"}')
            told(viewer, lambda m: m["type"] == "steps" and not m["run"]["paused"])
    program.goes_on()


def test_breakpoints_are_set_while_it_runs_and_run_to_stops_one_time(held: Callable[..., Program]) -> None:
    program = held()
    program.goes_on()
    norm = {"norm": 1e-9, "name": "w2"}
    wait_until(lambda: program.ask("break", breakpoint=norm) == 202, "the program to listen")
    pause = program.pause()
    assert (pause["op"], pause["names"], pause["breakpoint"]["norm"]) == ("AccumulateGrad", ["w2"], 1e-9)
    program.ask("unbreak", breakpoint={"norm": 1e-9, "name": "w2"})
    program.ask("run_to", number=pause["number"], breakpoint={"op": "Sum", "phase": "forward"})
    there = program.pause(pause["number"])
    assert (there["reason"], there["phase"], there["from_nodes"] != []) == ("run_to", "forward", True)
    program.ask("continue", number=there["number"])
    program.goes_on()
    program.goes_on()
    wait_until(lambda: program.run["paused"] is None, "the run to say that it goes on")


def test_a_breakpoint_that_is_none_is_refused_and_the_viewer_stays(held: Callable[..., Program]) -> None:
    program = held()
    program.goes_on()
    assert program.ask("break", breakpoint={}) == 422
    with program.watch() as viewer:
        viewer.send('{"type":"control","action":"break","breakpoint":{}}')
        notice = told(viewer, lambda m: m["type"] == "notice")
        assert "condition" in notice["message"]
        told(viewer, lambda m: m["type"] in ("batch", "steps", "snapshot"))


def test_stop_ends_the_program_as_ctrl_c_does(held: Callable[..., Program]) -> None:
    program = held("op=Tanh")
    pause = program.pause()
    program.ask("stop", number=pause["number"])
    assert program.process.wait(20) != 0
    wait_until(lambda: program.run["status"] == "interrupted", "the run to be interrupted")
    assert program.run["paused"] is None
    assert program.ask("pause") == 409


def test_ctrl_c_works_while_it_is_held(held: Callable[..., Program]) -> None:
    program = held("op=Tanh,backward")
    program.pause()
    program.process.send_signal(signal.SIGINT)
    program.process.wait(20)
    wait_until(lambda: program.run["status"] == "interrupted", "the run to be interrupted")


def test_without_the_token_nobody_controls_anything(held: Callable[..., Program], server: Server) -> None:
    program = held()
    program.goes_on()
    for headers in ({"Authorization": "Bearer wrong"}, {"Origin": "http://evil.example"}):
        path = f"/api/runs/{program.id}/control"
        control = {"type": "control", "action": "pause"}
        answer = server.get(path, method="POST", json=control, headers=headers)
        assert answer.status_code in (401, 403)
    program.goes_on()


@pytest.mark.parametrize("takes_requests", [True, False])
def test_a_request_waits_for_a_program_that_has_not_yet_said_whether_it_takes_any(
    server: Server, takes_requests: bool
) -> None:
    with server.connect("/api/publish") as program, ThreadPoolExecutor() as pool:

        def heard(kind: str) -> Json:
            while (message := json.loads(program.recv(timeout=120)))["type"] != kind:
                pass
            return cast("Json", message)

        program.send(json.dumps({"type": "hello", "run": "r1", "name": "x.py", "started": "2026-01-01T12:00:00+00:00"}))
        heard("welcome")
        path, control = "/api/runs/r1/control", {"type": "control", "action": "pause"}
        asked = pool.submit(server.get, path, method="POST", json=control)
        with pytest.raises(NotYet):
            asked.result(timeout=0.3)
        said = [started("r1"), *([record(2, 0, "breakpoints", breakpoints=[])] if takes_requests else [])]
        program.send(json.dumps({"type": "batch", "first": 1, "last": len(said), "records": said}))
        answer = asked.result(timeout=120)
        if takes_requests:
            assert (answer.status_code, heard("control")["action"]) == (202, "pause")
        else:
            assert (answer.status_code, answer.json()["code"]) == (409, "not_controllable")


def test_the_last_viewer_leaves_and_the_program_goes_on_by_itself(held: Callable[..., Program]) -> None:
    program = held("op=Tanh,backward", MINIGRAD_PAUSE_GRACE="1")
    program.pause()
    with program.watch() as viewer:
        viewer.send('{"type":"control","action":"step"}')
        told(viewer, lambda m: is_paused(m) and m["run"]["paused"]["reason"] == "step")
        steps = len(program.steps)
    program.goes_on()
    assert len(program.steps) > steps
    assert "goes on by itself" in program.said


def test_a_killed_server_leaves_no_program_hanging(held: Callable[..., Program], server: Server) -> None:
    program = held("op=Tanh,backward", MINIGRAD_PAUSE_GRACE="1")
    program.pause()
    with program.watch() as viewer:
        viewer.send('{"type":"control","action":"step"}')
        told(viewer, lambda m: is_paused(m) and m["run"]["paused"]["reason"] == "step")
        server.kill()
        program.goes_on()
    assert "goes on by itself" in program.said


def test_a_server_that_comes_back_finds_the_program_still_held(held: Callable[..., Program], server: Server) -> None:
    program = held("op=Tanh,backward")
    first = program.pause()
    server.kill()
    server.start()
    program.server = server
    assert program.pause()["number"] == first["number"]
    with program.watch() as viewer:
        told(viewer, lambda m: m["type"] == "snapshot")
        wait_until(lambda: program.ask("step", number=first["number"]) == 202, "the program to be back")
        assert program.pause(first["number"])["reason"] == "step"

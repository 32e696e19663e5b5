"""Running a lesson's cells and checking its exercises, over the page's connection."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect
from websockets.exceptions import InvalidStatus

from minigrad_webui.lessons.memory import Memory
from minigrad_webui.lessons.open_lesson import INTERVAL, OpenLesson
from tests.webui.conftest import Server, wait_until
from tests.webui.lesson_room import SLUG, Page, classroom, page

RIGHT = "def double(x):\n    return x + x"
WRONG = "def double(x):\n    return x * x"
PID = "import os\nprint(os.getpid())"


@pytest.fixture
def client(data_dir: Path, tmp_path: Path) -> Iterator[TestClient]:
    with classroom(tmp_path / "course") as (client, _):
        yield client


@pytest.fixture
def learner(client: TestClient) -> Iterator[Page]:
    with page(client) as opened:
        yield opened


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_cells_run_one_after_the_other_and_know_of_each_other(learner: Page) -> None:
    assert learner.greeting == {"type": "ready", "run": None}
    ended = learner.run(c1="start = 20", c3="print(start + 1)")
    assert [ended[key]["status"] for key in ended] == ["ok", "ok"]
    assert ended["c3"]["text"] == "21\n"
    assert learner.run(c3="start")["c3"]["text"] == "20\n"


def test_output_comes_while_the_cell_runs(learner: Page) -> None:
    learner.ask("run", cells=[{"key": "c1", "code": "print('first')\nwhile True: pass"}])
    assert learner.until("output")[-1]["text"] == "first\n"
    learner.ask("interrupt")
    ended = learner.until("finished")[-1]
    assert (ended["status"], ended["note"]) == ("interrupted", "Stopped.")
    assert learner.run(c3="print('alive')")["c3"]["text"] == "alive\n"


def test_the_next_cells_may_be_asked_for_as_soon_as_one_has_ended(
    learner: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a slow disk it takes a while until a result is stored."""
    store = Memory.ran

    def slowly(*given: Any) -> None:
        time.sleep(0.3)
        store(*given)

    monkeypatch.setattr(Memory, "ran", slowly)
    learner.run(c1="x = 1")
    for _ in range(3):
        learner.ask("run", cells=[{"key": "c1", "code": "x = 2"}])
        assert learner.hear()["type"] == "started"
        learner.until("finished")


def test_an_error_names_the_line_in_the_cell_and_ends_the_row(learner: Page) -> None:
    ended = learner.run(c1="def inner():\n    return nothing", c3="x = 1\ninner()", c4="x")
    assert ended["c1"]["status"] == "ok"
    assert (ended["c3"]["status"], ended["c3"]["trouble"]["line"]) == ("failed", 2)
    assert ended["c3"]["trouble"]["message"] == "NameError: name 'nothing' is not defined"
    assert 'File "cell 1", line 2, in inner' in ended["c3"]["trouble"]["traceback"]
    assert ended["c4"]["status"] == "skipped"


def test_a_syntax_error_has_its_line_too(learner: Page) -> None:
    ended = learner.run(c1="x = 1\nif x\n    y")
    assert ended["c1"]["trouble"]["line"] == 2


def test_a_flood_is_cut_and_told_of(learner: Page) -> None:
    ended = learner.run(c1="while True: print('x' * 1000)")["c1"]
    assert (ended["status"], len(ended["text"])) == ("interrupted", 200_000)
    assert "printed more than 200,000 characters" in ended["note"]


def test_stopping_ends_the_whole_row(learner: Page) -> None:
    cells = [{"key": key, "code": "print(1)\nwhile True: pass"} for key in ("c1", "c3")]
    learner.ask("run", cells=cells)
    learner.until("output")
    learner.ask("interrupt")
    assert [message["status"] for message in (learner.until("finished")[-1], learner.until("finished")[-1])] == [
        "interrupted",
        "skipped",
    ]


def test_python_may_die_and_the_page_goes_on(learner: Page) -> None:
    learner.ask("run", cells=[{"key": "c1", "code": "import os\nos._exit(3)"}])
    died = learner.until("died")
    assert "with status 3" in died[-1]["message"]
    assert learner.run(c3="print('again')")["c3"]["text"] == "again\n"


def test_from_the_top_python_starts_anew(learner: Page) -> None:
    first = int(learner.run(c1=PID)["c1"]["text"])
    assert int(learner.run(c1=PID)["c1"]["text"]) == first
    second = int(learner.run_anew(c1=PID)["c1"]["text"])
    assert second != first
    assert not is_alive(first)
    learner.ask("restart")
    learner.until("ready")
    assert not is_alive(second)


def test_a_failed_check_says_what_came_back_and_gives_nothing_away(learner: Page) -> None:
    learner.ask("check", id="double", code=WRONG)
    told = learner.until("checked")[-1]
    assert not told["passed"]
    assert "came back  9" in told["message"] and "expected   6" in told["message"]
    assert (told["exercise"]["solution"], told["exercise"]["check"], told["card"]["passed"]) == (None, None, 0)


def test_a_passed_check_brings_the_solution_and_is_remembered(learner: Page, client: TestClient) -> None:
    learner.ask("check", id="double", code=RIGHT)
    told = learner.until("checked")[-1]
    assert (told["passed"], told["card"]["passed"]) == (True, 1)
    assert "solution_secret = 2" in told["exercise"]["solution"]
    assert "BEGIN" not in told["exercise"]["solution"]
    assert "check_secret" in told["exercise"]["check"]
    assert "solution_secret" in client.get(f"/api/lessons/{SLUG}").text
    learner.ask("check", id="double", code=WRONG)
    told = learner.until("checked")[-1]
    assert not told["passed"] and told["exercise"]["passed"], "what was passed stays passed"


def test_an_answer_that_never_ends_can_be_stopped(learner: Page) -> None:
    learner.ask("check", id="double", code="def double(x):\n    while True: pass")
    learner.ask("run", cells=[{"key": "c1", "code": "print('meanwhile')"}])
    assert learner.until("finished")[-2]["text"] == "meanwhile\n"
    learner.ask("interrupt")
    assert not learner.until("checked")[-1]["passed"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"type": "check", "id": "none", "code": ""}, "no exercise 'none'"),
        ({"type": "run", "cells": [{"key": "c99", "code": ""}]}, "no cell 'c99'"),
        ({"type": "teleport"}, "does not understand this page"),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(learner: Page, asked: dict[str, Any], said: str) -> None:
    learner.socket.send_json(asked)
    assert said in learner.until("refused")[-1]["message"]


def test_a_page_that_comes_back_finds_python_and_what_was_printed(client: TestClient) -> None:
    with page(client) as first:
        pid = first.run(c1="print('kept')\nx = 5", c3=PID)["c3"]["text"]
    with page(client) as second:
        heard = second.until("finished")
        assert [message["type"] for message in heard] == ["started", "output", "finished"]
        assert heard[1]["text"] == "kept\n"
        second.until("finished")
        assert second.run(c3=PID)["c3"]["text"] == pid
        assert second.run(c3="x")["c3"]["text"] == "5\n"


def test_what_was_printed_and_judged_is_there_on_another_day(data_dir: Path, tmp_path: Path) -> None:
    for day in range(2):
        with classroom(tmp_path / "course") as (client, _), page(client) as learner:
            if day == 0:
                learner.run(c1="print('kept')\nstart = 5", c3="nothing")
                learner.ask("check", id="double", code=WRONG)
                learner.until("checked")
            else:
                before = learner.until("before")[-1]
                assert [(each["key"], each["status"], each["text"]) for each in before["results"]] == [
                    ("c1", "ok", "kept\n"),
                    ("c3", "failed", ""),
                ]
                assert before["results"][1]["trouble"]["message"].startswith("NameError")
                assert [(each["id"], each["code"], each["passed"]) for each in before["verdicts"]] == [
                    ("double", WRONG, False)
                ]
                assert learner.run(c1="print(1)")["c1"]["text"] == "1\n"


def test_a_lesson_that_is_reset_remembers_nothing(client: TestClient) -> None:
    with page(client) as learner:
        learner.run(c1="print('kept')")
        client.post(f"/api/lessons/{SLUG}/reset")
        learner.ask("restart")
        learner.until("ready")
    with page(client) as learner:
        assert learner.run(c3="print(2)")["c3"]["text"] == "2\n"


def test_damaged_results_are_as_if_there_were_none(data_dir: Path, tmp_path: Path) -> None:
    with classroom(tmp_path / "course") as (client, app):
        kept = app.state.lessons.classroom.progress
        kept.keep_results(SLUG, '{"results": [{"key": 7}]}')
        with page(client) as learner:
            assert learner.run(c1="print(1)")["c1"]["text"] == "1\n"


def test_a_second_page_takes_the_lesson_over(client: TestClient) -> None:
    with page(client) as first, page(client) as second:
        with pytest.raises(WebSocketDisconnect) as closed:
            first.hear()
        assert closed.value.code == 4001
        assert second.run(c1="print(1)")["c1"]["text"] == "1\n"


class Slow:
    """A page's connection that does not notice its end."""

    def __init__(self) -> None:
        self.heard: asyncio.Queue[str] = asyncio.Queue()

    async def close(self, code: int) -> None: ...

    async def receive_text(self) -> str:
        await asyncio.Event().wait()
        return ""

    async def send_text(self, text: str) -> None:
        self.heard.put_nowait(text)


def test_a_page_whose_end_is_not_known_yet_does_not_take_the_news_of_the_next_one() -> None:
    async def both() -> str:
        lesson = OpenLesson(cast(Any, None), cast(Any, None), cast(Any, None))
        attending = []
        for each in (Slow(), Slow()):
            attending.append(asyncio.create_task(lesson.attend(cast(Any, each))))
            heard = await asyncio.wait_for(each.heard.get(), 20)
            await asyncio.sleep(2 * INTERVAL)  # it waits for further news now
        for task in attending:
            task.cancel()
        return str(json.loads(heard)["type"])

    assert asyncio.run(both()) == "ready"


def test_python_ends_when_its_page_stays_away(data_dir: Path, tmp_path: Path) -> None:
    with classroom(tmp_path / "course", grace=0.2) as (client, app):
        with page(client) as learner:
            pid = int(learner.run(c1=PID)["c1"]["text"])
            assert (app.state.lessons.open, is_alive(pid)) == (1, True)
        wait_until(lambda: not is_alive(pid), "Python to end")
        wait_until(lambda: app.state.lessons.open == 0, "the lesson to be closed")


def test_python_ends_with_the_server_even_in_an_endless_loop(data_dir: Path, tmp_path: Path) -> None:
    with classroom(tmp_path / "course") as (client, _), page(client) as learner:
        learner.ask("run", cells=[{"key": "c1", "code": PID + "\nwhile True: pass"}])
        pid = int(learner.until("output")[-1]["text"])
    assert not is_alive(pid)


@pytest.mark.parametrize(
    ("headers", "status"),
    [({"Authorization": "Bearer wrong"}, 401), ({"Origin": "http://evil.example"}, 403)],
)
def test_the_connection_is_guarded(server: Server, headers: dict[str, str], status: int) -> None:
    with pytest.raises(InvalidStatus) as refused:
        server.connect("/api/lessons/01-one-number-one-slope/bench", **headers)
    assert refused.value.response.status_code == status


def test_what_a_cell_computes_is_a_run_in_the_explorer_and_a_killed_server_leaves_no_python(server: Server) -> None:
    code = f"import minigrad as mg\nx = mg.tensor(3.0, requires_grad=True)\n(x * x).backward()\n{PID}"
    with server.connect("/api/lessons/01-one-number-one-slope/bench") as socket:
        heard = [json.loads(socket.recv(timeout=120))]
        socket.send(json.dumps({"type": "run", "cells": [{"key": "c1", "code": code}]}))
        while heard[-1]["type"] != "finished":
            heard.append(json.loads(socket.recv(timeout=120)))
        run = next(message["run"] for message in heard if message["type"] == "ready" and message["run"])
        pid = next(int(message["text"]) for message in heard if message["type"] == "output")
        graph = wait_until(lambda: server.get(f"/api/runs/{run}/graph").json()["nodes"], "the graph")
        assert [node["op"] for node in graph] == ["Mul"]
        assert server.run(run)["name"] == "Lesson 1: One number, one slope"
        server.kill()
    wait_until(lambda: not is_alive(pid), "the lesson's Python to notice")

"""A window's connection: what to watch is asked in the address or in the first message, and refused in plain words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.webui.conftest import Server
from tests.webui.synthetic import training

LIVE = "/api/runs/r1/live"


@pytest.fixture(autouse=True)
def run(server: Server) -> None:
    """A run of three steps, which has ended."""
    body = "".join(json.dumps(record) + "\n" for record in training(steps=3, nodes=2))
    assert server.get("/api/runs/import", method="POST", content=body).status_code == 201


def first_message(server: Server, query: str, asked: dict[str, Any] | None = None) -> dict[str, Any]:
    with server.connect(LIVE + query) as socket:
        if asked is not None:
            socket.send(json.dumps(asked))
        message: dict[str, Any] = json.loads(socket.recv(timeout=120))
        return message


@pytest.mark.parametrize("step", [0, 1])
def test_the_address_and_the_first_message_ask_for_the_same(server: Server, step: int) -> None:
    at_once = first_message(server, f"?protocol=1&step={step}")
    assert (at_once["type"], at_once["step"]) == ("snapshot", step)
    assert at_once == first_message(server, "", {"type": "subscribe", "protocol": 1, "step": step})


def test_no_step_in_the_address_follows_the_newest(server: Server) -> None:
    assert first_message(server, "?protocol=1") == first_message(server, "", {"type": "subscribe", "protocol": 1})


def test_the_step_can_be_changed_whichever_way_was_asked_first(server: Server) -> None:
    with server.connect(f"{LIVE}?protocol=1&step=0") as socket:
        assert json.loads(socket.recv(timeout=120))["step"] == 0
        socket.send('{"type":"subscribe","protocol":1,"step":1}')
        assert json.loads(socket.recv(timeout=120))["step"] == 1


def test_a_small_step_has_no_outline_even_where_one_is_asked_for(server: Server) -> None:
    assert first_message(server, "?protocol=1&outline=true")["type"] == "snapshot"


@pytest.mark.parametrize(
    ("query", "code", "told"),
    [
        ("?protocol=1&step=last", "bad_greeting", "step"),
        ("?protocol=99", "wrong_protocol", "You speak protocol 99, this server 1"),
    ],
)
def test_an_address_that_is_not_understood_is_refused(server: Server, query: str, code: str, told: str) -> None:
    message = first_message(server, query)
    assert (message["type"], message["code"]) == ("problem", code)
    assert told in message["message"]


def test_a_window_may_be_there_before_its_run(server: Server) -> None:
    with server.connect("/api/runs/r2/live?protocol=1") as socket:
        body = "".join(json.dumps(record) + "\n" for record in training("r2", steps=1, nodes=2))
        assert server.get("/api/runs/import", method="POST", content=body).status_code == 201
        message = json.loads(socket.recv(timeout=120))
        assert (message["type"], message["run"]["id"]) == ("snapshot", "r2")


def test_a_run_that_never_begins_is_refused(server: Server) -> None:
    with server.connect("/api/runs/nobody/live?protocol=1") as socket:
        message = json.loads(socket.recv(timeout=120))
        assert (message["code"], message["type"]) == ("unknown_run", "problem")
        assert "There is no run 'nobody'" in message["message"]

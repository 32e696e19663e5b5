"""Whatever is published, imported or found in a store: the server answers, starts, and says what is wrong."""

from __future__ import annotations

import json
import sqlite3
import time
import tracemalloc
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad.errors import ArgumentError
from minigrad.observe import read
from minigrad.observe.record.sinks import encode
from minigrad_webui.app import create_app
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard
from tests.observe.schema_strategies import NASTY, hostile, traces

from .synthetic import record, started

ROUTES = ("", "/steps", "/gradients", "/records", "/graph", "/graph?step=0")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with _client(Store()) as client:
        yield client


def _client(store: Store) -> TestClient:
    headers = {"authorization": "Bearer secret"}
    return TestClient(create_app(store, Guard("secret")), base_url="http://localhost", headers=headers)


def publish(client: TestClient, texts: list[str], run: str = "r1") -> Any:
    """Send a batch as a program would; what the server answers."""
    with client.websocket_connect("ws://localhost/api/publish") as socket:
        socket.send_json({"type": "hello", "protocol": 1, "run": run, "name": "n", "started": "2026-01-01T00:00:00Z"})
        assert socket.receive_json()["type"] == "welcome"
        assert socket.receive_json()["type"] == "audience"
        socket.send_text('{"type":"batch","first":1,"last":9,"records":[\n' + ",\n".join(texts) + "\n]}")
        answer = socket.receive_json()
        if answer["type"] == "ack":
            socket.send_json({"type": "bye"})
            until = time.monotonic() + 60
            while client.get(f"/api/runs/{run}").json().get("status") == "running":  # to leave now could outrun it
                assert time.monotonic() < until, "the goodbye was not heard"
    return answer


def all_is_well(client: TestClient) -> None:
    """Every address answers, for every run."""
    assert client.get("/api/health").status_code == 200
    listed = client.get("/api/runs")
    assert listed.status_code == 200
    for run in listed.json()[:3]:
        for route in ROUTES:
            answer = client.get(f"/api/runs/{run['id']}{route}")
            assert answer.status_code in (200, 404), (route, answer.text)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"seq":2,"t":0,"step":0,"type":"step_taken","loss":"abc"}', "loss: expected a number or null, found 'abc'"),
        ('{"seq":2,"t":1e300,"step":0,"type":"run_finished","status":"finished"}', None),
        ('{"seq":2,"t":0,"step":0,"type":"breakpoints","breakpoints":[3]}', "breakpoints[0]: expected an object"),
        ('{"seq":2,"t":0,"step":0,"type":"teleported"}', "type: expected a kind that this minigrad knows"),
    ],
)
def test_one_bad_record_does_not_poison_the_store(tmp_path: Path, bad: str, reason: str | None) -> None:
    """It is left out, and a record in its place says so; one without a place is refused with its connection."""
    store = tmp_path / "runs.sqlite"
    with _client(Store(store)) as client:
        answer = publish(client, [encode(started()), bad, encode(record(3, 0, "step_taken", loss=0.5))])
        assert answer["type"] == ("problem" if reason is None else "ack")
        all_is_well(client)
        kept = [json.loads(line) for line in client.get("/api/runs/r1/records").text.splitlines()]
        if reason is not None:
            assert [each["type"] for each in kept] == ["run_started", "dropped", "step_taken"]
            assert reason in kept[1]["reason"]
            assert client.get("/api/runs/r1").json()["loss"] == 0.5
    with _client(Store(store)) as client:
        all_is_well(client)


@pytest.mark.parametrize("table", ["runs", "steps"])
def test_a_store_that_holds_a_bad_row_is_opened_and_says_so(tmp_path: Path, table: str) -> None:
    path = tmp_path / "runs.sqlite"
    with _client(Store(path)) as client:
        publish(client, [encode(started()), encode(record(2, 0, "step_taken", loss=0.5))])
    database = sqlite3.connect(path)
    database.execute(f'UPDATE {table} SET json = \'{{"loss":"abc"}}\'')
    database.commit()
    database.close()
    with _client(Store(path)) as client:
        all_is_well(client)
        if table == "runs":
            (run,) = client.get("/api/runs").json()
            assert (run["id"], run["status"]) == ("r1", "lost")
            assert "cannot be read" in run["error"]
        assert len(client.get("/api/runs/r1/records").text.splitlines()) == 2, "its records are still there"
        publish(client, [encode(started("r2"))], "r2")
        assert client.get("/api/runs/r2").status_code == 200
        assert client.delete("/api/runs/r1").status_code == 204


@settings(deadline=None, max_examples=25)
@given(traces(), st.lists(hostile(), max_size=5))
def test_any_trace_is_imported_or_refused(client: TestClient, trace: list[Any], bad: list[Any]) -> None:
    lines = [*map(encode, trace), *(json.dumps(each) for each in bad)]
    answer = client.post("/api/runs/import", content="\n".join(lines).encode())
    assert answer.status_code in (201, 400), answer.text
    all_is_well(client)


@settings(deadline=None, max_examples=25)
@given(st.lists(hostile() | st.sampled_from(NASTY), max_size=5))
def test_any_batch_is_taken_or_refused(client: TestClient, bad: list[Any]) -> None:
    answer = publish(client, [encode(started("fuzz")), *(json.dumps(each) for each in bad)], "fuzz")
    assert answer["type"] in ("ack", "problem")
    all_is_well(client)


@pytest.mark.parametrize(
    "line",
    ["[" * 100_000, '{"seq":2,"t":0,"step":0,"type":"released","node":1,"x":' + "[" * 500 + "]" * 500 + "}",
     '{"seq":9223372036854775808,"t":0,"step":0,"type":"released","node":1}', "\ud800".encode("utf-8", "surrogatepass"),
     '{"seq":2,"t":0,"step":0,"type":"released","node":' + "9" * 5_000 + "}"],
    ids=["deep", "deep field", "large seq", "no UTF-8", "long number"],
)  # fmt: skip
def test_json_that_breaks_parsers_is_a_bad_line(client: TestClient, line: str | bytes) -> None:
    body = encode(started("deep")).encode() + b"\n" + (line if isinstance(line, bytes) else line.encode()) + b"\n"
    answer = client.post("/api/runs/import", content=body)
    assert (answer.status_code, answer.json()["left_out"]) == (201, 1)
    all_is_well(client)


def test_half_a_character_becomes_a_question_mark(client: TestClient) -> None:
    text = '{"seq":2,"t":0,"step":0,"type":"run_finished","status":"failed","error":"caf\\udce9"}'
    run = client.post("/api/runs/import", content=encode(started("half")) + "\n" + text).json()["run"]
    assert (run["status"], run["error"]) == ("failed", "caf?")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/runs", "GET"),
        ("OPTIONS", "/api/runs/r1", "DELETE, GET"),
        ("PUT", "/api/runs/import", "POST"),
        ("GET", "/api/tickets", "POST"),
        ("GET", "/api/runs/r1/control", "POST"),
    ],
)
def test_a_wrong_method_is_told_which_are_right(client: TestClient, method: str, path: str, allowed: str) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers["allow"]) == (405, allowed)
    assert answer.json()["message"] == f"{path} does not answer to {method}. It answers to: {allowed}."


def test_every_answer_of_an_address_is_in_its_description(client: TestClient) -> None:
    """What schemathesis found missing: a body that is no JSON, an op without that sample, a page of an unknown run."""
    paths = client.get("/api/openapi.json").json()["paths"]
    for method, path, status, body in (
        ("post", "/api/lessons/{slug}/draft", 400, b"\xff{"),
        ("post", "/api/ops/{name}/check", 404, b""),
        ("get", "/api/runs/{run}/page", 404, b""),
        ("get", "/api/runs/{run}/records", 404, b""),
    ):
        asked = path.replace("{", "no-").replace("}", "")
        answer = client.request(method, asked, content=body, headers={"content-type": "application/json"})
        described = paths[path][method]["responses"][str(status)]["content"]
        assert (answer.status_code, answer.headers["content-type"]) == (status, next(iter(described)))


def bomb(megabytes: int) -> bytes:
    """So many megabytes without a line break, packed a thousand times smaller."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(b"a" * 1_000_000) for _ in range(megabytes)), packer.flush()])


def test_a_small_file_that_unpacks_to_a_large_one_takes_little_memory(client: TestClient, tmp_path: Path) -> None:
    body = bomb(600)
    path = tmp_path / "bomb.jsonl.gz"
    path.write_bytes(body)
    tracemalloc.start()
    try:
        answer = client.post("/api/runs/import", content=body)
        with pytest.raises(ArgumentError, match="is not a trace: line 1: found more than 64 MB in one line"):
            read(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (answer.status_code, "longer than 64 MB" in answer.text) == (400, True)
    assert peak < 350e6

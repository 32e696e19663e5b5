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
from minigrad_webui import documentation, frontend
from minigrad_webui.app import create_app
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard
from tests.observe.schema_strategies import NASTY, hostile, traces

from .synthetic import lines, record, started

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


@pytest.mark.parametrize("text", ["[", "[::1", "::1]", "[x]"])
@pytest.mark.parametrize("header", ["host", "origin", "referer"])
def test_an_address_that_is_none_in_a_header_is_refused_in_words(client: TestClient, header: str, text: str) -> None:
    """It came as far as a traceback, before the token was looked at."""
    ticket = client.post("/api/tickets").json()["ticket"]
    headers = {"sec-fetch-dest": "iframe", header: text if header == "host" else f"http://{text}"}
    answer = client.get(f"/?ticket={ticket}", headers=headers, follow_redirects=False)
    assert answer.status_code == (303 if header == "referer" else 403)
    assert "frame-ancestors 'self';" in answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path", ["/" + "a" * 20_000, "/docs/" + "a/" * 5_000, "/%00", "/docs/%00", "/assets/" + "a" * 300]
)
def test_a_path_that_no_file_can_have_is_not_found(
    client: TestClient, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "index.html").write_text("the page")
    for module, name in ((documentation, "SITE"), (frontend, "STATIC")):
        monkeypatch.setattr(module, name, tmp_path)
    answer = client.get(path)
    assert answer.status_code == 404 or answer.text == "the page"


@pytest.mark.parametrize("path", ["records?step=", "records?after=", "records?limit=", "graph?step=", "page?step="])
def test_a_number_that_the_store_cannot_hold_is_refused(client: TestClient, path: str) -> None:
    run = client.post("/api/runs/import", content=encode(started("large"))).json()["run"]["id"]
    answer = client.get(f"/api/runs/{run}/{path}{2**63}")
    assert (answer.status_code, answer.json()["code"]) == (422, "wrong_parameter")


@pytest.mark.parametrize("step", [2**63, -(2**63) - 1, -1])
def test_a_viewer_that_asks_for_such_a_step_is_told_so(client: TestClient, step: int) -> None:
    run = client.post("/api/runs/import", content=encode(started("large"))).json()["run"]["id"]
    asked = {"type": "subscribe", "protocol": 1, "step": step}
    with client.websocket_connect(f"ws://localhost/api/runs/{run}/live") as socket:
        socket.send_json(asked)
        assert socket.receive_json()["code"] == "bad_greeting"
    with client.websocket_connect(f"ws://localhost/api/runs/{run}/live?protocol=1&step={step}") as socket:
        assert socket.receive_json()["code"] == "bad_greeting"
    with client.websocket_connect(f"ws://localhost/api/runs/{run}/live?protocol=1") as socket:
        assert socket.receive_json()["type"] == "snapshot"
        socket.send_json(asked)
        assert socket.receive_json()["code"] == "bad_message"


@pytest.mark.parametrize("field", ["step", "input", "element", "tensor", "value"])
@pytest.mark.parametrize("value", [False, "0", 2**63])
def test_what_is_no_number_stands_for_none(client: TestClient, field: str, value: object) -> None:
    """Schemathesis found that `false` was taken for 0."""
    if (field, value) == ("value", 2**63):
        return
    answer = client.post("/api/runs/r/touch", json={"step": 0, "value": 0.5, "tensor": 1, field: value})
    assert (answer.status_code, answer.json()["message"].split(":")[0]) == (422, field)


@pytest.mark.parametrize("run", ["", "a/b", "../../x", "a\\b", "\0", "..", "a" * 201])
def test_a_run_that_no_address_could_name_is_refused(client: TestClient, run: str) -> None:
    """It could be neither opened nor deleted."""
    with client.websocket_connect("ws://localhost/api/publish") as socket:
        socket.send_json({"type": "hello", "protocol": 1, "run": run, "name": "n", "started": ""})
        assert socket.receive_json()["code"] == "bad_greeting"
    imported = client.post("/api/runs/import", content=encode(started(run))).json()["run"]["id"]
    assert client.get(f"/api/runs/{imported}").status_code == 200
    assert client.delete(f"/api/runs/{imported}").status_code == 204


def test_a_timeline_of_very_many_steps_is_sent_in_little_memory(tmp_path: Path) -> None:
    store = Store(tmp_path / "runs.sqlite")
    with _client(store) as client:
        store.begin("long", "long", "2026-01-01T00:00:00Z")
        for first in range(0, 40_000, 1000):
            store.append("long", lines([record(n + 1, n, "released", node=1) for n in range(first, first + 1000)]))
        tracemalloc.start()
        try:
            answer = client.get("/api/runs/long/steps")
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert [row["step"] for row in answer.json()] == list(range(40_000))
        assert most < 5 * len(answer.content)
        assert client.get("/api/runs/nothing/steps").status_code == 404
        store.begin("empty", "empty", "2026-01-01T00:00:00Z")
        assert client.get("/api/runs/empty/steps").json() == []


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

"""The HTTP side: what can be asked, and what is answered where it cannot."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from minigrad_webui import frontend
from minigrad_webui.app import create_app
from minigrad_webui.protocol import Graph, Health, Run, Step
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard
from tests.webui.synthetic import lines, record, started, training

AUTHORIZED = {"Authorization": "Bearer secret"}


def client_of(app: FastAPI) -> TestClient:
    return TestClient(app, base_url="http://localhost", headers=AUTHORIZED, follow_redirects=False)


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store()
    yield opened
    opened.close()


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    with client_of(create_app(store, Guard("secret"))) as opened:
        store.begin("r1", "demo.py", "2026-01-01T12:00:00+00:00")
        store.append("r1", lines(training(steps=3, nodes=2)))
        yield opened


def trace(*lines: object) -> bytes:
    return b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)


def test_health_says_what_is_spoken(client: TestClient) -> None:
    health = Health.model_validate(client.get("/api/health", headers={"Authorization": ""}).json())
    assert (health.status, health.protocol, health.runs) == ("ok", 1, 1)


def test_runs_steps_and_graphs_are_as_the_protocol_says(client: TestClient) -> None:
    (run,) = (Run.model_validate(row) for row in client.get("/api/runs").json())
    assert run == Run.model_validate(client.get("/api/runs/r1").json())
    assert [Step.model_validate(row).step for row in client.get("/api/runs/r1/steps").json()] == [0, 1, 2]
    graph = Graph.model_validate(client.get("/api/runs/r1/graph").json())
    assert (graph.run, graph.step, len(graph.nodes), len(graph.tensors)) == ("r1", 2, 2, 1)
    assert graph.tensors[0].grad is not None


def test_a_graph_shows_versions_and_gradients_as_they_stand_at_the_end(client: TestClient, store: Store) -> None:
    store.begin("r2", "demo.py", "2026-01-01T12:00:00+00:00")
    leaf = {"id": 1, "shape": [], "dtype": "float32"}
    made = record(3, 0, "tensor", **leaf | {"id": 2})
    store.append(
        "r2",
        lines(
            [
                started("r2"),
                record(2, 0, "tensor", **leaf),
                record(3, 0, "node", id=1, op="Tanh", inputs=[{"name": "x", "tensor": 1}], outputs=[made]),
                record(4, 0, "mutated", tensor=1, version=1),
                record(5, 0, "mutated", tensor=2, version=3),
                record(6, 0, "mutated", tensor=1, version=1, grad=True, value={"kind": "stats", "norm": 7.0}),
            ]
        ),
    )
    graph = Graph.model_validate(client.get("/api/runs/r2/graph?step=0").json())
    assert graph.tensors[0].version == 1
    assert graph.tensors[0].value is None and graph.tensors[0].grad.norm == 7.0  # type: ignore[union-attr]
    assert graph.nodes[0].outputs[0].version == 3


def test_records_are_a_trace_file(client: TestClient) -> None:
    answer = client.get("/api/runs/r1/records")
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert [json.loads(line) for line in answer.text.splitlines()] == list(training(steps=3, nodes=2))
    some = client.get("/api/runs/r1/records", params={"step": 1, "after": 12, "limit": 2}).text.splitlines()
    assert len(some) == 2
    assert all(json.loads(line)["step"] == 1 and json.loads(line)["seq"] > 12 for line in some)


@pytest.mark.parametrize(
    "path",
    [
        "/api/runs/nobody",
        "/api/runs/nobody/steps",
        "/api/runs/nobody/gradients",
        "/api/runs/nobody/records",
        "/api/runs/nobody/graph",
    ],
)
def test_an_unknown_run_is_named_in_the_answer(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (404, "unknown_run")
    assert "There is no run 'nobody'" in answer.json()["message"]


def test_an_unknown_step_says_which_there_are(client: TestClient) -> None:
    answer = client.get("/api/runs/r1/graph?step=7")
    assert answer.status_code == 404
    assert answer.json()["message"] == "Run 'r1' has steps 0 to 2; there is no step 7."


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/api/nothing", 404), ("PUT", "/api/runs", 405), ("GET", "/api/runs/r1/records?limit=-1", 422)],
)
def test_every_error_has_the_same_form(client: TestClient, method: str, path: str, status: int) -> None:
    answer = client.request(method, path)
    assert answer.status_code == status
    assert set(answer.json()) == {"code", "message"}


def test_a_deleted_run_is_gone(client: TestClient) -> None:
    assert client.delete("/api/runs/r1").status_code == 204
    assert client.get("/api/runs").json() == []
    assert client.delete("/api/runs/r1").status_code == 404


def test_a_run_that_is_being_written_is_not_deleted(client: TestClient) -> None:
    with client.websocket_connect("ws://localhost/api/publish") as program:
        program.send_json({"type": "hello", "run": "r9", "name": "x", "started": "2026-01-01T12:00:00+00:00"})
        assert program.receive_json() == {"type": "welcome", "protocol": 1, "run": "r9", "have": 0}
        answer = client.delete("/api/runs/r9")
        assert (answer.status_code, answer.json()["code"]) == (409, "run_is_live")


def test_a_run_that_waits_for_its_program_is_not_deleted_until_it_counts_as_lost(client: TestClient) -> None:
    with client.websocket_connect("ws://localhost/api/publish") as program:
        program.send_json({"type": "hello", "run": "r9", "name": "x", "started": "2026-01-01T12:00:00+00:00"})
        program.receive_json()
    answer = client.delete("/api/runs/r9")
    assert (answer.status_code, answer.json()["code"]) == (409, "run_is_live")
    assert "may come back" in answer.json()["message"]
    assert client.get("/api/runs").json()[0]["status"] == "running"


@pytest.mark.parametrize("compressed", [False, True])
def test_a_trace_file_becomes_a_run(client: TestClient, compressed: bool) -> None:
    body = trace(*training("r2", steps=2))
    answer = client.post("/api/runs/import", content=gzip.compress(body) if compressed else body)
    assert answer.status_code == 201
    assert answer.json()["records"] == len(list(training(steps=2)))
    assert answer.json()["problems"] == []
    assert answer.json()["run"]["status"] == "finished"
    assert client.get("/api/runs/r2/records").content.splitlines() == [
        json.dumps(one, separators=(",", ":")).encode() for one in training("r2", steps=2)
    ]


def test_the_same_trace_may_be_imported_twice(client: TestClient) -> None:
    imported = [client.post("/api/runs/import", content=trace(*training("r2"))).json()["run"]["id"] for _ in range(3)]
    assert imported == ["r2", "r2-2", "r2-3"]


def test_a_bad_line_is_named_and_the_rest_is_kept(client: TestClient) -> None:
    body = trace(
        started("r2"),
        b"{not json",
        record(2, 0, "teleported"),
        record(3, 0, "released", node=1),
        record(3, 0, "released", node=1),
        record(4, 0, "released"),
        b'{"seq":5,"t":1,"step":0,"type":"scalar","name":"x","value":',
    )
    answer = client.post("/api/runs/import", content=body).json()
    assert (answer["records"], answer["left_out"]) == (2, 5)
    assert [problem["line"] for problem in answer["problems"]] == [2, 3, 5, 6, 7]
    messages = [problem["message"] for problem in answer["problems"]]
    assert messages[0].startswith("not JSON: ")
    assert "teleported" in messages[1]
    assert messages[2] == "`seq` is 3, but 3 came before it"
    assert "node: expected this field" in messages[3]
    assert answer["run"]["status"] == "lost"
    assert "trace ends before" in answer["run"]["error"]


def test_a_trace_cut_off_while_compressed_keeps_what_came_before(client: TestClient) -> None:
    body = gzip.compress(trace(*training("r2", steps=200)))
    answer = client.post("/api/runs/import", content=body[: len(body) // 2]).json()
    assert answer["records"] > 100
    assert "compressed file ends too early" in answer["problems"][-1]["message"]


def test_a_trace_of_schema_version_1_is_imported_whole(client: TestClient) -> None:
    body = (Path(__file__).parents[1] / "observe" / "traces" / "version-1.jsonl.gz").read_bytes()
    answer = client.post("/api/runs/import", content=body).json()
    assert (answer["records"], answer["problems"], answer["run"]["steps"]) == (171, [], 3)


def test_a_newer_trace_is_named_and_what_is_known_of_it_is_kept(client: TestClient) -> None:
    answer = client.post("/api/runs/import", content=trace({**started("r2"), "schema_version": 9})).json()
    assert "the trace has schema 9, this minigrad reads up to 2" in answer["problems"][0]["message"]
    assert answer["records"] == 1


@pytest.mark.parametrize(
    ("body", "what"),
    [
        (b"", "The file is empty"),
        (b"hello\n", "Line 1 does not begin a trace: not JSON"),
        (b'{"seq":1,"t":0,"step":0,"type":"released","node":1}\n', "expected a run_started record, found 'released'"),
        (b'{"seq":1,"t":0,"step":0,"type":"run_started"}\n', "id: expected this field"),
        (b"\x1f\x8bnot gzip", "damaged"),
    ],
)
def test_what_is_no_trace_is_refused_and_leaves_no_run(client: TestClient, body: bytes, what: str) -> None:
    answer = client.post("/api/runs/import", content=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert what in answer.json()["message"]
    assert [run["id"] for run in client.get("/api/runs").json()] == ["r1"]


def test_the_api_describes_every_address_it_has(client: TestClient) -> None:
    described = client.get("/api/openapi.json").json()
    assert set(described["paths"]) == {
        "/api/health",
        "/api/tickets",
        "/api/ops",
        "/api/ops/{name}/check",
        "/api/lessons",
        "/api/lessons/{slug}",
        "/api/lessons/{slug}/draft",
        "/api/lessons/{slug}/hints/{id}",
        "/api/lessons/{slug}/guesses/{id}",
        "/api/lessons/{slug}/reset",
        "/api/lessons/{slug}/reset/{key}",
        "/api/runs",
        "/api/runs/import",
        "/api/runs/{run}",
        "/api/runs/{run}/steps",
        "/api/runs/{run}/distributions/{tensor}",
        "/api/runs/{run}/gradients",
        "/api/runs/{run}/findings",
        "/api/runs/{run}/records",
        "/api/runs/{run}/graph",
        "/api/runs/{run}/page",
        "/api/runs/{run}/tensors/{tensor}/tile",
        "/api/runs/{run}/touch",
        "/api/runs/{run}/control",
    }
    for operations in described["paths"].values():
        for operation in operations.values():
            assert operation["summary"]
            assert operation["description"]


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<title>explorer</title>")
    (tmp_path / "assets" / "app-1a2b.js").write_text("run()")
    monkeypatch.setattr(frontend, "STATIC", tmp_path)
    return tmp_path


def test_the_front_end_is_served_from_the_root_and_from_its_own_addresses(built: Path, store: Store) -> None:
    with client_of(create_app(store, Guard("secret"))) as client:
        assert client.get("/").text == client.get("/ops").text == "<title>explorer</title>"
        script = client.get("/assets/app-1a2b.js")
        assert script.text == "run()"
        assert script.headers["content-type"].startswith("text/javascript")
        assert "immutable" in script.headers["cache-control"]
        assert client.get("/").headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/assets/gone.js", "/favicon.ico", "/a/b", "/..%2f..%2fetc%2fpasswd", "/%00"])
def test_what_the_front_end_does_not_have_is_not_found(built: Path, store: Store, path: str) -> None:
    with client_of(create_app(store, Guard("secret"))) as client:
        assert client.get(path).status_code == 404


def test_without_a_built_front_end_the_page_says_how_to_build_it(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frontend, "STATIC", tmp_path)
    with client_of(create_app(store, Guard("secret"))) as client:
        answer = client.get("/")
        assert answer.status_code == 503
        assert "python webui/build_frontend.py" in answer.text


@pytest.mark.parametrize(
    ("root_path", "headers"),
    [("/user/ada/minigrad", {}), ("", {"X-Forwarded-Prefix": "/user/ada/minigrad/"})],
)
def test_behind_a_proxy_the_cookie_is_for_its_path_and_the_redirect_is_relative(
    built: Path, store: Store, root_path: str, headers: dict[str, str]
) -> None:
    app = create_app(store, Guard("secret", 8642))
    with TestClient(app, "http://localhost", root_path=root_path, headers=AUTHORIZED, follow_redirects=False) as client:
        answer = client.get("/?token=secret", headers={**headers, "Authorization": ""})
        assert answer.status_code == 303
        assert answer.headers["location"] == "./"
        assert "Path=/user/ada/minigrad/;" in answer.headers["set-cookie"]
        assert client.get("/").text == "<title>explorer</title>"
        assert client.get("/api/health").status_code == 200


def test_a_forged_prefix_is_not_believed(built: Path, store: Store) -> None:
    with client_of(create_app(store, Guard("secret"))) as client:
        answer = client.get("/?token=secret", headers={"X-Forwarded-Prefix": "/x; Domain=evil.example"})
        assert "Path=/;" in answer.headers["set-cookie"]


def test_the_api_describes_itself_on_a_page_that_needs_no_internet(client: TestClient) -> None:
    answer = client.get("/api/docs")
    assert answer.headers["content-type"].startswith("text/html")
    for said in ("GET /api/runs", "GET /api/runs/{run}/records", "after", "/api/publish", "openapi.json"):
        assert said in answer.text
    assert "http://" not in answer.text and "https://" not in answer.text and "<script" not in answer.text
    assert client.get("/api/docs", headers={"Authorization": "Bearer wrong"}).status_code == 401

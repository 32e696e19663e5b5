"""The key for watching: every address and every message, for the presenter, for an audience, and for nobody."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from fastapi.routing import APIRoute, APIWebSocketRoute
from fastapi.testclient import TestClient
from websockets.exceptions import InvalidStatus

from minigrad.observe.publish.wire import encode
from minigrad_webui.app import create_app
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard

from .conftest import Server
from .synthetic import training

GUARD = Guard("the-token")
APP = create_app(Store(), GUARD)
LIVE = "/api/runs/{run}/live"


def address(path: str) -> str:
    return re.sub(r"\{(\w+)(:path)?\}", r"no-\1", path)


HTTP = sorted(
    {
        (method, route.path)
        for route in APP.routes
        if isinstance(route, APIRoute) and route.path != "/api/health"
        for method in route.methods or ()
    }
)
SOCKETS = sorted(route.path for route in APP.routes if isinstance(route, APIWebSocketRoute))


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(APP, base_url="http://localhost", headers={"authorization": "Bearer the-token"}) as client:
        assert client.post("/api/runs/import", content="\n".join(map(encode, training("r1")))).status_code == 201
        client.headers.clear()
        yield client


def test_there_are_addresses_of_every_kind() -> None:
    assert len(HTTP) > 20 and {method for method, _ in HTTP} >= {"GET", "POST", "DELETE"}
    assert LIVE in SOCKETS and "/api/publish" in SOCKETS and any("lessons" in path for path in SOCKETS)


@pytest.mark.parametrize(("method", "path"), HTTP)
def test_who_watches_may_read_and_change_nothing(client: TestClient, method: str, path: str) -> None:
    """By header and by cookie."""
    nobody = client.request(method, address(path))
    assert nobody.status_code == 401
    for headers in ({"authorization": f"Bearer {GUARD.watching}"}, {"cookie": f"{GUARD.cookie}={GUARD.watching}"}):
        headers["origin"] = "http://localhost"
        answer = client.request(method, address(path), headers=headers, follow_redirects=False)
        if method == "GET":
            assert answer.status_code not in (401, 403)
        else:
            assert (answer.status_code, answer.json()["code"]) == (403, "read_only")


def test_of_the_sockets_only_a_live_run_is_shown_and_it_takes_no_control(server: Server) -> None:
    body = "\n".join(map(encode, training("r1")))
    assert server.get("/api/runs/import", method="POST", content=body).status_code == 201
    key = f"Bearer {Guard(server.note.token).watching}"
    for path in SOCKETS:
        if path != LIVE:
            with pytest.raises(InvalidStatus) as refused:
                server.connect(address(path), Authorization=key)
            assert refused.value.response.status_code == 403
            assert b"read_only" in (refused.value.response.body or b"")
    with server.connect("/api/runs/r1/live?protocol=1", Authorization=key) as socket:
        assert json.loads(socket.recv(timeout=120))["type"] == "snapshot"
        for action in ("pause", "step", "over", "continue", "stop"):
            socket.send(json.dumps({"type": "control", "action": action}))
            notice = json.loads(socket.recv(timeout=120))
            assert (notice["type"], notice["code"]) == ("notice", "read_only")


def test_the_key_opens_the_page_and_does_not_lead_to_the_token(client: TestClient) -> None:
    opened = client.get(f"/?token={GUARD.watching}", follow_redirects=False)
    assert (opened.status_code, opened.headers["location"]) == (303, "./")
    assert opened.cookies[GUARD.cookie] == GUARD.watching
    assert client.get("/api/runs", headers={"cookie": f"{GUARD.cookie}={GUARD.watching}"}).status_code == 200
    assert GUARD.token not in opened.text + str(opened.headers)
    assert Guard("another").watching != GUARD.watching

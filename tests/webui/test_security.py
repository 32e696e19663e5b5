"""Who may come in: the rules alone, and at the door of a real server."""

from __future__ import annotations

import httpx
import pytest
from starlette.datastructures import Headers
from websockets.exceptions import InvalidStatus

from minigrad_webui.security import Guard, is_loopback, new_token
from minigrad_webui.tickets import Tickets
from tests.webui.conftest import Server


def address(guard: Guard, **headers: str) -> str | None:
    """What the guard says to these headers: nothing, or the code of its refusal."""
    refusal = guard.refuse_address(Headers(headers))
    return refusal.code if refusal else None


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8642", "LOCALHOST:1", "127.0.0.1:8642", "[::1]:8642", "192.168.1.7", "a.localhost"]
)
def test_names_that_lead_here_are_let_in(host: str) -> None:
    assert address(Guard("t"), host=host) is None


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "evil.example:8642", "localhost.evil.example", "127.0.0.1.evil.example", "a b", "@localhost"],
)
def test_names_that_lead_elsewhere_are_not(host: str) -> None:
    assert address(Guard("t"), host=host) == "wrong_host"


def test_a_name_can_be_allowed_by_hand() -> None:
    guard = Guard.bound_to("127.0.0.1", 1, "t", ["Hub.Example"])
    assert address(guard, host="hub.example") is None
    assert address(guard, host="hub.example", origin="https://hub.example") is None
    assert address(guard, host="127.0.0.1:1", origin="https://hub.example") is None


def test_beyond_loopback_the_name_it_is_bound_to_leads_here() -> None:
    assert address(Guard.bound_to("gpu-box.lan", 1, "t"), host="gpu-box.lan:1") is None


@pytest.mark.parametrize(
    "origin",
    [
        "http://evil.example",
        "null",
        "",
        "http://localhost:9999",
        "http://127.0.0.1:8642",
        "file://",
        "http://localhost",
    ],
)
def test_pages_from_elsewhere_may_not_talk_to_it(origin: str) -> None:
    assert address(Guard("t"), host="localhost:8642", origin=origin) == "wrong_origin"


@pytest.mark.parametrize("origin", ["http://localhost:8642", "https://localhost:8642"])
def test_its_own_pages_may(origin: str) -> None:
    assert address(Guard("t"), host="localhost:8642", origin=origin) is None


def test_a_refusal_says_what_was_found_and_what_to_do() -> None:
    refusal = Guard("t").refuse_address(Headers({"host": "hub.example:80"}))
    assert refusal is not None
    assert "'hub.example:80'" in refusal.message
    assert "--allow-host hub.example" in refusal.message


def test_tokens_are_long_and_never_the_same() -> None:
    assert len(new_token()) >= 32
    assert new_token() != new_token()


@pytest.mark.parametrize(
    ("host", "inside"), [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False)]
)
def test_loopback_is_told_from_the_rest(host: str, inside: bool) -> None:
    assert is_loopback(host) is inside


def test_everything_but_health_asks_for_the_token(server: Server) -> None:
    url = server.note.url
    assert httpx.get(url + "/api/health", trust_env=False).status_code == 200
    for path in ("/api/runs", "/api/runs/r1/records", "/api/openapi.json", "/", "/index.html", "/nothing"):
        assert httpx.get(url + path, trust_env=False).status_code == 401
    assert httpx.delete(url + "/api/runs/r1", trust_env=False).status_code == 401
    assert httpx.post(url + "/api/runs/import", trust_env=False).status_code == 401


def test_a_wrong_token_is_told_what_to_do(server: Server) -> None:
    answer = server.get("/api/runs", headers={"Authorization": "Bearer wrong"})
    assert (answer.status_code, answer.json()["code"]) == (401, "wrong_token")
    assert "Open the address that it printed" in answer.json()["message"]


def test_a_person_without_the_token_gets_a_page(server: Server) -> None:
    answer = httpx.get(server.note.url, headers={"Accept": "text/html"}, trust_env=False)
    assert answer.status_code == 401
    assert "This page needs its key" in answer.text


def test_the_printed_address_becomes_a_cookie_and_loses_its_token(server: Server) -> None:
    with httpx.Client(base_url=server.note.url, trust_env=False) as browser:
        answer = browser.get(f"/ops?view=1&token={server.note.token}")
        assert (answer.status_code, answer.headers["location"]) == (303, "./ops?view=1")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert browser.get("/api/runs").status_code == 200


def test_a_wrong_token_in_the_address_sets_no_cookie(server: Server) -> None:
    answer = httpx.get(server.note.url + "/?token=wrong", trust_env=False)
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("header", "value", "code"),
    [("Host", "evil.example", "wrong_host"), ("Origin", "http://evil.example", "wrong_origin")],
)
def test_a_wrong_host_or_origin_is_refused_even_with_the_token(
    server: Server, header: str, value: str, code: str
) -> None:
    answer = server.get("/api/runs", headers={header: value})
    assert (answer.status_code, answer.json()["code"]) == (403, code)


@pytest.mark.parametrize("path", ["/api/publish", "/api/runs/r1/live"])
@pytest.mark.parametrize(
    ("headers", "status", "code"),
    [
        ({"Authorization": "Bearer wrong"}, 401, "wrong_token"),
        ({"Authorization": ""}, 401, "wrong_token"),
        ({"Origin": "http://evil.example"}, 403, "wrong_origin"),
    ],
)
def test_websockets_are_guarded_as_well(
    server: Server, path: str, headers: dict[str, str], status: int, code: str
) -> None:
    with pytest.raises(InvalidStatus) as refused:
        server.connect(path, **headers)
    assert refused.value.response.status_code == status
    assert code.encode() in (refused.value.response.body or b"")


def test_a_token_in_the_address_does_not_open_a_websocket_or_a_change(server: Server) -> None:
    with pytest.raises(InvalidStatus):
        server.connect(f"/api/publish?token={server.note.token}", Authorization="")
    url = f"{server.note.url}/api/runs/r1?token={server.note.token}"
    assert httpx.delete(url, trust_env=False).status_code == 401


def test_a_browser_is_told_to_keep_foreign_script_and_frames_out(server: Server) -> None:
    headers = server.get("/api/runs").headers
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["script-src"] == "'self' 'wasm-unsafe-eval'"
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"].startswith("'self'")
    assert headers["x-content-type-options"] == "nosniff"


def ticket_of(server: Server) -> str:
    return str(server.get("/api/tickets", method="POST").json()["ticket"])


def test_a_ticket_opens_the_explorer_once(server: Server) -> None:
    ticket = ticket_of(server)
    with httpx.Client(base_url=server.note.url, trust_env=False) as browser:
        answer = browser.get(f"/?view=1&ticket={ticket}")
        assert (answer.status_code, answer.headers["location"]) == (303, "./?view=1")
        assert browser.get("/api/runs").status_code == 200
        assert browser.get(f"/?ticket={ticket}").status_code == 303, "whoever is in already stays in"
    late = httpx.get(f"{server.note.url}/?ticket={ticket}", trust_env=False)
    assert (late.status_code, late.json()["code"]) == (401, "used_ticket")
    assert "set-cookie" not in late.headers


def test_a_ticket_that_was_never_issued_opens_nothing(server: Server) -> None:
    for ticket in ("", "a", server.note.token):
        assert httpx.get(f"{server.note.url}/?ticket={ticket}", trust_env=False).status_code == 401


def test_a_ticket_ends_after_ten_minutes_and_the_oldest_goes_first() -> None:
    now = 0.0
    tickets = Tickets(lambda: now)
    late, early = tickets.issue(), tickets.issue()
    now = 599.0
    assert tickets.spend(early)
    now = 600.0
    assert not tickets.spend(late)
    first = tickets.issue()
    assert len({tickets.issue() for _ in range(1000)}) == 1000
    assert not tickets.spend(first)


def test_only_who_has_the_token_gets_a_ticket(server: Server) -> None:
    assert httpx.post(f"{server.note.url}/api/tickets", trust_env=False).status_code == 401


def framers(server: Server, **headers: str) -> str:
    """Who may frame the page, after one was opened with a ticket and these headers."""
    httpx.get(f"{server.note.url}/?ticket={ticket_of(server)}", headers=headers, trust_env=False)
    policy = server.get("/").headers["content-security-policy"]
    return next(each for each in policy.split("; ") if each.startswith("frame-ancestors"))


def test_only_a_notebook_with_a_ticket_may_frame_the_explorer(server: Server) -> None:
    notebook = {"Referer": "http://localhost:8888/lab", "Sec-Fetch-Dest": "iframe"}
    httpx.get(f"{server.note.url}/?ticket=wrong", headers=notebook, trust_env=False)
    assert framers(server) == "frame-ancestors 'self'"
    assert framers(server, **{**notebook, "Referer": "http://evil.example/"}) == "frame-ancestors 'self'"
    assert framers(server, **{**notebook, "Referer": "http://localhost:8888;script-src/"}) == "frame-ancestors 'self'"
    assert framers(server, **{**notebook, "Sec-Fetch-Dest": "document"}) == "frame-ancestors 'self'"
    assert framers(server, **notebook) == "frame-ancestors 'self' http://localhost:8888"


def test_a_cookie_without_an_origin_changes_nothing(server: Server) -> None:
    with httpx.Client(base_url=server.note.url, trust_env=False) as browser:
        browser.get(f"/?token={server.note.token}")
        refused = browser.delete("/api/runs/none")
        assert (refused.status_code, refused.json()["code"]) == (403, "no_origin")
        assert browser.post("/api/runs/import").json()["code"] == "no_origin"
        assert browser.delete("/api/runs/none", headers={"Origin": server.note.url}).status_code == 404
        assert browser.get("/api/runs").status_code == 200

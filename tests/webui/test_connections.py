"""Connections that say nothing, or half of what they began, keep nobody out."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import uvicorn

from minigrad_webui.connections import WANTED, PromptProtocol, allow_many
from tests.webui.conftest import Server

HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"
ANSWERED = b"HTTP/1.1 200 OK"


class Impatient(PromptProtocol):
    seconds = 0.5


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Answers after the body has come, and after a second more."""
    if scope["type"] != "http":
        return
    while (await receive()).get("more_body"):
        pass
    await asyncio.sleep(1.2)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"0")]})
    await send({"type": "http.response.body", "body": b""})


async def converse(pieces: list[bytes], pause: float) -> bytes:
    """What the server says to these pieces, until it closes the connection, or for three seconds after an answer."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(application, http=Impatient, lifespan="off", log_level="error", timeout_keep_alive=100)
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0.01)
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    heard = b""
    try:
        for piece in pieces:
            writer.write(piece)
            with contextlib.suppress(asyncio.TimeoutError):
                heard += await asyncio.wait_for(reader.read(1000), pause)
        with contextlib.suppress(ConnectionError):
            heard += await asyncio.wait_for(reader.read(), 60)
        return heard
    finally:
        writer.close()
        server.should_exit = True
        await serving


@pytest.mark.parametrize(
    "pieces",
    [[b""], [b"GET / HTTP/1.1\r\nHost:"], [HEAD], [HEAD + b"ab"], [b"GET / HT", b"TP", b"/1.1\r\n", b"Host: a\r\n"]],
    ids=["nothing", "half a head", "a head", "half a body", "a head, letter by letter"],
)
def test_a_request_that_does_not_come_ends_its_connection(pieces: list[bytes]) -> None:
    assert asyncio.run(converse(pieces, 0.1)) == b""


def test_a_slow_answer_and_a_slow_body_are_waited_for() -> None:
    assert ANSWERED in asyncio.run(converse([HEAD, b"a", b"b", b"c", b"d"], 0.3))


def test_a_second_request_must_come_whole_too() -> None:
    assert asyncio.run(converse([HEAD + b"abcd", b"GET / HTTP"], 60)).count(ANSWERED) == 1


@pytest.fixture
def many() -> Iterator[int]:
    """So many sockets, if this process may have them."""
    resource = pytest.importorskip("resource")
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most != resource.RLIM_INFINITY and most < 4000:
        pytest.skip("this system allows too few sockets")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4000), most))
    yield 1500
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, most))


def test_a_crowd_that_says_nothing_keeps_nobody_out(server: Server, many: int) -> None:
    where = ("127.0.0.1", int(server.note.url.rpartition(":")[2]))
    with contextlib.ExitStack() as crowd:
        for _ in range(many):
            crowd.enter_context(socket.create_connection(where, 60)).sendall(b"GET / HTTP/1.1\r\n")
        assert server.get("/api/health", timeout=60).status_code == 200


def test_the_server_may_hold_as_many_as_the_system_allows() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
        allow_many()
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        assert soft > 200
        assert soft in (before[1], WANTED)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

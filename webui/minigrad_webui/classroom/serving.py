"""`minigrad class` as a process: serve a class until Ctrl-C, and report its address."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn

from minigrad.classroom import Course, Entry
from minigrad.classroom.sandbox import Sandbox
from minigrad_webui.classroom.app import create_class_app, open_room
from minigrad_webui.classroom.room import Room, fixed
from minigrad_webui.connections import PromptProtocol, allow_many
from minigrad_webui.security import Guard, is_loopback
from minigrad_webui.server import bind

PORT = 8700
"""The port tried first; if it is taken, any free one."""


@dataclass(frozen=True)
class Options:
    """The settings of a class."""

    folder: Path
    course: Course
    entries: Sequence[Entry]
    sandbox: Sandbox
    host: str
    port: int | None
    allow_hosts: Sequence[str] = field(default_factory=tuple)


def serve(options: Options, announce: Callable[[Room, str], None]) -> None:
    """Serve a class until Ctrl-C. Calls `announce` with the room and the presenter's address once it is open.

    Raises ServeError or OSError if it cannot start."""
    room = open_room(options.folder, fixed(options.course, list(options.entries)), options.sandbox)
    known = room.register.fact("port")  # pupils' pages find a restarted class at its old port
    usual = int(known) if known else PORT
    with contextlib.closing(bind(options.host, options.port, usual)) as listener:
        port = listener.getsockname()[1]
        room.register.note("port", str(port))
        room.address = f"http://{reachable(options.host)}:{port}"
        guard = Guard.bound_to(options.host, port, room.keys.presenter, options.allow_hosts)
        allow_many()
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_run(room, guard, listener, announce))


async def _run(room: Room, guard: Guard, listener: socket.socket, announce: Callable[[Room, str], None]) -> None:
    config = uvicorn.Config(
        create_class_app(room, guard),
        log_level="warning",
        access_log=False,
        http=PromptProtocol,
        ws="websockets-sansio",
        ws_per_message_deflate=False,
        ws_ping_timeout=60,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        announce(room, f"{room.address}/wall?token={room.keys.presenter}")
    await serving


def reachable(host: str) -> str:
    """The host name at which other computers reach this one; `host` itself if it listens only locally."""
    if host not in ("0.0.0.0", "::"):
        return f"[{host}]" if ":" in host else host
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        probe.connect(("192.0.2.1", 9))  # no packet is sent: this only finds the network that leads out
        found: str = probe.getsockname()[0]
        if not is_loopback(found):
            return found
    return socket.gethostname()

"""The server as a process: in the foreground for `minigrad serve`, in the background for a watched program."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from minigrad import __version__
from minigrad.observe.publish.data_folder import (
    GRACE_VARIABLE,
    TOKEN_VARIABLE,
    Note,
    default_store,
    read_note,
    remove_note,
    write_note,
)
from minigrad.observe.publish.server_process import find_running, for_one_page
from minigrad_webui.app import create_app
from minigrad_webui.connections import PromptProtocol, allow_many
from minigrad_webui.runs.database import DamagedStore
from minigrad_webui.runs.publishers import GRACE
from minigrad_webui.runs.rescue import begin_anew
from minigrad_webui.runs.store import MEMORY, Store, StoreError
from minigrad_webui.security import Guard, is_loopback, new_token

HOST = "127.0.0.1"
PORT = 8642
"""The port tried first, so that addresses stay valid from day to day; if it is taken, any free one."""

IDLE_CHECK = 5.0
"""Seconds between two checks whether a background server is still needed."""


class ServeError(RuntimeError):
    """The server cannot start; the message is one line and says what to do."""


@dataclass(frozen=True)
class Options:
    """The settings of the server."""

    host: str = HOST
    port: int | None = None
    store: str | None = None
    token: str | None = None
    open_browser: bool = False
    root_path: str = ""
    allow_hosts: Sequence[str] = field(default_factory=tuple)
    idle: float | None = None
    """The server ends after this many seconds without any program or viewer; None serves until it is stopped."""


def bind(host: str, port: int | None, usual: int = PORT) -> socket.socket:
    """A listening socket. Without a port, the usual one or else any free one.

    Raises ServeError if the port is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    asked = [usual, 0] if port is None else [port]
    for number in asked:
        listener = socket.socket(family, socket.SOCK_STREAM)
        if os.name != "nt":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
            listener.listen(1024)
        except OSError as error:
            listener.close()
            if number == asked[-1]:
                raise ServeError(
                    f"Cannot listen on {host} port {number}: {os.strerror(error.errno or 0)}. "
                    "Choose another with --port, or --port 0 for any that is free."
                ) from error
        else:
            return listener
    raise AssertionError("unreachable")


def serve(
    host: str = HOST,
    port: int | None = None,
    store: str | os.PathLike[str] | None = None,
    token: str | None = None,
    open_browser: bool = False,
    *,
    root_path: str = "",
    allow_hosts: Sequence[str] = (),
) -> int:
    """Serve until Ctrl-C, and return the exit status. An error at the start is one line on stderr and status 2.

    `port` None takes the usual port or any free one, `store` None the one in the user's data folder (`":memory:"` keeps
    nothing), `token` None creates one. `root_path` and `allow_hosts` are for a proxy in front.
    """
    path = None if store is None else str(store)
    options = Options(host, port, path, token, open_browser, root_path, tuple(allow_hosts))
    try:
        _serve(options)
    except (ServeError, StoreError, PermissionError) as error:
        print(f"minigrad: {error}", file=sys.stderr)
        return 2
    return 0


def _serve(options: Options) -> None:
    where = options.store or str(default_store())
    running = find_running()
    if running is not None and where != MEMORY and running.store == str(Path(where).resolve()):
        _agree(running, options)
        print(f"The explorer already serves this store: {running.page}", flush=True)
        if options.open_browser:
            webbrowser.open(for_one_page(running.page))
        return
    before = _predecessor(options, where)
    usual = PORT if before is None else int(before.url.rpartition(":")[2])
    listening = bind(options.host, options.port, usual)
    with contextlib.closing(listening) as listener, contextlib.closing(_open(options, where)) as store:
        port = listener.getsockname()[1]
        token = options.token or os.environ.get(TOKEN_VARIABLE) or (before.token if before else new_token())
        note = Note(_address(options.host, port), token, os.getpid(), str(store.path.resolve()), __version__)
        guard = Guard.bound_to(options.host, port, token, options.allow_hosts)
        grace = float(os.environ.get(GRACE_VARIABLE, GRACE))
        allow_many()
        app = create_app(store, guard, grace=grace, url=note.url)
        # Uvicorn raises a signal again after it has shut down; without a handler, SIGTERM would end this process too
        # early.
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, signal.default_int_handler)
        try:
            asyncio.run(_run(app, listener, note, options, guard))
        except KeyboardInterrupt:
            pass
        finally:
            remove_note(note.pid)
    print("The explorer has stopped.", flush=True)


def _open(options: Options, where: str) -> Store:
    """Open the store. A damaged default store is renamed, and its readable part is kept."""
    try:
        return Store(where)
    except DamagedStore:
        if options.store is not None:
            raise
        print(f"The store {where} was damaged. {begin_anew(Path(where))}", file=sys.stderr, flush=True)
        return Store(where)


def _agree(running: Note, options: Options) -> None:
    """Raise ServeError if the running server has other options than those given now."""
    stop = "stop it first: minigrad serve --stop"
    if options.port and running.url != _address(options.host, options.port):
        raise ServeError(f"The explorer already serves this store at {running.url}. Leave out --port, or {stop}")
    if options.token is not None and options.token != running.token:
        raise ServeError(f"The explorer already serves this store with another token. Leave out --token, or {stop}")


def _predecessor(options: Options, where: str) -> Note | None:
    """The note of a server of this store that was killed. Its viewers find a new server with the same port and token.

    A server that ended normally has removed its note.
    """
    note = read_note()
    if note is None or options.host != HOST or not note.url.startswith(f"http://{HOST}:"):
        return None
    return note if note.store == str(Path(where).resolve()) else None


async def _run(app: FastAPI, listener: socket.socket, note: Note, options: Options, guard: Guard) -> None:
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        root_path=options.root_path,
        http=PromptProtocol,
        ws="websockets-sansio",
        ws_per_message_deflate=False,  # it costs more time than loopback saves
        ws_ping_timeout=60,  # a browser on a busy machine may be slow to answer
        ws_max_size=64 * 1024 * 1024,
        timeout_graceful_shutdown=2,
    )
    server = uvicorn.Server(config)
    write_note(note)  # before any request is answered: clients need the token in it
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.01)
    if server.started:
        _announce(note, options, guard)
    idle = asyncio.create_task(_stop_when_idle(app, server, options.idle)) if options.idle is not None else None
    try:
        await serving
    finally:
        if idle is not None:
            idle.cancel()


def _announce(note: Note, options: Options, guard: Guard) -> None:
    print(f"minigrad explorer: {note.page}", flush=True)
    if not is_loopback(options.host):
        print(f"To watch only, for an audience: {note.url}/?token={guard.watching}", flush=True)
        print(
            f"Warning: listening on {options.host}, so other machines can reach this. Whoever has the first address "
            "sees your programs' source and values and can delete runs; without TLS it can be read on the way.",
            file=sys.stderr,
            flush=True,
        )
    if options.open_browser:
        webbrowser.open(f"{note.url}/?ticket={guard.tickets.issue()}")


async def _stop_when_idle(app: FastAPI, server: uvicorn.Server, seconds: float) -> None:
    """End a background server that has not been used for a while."""
    idle = 0.0
    while idle < seconds:
        await asyncio.sleep(min(IDLE_CHECK, seconds))
        used = app.state.hub.viewers or app.state.publishing.programs or app.state.lessons.open
        idle = 0.0 if used else idle + min(IDLE_CHECK, seconds)
    server.should_exit = True


def _address(host: str, port: int) -> str:
    """The address at which to reach a server that is bound to `host`."""
    name = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host) or (f"[{host}]" if ":" in host else host)
    return f"http://{name}:{port}"


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m minigrad_webui.server`: what `start_in_background` starts."""
    parser = argparse.ArgumentParser(prog="python -m minigrad_webui.server", description=main.__doc__)
    parser.add_argument("--host", default=HOST)
    parser.add_argument("--port", type=int)
    parser.add_argument("--store")
    parser.add_argument("--idle", type=float, help="end after this many seconds without a program or a viewer")
    asked = parser.parse_args(arguments)
    try:
        _serve(Options(asked.host, asked.port, asked.store, idle=asked.idle))
    except (ServeError, StoreError, PermissionError) as error:
        print(f"minigrad: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())

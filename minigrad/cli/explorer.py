"""Use the explorer from outside: find or start its server, send requests, open it in a browser."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote

from .console import ORANGE, Problem, say

if TYPE_CHECKING:
    import urllib.error

    from minigrad.observe.publish.data_folder import Note

PATIENCE = 10.0
"""Seconds to wait for a server to end."""

ANSWER = 600.0
"""Seconds to wait for an answer: a large file takes time."""


def find_or_start(port: int | None = None, store: str | None = None) -> Note:
    """The server that MINIGRAD_URL names, else the running one, else a new one. Raises Problem if there can be none."""
    from minigrad.observe.publish.data_folder import damaged_stores
    from minigrad.observe.publish.server_process import StartError, find_running, start_in_background

    elsewhere = named(port, store)
    if elsewhere is not None:
        return elsewhere
    running = find_running()
    if running is not None:
        _agree(running, port, store)
        return running
    if port:
        _bindable(port)
    try:
        before = damaged_stores()
        started = start_in_background(store, port=port)
        for kept in sorted({*damaged_stores()} - {*before}):
            say(f"[{ORANGE}]![/] The store of your runs was damaged. It is kept as {kept}; a new one has begun.")
        return started
    except StartError as error:
        raise Problem(f"The explorer did not start. {error} `minigrad doctor` looks for the reason.") from error
    except OSError as error:
        raise Problem(f"The explorer did not start: {error}. `minigrad doctor` looks for the reason.") from error


def is_of_this_machine(note: Note) -> bool:
    """Whether the server is that of this machine, rather than one that MINIGRAD_URL names."""
    from minigrad.observe.publish.data_folder import read_note

    return note == read_note()


def named(port: int | None = None, store: str | None = None) -> Note | None:
    """The server of MINIGRAD_URL and MINIGRAD_TOKEN, which may be on another machine; None if they are not set."""
    from minigrad.observe.publish.data_folder import TOKEN_VARIABLE, URL_VARIABLE, Note

    url = os.environ.get(URL_VARIABLE)
    if not url:
        return None
    if port is not None or store is not None:
        raise Problem(f"{URL_VARIABLE} says that the explorer is at {url}. Unset it, or leave out --port and --store.")
    note = Note(url.rstrip("/"), os.environ.get(TOKEN_VARIABLE, ""), 0, "", "")
    call(note, "/api/runs")
    return note


def _agree(running: Note, port: int | None, store: str | None) -> None:
    """Raise Problem if a server runs already, but with another port or store than requested."""
    has = int(running.url.rpartition(":")[2])
    if port and port != has:
        raise Problem(
            f"The explorer already runs on port {has}, not {port}. Leave out --port, or stop it: minigrad serve --stop"
        )
    if store is not None and running.store != resolved(store):
        raise Problem(
            f"The explorer already runs over {running.store}. Leave out --store, or stop it: minigrad serve --stop"
        )


def resolved(store: str) -> str:
    """The name of a store as the server writes it in its note."""
    return store if store == ":memory:" else str(Path(store).resolve())


def _bindable(port: int) -> None:
    from minigrad_webui.server import HOST, ServeError, bind

    try:
        bind(HOST, port).close()
    except ServeError as error:
        raise Problem(str(error)) from error


def stop() -> str | None:
    """End the running server and return its address; None if no server runs."""
    from minigrad.observe.publish.server_process import find_running, is_up

    note = find_running()
    if note is None:
        return None
    try:
        os.kill(note.pid, signal.SIGTERM if os.name == "nt" else signal.SIGINT)
    except OSError as error:
        raise Problem(
            f"The explorer at {note.url} is process {note.pid}, which cannot be ended from here: {error}."
        ) from error
    deadline = time.monotonic() + PATIENCE
    while is_up(note):
        if time.monotonic() > deadline:
            raise Problem(
                f"The explorer at {note.url} (process {note.pid}) was asked to end and still runs. Try: kill {note.pid}"
            )
        time.sleep(0.05)
    return note.url


def call(note: Note, path: str, body: IO[bytes] | None = None, size: int = 0, patience: float = ANSWER) -> Any:
    """Send a GET request to ``/api/...``, or a POST with a body.

    Raises Problem with the server's message if it fails.
    """
    return json.loads(text(note, path, body, size, patience=patience))


def text(
    note: Note,
    path: str,
    body: IO[bytes] | None = None,
    size: int = 0,
    method: str | None = None,
    patience: float = ANSWER,
) -> str:
    """Send a request, with a file as its body if given, and return the answer as text."""
    import urllib.error
    import urllib.request
    from http.client import HTTPException

    headers = {"Authorization": f"Bearer {note.token}"}
    if body is not None:
        headers.update({"Content-Type": "application/x-ndjson", "Content-Length": str(size)})
    request = urllib.request.Request(note.url + path, data=body, headers=headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=patience) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        raise Problem(_words(error)) from error
    except (OSError, HTTPException, ValueError) as error:
        raise Problem(
            f"The explorer at {note.url} did not answer: {error}. Is it still running? `minigrad doctor` says."
        ) from error


def _words(error: urllib.error.HTTPError) -> str:
    """The message of an error that the server has sent."""
    try:
        return str(json.load(error)["message"])
    except (ValueError, KeyError, TypeError):
        return f"The explorer answered with status {error.code}."


def page_of(note: Note, run: str | None = None) -> str:
    """The address, with its token, of a run or of the list of runs."""
    return note.page if run is None else f"{note.page}#run={quote(run)}"


def wait_for(note: Note, run: str, seconds: float = 3.0) -> None:
    """Wait until the server knows the run, so that its page exists when it is opened."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if any(known["id"] == run for known in call(note, "/api/runs")):
            return
        time.sleep(0.02)


def findings(note: Note, run: str, seconds: float = 3.0) -> list[dict[str, Any]]:
    """What is wrong with a run, as far as the explorer has read it so far; empty if it does not answer."""
    deadline = time.monotonic() + seconds
    found: list[dict[str, Any]] = []
    with contextlib.suppress(Problem):
        while (left := deadline - time.monotonic()) > 0:
            answer = call(note, f"/api/runs/{quote(run)}/findings", patience=left)
            found = answer["findings"]
            if answer["complete"]:
                break
    return found


def open_page(address: str, wanted: bool = True) -> bool:
    """Open a page in the browser. False if `wanted` is False, or if there is no browser."""
    import webbrowser

    from minigrad.observe.publish.server_process import for_one_page
    from minigrad.observe.watch import has_browser

    return wanted and has_browser() and webbrowser.open(for_one_page(address))

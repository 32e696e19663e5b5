"""Find the running explorer, or start one as a separate process.

It outlives the program that started it, so that a run can be explored after its program has ended. It ends by itself
after an hour without use. The user's program imports this module, so it needs only the standard library.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import sqlite3
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import BinaryIO
from urllib.parse import parse_qsl, urlencode, urljoin

from minigrad.observe.publish.data_folder import Note, data_dir, read_note

IDLE = 3600.0
"""Seconds without a program or a viewer after which a server that was started in the background ends."""

PATIENCE = 30.0
"""Seconds to wait for a server to start: Python can be slow to start from a cold disk."""


class StartError(RuntimeError):
    """The server did not start; the message ends with the last lines of its log."""


def is_up(note: Note) -> bool:
    """Whether the server of this note answers and accepts its token."""
    request = urllib.request.Request(f"{note.url}/api/runs", headers={"Authorization": f"Bearer {note.token}"})
    try:
        with _opener().open(request, timeout=2) as answer:
            return answer.status == 200 and isinstance(json.load(answer), list)
    except (OSError, ValueError):
        return False


def _opener() -> urllib.request.OpenerDirector:
    """An opener of URLs that connects to loopback directly, even if the environment names a proxy."""
    return urllib.request.build_opener(urllib.request.ProxyHandler({}))


def find_running() -> Note | None:
    """The note of the running server; None if no server runs."""
    note = read_note()
    return note if note is not None and is_up(note) else None


def for_one_page(address: str) -> str:
    """An address of the explorer with a ticket in place of its token, for a browser's arguments or a saved notebook.

    The ticket opens the explorer once. If the explorer gives no ticket, the address has neither ticket nor token.
    """
    page, mark, fragment = address.partition("#")
    base, _, query = page.partition("?")
    rest = [(name, value) for name, value in parse_qsl(query) if name != "token"]
    token = dict(parse_qsl(query)).get("token")
    with contextlib.suppress(OSError, ValueError, KeyError):
        if token is not None:
            request = urllib.request.Request(urljoin(base, "api/tickets"), b"", {"Authorization": f"Bearer {token}"})
            with _opener().open(request, timeout=5) as answer:
                rest.append(("ticket", json.load(answer)["ticket"]))
    return base + (f"?{urlencode(rest)}" if rest else "") + mark + fragment


def start_in_background(
    store: str | os.PathLike[str] | None = None, idle: float = IDLE, port: int | None = None
) -> Note:
    """The note of the running server; starts one (at `port`, if given) if none runs. Raises StartError if that fails.

    Programs that start at the same time share one server.
    """
    with _alone():
        return find_running() or _start(store, idle, port)


@contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock against other processes. SQLite's lock works on every system, and is released if its process dies."""
    lock = sqlite3.connect(data_dir() / "starting.lock", timeout=PATIENCE + 5, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()


def _start(store: str | os.PathLike[str] | None, idle: float, port: int | None) -> Note:
    command = [sys.executable, "-m", "minigrad_webui.server", "--idle", str(idle)]
    command += [] if store is None else ["--store", str(store)]
    command += [] if port is None else ["--port", str(port)]
    log = data_dir() / "server.log"
    with _owners_file(log) as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,  # Ctrl-C in the program's terminal must not reach the server
            env=_environment(),
        )
    deadline = monotonic() + PATIENCE
    while monotonic() < deadline:
        note = read_note()
        if note is not None and note.pid == process.pid and is_up(note):
            _leave(process)
            return note
        if process.poll() is not None:
            raise StartError(f"The explorer ended at once, with status {process.returncode}:\n{_last_words(log)}")
        sleep(0.02)
    process.terminate()
    raise StartError(f"The explorer did not come up within {PATIENCE:.0f} s:\n{_last_words(log)}")


def _owners_file(path: Path) -> BinaryIO:
    """Create a file that only its owner may read: errors in it may quote the user's program."""
    path.unlink(missing_ok=True)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def _environment() -> dict[str, str]:
    """The server's environment, in which it finds the same packages as the program, even if that changed `sys.path`."""
    found = [importlib.util.find_spec(package) for package in ("minigrad", "minigrad_webui")]
    folders = [str(Path(spec.origin).resolve().parents[1]) for spec in found if spec is not None and spec.origin]
    known = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join([*dict.fromkeys(folders), *([known] if known else [])])}


def _leave(process: subprocess.Popen[bytes]) -> None:
    """Keep Python from warning that the process still runs: it is meant to outlive this one."""
    process.returncode = 0


def _last_words(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-8:]) or "(it said nothing)"

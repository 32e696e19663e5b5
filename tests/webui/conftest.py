"""A real server in its own process, and programs that publish to it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from minigrad.observe.publish.data_folder import (
    DATA_DIR_VARIABLE,
    GRACE_VARIABLE,
    TOKEN_VARIABLE,
    URL_VARIABLE,
    Note,
    read_note,
)
from minigrad.observe.publish.server_process import is_up

PROGRAM = Path(__file__).with_name("program.py")
T = TypeVar("T")


def wait_until(condition: Callable[[], T | None], what: str, seconds: float = 90.0) -> T:
    """Wait until `condition` returns a true value, and return it; fails after some seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        time.sleep(0.01)
    raise AssertionError(f"waited {seconds:.0f} s in vain for {what}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def environment() -> dict[str, str]:
    """The environment for a process that finds the same packages as this one."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


class Server:
    """`python -m minigrad_webui.server` on one store and one port, to be started, killed and started again.

    The system chooses the port at the first start: a free port found earlier could be taken meanwhile.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0
        self.note = Note("", "", 0, "", "")
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, *arguments: str) -> Server:
        command = [sys.executable, "-m", "minigrad_webui.server", "--port", str(self.port), *arguments]
        process = self._process = subprocess.Popen(command, env=environment())

        def came_up() -> Note | None:
            assert process.poll() is None, f"the server ended with status {process.returncode}"
            note = read_note()
            return note if note and note.pid == process.pid and is_up(note) else None

        self.note = wait_until(came_up, "the server to come up")
        self.port = urlsplit(self.note.url).port or 0
        return self

    def kill(self) -> None:
        """Kill the server, as `kill -9` does."""
        self._end(signal.SIGKILL)

    def stop(self, how: signal.Signals = signal.SIGINT) -> int:
        """Stop the server, as Ctrl-C does. Returns the exit status."""
        return self._end(how)

    def _end(self, how: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(how)
        status = self._process.wait(120)
        self._process = None
        return status

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def get(self, path: str, **more: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.note.token}"} | more.pop("headers", {})
        return httpx.request(more.pop("method", "GET"), self.note.url + path, headers=headers, trust_env=False, **more)

    def run(self, run: str = "r1") -> dict[str, Any]:
        """The run's row, or None if there is none yet."""
        answer = self.get(f"/api/runs/{run}")
        return answer.json() if answer.status_code == 200 else {}

    def seqs(self, run: str = "r1") -> list[int]:
        return [json.loads(line)["seq"] for line in self.get(f"/api/runs/{run}/records").text.splitlines()]

    def connect(self, path: str, **headers: str) -> ClientConnection:
        """Connect a WebSocket, with the right token unless `Authorization` is given."""
        url = self.note.url.replace("http", "ws", 1) + path
        headers = {"Authorization": f"Bearer {self.note.token}"} | headers
        return connect(url, additional_headers=headers, compression=None, proxy=None, max_size=None)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers whose programs have little time to reconnect."""
    monkeypatch.setenv(GRACE_VARIABLE, "0.3")


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data folder for this test only."""
    folder = tmp_path / "data"
    monkeypatch.setenv(DATA_DIR_VARIABLE, str(folder))
    monkeypatch.delenv(URL_VARIABLE, raising=False)
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    return folder


@pytest.fixture
def server(data_dir: Path) -> Iterator[Server]:
    """A running server."""
    running = Server(data_dir).start()
    yield running
    if running.is_running:
        running.kill()


@pytest.fixture
def program(server: Server) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Start `program.py` with these arguments; it is killed with the test."""
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: object) -> subprocess.Popen[str]:
        command = [sys.executable, str(PROGRAM), *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, text=True, env=environment(), **pipes)  # type: ignore[call-overload]
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()

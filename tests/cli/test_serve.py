"""`minigrad serve`: the explorer's server, as a person starts and stops it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from .conftest import Command


@contextmanager
def serving(environment: dict[str, str], *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and the address it printed."""
    command = [sys.executable, "-m", "minigrad", "serve", "--no-browser", *arguments]
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip().rpartition(" ")[2]
    finally:
        process.kill()
        process.communicate()


def status_of(address: str, token: str) -> int:
    request = urllib.request.Request(f"{address}/api/runs", headers={"Authorization": f"Bearer {token}"})
    try:
        with urllib.request.urlopen(request) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def test_it_prints_its_address_and_ends_well_on_ctrl_c(environment: dict[str, str]) -> None:
    with serving(environment, "--port", "0", "--token", "open-sesame", "--store", ":memory:") as (process, page):
        address, _, token = page.partition("/?token=")
        assert token == "open-sesame"
        assert status_of(address, token) == 200
        assert status_of(address, "wrong") == 401
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def test_an_occupied_port_is_one_line_and_status_2(minigrad: Command) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        for command in (["serve"], ["demo", "scalar"]):
            done = minigrad(command[0], "--no-browser", "--port", port, *command[1:])
            assert done.returncode == 2, done.stderr
            assert f"port {port}" in done.stderr
            assert "--port" in done.stderr
            assert len(done.stderr.splitlines()) == 1


def test_stop_ends_the_explorer_that_runs(minigrad: Command, environment: dict[str, str]) -> None:
    with serving(environment, "--port", "0") as (process, page):
        address = page.partition("/?")[0]
        assert address in minigrad("serve", "--stop").stderr
        assert process.wait(20) == 0
    again = minigrad("serve", "--stop")
    assert (again.returncode, again.stderr) == (0, "No explorer is running.\n")


def test_a_store_that_cannot_be_used_is_one_line_and_status_2(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "not.sqlite").write_text("this is no store" * 100)
    done = minigrad("serve", "--no-browser", "--store", tmp_path / "not.sqlite")
    assert done.returncode == 2
    assert "--store" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("command", ["replay", "run"])
def test_a_token_that_is_wrong_is_said(
    minigrad: Command, environment: dict[str, str], tmp_path: Path, command: str
) -> None:
    """A note left by hand, or by another account's server, holds a token that the server does not know."""
    (tmp_path / "file").write_text("")
    with serving(environment, "--port", "0") as (_, page):
        address = page.partition("/?")[0]
        done = minigrad(
            command, "--no-browser", "file", env={**environment, "MINIGRAD_URL": address, "MINIGRAD_TOKEN": "no"}
        )
    assert done.returncode == 2
    assert "token" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_address_survives_as_a_note_that_only_its_owner_can_read(environment: dict[str, str]) -> None:
    with serving(environment, "--port", "0") as (process, page):
        note = Path(environment["MINIGRAD_DATA_DIR"], "server.json")
        assert json.loads(note.read_text())["pid"] == process.pid
        assert note.stat().st_mode & 0o077 == 0
        assert page.startswith("http://127.0.0.1:")

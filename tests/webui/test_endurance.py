"""Server and program killed, held still and robbed of their ground, while a run streams: nothing of it is lost."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from minigrad.observe.publish.data_folder import DATA_DIR_VARIABLE, default_store
from minigrad_webui.protocol import Subscribe
from tests.webui.conftest import Server, environment, free_port, wait_until

Program = Callable[..., "subprocess.Popen[str]"]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals are POSIX's")


def records(server: Server) -> int:
    return int(server.run().get("records", 0))


def test_a_server_killed_six_times_in_a_run_loses_nothing(server: Server, program: Program) -> None:
    running = program(1_000_000, 1_000)
    for _ in range(6):
        before = records(server)
        wait_until(lambda least=before + 300: records(server) > least, "it to send again", 60)  # type: ignore[misc]
        server.kill()
        assert running.poll() is None
        server.start()
    running.terminate()
    assert running.wait(120) == 0
    assert server.run()["status"] == "finished"
    assert server.seqs() == list(range(1, records(server) + 1))


def test_a_server_held_still_neither_holds_the_program_nor_loses_a_record(server: Server, program: Program) -> None:
    running = program(4_000, 4_000)
    wait_until(lambda: records(server) > 100, "some records")
    pid = server.note.pid
    os.kill(pid, signal.SIGSTOP)
    try:
        assert running.stdout is not None
        for line in running.stdout:
            if line == "4000\n":
                break
    finally:
        os.kill(pid, signal.SIGCONT)
    assert running.wait(120) == 0
    assert server.seqs() == list(range(1, 4_002))


def test_a_program_held_still_goes_on_as_the_same_run(server: Server, program: Program) -> None:
    running = program(1_000_000, 1_000)
    before = wait_until(lambda: records(server), "some records")
    os.kill(running.pid, signal.SIGSTOP)
    try:
        assert server.run()["status"] == "running"
    finally:
        os.kill(running.pid, signal.SIGCONT)
    wait_until(lambda: records(server) > before + 1_000, "it to go on", 60)
    running.terminate()
    assert running.wait(120) == 0
    assert server.run()["status"] == "finished"
    assert server.seqs() == list(range(1, records(server) + 1))


SCRIPT = """
import os, sys
import minigrad as mg
mg.watch("r", browser=False)
x = mg.ones(2, requires_grad=True)
for _ in range(20):
    (x * x).sum().backward()
    {middle}
{end}
"""


def run_script(tmp_path: Path, middle: str = "pass", end: str = "") -> int:
    script = tmp_path / "watched.py"
    script.write_text(SCRIPT.format(middle=middle, end=end))
    return subprocess.run([sys.executable, str(script)], env=environment(), timeout=300, capture_output=True).returncode


def only_run(server: Server) -> dict[str, Any]:
    (run,) = server.get("/api/runs").json()
    return dict(run)


@pytest.mark.parametrize(
    ("middle", "end", "status", "exit_status"),
    [
        ("pass", "", "finished", 0),
        ("sys.stdout.close()", "", "finished", 0),
        ("pass", "os.close(1); os.close(2)", "finished", 0),
        ("if os.fork() == 0: os._exit(0)", "", "finished", 0),
        ("pass", "import time; time.sleep(1); os._exit(7)", "lost", 7),
        ("pass", "sys.exit(3)", "finished", 3),
        ("pass", "raise KeyError('x')", "failed", 1),
        ("mg.watch('again', browser=False)", "", "finished", 0),
    ],
)
def test_however_a_program_ends_its_run_says_so(
    impatient: None, server: Server, tmp_path: Path, middle: str, end: str, status: str, exit_status: int
) -> None:
    """Also with closed output, forked children, and `watch` called again, as a notebook's cell does."""
    assert run_script(tmp_path, middle, end) == exit_status
    run = wait_until(lambda: (run := only_run(server))["status"] != "running" and run, "the run to end", 60)
    assert run["status"] == status
    assert run["records"] > 100


def test_a_clock_that_jumps_changes_neither_order_nor_end(server: Server, tmp_path: Path) -> None:
    jump = "import time; jumped = time.time() - 86400 * _; time.time = lambda: jumped"
    assert run_script(tmp_path, jump) == 0
    run = only_run(server)
    lines = server.get(f"/api/runs/{run['id']}/records").text.splitlines()
    times = [json.loads(line)["t"] for line in lines]
    assert run["status"] == "finished" and times == sorted(times)


def test_two_servers_on_one_store_are_told_apart(server: Server) -> None:
    command = [sys.executable, "-m", "minigrad_webui.server", "--port", str(free_port())]
    second = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert second.returncode == 2
    assert server.note.url in second.stderr and "Traceback" not in second.stderr


def test_a_data_folder_that_cannot_be_made_is_one_line_and_status_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(DATA_DIR_VARIABLE, str(tmp_path / "file" / "data"))
    command = [sys.executable, "-m", "minigrad_webui.server", "--port", str(free_port())]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert f"{DATA_DIR_VARIABLE} names it: name another" in done.stderr and "Traceback" not in done.stderr


def test_a_viewer_that_sleeps_holds_up_nobody(server: Server, program: Program) -> None:
    """A browser in a suspended laptop reads nothing; the server keeps no more for it than a bound."""
    running = program(20_000, 20_000)
    wait_until(lambda: records(server) > 100, "some records")
    with server.connect("/api/runs/r1/live") as sleeper:
        sleeper.send(Subscribe().model_dump_json())
        assert running.wait(120) == 0
        wait_until(lambda: records(server) == 20_001, "all records", 60)
        assert httpx.get(f"{server.note.url}/api/health", trust_env=False).status_code == 200


@pytest.mark.parametrize("seconds", [1.0, 12.0])
def test_a_disk_that_is_slow_to_write_neither_holds_the_program_nor_loses_a_record(
    server: Server, program: Program, seconds: float
) -> None:
    """Another process holds the store's lock, as a backup does, once for longer than SQLite waits by itself."""
    running = program(6_000, 300)
    for _ in range(3 if seconds < 10 else 1):
        wait_until(lambda: records(server) > 10, "some records")
        with contextlib.closing(sqlite3.connect(default_store(), timeout=120, isolation_level=None)) as database:
            database.execute("BEGIN EXCLUSIVE")
            time.sleep(seconds)
            database.execute("ROLLBACK")
    assert running.wait(120) == 0
    wait_until(lambda: server.run()["status"] == "finished", "the run to end", 60)
    assert server.seqs() == list(range(1, 6_002))

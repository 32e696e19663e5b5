"""Real servers and real programs, as users meet them: they are killed, restarted, started twice."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest

from minigrad.observe.publish.data_folder import default_store, note_path, read_note
from minigrad.observe.publish.server_process import StartError, find_running, is_up, start_in_background
from minigrad_webui.server import serve
from tests.webui.conftest import Server, environment, free_port, wait_until

Program = Callable[..., subprocess.Popen[str]]


posix = pytest.mark.skipif(os.name == "nt", reason="signals and file modes are POSIX's")


def test_what_a_program_publishes_is_there_to_see_while_it_runs_and_afterwards(
    server: Server, program: Program
) -> None:
    running = program(100_000, 1_000)
    seen = wait_until(lambda: server.run().get("records", 0) > 100 and server.run(), "a hundred records")
    assert seen["status"] == "running"
    running.terminate()
    assert running.wait(60) == 0
    assert server.run()["status"] == "finished"
    assert server.seqs() == list(range(1, server.run()["records"] + 1))


def test_a_server_killed_while_a_run_streams_loses_nothing_and_the_program_does_not_stop(
    server: Server, program: Program
) -> None:
    running = program(1_000_000, 500)
    stored = wait_until(lambda: server.run().get("records", 0) > 500 and server.run()["records"], "some records")
    server.kill()
    assert running.poll() is None
    server.start()
    assert server.run()["records"] >= stored
    wait_until(lambda: server.run()["records"] > stored + 1_000, "the program to be back")
    running.terminate()
    output, errors = running.communicate(timeout=60)
    assert running.returncode == 0, errors
    assert output.splitlines()[-1] == "ended"
    assert server.run()["status"] == "finished"
    assert server.seqs() == list(range(1, server.run()["records"] + 1))


def test_server_and_program_killed_together_lose_less_than_a_second(server: Server, program: Program) -> None:
    running = program(100_000, 2_000)
    assert running.stdout is not None
    sent = 0
    while sent < 2_000:
        sent = int(running.stdout.readline())
    server.kill()
    running.kill()
    server.start()
    assert server.run()["records"] >= sent - 2_000
    assert server.seqs() == list(range(1, server.run()["records"] + 1))


def test_a_server_that_comes_back_elsewhere_is_found_again(server: Server, program: Program) -> None:
    running = program(1_000_000, 500)
    stored = wait_until(lambda: server.run().get("records", 0) > 300 and server.run()["records"], "some records")
    server.stop()
    server.port = 0
    server.start()
    wait_until(lambda: server.run()["records"] > stored + 1_000, "the program to be back")
    running.terminate()
    assert running.wait(60) == 0
    assert server.run()["status"] == "finished"
    assert server.seqs() == list(range(1, server.run()["records"] + 1))


def test_a_server_started_in_place_of_a_killed_one_has_its_address_and_key(data_dir: Path) -> None:
    first = start_in_background(idle=30, port=free_port())
    os.kill(first.pid, signal.SIGKILL)
    wait_until(lambda: not is_up(first), "the server to be gone")
    second = start_in_background(idle=30)
    assert second.pid != first.pid
    assert second.page == first.page
    os.kill(second.pid, signal.SIGTERM)
    wait_until(lambda: read_note() is None, "the server to end well")
    third = start_in_background(idle=30)
    assert third.token != first.token
    os.kill(third.pid, signal.SIGTERM)


@pytest.mark.parametrize(("asked", "word"), [({"port": 1}, "--port"), ({"token": "another"}, "--token")])
def test_serving_otherwise_what_is_served_already_is_one_line_and_status_2(
    server: Server, asked: Any, word: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert serve(**asked) == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert server.note.url in line or word == "--token"
    assert f"Leave out {word}, or stop it first" in line


def test_a_run_whose_program_is_killed_is_lost(impatient: None, server: Server, program: Program) -> None:
    running = program(100_000, 1_000)
    wait_until(lambda: server.run().get("records", 0) > 10, "some records")
    running.kill()
    run = wait_until(lambda: server.run()["status"] == "lost" and server.run(), "the run to be lost")
    assert "it was killed, or crashed hard" in run["error"]


def test_a_run_that_can_no_longer_be_stored_is_lost_and_says_why(
    impatient: None, server: Server, program: Program
) -> None:
    running = program(100_000, 1_000)
    wait_until(lambda: server.run().get("records", 0) > 10, "some records")
    with contextlib.closing(sqlite3.connect(default_store(), timeout=120)) as database:
        database.execute("CREATE TRIGGER full BEFORE INSERT ON records BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    run = wait_until(lambda: server.run()["status"] == "lost" and server.run(), "the run to be lost")
    assert "disk is full" in run["error"]
    assert "Make room there" in run["error"]
    running.kill()


def test_a_run_that_ends_without_its_last_record_is_lost(server: Server, program: Program) -> None:
    program(100, 1_000, "vanish").wait(20)
    run = wait_until(lambda: server.run()["status"] == "lost" and server.run(), "the run to be lost")
    assert "without saying how its run ended" in run["error"]


def test_a_run_whose_program_never_comes_back_is_lost_after_a_restart(
    impatient: None, server: Server, program: Program
) -> None:
    running = program(100_000, 1_000)
    wait_until(lambda: server.run().get("records", 0) > 10, "some records")
    server.kill()
    running.kill()
    server.start()
    run = wait_until(lambda: server.run()["status"] == "lost" and server.run(), "the run to be lost")
    assert "The server was stopped while the program ran" in run["error"]


@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_and_kill_end_the_server_cleanly_and_take_its_note_away(server: Server, how: signal.Signals) -> None:
    assert server.stop(how) == 0
    assert not note_path().exists()
    assert not Path(server.note.store + "-wal").exists()


@posix
def test_the_note_with_the_token_is_for_its_owner_only(server: Server) -> None:
    assert stat.S_IMODE(note_path().stat().st_mode) == 0o600


def test_an_occupied_port_is_one_line_and_status_2(data_dir: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert serve(port=port, store=":memory:") == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert line.startswith(f"minigrad: Cannot listen on 127.0.0.1 port {port}: Address already in use.")
    assert "--port" in line


def test_a_store_that_cannot_be_used_is_one_line_and_status_2(
    data_dir: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken").write_text("no store" * 1_000)
    assert serve(port=0, store=tmp_path / "broken") == 2
    (line,) = capfd.readouterr().err.splitlines()
    assert "cannot be used" in line


def test_serving_a_store_that_is_served_already_leads_to_that_server(
    server: Server, capfd: pytest.CaptureFixture[str]
) -> None:
    assert serve(port=0) == 0
    assert server.note.page in capfd.readouterr().out


def test_programs_that_start_at_the_same_time_share_one_server(data_dir: Path) -> None:
    code = "from minigrad.observe.publish.server_process import start_in_background as s; print(s(idle=30).pid)"

    def start(_: int) -> str:
        return subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, text=True).stdout

    with ThreadPoolExecutor() as pool:
        (pid,) = set(pool.map(start, range(3)))
    os.kill(int(pid), signal.SIGTERM)
    wait_until(lambda: find_running() is None, "the server to end")


def test_a_server_in_the_background_ends_when_nobody_has_used_it_for_a_while(data_dir: Path) -> None:
    note = start_in_background(idle=0.3)
    assert note.store == str(default_store().resolve())
    wait_until(lambda: not note_path().exists(), "the server to end")


def test_a_note_of_a_server_that_is_gone_does_not_mislead(server: Server) -> None:
    server.kill()
    assert read_note() == server.note
    assert find_running() is None


def test_a_server_that_cannot_start_says_its_last_words(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("no store" * 1_000)
    with pytest.raises(StartError, match="file is not a database"):
        start_in_background(store=tmp_path / "broken")


def test_a_token_and_a_store_in_memory_can_be_asked_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.stop()
    monkeypatch.setenv("MINIGRAD_TOKEN", "chosen")
    server.start("--store", ":memory:")
    assert server.note.token == "chosen"
    assert httpx.get(server.note.url + "/api/health", trust_env=False).json()["status"] == "ok"
    folder = Path(server.note.store).parent
    assert folder.exists()
    server.stop()
    assert not folder.exists()

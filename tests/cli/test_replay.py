"""`minigrad replay`: trace files, whole and broken."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from minigrad.cli import main

from .conftest import SCRIPTS, Command
from .test_run import known_runs


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A trace of two steps."""
    path = tmp_path_factory.mktemp("traces") / "two.jsonl"
    assert main(["run", "--headless", "--record", str(path), str(SCRIPTS / "two_layers.py"), "--steps", "2"]) == 0
    return path.read_bytes()


@pytest.fixture
def trace(recorded: bytes, tmp_path: Path) -> Path:
    """The same in a file that a test may spoil."""
    path = tmp_path / "two.jsonl"
    path.write_bytes(recorded)
    return path


def test_a_recorded_run_is_in_the_explorer_again(minigrad: Command, environment: dict[str, str], trace: Path) -> None:
    done = minigrad("replay", "--no-browser", trace)
    assert done.returncode == 0, done.stderr
    (run,) = known_runs(environment)
    assert (run["name"], run["status"], run["steps"]) == ("two_layers.py", "finished", 2)
    assert done.stdout.startswith("http://127.0.0.1:")
    assert done.stdout.endswith(f"#run={run['id']}\n")


def test_lines_that_cannot_be_read_are_named_and_the_rest_is_kept(minigrad: Command, trace: Path) -> None:
    lines = trace.read_text().splitlines()
    lines[4] = lines[4][:30]
    lines[6] = '{"seq": 7, "t": 0, "step": 0, "type": "unheard_of"}'
    trace.write_text("\n".join(lines))
    done = minigrad("replay", "--no-browser", trace)
    assert done.returncode == 0
    assert "line 5:" in done.stderr
    assert "line 7:" in done.stderr
    assert f"{len(lines) - 2:,} records" in done.stderr


@pytest.mark.parametrize("packed", [False, True])
def test_check_reads_without_a_server(
    trace: Path, tmp_path: Path, packed: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / ("t.jsonl.gz" if packed else "t.jsonl")
    path.write_bytes(gzip.compress(trace.read_bytes()) if packed else trace.read_bytes())
    assert main(["replay", "--check", str(path)]) == 0
    assert "2 steps, finished" in capsys.readouterr().err


def test_check_gives_status_1_for_a_trace_that_was_cut(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace.write_bytes(trace.read_bytes()[:-40])
    assert main(["replay", "--check", str(trace)]) == 1
    assert "lost" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["empty", "text", "another format", "half of a gzip"])
def test_what_is_no_trace_is_one_line_and_status_2(trace: Path, how: str, capsys: pytest.CaptureFixture[str]) -> None:
    broken = {
        "empty": b"",
        "text": b"hello\nworld\n",
        "another format": b'{"seq": 1, "t": 0, "step": 0, "type": "node"}\n',
        "half of a gzip": gzip.compress(trace.read_bytes())[:20],
    }
    trace.write_bytes(broken[how])
    assert main(["replay", "--check", str(trace)]) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert said.startswith("minigrad: ")


def test_the_server_too_says_in_one_line_what_is_no_trace(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("hello")
    done = minigrad("replay", "--no-browser", "words.txt")
    assert done.returncode == 2
    assert done.stderr.startswith("minigrad: words.txt: Line 1 does not begin a trace")
    assert "minigrad run --record FILE SCRIPT" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_trace_of_a_newer_minigrad_is_named_as_such(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, *rest = trace.read_text().splitlines()
    trace.write_text("\n".join([json.dumps({**json.loads(first), "schema_version": 99}), *rest]))
    assert main(["replay", "--check", str(trace)]) == 1
    said = capsys.readouterr().err
    assert "99" in said
    assert "upgrade" in said.lower()

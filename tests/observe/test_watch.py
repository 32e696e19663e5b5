"""`mg.watch()`: a program shows itself in the explorer, and goes on whatever becomes of that."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder, read
from minigrad.observe.record.recorder import ACTIVE

PROGRAM = """
import sys
import minigrad as mg

watching = mg.watch("a program", record=sys.argv[1], values="all", browser=False)
w = mg.tensor([1.0, 2.0], requires_grad=True)
loss = (w * w).sum()
loss.backward()
print(watching.recorder.id)
print(watching.address)
if len(sys.argv) > 2:
    raise ValueError("the loss is nan")
"""

FOLDERS = os.pathsep.join([str(Path(mg.__file__).parents[1]), str(Path(mg.__file__).parents[1] / "webui")])


@pytest.fixture
def surroundings(tmp_path: Path) -> Iterator[dict[str, str]]:
    """An environment with an explorer of its own, which is stopped at the end."""
    from minigrad.observe.publish.data_folder import DATA_DIR_VARIABLE

    environment = {**os.environ, DATA_DIR_VARIABLE: str(tmp_path / "data"), "PYTHONPATH": FOLDERS}
    for name in ("MINIGRAD_URL", "MINIGRAD_TOKEN", "DISPLAY"):
        environment.pop(name, None)
    yield environment
    note = tmp_path / "data" / "server.json"
    if note.exists():
        os.kill(json.loads(note.read_text())["pid"], 15)


def run(tmp_path: Path, environment: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)
    command = [sys.executable, str(script), str(tmp_path / "run.jsonl"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, cwd=tmp_path)


def asked(environment: dict[str, str], path: str) -> Any:
    note = json.loads((Path(environment["MINIGRAD_DATA_DIR"]) / "server.json").read_text())
    request = urllib.request.Request(note["url"] + path, headers={"Authorization": f"Bearer {note['token']}"})
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=120) as answer:
        return json.load(answer)


@pytest.mark.slow
def test_a_watched_program_is_in_the_explorer_to_its_last_record(tmp_path: Path, surroundings: dict[str, str]) -> None:
    done = run(tmp_path, surroundings)
    assert done.returncode == 0, done.stderr
    identity, address = done.stdout.split()
    assert f"watch it at {address}" in done.stderr
    assert address.endswith(f"#run={identity}")
    (row,) = asked(surroundings, "/api/runs")
    assert (row["id"], row["name"], row["status"]) == (identity, "a program", "finished")
    assert row["records"] == len(read(tmp_path / "run.jsonl").records)
    assert row["loss"] == 5.0


@pytest.mark.slow
def test_an_error_ends_the_run_and_is_shown_as_ever(tmp_path: Path, surroundings: dict[str, str]) -> None:
    done = run(tmp_path, surroundings, "fail")
    assert done.returncode == 1
    assert "ValueError: the loss is nan" in done.stderr
    (row,) = asked(surroundings, "/api/runs")
    assert (row["status"], row["error"]) == ("failed", "ValueError: the loss is nan")
    last = read(tmp_path / "run.jsonl").records[-1]
    assert last["at"]["file"] == "program.py"
    assert last["at"]["code"] == 'raise ValueError("the loss is nan")'


@pytest.mark.slow
def test_a_program_goes_on_where_no_explorer_answers(tmp_path: Path, surroundings: dict[str, str]) -> None:
    surroundings["MINIGRAD_URL"] = "http://127.0.0.1:9"
    done = run(tmp_path, surroundings)
    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "run.jsonl").complete


def test_an_explorer_that_does_not_start_is_a_warning(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail() -> None:
        raise OSError("no room")

    monkeypatch.delenv("MINIGRAD_URL", raising=False)
    monkeypatch.setattr("minigrad.observe.publish.server_process.start_in_background", fail)
    with pytest.warns(RuntimeWarning, match=r"The explorer did not start.*no room.*minigrad doctor"):
        watching = mg.watch(record=tmp_path / "run.jsonl")
    with watching:
        assert watching.address is None
    assert read(tmp_path / "run.jsonl").complete


def test_watching_what_is_watched_already_changes_nothing() -> None:
    with Recorder() as recorder:
        watching = mg.watch()
        assert watching.recorder is recorder
        watching.stop()
        assert recorder in ACTIVE


def test_a_notebook_shows_the_explorer_itself() -> None:
    watching = mg.observe.Watching(Recorder(), "http://127.0.0.1:1/?token=a%26b#run=1")
    shown = watching._repr_html_()
    assert 'href="http://127.0.0.1:1/#run=1"' in shown and "<iframe" in shown
    assert "token" not in shown + repr(watching), "a saved notebook would give it away"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the browser is a shell script")
def test_a_browser_is_handed_a_ticket_and_not_the_token(tmp_path: Path, surroundings: dict[str, str]) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$@" > {tmp_path / "handed"}\n')
    browser.chmod(0o700)
    program = "import minigrad as mg\nmg.watch(browser=True)\nmg.ones(2, requires_grad=True).sum().backward()\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**surroundings, "BROWSER": f"{browser} %s"},
        capture_output=True,
        text=True,
        timeout=120,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    handed = (tmp_path / "handed").read_text()
    token = json.loads((tmp_path / "data" / "server.json").read_text())["token"]
    assert "?ticket=" in handed and "#run=" in handed
    assert token not in handed
    assert f"?token={token}#run=" in done.stderr, "the terminal is told the address that stays good"

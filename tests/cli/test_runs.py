"""`minigrad runs`: what is kept, and an end to it, with a server and without."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from minigrad.cli import main
from minigrad_webui.runs.store import Store
from tests.webui.synthetic import lines, started, training

from .conftest import Command

STARTED = "2020-01-01T12:00:00+00:00"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Two runs of one name, one of another, and one whose program still runs."""
    path = tmp_path / "some.sqlite"
    kept = Store(path)
    for run, name in (("r1", "long.py"), ("r2", "twice.py"), ("r3", "twice.py")):
        kept.begin(run, name, STARTED)
        kept.append(run, lines(training(run, steps=400 if run == "r1" else 2)))
    kept.begin("r4", "live.py", STARTED)
    kept.append("r4", lines([started("r4")]))
    kept.close()
    return path


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No server of this user's, and nobody to be asked."""
    monkeypatch.setenv("MINIGRAD_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.delenv("MINIGRAD_URL", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO())


def answering(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """Somebody sits there and types this."""
    keyboard = io.StringIO(words)
    keyboard.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr("sys.stdin", keyboard)


def ids(store: Path) -> list[str]:
    kept = Store(store)
    try:
        return [run.id for run in kept.runs()]
    finally:
        kept.close()


def test_the_list_has_what_one_needs_to_choose(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "list", "--store", str(store)]) == 0
    head, *rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert head == ["run", "name", "status", "steps", "records", "size", "started"]
    assert [row[:4] for row in rows] == [
        ["r4", "live.py", "running", "1"],
        ["r3", "twice.py", "finished", "2"],
        ["r2", "twice.py", "finished", "2"],
        ["r1", "long.py", "finished", "400"],
    ]
    records = list(training("r1", steps=400))
    assert rows[-1][4] == f"{len(records):,}"
    size = sum(len(json.dumps(record, separators=(",", ":"))) for record in records)
    assert rows[-1][5:7] == [f"{size / 1e3:.1f}", "kB"]
    assert rows[-1][7:] == ["01", "Jan", "2020"]


def test_without_runs_it_says_how_to_make_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Store(tmp_path / "empty.sqlite").close()
    assert main(["runs", "list", "--store", str(tmp_path / "empty.sqlite")]) == 0
    assert "There are no runs yet. Record one: minigrad run SCRIPT" in capsys.readouterr().err
    assert main(["runs"]) == 2
    assert "so there are no runs yet" in capsys.readouterr().err


def test_a_deleted_run_is_gone_and_so_are_its_bytes(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = store.stat().st_size
    assert main(["runs", "delete", "--yes", "--store", str(store), "long.py", "r2"]) == 0
    assert ids(store) == ["r4", "r3"]
    assert store.stat().st_size < before / 2
    said = capsys.readouterr().err
    assert "long.py (r1, " in said
    assert "twice.py (r2, " in said


@pytest.mark.parametrize(("words", "status", "left"), [("y\n", 0, 3), ("n\n", 1, 4), ("\n", 1, 4), ("", 130, 4)])
def test_it_says_what_is_lost_and_asks(
    words: str,
    status: int,
    left: int,
    store: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answering(monkeypatch, words)
    assert main(["runs", "delete", "r1", "--store", str(store)]) == status
    asked = capsys.readouterr().err
    records = len(list(training("r1", steps=400)))
    assert f"long.py (r1, {records:,} records, " in asked
    assert "Delete for good, with all records?" in asked
    assert len(ids(store)) == left


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (["r1"], "nobody is there to be asked. Add --yes"),
        (["--yes", "r1", "live.py"], "live.py (r4) is still running. Stop its program"),
        (["--yes", "r1", "twice.py"], "2 runs are called 'twice.py': r3, r2. Say which"),
        (["--yes", "r1", "gone.py"], "There is no run 'gone.py'. The newest are r4 (live.py)"),
    ],
)
def test_what_is_not_clear_is_refused_whole(
    wanted: list[str], words: str, store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["runs", "delete", "--store", str(store), *wanted]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert len(said.splitlines()) == 1
    assert len(ids(store)) == 4


def test_the_server_that_has_the_runs_is_asked_where_one_runs(minigrad: Command, tmp_path: Path) -> None:
    for run in ("kept", "gone"):
        trace = tmp_path / f"{run}.jsonl"
        trace.write_text("".join(json.dumps(record) + "\n" for record in training(run, steps=3)))
        assert minigrad("replay", "--no-browser", trace).returncode == 0
    default = tmp_path / "data" / "runs.sqlite"
    shown = minigrad("runs")
    assert [line.split()[0] for line in shown.stdout.splitlines()] == ["run", "gone", "kept"]
    assert minigrad("runs", "list", "--store", default).stdout == shown.stdout
    deleted = minigrad("runs", "delete", "gone", "--yes")
    assert deleted.returncode == 0, deleted.stderr
    again = minigrad("runs", "delete", "gone", "--yes")
    assert again.returncode == 2
    assert "There is no run 'gone'. The newest are kept" in again.stderr
    assert minigrad("serve", "--stop").returncode == 0
    assert [line.split()[0] for line in minigrad("runs").stdout.splitlines()] == ["run", "kept"]


def test_old_runs_are_pruned_and_those_that_run_are_kept(store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "prune", "--days", "100000", "--size", "1GB", "--store", str(store)]) == 0
    assert "No run is that old" in capsys.readouterr().err
    assert main(["runs", "prune", "--days", "30", "--yes", "--store", str(store)]) == 0
    assert ids(store) == ["r4"]


def test_the_oldest_go_until_the_rest_has_room(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, "y\n")
    assert main(["runs", "prune", "--size", "100kB", "--store", str(store)]) == 0
    assert ids(store) == ["r4", "r3", "r2"]


def test_pruning_asks_and_needs_to_know_what_may_stay(
    store: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, told in (
        ([], "Say what may stay: --days 30, --size 2GB, or both."),
        (["--size", "much"], "--size takes a number of bytes such as 500MB or 2GB, not 'much'."),
        (["--size", "0"], "nobody is there to be asked. Add --yes"),
    ):
        assert main(["runs", "prune", *arguments, "--store", str(store)]) == 2
        assert told in capsys.readouterr().err
    answering(monkeypatch, "n\n")
    assert main(["runs", "prune", "--size", "0", "--store", str(store)]) == 1
    assert len(ids(store)) == 4

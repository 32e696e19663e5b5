"""`minigrad export`: one HTML file, of traces, of a run in the store, of a run on a server, with its other ranks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from minigrad.cli import main
from minigrad_webui import frontend

from .conftest import SCRIPTS, Command, read_trace

pytestmark = pytest.mark.skipif(not (frontend.STATIC / "index.html").is_file(), reason="the front end is not built")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "two.jsonl"
    assert main(["run", "--headless", "--record", str(path), str(SCRIPTS / "two_layers.py"), "--steps", "2"]) == 0
    return path


@pytest.fixture
def ranks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Traces of two ranks of one launch."""
    paths = [tmp_path / f"rank{rank}.jsonl" for rank in range(2)]
    monkeypatch.setenv("MINIGRAD_LAUNCH", "together")
    monkeypatch.setenv("WORLD_SIZE", "2")
    for rank, path in enumerate(paths):
        monkeypatch.setenv("RANK", str(rank))
        assert main(["run", "--headless", "--record", str(path), str(SCRIPTS / "two_layers.py"), "--steps", "1"]) == 0
    for name in ("RANK", "WORLD_SIZE", "MINIGRAD_LAUNCH"):
        monkeypatch.delenv(name)
    return paths


def carried(page: Path) -> dict[str, Any]:
    found = re.search(r'id="minigrad-replay">(.*?)</script>', page.read_text(), re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def test_a_trace_is_written_with_all_its_records_and_nothing_from_elsewhere(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "replay.html"
    assert main(["export", str(trace), "-o", str(page)]) == 0
    data = carried(page)
    (only,) = data["runs"]
    assert only["records"] == read_trace(trace)
    assert [row["step"] for row in only["steps"]] == [0, 1]
    assert isinstance(data["worker"], str)
    assert len(data["worker"]) > 10_000
    outside = re.findall(r'(?:src|href)="(?!data:)[^"]*"', page.read_text().partition("<body>")[0])
    assert outside == []


def test_of_a_trace_that_was_cut_what_is_there_is_written_and_the_cut_is_said(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = trace.read_bytes()
    trace.write_bytes(whole[: len(whole) // 2])
    assert main(["export", str(trace), "-o", str(tmp_path / "cut.html")]) == 0
    assert "The trace ends before its run" in " ".join(capsys.readouterr().err.split())


def test_a_run_is_found_by_name_in_the_store_and_on_the_server(minigrad: Command, trace: Path, tmp_path: Path) -> None:
    assert minigrad("replay", "--no-browser", trace).returncode == 0
    served = minigrad("export", "two_layers.py")
    assert served.returncode == 0, served.stderr
    assert minigrad("serve", "--stop").returncode == 0
    stored = minigrad("export", "two_layers.py", "-o", "stored.html")
    assert stored.returncode == 0, stored.stderr
    assert carried(tmp_path / "two_layers.html") == carried(tmp_path / "stored.html")


def test_traces_that_are_named_together_come_in_one_file_which_opens_with_the_first(
    ranks: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "both.html"
    assert main(["export", str(ranks[1]), str(ranks[0]), "-o", str(page)]) == 0
    runs = carried(page)["runs"]
    assert [(one["run"]["rank"], one["run"]["launch"]) for one in runs] == [(1, "together"), (0, "together")]
    assert [one["records"] for one in runs] == [read_trace(ranks[1]), read_trace(ranks[0])]
    assert "not in these traces" not in capsys.readouterr().err


def test_of_one_rank_alone_it_is_said_that_there_are_others(
    ranks: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["export", str(ranks[1]), "-o", str(tmp_path / "one.html")]) == 0
    assert len(carried(tmp_path / "one.html")["runs"]) == 1
    assert "1 of the 2 ranks that were started together are not in these traces" in capsys.readouterr().err


def test_a_run_that_is_kept_brings_the_other_ranks_of_its_launch(
    minigrad: Command, ranks: list[Path], trace: Path, tmp_path: Path
) -> None:
    for each in (*ranks, trace):
        assert minigrad("replay", "--no-browser", each).returncode == 0
    wanted = read_trace(ranks[1])[0]["id"]
    served = minigrad("export", wanted, "-o", "served.html")
    assert served.returncode == 0, served.stderr
    assert minigrad("serve", "--stop").returncode == 0
    stored = minigrad("export", wanted, "-o", "stored.html")
    assert stored.returncode == 0, stored.stderr
    data = carried(tmp_path / "served.html")
    assert data == carried(tmp_path / "stored.html")
    assert [one["run"]["rank"] for one in data["runs"]] == [1, 0]
    assert [one["records"] for one in data["runs"]] == [read_trace(ranks[1]), read_trace(ranks[0])]


def test_what_is_no_trace_among_several_is_named(
    trace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "words.jsonl"
    other.write_text("hello")
    assert main(["export", str(trace), str(other)]) == 2
    assert f"{other}: Line 1 does not begin a trace" in capsys.readouterr().err
    assert main(["export", str(trace), "two_layers.py"]) == 2
    assert "'two_layers.py' is none" in capsys.readouterr().err


def test_what_is_not_there_is_said_with_what_is(minigrad: Command, trace: Path) -> None:
    assert "There is no trace file" in minigrad("export", "gone.jsonl").stderr
    assert "no runs yet" in minigrad("export", "gone").stderr
    assert minigrad("replay", "--no-browser", trace).returncode == 0
    assert "(two_layers.py)" in minigrad("export", "gone").stderr

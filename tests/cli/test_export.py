"""`minigrad export`: one HTML file, of a trace, of a run in the store, of a run on a server."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from minigrad.cli import main
from minigrad_webui import frontend

from .conftest import SCRIPTS, Command

pytestmark = pytest.mark.skipif(not (frontend.STATIC / "index.html").is_file(), reason="the front end is not built")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "two.jsonl"
    assert main(["run", "--headless", "--record", str(path), str(SCRIPTS / "two_layers.py"), "--steps", "2"]) == 0
    return path


def carried(page: Path) -> dict[str, object]:
    found = re.search(r'id="minigrad-replay">(.*?)</script>', page.read_text(), re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    assert isinstance(data, dict)
    return data


def test_a_trace_is_written_with_all_its_records_and_nothing_from_elsewhere(trace: Path, tmp_path: Path) -> None:
    page = tmp_path / "replay.html"
    assert main(["export", str(trace), "-o", str(page)]) == 0
    data = carried(page)
    assert data["records"] == [json.loads(line) for line in trace.read_text().splitlines()]
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


def test_what_is_not_there_is_said_with_what_is(minigrad: Command, trace: Path) -> None:
    assert "There is no trace file" in minigrad("export", "gone.jsonl").stderr
    assert "no runs yet" in minigrad("export", "gone").stderr
    assert minigrad("replay", "--no-browser", trace).returncode == 0
    assert "(two_layers.py)" in minigrad("export", "gone").stderr

"""What goes wrong on the disk: it is said, the exit status tells, and nothing that was there is lost."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

from minigrad.cli.export import _free
from minigrad.cli.watched_run import WatchedRun, Wishes


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no disk that is always full")
def test_a_trace_on_a_full_disk_is_said_to_be_cut(capsys: pytest.CaptureFixture[str]) -> None:
    import minigrad as mg

    run = WatchedRun("full", ["full.py"], Wishes(headless=True, record=Path("/dev/full")))
    with warnings.catch_warnings():  # in whichever thread finds out
        warnings.simplefilter("ignore")
        run.open()
        (mg.tensor(2.0, requires_grad=True) * 3).backward()
        run.recorder.flush()
        run.close()
    assert run.recorder.failure is None
    assert run.farewell() == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "The trace /dev/full is not whole: No space left on device" in said
    assert "records in" not in said


def test_a_whole_trace_ends_with_status_0(tmp_path: Path) -> None:
    run = WatchedRun("whole", ["whole.py"], Wishes(headless=True, record=tmp_path / "a.jsonl"))
    run.open()
    run.close()
    assert run.farewell() == 0


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("train.py", "train.html"),
        ("../../x", "x.html"),
        ("..", "run.html"),
        ("", "run.html"),
        ("a/b\x1b[2J", "b-2J.html"),
        ("n" * 20_000, "n" * 80 + ".html"),
        (".bashrc", "bashrc.html"),
    ],
)
def test_the_file_of_an_export_is_named_in_plain_letters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, file: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert _free(name) == Path(file)


def test_an_export_overwrites_no_file_that_it_was_not_told_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "index.html").write_text("mine")
    (tmp_path / "index-2.html").write_text("mine")
    assert _free("index.py") == Path("index-3.html")
    assert os.listdir(tmp_path)

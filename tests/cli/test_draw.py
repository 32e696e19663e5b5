"""`minigrad draw`: a program's graph as a picture or as text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from minigrad.cli import main

from .conftest import SCRIPTS, Command

NET = str(SCRIPTS / "two_layers.py")
needs_dot = pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")


def test_without_a_file_the_graph_is_text_and_the_programs_words_stand_apart(minigrad: Command) -> None:
    done = minigrad("draw", NET, "--", "--steps", "2")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("● loss = Sum")
    assert "w1" in done.stdout
    assert "Fill" not in done.stdout, "what comes after backward is not drawn"
    assert [line.split()[0] for line in done.stderr.splitlines()] == ["0", "1"]


@needs_dot
@pytest.mark.parametrize(("name", "begins"), [("g.svg", b"<?xml"), ("g.png", b"\x89PNG"), ("g.pdf", b"%PDF")])
def test_the_suffix_chooses_the_format(tmp_path: Path, name: str, begins: bytes) -> None:
    assert main(["draw", NET, "-o", str(tmp_path / name)]) == 0
    assert (tmp_path / name).read_bytes().startswith(begins)


def test_mermaid_and_text_need_no_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["draw", NET, "-o", str(tmp_path / "g.mmd")]) == 0
    assert main(["draw", NET, "-o", str(tmp_path / "g.txt")]) == 0
    assert (tmp_path / "g.mmd").read_text().startswith(("flowchart", "graph", "---", "%%"))
    assert "loss" in (tmp_path / "g.txt").read_text()


def test_without_graphviz_an_svg_is_refused_with_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["draw", NET, "-o", str(tmp_path / "g.svg")]) == 2
    said = capsys.readouterr().err
    assert "apt install graphviz" in said
    assert len(said.splitlines()) == 1


def test_a_variable_can_be_chosen(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", NET, "--of", "h"]) == 0
    drawn = capsys.readouterr().out
    assert "● h = Clamp" in drawn
    assert "grad" in drawn
    assert "w1" in drawn
    assert "w2" not in drawn


def test_a_step_can_be_chosen_of_a_program_and_of_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "t.jsonl"
    assert main(["run", "--headless", "--values", "all", "--record", str(trace), NET]) == 0
    capsys.readouterr()
    drawn = []
    for source in (NET, str(trace)):
        assert main(["draw", source, "--step", "1"]) == 0
        drawn.append(capsys.readouterr().out)
    assert "506" in drawn[0]
    assert "506" in drawn[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["-o", "g.jpg"], "Cannot tell a format"),
        (["--of", "lss"], "No result is called 'lss' in this step. There are: loss."),
        (["--step", "99"], "took no step 99; its last was 4"),
        (["-o", "no/such/folder/g.txt"], "no/such/folder"),
    ],
)
def test_what_cannot_be_drawn_is_one_line_and_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["draw", NET, *arguments]) == 2
    said = [line for line in capsys.readouterr().err.splitlines() if line.startswith("minigrad: ")]
    assert len(said) == 1
    assert words in said[0]


def test_a_program_without_a_graph_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.py").write_text("print('hello')\n")
    assert main(["draw", str(tmp_path / "empty.py")]) == 2
    assert "empty.py ran no op" in capsys.readouterr().err


def test_of_a_trace_that_was_cut_what_is_there_is_drawn_and_the_cut_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = tmp_path / "two.jsonl"
    assert main(["run", "--headless", "--record", str(trace), str(SCRIPTS / "two_layers.py"), "--steps", "2"]) == 0
    whole = trace.read_bytes()
    trace.write_bytes(whole[: len(whole) * 3 // 4])
    capsys.readouterr()
    assert main(["draw", str(trace)]) == 0
    said = capsys.readouterr()
    assert "Mm" in said.out
    assert "is not whole" in said.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nothing.jsonl"], "There is no trace file 'nothing.jsonl'"),
        ([str(SCRIPTS / "two_layers.py"), "-o", "nowhere/g.txt"], "Cannot write 'nowhere/g.txt': No such file"),
    ],
)
def test_a_file_that_cannot_be_read_or_written_is_named(
    arguments: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["draw", *arguments]) == 2
    assert says in capsys.readouterr().err


def test_a_missing_graphviz_is_said_before_the_program_runs(
    minigrad: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    script = tmp_path / "leaves_a_mark.py"
    script.write_text("open('ran', 'w').close()\n")
    done = minigrad("draw", script, "-o", "graph.svg", env={**environment, "PATH": str(tmp_path)})
    assert done.returncode == 2
    assert "needs the program `dot`" in done.stderr
    assert not (tmp_path / "ran").exists()

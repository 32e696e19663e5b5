"""A program runs as Python itself would run it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from minigrad.cli.console import Problem
from minigrad.cli.script import Program, execute


def write(folder: Path, text: str, name: str = "program.py") -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_it_is_main_and_has_its_own_arguments_and_path(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path, "word = 'beside it'", "neighbour.py")
    path = write(tmp_path, "import sys, neighbour\nprint(__name__, __file__, sys.argv, neighbour.word)")
    before = sys.argv, sys.path[:], sys.modules["__main__"]

    outcome = execute(Program(path, ["--level", "3"]))

    assert (outcome.status, outcome.ended) == (0, "finished")
    assert capsys.readouterr().out == f"__main__ {path} {[path, '--level', '3']} beside it\n"
    assert (sys.argv, sys.path, sys.modules["__main__"]) == before


def test_it_can_be_imported_from_as_main(tmp_path: Path) -> None:
    path = write(tmp_path, "import pickle\nclass Mine: pass\nback = pickle.loads(pickle.dumps(Mine()))")
    assert execute(Program(path)).status == 0


@pytest.mark.parametrize(
    ("leaving", "status", "said"),
    [("sys.exit()", 0, ""), ("sys.exit(7)", 7, ""), ("sys.exit('no data')", 1, "no data\n"), ("sys.exit(True)", 1, "")],
)
def test_its_exit_status_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], leaving: str, status: int, said: str
) -> None:
    outcome = execute(Program(write(tmp_path, f"import sys\n{leaving}")))
    assert (outcome.status, capsys.readouterr().err) == (status, said)


def test_its_error_is_shown_without_frames_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(tmp_path, "def inner():\n    return 1 / 0\n\n\ninner()\n")
    outcome = execute(Program(path))
    shown = capsys.readouterr().err
    assert (outcome.status, outcome.ended) == (1, "failed")
    assert isinstance(outcome.error, ZeroDivisionError)
    assert shown.splitlines()[0] == "Traceback (most recent call last):"
    assert f'File "{path}", line 5, in <module>' in shown.splitlines()[1]
    assert "script.py" not in shown
    assert "minigrad" not in shown.replace(str(tmp_path), "")


def test_a_syntax_error_is_shown_as_python_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, "def broken(:\n    pass\n")
    assert execute(Program(path)).status == 1
    shown = capsys.readouterr().err
    assert f'File "{path}", line 1' in shown
    assert "SyntaxError" in shown
    assert "Traceback" not in shown


def test_ctrl_c_ends_it_as_interrupted(tmp_path: Path) -> None:
    outcome = execute(Program(write(tmp_path, "raise KeyboardInterrupt")))
    assert (outcome.status, outcome.ended) == (130, "interrupted")


def test_threads_it_started_are_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "import threading\ngo = threading.Event()\ndef late():\n    go.wait(5)\n    print('late')\n"
    path = write(tmp_path, text + "threading.Thread(target=late).start()\nthreading.Timer(0.05, go.set).start()\n")
    execute(Program(path))
    assert capsys.readouterr().out == "late\n"


def test_what_it_defined_is_there_even_where_it_failed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = execute(Program(write(tmp_path, "loss = 3\nraise ValueError\n")))
    assert outcome.names["loss"] == 3


def test_a_module_runs_as_with_python_m(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pack").mkdir()
    write(tmp_path / "pack", "import sys\nprint(__name__, sys.argv[1:])\nraise SystemExit(4)", "__main__.py")
    monkeypatch.chdir(tmp_path)
    program = Program("pack", ["a"], module=True)
    program.check()
    assert execute(program).status == 4
    assert capsys.readouterr().out == "__main__ ['a']\n"


def test_what_cannot_be_run_is_said_beforehand(tmp_path: Path) -> None:
    write(tmp_path, "", "train.py")
    with pytest.raises(Problem, match=r"no file .*trian\.py.*train\.py"):
        Program(str(tmp_path / "trian.py")).check()
    with pytest.raises(Problem, match="is a folder"):
        Program(str(tmp_path)).check()
    with pytest.raises(Problem, match=r"mg\.watch\(\)"):
        Program("lesson.ipynb").check()
    with pytest.raises(Problem, match="minigrad replay"):
        Program("run.jsonl").check()
    with pytest.raises(Problem, match="no module 'no_such_module'"):
        Program("no_such_module.part", module=True).check()

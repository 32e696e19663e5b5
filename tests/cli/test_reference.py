"""`minigrad ops` and `minigrad doctor`: what there is."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from minigrad.cli import doctor, main
from minigrad.observe.explain.op_reference import described, every_op

from .conftest import Command


def test_the_reference_lists_every_op_with_its_formula_and_gradients(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops"]) == 0
    shown = capsys.readouterr().out
    for name in every_op():
        assert f"\n{name[:10]}" in shown
    (line,) = [line for line in shown.splitlines() if line.split()[:1] == ["Tanh"]]
    assert "tanh x" in line
    assert "x: ȳ ⊙ (1 - y²)" in line


def test_one_op_is_shown_with_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "tanh"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("Tanh(x)")
    assert "saves its output" in shown


def test_a_part_of_a_name_finds_all_that_have_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "softm"]) == 0
    assert {"Softmax", "LogSoftmax"} <= {
        line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()
    }


def test_as_json_the_formulas_are_latex(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "--json"]) == 0
    listed = {op["name"]: op for op in json.loads(capsys.readouterr().out)}
    assert listed["Tanh"]["gradients"] == {"x": r"\bar y \odot (1 - y^2)"}
    assert listed["Tanh"] == described(every_op()["Tanh"])


def test_a_reader_that_goes_away_is_no_error(environment: dict[str, str], tmp_path: Path) -> None:
    import subprocess
    import sys

    command = f"{sys.executable} -m minigrad ops | head -1"
    done = subprocess.run(
        ["bash", "-c", command], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.startswith("Op")
    assert done.stderr == ""


def test_the_doctor_looks_at_everything_and_says_what_to_do(minigrad: Command, tmp_path: Path) -> None:
    done = minigrad("doctor")
    about = {line.split("  ")[1].strip() for line in done.stdout.splitlines() if line[:1] in "✓–✗" and "  " in line}
    assert {
        "Python",
        "minigrad",
        "numpy",
        "backend cpu",
        "dot",
        "browser",
        "data folder",
        "store",
        "server",
        "MPI",
    } <= about
    assert "a trial started, answered and ended" in done.stdout
    assert str(tmp_path / "data") in done.stdout
    missing = done.stdout.count("✗")
    assert done.returncode == (1 if missing else 0)
    assert (f"{missing} to mend." if missing else "All that minigrad needs is here.") in done.stdout


def test_the_doctor_finds_a_store_that_is_broken(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "runs.sqlite").write_text("this is no store" * 100)
    done = minigrad("doctor")
    assert done.returncode == 1
    assert "✗  store" in done.stdout
    assert "Traceback" not in done.stderr


def test_the_doctor_says_why_the_server_does_not_start(
    minigrad: Command, environment: dict[str, str], tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "fastapi.py").write_text("raise ImportError('this fastapi is broken')")
    path = f"{broken}{os.pathsep}{environment['PYTHONPATH']}"
    done = minigrad("doctor", env={**environment, "PYTHONPATH": path})
    assert done.returncode == 1
    assert "✗  server" in done.stdout
    assert "this fastapi is broken" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.skipif(os.name == "nt", reason="what runs there has another name")
def test_the_doctor_finds_mpi_in_an_environment_that_is_not_activated(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    launcher = tmp_path / "mpiexec"
    launcher.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(doctor.importlib.util, "find_spec", lambda name: name)
    monkeypatch.setattr(doctor, "_python", lambda program: subprocess.CompletedProcess([], 0, "MPICH\n", ""))
    monkeypatch.setattr(doctor.sys, "executable", str(tmp_path / "python"))
    (found,) = doctor.processes()
    assert (found.state, found.found) == ("good", f"MPICH, started by {launcher}")
    launcher.unlink()
    (found,) = doctor.processes()
    assert "There is no mpiexec" in found.to_do

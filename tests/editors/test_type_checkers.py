"""What an editor sees: mypy and pyright know every public name, its types, and what is wrong."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path

import pytest

import minigrad as mg
from minigrad.absent import ABSENT_IN
from minigrad.core.misspelt import MISSPELT
from tests.stubs.files import generated

ROOT = Path(__file__).parents[2]
USES = Path(__file__).parent / "uses.py"
WRONG = re.compile(r"# wrong$")

Checker = Callable[[Path, Path], dict[int, str]]
"""Given a file and a folder to work in: the errors it reports, by line."""


def run(*command: object, folder: Path) -> str:
    path = os.pathsep.join([str(ROOT), str(ROOT / "webui")])
    environment = {**os.environ, "MYPYPATH": path, "PYTHONPATH": path}
    done = subprocess.run(
        [str(part) for part in command], cwd=folder, env=environment, capture_output=True, text=True, timeout=900
    )
    return (done.stdout or done.stderr).strip()


def errors_of_mypy(file: Path, folder: Path) -> dict[int, str]:
    if importlib.util.find_spec("mypy") is None:
        pytest.skip("mypy is not installed: pip install 'minigrad-live[dev]'")
    settings = folder / "mypy.ini"
    settings.write_text("[mypy]\nstrict = true\nfollow_imports = silent\n")
    options = ["--no-pretty", "--no-error-summary", "--config-file", settings]
    said = run(sys.executable, "-m", "mypy", *options, file, folder=folder)
    assert "Traceback" not in said, said
    return {int(found[1]): found[2] for found in re.finditer(rf"{file.name}:(\d+): error: (.*)", said)}


def errors_of_pyright(file: Path, folder: Path) -> dict[int, str]:
    if importlib.util.find_spec("basedpyright") is None:
        pytest.skip("basedpyright is not installed: pip install 'minigrad-live[dev]'")
    settings = {"include": [str(file)], "extraPaths": [str(ROOT)], "typeCheckingMode": "standard"}
    project = folder / "pyrightconfig.json"
    project.write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "--outputjson", "--pythonpath", sys.executable, "-p", project]
    said = run(*command, folder=folder)
    assert said.startswith("{"), said
    found = json.loads(said)
    assert found["summary"]["filesAnalyzed"] >= 1, said
    return {
        each["range"]["start"]["line"] + 1: each["message"]
        for each in found["generalDiagnostics"]
        if each["severity"] == "error" and Path(each["file"]).name == file.name
    }


CHECKERS = pytest.mark.parametrize("errors_of", [errors_of_mypy, errors_of_pyright], ids=["mypy", "pyright"])


def test_the_stubs_are_as_the_functions_are() -> None:
    stale = [path.name for path, text in generated().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `python -m tests.stubs`"


@pytest.mark.slow
@CHECKERS
def test_a_type_checker_finds_each_type_and_each_error(errors_of: Checker, tmp_path: Path) -> None:
    lines = USES.read_text(encoding="utf-8").splitlines()
    wrong = {number for number, line in enumerate(lines, 1) if WRONG.search(line)}
    found = errors_of(USES, tmp_path)
    assert {number: said for number, said in found.items() if number not in wrong} == {}, "right uses are errors"
    assert [lines[number - 1] for number in sorted(wrong - set(found))] == [], "wrong uses pass"


@pytest.mark.slow
@CHECKERS
def test_a_type_checker_knows_every_public_name(errors_of: Checker, tmp_path: Path) -> None:
    """One line for each name that ``dir`` lists for the package, a tensor, layers, functions and optimisers."""

    owners = {
        "mg": mg, "x": mg.Tensor, "mg.nn": mg.nn, "mg.nn.functional": mg.nn.functional, "mg.optim": mg.optim,
        "mg.linalg": mg.linalg, "mg.fft": mg.fft, "mg.special": mg.special, "mg.func": mg.func,
        "mg.autograd": mg.autograd,
    }  # fmt: skip
    lines = ["import minigrad as mg", "import minigrad.nn.functional", "x = mg.tensor([1.0])"]
    for written, owner in owners.items():
        names = set(owner.__all__ if hasattr(owner, "__all__") else dir(owner)) - opened_by_other_tests(owner)
        hidden = PRIVATE | MISSPELT.keys() | ABSENT_IN["Tensor"].keys()
        public = [name for name in names if not name.startswith("_") and name not in hidden]
        lines += [f"{written}.{name}" for name in public]
    assert len(lines) > 1500
    file = tmp_path / "names.py"
    file.write_text("\n".join(lines) + "\n")
    unknown = {lines[number - 1]: said for number, said in errors_of(file, tmp_path).items()}
    assert unknown == {}


def opened_by_other_tests(owner: object) -> set[str]:
    """Rooms that a program imports by their path, such as minigrad.cli: they are attributes only once that is done."""
    if owner is not mg:
        return set()
    rooms = {name for name, value in vars(mg).items() if isinstance(value, types.ModuleType)}
    return rooms - set(vars(mg)["PACKAGES"])


PRIVATE = {
    "absent", "annotations", "Any", "importlib", "math", "warnings", "PACKAGES", "OF_LAYERS", "ELSEWHERE",
    "TYPE_CHECKING",
}  # fmt: skip
"""What `dir` lists of the package's own means."""

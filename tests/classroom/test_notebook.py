"""A lesson as a notebook: valid, with nothing given away, and running from top to bottom in Jupyter."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from minigrad.classroom import load_course, parse
from minigrad.classroom.notebook import notebook

from .lessons import SMALL, small

ROOT = Path(__file__).parents[2]

nbformat = pytest.importorskip("nbformat")


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def test_every_lesson_makes_a_valid_notebook_of_format_4_5_with_ids_of_its_own() -> None:
    for entry in load_course():
        for solved in (True, False):
            made = notebook(entry.read(), solved, entry.number)
            nbformat.validate(nbformat.reads(json.dumps(made), as_version=4))
            assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
            ids = [cell["id"] for cell in made["cells"]]
            assert len(set(ids)) == len(ids)


def test_a_students_notebook_gives_no_solution_and_no_answer_away() -> None:
    student = "\n".join(map(source, notebook(small(), solved=False)["cells"]))
    teacher = "\n".join(map(source, notebook(small(), solved=True)["cells"]))
    assert "return 2 * x" in teacher
    assert "return 2 * x" not in student
    assert "...  # your code here" in student
    assert "print(2 * known)  # 42" in teacher
    assert "print(2 * known)\n" in student
    assert "print(double(4))  # 8" in student


def test_hints_and_what_is_revealed_are_folded_away() -> None:
    cells = {cell["id"]: source(cell) for cell in notebook(small())["cells"]}
    assert cells["hint-double-2"] == "<details><summary>Hint 2</summary>\n\n`x + x`\n\n</details>"
    assert cells["predict-guess"].startswith("How much is twice 21?\n\n<details><summary>Guess first")


def test_exercises_and_checks_have_the_marks_of_nbgrader() -> None:
    cells = {cell["id"]: cell["metadata"] for cell in notebook(small())["cells"]}
    assert cells["exercise-double"]["nbgrader"]["solution"] is True
    assert (cells["check-double"]["nbgrader"]["grade"], cells["check-double"]["nbgrader"]["points"]) == (True, 1)
    assert cells["exercise-double"]["minigrad"] == {"tag": "exercise", "id": "double"}


def test_an_id_that_jupyter_does_not_allow_gets_another() -> None:
    odd = parse(SMALL.replace('id="double"', 'id="ä?"'))
    nbformat.validate(nbformat.reads(json.dumps(notebook(odd)), as_version=4))


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 3])
def test_a_lesson_runs_from_top_to_bottom_in_jupyter(
    number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(ROOT / "webui")]))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    lesson = load_course().find(number).read()
    ran = nbformat.reads(json.dumps(notebook(lesson)), as_version=4)
    nbclient.NotebookClient(ran, timeout=120, kernel_name="python3").execute()
    printed = [output.get("text", "") for cell in ran.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("0.761594" in text for text in printed) or number != 1
    blank = nbformat.reads(json.dumps(notebook(lesson, solved=False)), as_version=4)
    with pytest.raises(nbclient.exceptions.CellExecutionError, match="not yet"):
        nbclient.NotebookClient(blank, timeout=120, kernel_name="python3").execute()

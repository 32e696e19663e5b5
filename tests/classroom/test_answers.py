"""What learners hand in is read, whatever they did to it; and a class is checked, whatever one of them did."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from minigrad.classroom import Limits, blank
from minigrad.classroom.answers import AnswersError, read_answers
from minigrad.classroom.batch import Table, handed_in, judge_all
from minigrad.classroom.notebook import notebook

from .lessons import DOUBLE, QUADRUPLE, SMALL, small

SOLVED = {"double": "return 2 * x", "quadruple": "return double(double(x))"}


def read(path: Path) -> dict[str, str]:
    return read_answers(path, small())


def test_answers_are_read_from_a_copy_of_the_lesson(tmp_path: Path) -> None:
    copy = tmp_path / "ada.py"
    copy.write_text(blank(SMALL).replace("...  # your code here", "return x + x", 1))
    answers = read(copy)
    assert answers["double"] == "def double(x):\n    return x + x"
    assert answers["quadruple"] == "def quadruple(x):\n    ...  # your code here"


def cells_of(text: str) -> list[str]:
    return [f"# %%{cell}" for cell in text.split("# %%")[1:]]


@pytest.mark.parametrize(
    "harm",
    [
        lambda cells: [cell for cell in cells if "check" not in cell.splitlines()[0]],
        lambda cells: cells[::-1],
        lambda cells: [cell.replace(' tags=["exercise"]', "") for cell in cells],
        lambda cells: [cell.partition("\n")[2] for cell in cells if "[markdown]" not in cell],
        lambda cells: ["import os\n", "# %%\nprint('mine')\n", *cells, "# %% this is no marker\nx = 1\n"],
        lambda cells: [cell.replace("\n", "\r\n") for cell in cells],
        lambda cells: ["\ufeff", *cells],
    ],
    ids=["checks deleted", "turned round", "tags lost", "no markers", "cells added", "windows", "byte order mark"],
)
def test_answers_are_found_in_a_copy_that_was_treated_badly(harm: Any, tmp_path: Path) -> None:
    copy = tmp_path / "ada.py"
    copy.write_bytes("".join(harm(cells_of(SMALL))).encode())
    answers = read(copy)
    assert {id: SOLVED[id] in answer for id, answer in answers.items()} == {"double": True, "quadruple": True}
    assert "expect(" not in "".join(answers.values())


@pytest.mark.parametrize("marks", [True, False])
def test_answers_are_found_in_a_notebook_with_and_without_its_marks(marks: bool, tmp_path: Path) -> None:
    made = notebook(small())
    for cell in made["cells"]:
        cell["metadata"] = cell["metadata"] if marks else {}
        cell["source"] = cell["source"] if marks else "".join(cell["source"])
    copy = tmp_path / "ada.ipynb"
    copy.write_text(json.dumps(made))
    answers = read(copy)
    assert {id: SOLVED[id] in answer for id, answer in answers.items()} == {"double": True, "quadruple": True}


def test_answers_are_read_from_a_folder_with_a_file_for_each(tmp_path: Path) -> None:
    (tmp_path / "double.py").write_text(DOUBLE)
    assert read(tmp_path) == {"double": DOUBLE}


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.ipynb", b"this is no json", "a.ipynb is no notebook: Expecting value"),
        ("a.ipynb", b"[1, 2]", "a.ipynb is no notebook: it has no cells"),
        ("a.ipynb", b"[" * 100_000, "a.ipynb is no notebook"),
        ("a.py", b"\xff\xfe\x00", "a.py is no text in UTF-8"),
        ("a.py", b"x" * 11_000_000, "a.py is larger than"),
        ("a.docx", b"", "a.docx is neither a Python file nor a notebook"),
    ],
)
def test_what_cannot_be_read_is_told(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(AnswersError) as error:
        read(tmp_path / name)
    assert says in str(error.value)


@pytest.fixture
def class_of_learners(tmp_path: Path) -> Path:
    """Nine learners, of whom most did something that should not stop the others."""
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "ada.py").write_text(SMALL)
    (folder / "ben.py").write_text(blank(SMALL))
    made = notebook(small())
    made["cells"] = [cell for cell in made["cells"] if not cell["id"].startswith("check")]
    (folder / "cyd.ipynb").write_text(json.dumps(made))
    (folder / "dan.py").write_text(SMALL.replace("return 2 * x", "while True: ..."))
    (folder / "eve.py").write_text(SMALL.replace("return 2 * x", "import os; os._exit(0)"))
    (folder / "fay.ipynb").write_text("broken")
    (folder / "gus").mkdir()
    (folder / "gus" / "quadruple.py").write_text(QUADRUPLE)
    (folder / "hal.py").write_text("def double(x:")
    (folder / "=ivy.py").write_text(SMALL.replace("return 2 * x", "return 3 * x"))
    (folder / ".hidden").write_text("")
    return folder


def test_a_class_is_checked_whatever_one_of_them_did(class_of_learners: Path) -> None:
    file = io.StringIO()
    table = Table(file, small().exercises)
    for row in judge_all(small(), handed_in(class_of_learners), Limits(seconds=1.0, grace=0.5), jobs=2):
        table.add(row)
    rows = {row["learner"]: row for row in csv.DictReader(io.StringIO(file.getvalue()))}
    assert {name: (row["double"], row["quadruple"]) for name, row in rows.items()} == {
        "'=ivy": ("not yet", "passed"),
        "ada": ("passed", "passed"),
        "ben": ("not yet", "not yet"),
        "cyd": ("passed", "passed"),
        "dan": ("timeout", "passed"),
        "eve": ("died", "passed"),
        "fay": ("", ""),
        "gus": ("missing", "passed"),
        "hal": ("missing", "missing"),
    }
    assert (rows["ada"]["passed"], rows["ada"]["exercises"]) == ("2", "2")
    assert rows["fay"]["problem"].startswith("fay.ipynb is no notebook")


def test_a_folder_without_answers_says_so(tmp_path: Path) -> None:
    with pytest.raises(AnswersError, match="there is no file or folder"):
        handed_in(tmp_path / "nothing")
    (tmp_path / "readme.txt").write_text("")
    with pytest.raises(AnswersError, match="there are no answers in"):
        handed_in(tmp_path)

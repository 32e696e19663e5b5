"""`minigrad lesson`, as learners, teachers and authors use it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from minigrad.classroom import blank, load_course
from minigrad.cli import main

from ..classroom.lessons import DOUBLE, SMALL
from .conftest import Command, kinds, read_trace


@pytest.fixture(autouse=True)
def of_nobody(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A data folder of its own, and a folder to work in."""
    monkeypatch.setenv("MINIGRAD_DATA_DIR", str(tmp_path / "data"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def answers_to_lesson_2(tmp_path: Path, **answers: str) -> Path:
    folder = tmp_path / "data" / "lessons" / "02-gradients-add-up"
    folder.mkdir(parents=True)
    for id, answer in answers.items():
        (folder / f"{id.replace('_', '-')}.py").write_text(answer)
    return folder


RIGHT = "def two_ways(w, x, grad):\n    return grad * x, grad * w - grad\n"


def test_the_list_says_what_each_lesson_teaches_and_how_far_one_is(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = answers_to_lesson_2(tmp_path)
    (folder / "progress.json").write_text('{"passed": ["two-ways", "gone"]}')
    assert main(["lesson", "list"]) == 0
    shown = capsys.readouterr().out
    (line,) = [line for line in shown.splitlines() if "Gradients add up" in line]
    assert line.split()[0] == "2"
    assert "1/4" in line
    assert main(["lesson", "list", "--fast"]) == 0
    assert "Gradients add up" not in capsys.readouterr().out


def test_lesson_without_a_word_more_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson"]) == 0
    assert "Check answers" in capsys.readouterr().out


def test_open_starts_the_explorer_and_names_the_lessons_page(minigrad: Command) -> None:
    done = minigrad("lesson", "open", "gradients", "--no-browser")
    assert done.returncode == 0, done.stderr
    assert "/lesson/02-gradients-add-up?token=" in done.stdout


def test_run_runs_the_lesson_and_records_its_graph(minigrad: Command, tmp_path: Path) -> None:
    done = minigrad("lesson", "run", "1", "--headless", "--record", "run.jsonl")
    assert done.returncode == 0, done.stderr
    assert "y 0.7616" in done.stdout
    assert {"node", "backward_started"} <= kinds(read_trace(tmp_path / "run.jsonl"))


def test_a_lesson_from_elsewhere_is_not_run_unasked(minigrad: Command, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(SMALL)
    refused = minigrad("lesson", "run", "other.py", "--headless")
    assert refused.returncode == 2
    assert "none of minigrad's lessons, and its code can do all that you can" in refused.stderr
    assert refused.stdout == ""
    assert minigrad("lesson", "check", "other.py", "--answers", "other.py").returncode == 2
    assert minigrad("lesson", "run", "other.py", "--headless", "--trust").stdout == "42\n8\n"
    assert minigrad("lesson", "run", "other.py", "--headless").stdout == "42\n8\n"


def test_check_judges_the_answers_of_the_page_and_notes_what_passed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = answers_to_lesson_2(tmp_path, two_ways=RIGHT, uses="def uses(root):\n    return {}\n")
    assert main(["lesson", "check", "2"]) == 1
    shown = capsys.readouterr()
    assert "✓ two-ways\n✗ uses\n    not yet: the key 'a' is missing\n" in shown.out
    assert "– order\n    There is no answer.\n" in shown.out
    assert "1 of 4 exercises passed" in shown.err
    assert json.loads((folder / "progress.json").read_text())["passed"] == ["two-ways"]


def test_check_judges_a_file_that_was_exported_and_filled_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["lesson", "export", "2", "--format", "teacher", "-o", "mine.py"]) == 0
    assert main(["lesson", "check", "2", "--answers", "mine.py"]) == 0
    assert "4 of 4 exercises passed" in capsys.readouterr().err
    assert not (tmp_path / "data" / "lessons").exists()


def test_a_class_gets_a_table_and_a_csv_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = load_course().find(2).source
    folder = tmp_path / "answers"
    folder.mkdir()
    (folder / "ada.py").write_text(source)
    (folder / "ben.py").write_text(blank(source))
    (folder / "cyd.py").write_text(source.replace("    grad_product = grad\n", "    while True: ...\n"))
    (folder / "dan.ipynb").write_text("{")
    done = main(["lesson", "check", "2", "--answers", str(folder), "--csv", "results.csv", "--seconds", "15"])
    assert done == 0
    shown = capsys.readouterr()
    lines = {line.split()[0]: line for line in shown.out.splitlines()}
    assert "4/4" in lines["ada"]
    assert "0/4" in lines["ben"]
    assert "✗ timeout" in lines["cyd"]
    assert "3/4" in lines["cyd"]
    assert "dan.ipynb is no notebook" in lines["dan"]
    assert "4 learners, 1 passed everything, 1 not to be read" in shown.err
    rows = {row["learner"]: row for row in csv.DictReader(Path("results.csv").read_text().splitlines())}
    assert [rows[name]["passed"] for name in ("ada", "ben", "cyd", "dan")] == ["4", "0", "3", "0"]
    assert rows["cyd"]["two-ways"] == "timeout"


@pytest.mark.parametrize(
    ("arguments", "file", "holds", "lacks"),
    [
        ([], "02-gradients-add-up.ipynb", "+ directly", "# your code here"),
        (["--format", "student"], "02-gradients-add-up-student.py", "# your code here", "+ directly"),
        (["--format", "teacher"], "02-gradients-add-up-teacher.py", "### BEGIN SOLUTION", "# your code here"),
        (["--format", "student", "-o", "a.ipynb"], "a.ipynb", "# your code here", "+ directly"),
        (["--format", "texts"], "02-gradients-add-up-texts.py", '# %% [markdown] of="', "def two_ways"),
    ],
)
def test_export_writes_what_each_reader_needs(
    arguments: list[str], file: str, holds: str, lacks: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lesson", "export", "2", *arguments]) == 0
    assert capsys.readouterr().out == f"{file}\n"
    text = Path(file).read_text(encoding="utf-8")
    assert holds in text
    assert lacks not in text
    assert main(["lesson", "export", "2", *arguments]) == 2
    assert "is there already" in capsys.readouterr().err


def test_a_new_lesson_passes_its_test_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lesson", "new", "How fast is a square?"]) == 0
    assert capsys.readouterr().out == "how-fast-is-a-square.py\n"
    assert main(["lesson", "test", "how-fast-is-a-square.py"]) == 0
    assert "✓ how-fast-is-a-square" in capsys.readouterr().out


def test_in_a_course_a_new_lesson_gets_the_next_number(tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text("lessons = []")
    (tmp_path / "07-old.py").write_text(SMALL)
    assert main(["lesson", "new", "New", "--folder", str(tmp_path)]) == 0
    assert (tmp_path / "08-new.py").is_file()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (("return 2 * x", "return 3 * x"), "as a script it fails"),
        (("print(2 * known)  # 42", "print(2 * known)  # 43"), "it says that it prints '43', which is not so"),
        (('answer="42"', 'answer="41"'), "the next cell does not print 41, but '42'"),
        (("expect(quadruple, 3, gives=12)", "pass"), "the exercise 'quadruple' left blank: passed"),
        (("# Use `double` twice.", "# %% [markdown]"), "has 0 known wrong answers, and needs 4, in mistakes/mine.py"),
        (("# minutes: 25", "# minutes: 5"), "25 to 60 minutes, not 5"),
        (("# explorer: Look.", "# view: zoom=2"), "the header has no `explorer`"),
        (("1. Thrice?\n", ""), "no two questions"),
        (("print(double(4))", "print(no_such_name)"), "NameError: name 'no_such_name' is not defined"),
        (('# %% [markdown] tags=["hint"] id="quadruple"\n', "# %% [markdown]\n"), "at least one hint, and one check"),
    ],
)
def test_the_test_finds_what_is_wrong_with_a_lesson(
    wrong: tuple[str, str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.py").write_text(SMALL.replace(*wrong))
    assert main(["lesson", "test", "mine.py"]) == (1 if says else 0)
    assert says in capsys.readouterr().out


def test_a_lesson_from_elsewhere_without_answers_is_named_by_its_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text(SMALL)
    assert main(["lesson", "check", "mine.py", "--trust"]) == 2
    assert f"minigrad lesson open {Path('mine.py').resolve()}, or name a file" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["open", "99"], "There is no lesson '99'; the lessons are 1, 2, 3"),
        (["run", "nothing.py"], "There is no file 'nothing.py'"),
        (["run", "nothing"], "There is no lesson 'nothing'; the lessons are 01-one-number"),
        (["new", "folder/big-steps.py"], "minigrad lesson new 'Big steps' --folder folder"),
        (["check", "2"], "You have no answers to 'Gradients add up' yet."),
        (["check", "2", "--answers", "nowhere"], "There is nothing to check: there is no file or folder 'nowhere'."),
        (["check", "2", "--answers", "."], "There is nothing to check: there are no answers in '.'"),
        (["check", "2", "--answers", "no_lesson.py", "--csv", "no/such.csv"], "Cannot write 'no/such.csv'"),
        (["check", "2", "--answers", "broken.ipynb"], "broken.ipynb is no notebook"),
        (["test", "no_lesson.py"], "no_lesson.py: line 1: a lesson begins with a header"),
        (["export", "2", "-o", "two.txt"], "is written to a file that ends in .ipynb, not to 'two.txt'"),
        (["export", "2", "-o", "no/two.ipynb"], "Cannot write 'no/two.ipynb': No such file or directory."),
        (["export", "2", "--format", "pdf"], "'pdf' is not one of 'notebook', 'student', 'teacher', 'texts'"),
        (["new", "???"], "A lesson needs a name with letters in it"),
        (["new", "x", "--folder", "nowhere"], "There is no folder 'nowhere'."),
        (["lst"], "Did you mean 'list'"),
    ],
)  # fmt: skip
def test_misuse_is_one_line_on_stderr_that_says_what_to_do(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("no_lesson.py").write_text(DOUBLE)
    Path("broken.ipynb").write_text("{")
    if "." in arguments:
        for path in Path().iterdir():
            path.unlink()
    assert main(["lesson", *arguments]) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.startswith("minigrad: ")
    assert len(said.err.splitlines()) == 1
    assert said.out == ""

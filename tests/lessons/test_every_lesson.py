"""Every lesson keeps what the format promises: solved it passes, blank it fails, and what it says is so."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

from minigrad.classroom import BEGIN, PLACEHOLDER, Cell, CheckFailedError, Lesson, blank, parse

from .course import COURSE, FOLDER, LESSONS, run

every_lesson = pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)

SAID = re.compile(r"^ *print\(.*\)  # (.+)$", re.MULTILINE)
"""A print with what it prints behind it."""

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def read(path: Path) -> tuple[str, Lesson]:
    source = path.read_text(encoding="utf-8")
    return source, parse(source)


def texts(lesson: Lesson) -> list[Cell]:
    return [cell for cell in lesson.cells if cell.kind == "markdown" and not cell.tag]


def test_the_course_lists_exactly_the_lessons_that_exist() -> None:
    assert COURSE["lessons"] == sorted(path.name for path in FOLDER.glob("*.py"))


def test_the_fast_track_is_a_part_of_the_course_in_the_same_order() -> None:
    assert COURSE["fast_track"] == [name for name in COURSE["lessons"] if name in COURSE["fast_track"]]


def test_the_minutes_of_the_course_are_those_of_its_lessons() -> None:
    minutes = {path.name: int(read(path)[1].header["minutes"]) for path in LESSONS}
    assert COURSE["minutes"] == {
        "all": sum(minutes.values()),
        "fast_track": sum(minutes[name] for name in COURSE["fast_track"]),
    }


@every_lesson
def test_a_lesson_takes_25_to_60_minutes_and_at_most_a_minute_of_computing(path: Path) -> None:
    header = read(path)[1].header
    assert 25 <= int(header["minutes"]) <= 60
    assert 0 < int(header["seconds"]) <= 60


@every_lesson
def test_solved_it_runs_as_a_script_in_its_seconds_and_prints_what_it_says_it_prints(path: Path) -> None:
    source, lesson = read(path)
    ran = run(path, float(lesson.header["seconds"]))
    assert ran.returncode == 0, ran.stderr
    printed = iter(ran.stdout.splitlines())
    for said in SAID.findall(source):
        assert said in printed, f"{path.name} says that it prints {said!r}; it printed\n{ran.stdout}"


@every_lesson
def test_blank_it_fails_at_the_first_check_and_says_what_was_called_and_expected(path: Path, tmp_path: Path) -> None:
    source, lesson = read(path)
    mine = tmp_path / path.name
    mine.write_text(blank(source), encoding="utf-8")
    ran = run(mine, float(lesson.header["seconds"]))
    assert ran.returncode == 1
    assert "CheckFailedError: not yet:" in ran.stderr
    for word in ("called", "came back", "expected"):
        assert f"\n  {word}" in ran.stderr


@every_lesson
def test_each_exercise_left_blank_is_found_by_its_own_check(path: Path) -> None:
    """Alone: the other exercises are solved, so that a check cannot lean on an earlier one's failure."""
    lesson = read(path)[1]
    for id in lesson.exercises:
        names: dict[str, object] = {"__name__": "lesson"}
        for cell in lesson.cells:
            if cell.kind != "code":
                continue
            code = compile(
                blank(cell.text) if (cell.tag, cell.id) == ("exercise", id) else cell.text, path.name, "exec"
            )
            if (cell.tag, cell.id) == ("check", id):
                with pytest.raises(CheckFailedError):
                    exec(code, names)
                break
            exec(code, names)


@every_lesson
def test_every_exercise_has_a_solution_to_write_and_then_hints_and_then_a_check(path: Path) -> None:
    lesson = read(path)[1]
    assert lesson.exercises
    assert len(set(lesson.exercises)) == len(lesson.exercises)
    for id in lesson.exercises:
        (exercise,) = lesson.find("exercise", id)
        assert BEGIN in exercise.text
        assert exercise.text.strip() != BEGIN
        order = [cell.tag for cell in lesson.cells if cell.id == id]
        assert order == ["exercise", *["hint"] * (len(order) - 2), "check"]
        assert len(order) >= 3
    assert {cell.id for cell in lesson.cells if cell.tag not in ("", "predict")} == set(lesson.exercises)


@every_lesson
def test_the_cell_after_a_prediction_prints_its_answer(path: Path) -> None:
    lesson = read(path)[1]
    assert len({*lesson.predictions, *lesson.exercises}) == len(lesson.predictions) + len(lesson.exercises)
    names: dict[str, object] = {"__name__": "lesson"}
    asked: list[Cell] = []
    for cell in lesson.cells if lesson.predictions else ():
        asked += [cell] if cell.tag == "predict" else []
        if cell.kind != "code":
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(cell.text, path.name, "exec"), names)
        numbers = [float(number) for number in NUMBER.findall(printed.getvalue().replace(",", ""))]
        for question in asked:
            assert any(map(question.fits, numbers)), f"{question.id}: no {question.answer} in {printed.getvalue()}"
        asked = []
    assert not asked


@every_lesson
def test_only_exercises_hold_solutions_and_hints_are_text(path: Path) -> None:
    for cell in read(path)[1].cells:
        assert (BEGIN in cell.text) == (cell.tag == "exercise")
        assert cell.kind == ("markdown" if cell.tag == "hint" else cell.kind)
        assert PLACEHOLDER not in cell.text


@every_lesson
def test_it_asks_a_question_sums_up_and_leaves_two_questions_open(path: Path) -> None:
    lesson = read(path)[1]
    first, last = texts(lesson)[0].text, texts(lesson)[-1].text
    assert first.startswith(f"# {lesson.header['title']}\n")
    assert re.search(r"\*\*[^*]+\?[^*]*\*\*", first), "the question the lesson answers stands in bold type"
    assert "\n## Summary\n" in last
    open_questions = last.partition("## Two open questions\n")[2]
    assert re.findall(r"^(\d)\. ", open_questions, re.MULTILINE) == ["1", "2"]


@every_lesson
def test_it_says_what_to_look_at_in_the_explorer(path: Path) -> None:
    assert f"    minigrad run lessons/{path.name}" in path.read_text(encoding="utf-8")

"""HOW_TO_WRITE_A_LESSON.md is true: its commands are followed, its example is a lesson, its numbers are the code's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from minigrad.classroom import Limits, parse, rules
from minigrad.classroom.draft import Draft
from minigrad.cli import main

from .course import FOLDER

TEXT = (FOLDER / "HOW_TO_WRITE_A_LESSON.md").read_text(encoding="utf-8")


def block(language: str, number: int = 0) -> str:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)
    return found[number]


def test_whoever_follows_it_gets_a_lesson_that_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINIGRAD_DATA_DIR", str(tmp_path / "data"))
    for line in block("sh").splitlines():
        program, *arguments = shlex.split(line)
        assert program == "minigrad"
        assert main(arguments) == 0, line
    assert {path.name for path in tmp_path.glob("*.py")} == {"slopes-of-slopes.py", "slopes-of-slopes-student.py"}


@pytest.mark.parametrize(
    "rule", ["exercises", "solutions", "runs solved", "checks find blanks", "predictions", "header"]
)
def test_its_example_keeps_the_rules(rule: str, tmp_path: Path) -> None:
    path = tmp_path / "twice.py"
    path.write_text(block("python"), encoding="utf-8")
    assert not list(rules.RULES[rule](Draft(path)))


def test_its_example_has_every_kind_of_cell() -> None:
    assert {cell.tag for cell in parse(block("python")).cells} == {"", "exercise", "hint", "check", "predict"}


def test_the_limits_it_names_are_those_of_the_runner() -> None:
    limits = Limits()
    said = " ".join(TEXT.split())
    assert (
        f"limits: {limits.memory // 1024} GiB of memory, {limits.file} MiB for a file, {limits.output:,} characters of "
        f"output for each cell, {limits.processes} processes, {limits.seconds:.0f} seconds" in said
    )


def test_what_it_says_a_view_may_hold_is_what_the_explorer_knows() -> None:
    (said,) = re.findall(r"It may hold (.+?)\n- ", TEXT, re.DOTALL)
    named = {name.partition("=")[0] for name in re.findall(r"`([a-z=1]+)`", said)}
    assert named == rules.VIEW - {"theme"}
    source = (FOLDER.parent / "webui" / "frontend" / "src" / "model" / "url.ts").read_text(encoding="utf-8")
    assert set(re.findall(r'put\("(\w+)"', source)) - {"run"} == rules.VIEW

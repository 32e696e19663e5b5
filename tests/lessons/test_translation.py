"""A translated lesson says all that the original says, and keeps what must stay the same: code, formulas, figures."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from minigrad.classroom import Entry, problems
from minigrad.classroom.course import read_text
from minigrad.classroom.figure import problems_of, programs_in
from minigrad.classroom.lesson import Cell, sentence_of
from minigrad.classroom.phrases import phrases

from .course import COURSE

TRANSLATED = [(entry, language) for entry in COURSE for language in entry.languages]


def pairs(entry: Entry, language: str) -> list[tuple[Cell, Cell]]:
    """Each text cell, and the same in another language."""
    cells = zip(entry.read().cells, entry.read(language).cells, strict=True)
    return [(one, other) for one, other in cells if one.kind == "markdown"]


def test_every_lesson_is_there_in_german() -> None:
    assert {entry.slug for entry, language in TRANSLATED if language == "de"} == {entry.slug for entry in COURSE}


@pytest.mark.parametrize(("entry", "language"), TRANSLATED, ids=lambda each: getattr(each, "slug", each))
def test_a_translation_is_whole_and_up_to_date(entry: Entry, language: str) -> None:
    file: Path = entry.path.parent / language / entry.path.name
    assert problems(entry.read(), read_text(file)) == []


@pytest.mark.parametrize(("entry", "language"), TRANSLATED, ids=lambda each: getattr(each, "slug", each))
def test_all_that_a_verdict_says_is_translated_with_its_code_and_its_blanks(entry: Entry, language: str) -> None:
    lesson = entry.read(language)
    sentences = list(map(sentence_of, lesson.mistakes))
    said = [phrase for cell in lesson.cells if cell.tag == "check" for phrase in phrases(cell.text)]
    assert sentences
    assert [each for each in [*sentences, *said] if each not in lesson.sentences] == []
    assert not [each for each in sentences if lesson.sentences[each] == each]
    for one, other in lesson.sentences.items():
        for kept in (r"`[^`]+`", r"\{\w+\}"):
            assert set(re.findall(kept, one)) == set(re.findall(kept, other)), one


@pytest.mark.parametrize(("entry", "language"), TRANSLATED, ids=lambda each: getattr(each, "slug", each))
def test_code_and_predictions_are_not_translated(entry: Entry, language: str) -> None:
    for one, other in pairs(entry, language):
        assert set(re.findall(r"`[^`\n]+`", one.text)) == set(re.findall(r"`[^`\n]+`", other.text)), one.line
        assert (one.tag, one.id, one.answer, bool(one.reveal)) == (
            other.tag,
            other.id,
            other.answer,
            bool(other.reveal),
        )


@pytest.mark.parametrize(("entry", "language"), TRANSLATED, ids=lambda each: getattr(each, "slug", each))
def test_a_translated_figure_computes_the_same(entry: Entry, language: str) -> None:
    for one, other in pairs(entry, language):
        drawn, drawn_there = programs_in(one.text), programs_in(other.text)
        assert len(drawn) == len(drawn_there)
        for program, there in zip(drawn, drawn_there, strict=True):
            assert not list(problems_of(there))
            assert re.sub(r"show .+? = ", "show = ", program) == re.sub(r"show .+? = ", "show = ", there)

"""A verdict comes in all languages of its lesson, and all who make one mistake are counted as one group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from minigrad.classroom import load_course, template
from minigrad.classroom.lesson import sentence_of

from .class_room import HALF, SQUARE, WRONG, checked, held
from .lesson_room import SLUG, classroom, course, page

ENGLISH, GERMAN = "You square it.", "Du quadrierst es."


def in_german(folder: Path, translated: str = ENGLISH) -> Path:
    """The small course with a wrong answer, whose sentence was translated when it was that one."""
    lessons = course(folder)
    for language in ("mistakes", "de"):
        (lessons / language).mkdir(exist_ok=True)
    (lessons / "mistakes" / "01-twice.py").write_text(WRONG.replace(ENGLISH, translated))
    german = template(load_course(lessons).find(1).read()).replace(translated, GERMAN)
    (lessons / "de" / "01-twice.py").write_text(german)
    (lessons / "mistakes" / "01-twice.py").write_text(WRONG)
    return lessons


def words(told: dict[str, Any], language: str = "en") -> str:
    """The first line of a verdict in a language, empty where it is not translated."""
    text = told["message"] if language == "en" else told["translations"].get(language, "")
    return str(text).partition("\n")[0]


def test_a_known_mistake_is_told_in_each_language_of_the_lesson(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with classroom(tmp_path / "course") as (client, _), page(client) as learner:
        told = checked(learner, SQUARE)
        assert (words(told), words(told, "de")) == (f"not yet: {ENGLISH}", f"not yet: {GERMAN}")
        assert "came back  9" in told["translations"]["de"]
        told = checked(learner, HALF)
        assert (words(told), told["translations"]) == ("not yet: 1.5 instead of 6", {})


def test_a_kept_verdict_is_told_in_each_language_too(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with classroom(tmp_path / "course") as (client, _), page(client) as learner:
        told = checked(learner, SQUARE)
    with classroom(tmp_path / "course") as (client, _), page(client) as learner:
        (verdict,) = learner.until("before")[-1]["verdicts"]
        assert words(verdict, "de") == f"not yet: {GERMAN}"
        assert (verdict["message"], verdict["translations"]) == (told["message"], told["translations"])


def test_a_hint_holds_no_english_of_the_servers_own(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with classroom(tmp_path / "course") as (client, _):
        hints = [client.post(f"/api/lessons/{SLUG}/hints/double?language=de").json()["hints"] for _ in range(3)][-1]
        assert hints[2].startswith("```python\ndef double(x):")


def test_a_sentence_that_has_changed_since_its_translation_is_told_in_english(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course", translated="You take the square.")
    with classroom(tmp_path / "course") as (client, _), page(client) as learner:
        told = checked(learner, SQUARE)
        assert (words(told), told["translations"]) == (f"not yet: {ENGLISH}", {})


def test_a_class_counts_a_mistake_once_and_has_it_in_each_language(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with held(tmp_path) as room:
        ada, bob = room.pupil("Ada"), room.pupil("Bob")
        assert room.wall()["translations"] == {}
        for pupil in (ada, bob):
            told = pupil.check(SQUARE)
            assert (words(told), words(told, "de")) == (f"not yet: {ENGLISH}", f"not yet: {GERMAN}")
        wall = room.wall()
        (group,) = wall["groups"]
        assert (group["mistake"], group["pupils"]) == (ENGLISH, [ada.id, bob.id])
        assert wall["translations"] == {"de": {ENGLISH: GERMAN}}
        work = ada.get(ada.of_mine("class/feedback")).json()["work"][0]
        (tried,) = room.teacher.get(f"/api/class/pupils/{ada.id}").json()["work"][0]["tried"]
        for each in (work, tried):
            assert words(each, "de") == f"not yet: {GERMAN}"


CALLED = [(1, "slope("), (5, "was `Note(tensor).get()` gibt oder wirft")]


@pytest.mark.parametrize(("number", "called"), CALLED)
def test_the_course_speaks_german_in_a_verdict(data_dir: Path, tmp_path: Path, number: int, called: str) -> None:
    entry = load_course().find(number)
    lesson = entry.read("de")
    with classroom(tmp_path / "course") as (client, app):
        app.state.lessons.folder = None
        with page(client, entry.slug) as learner:
            for mistake in lesson.mistakes[:2]:
                told = checked(learner, mistake.text, mistake.id)
                assert words(told, "de") == f"not yet: {lesson.sentences[sentence_of(mistake)]}"
                assert words(told) == f"not yet: {sentence_of(mistake)}"
                assert f"\n  called     {called}" in told["translations"]["de"]

"""The judge speaks the language in which a page read its lesson, and counts all who make one mistake as one group."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

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


def read(client: TestClient, language: str, slug: str = SLUG, place: str = "") -> None:
    assert client.get(f"{place}/api/lessons/{slug}?language={language}").status_code == 200


def words(told: dict[str, Any]) -> str:
    """The first line of a verdict."""
    return str(told["message"]).partition("\n")[0]


def test_a_known_mistake_is_told_in_the_language_in_which_the_lesson_was_read(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with classroom(tmp_path / "course") as (client, _):
        read(client, "de")
        with page(client) as learner:
            told = checked(learner, SQUARE)
            assert words(told) == f"not yet: {GERMAN}"
            assert "came back  9" in told["message"]
            assert words(checked(learner, HALF)) == "not yet: 1.5 instead of 6"
            read(client, "en")
            assert words(checked(learner, SQUARE)) == f"not yet: {ENGLISH}"


def test_a_kept_verdict_is_told_in_the_language_of_the_page_that_comes(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with classroom(tmp_path / "course") as (client, _), page(client) as learner:
        read(client, "de")
        assert words(checked(learner, SQUARE)) == f"not yet: {GERMAN}"
    for language, sentence in (("de", GERMAN), ("en", ENGLISH)):
        with classroom(tmp_path / "course") as (client, _):
            read(client, language)
            with page(client) as learner:
                (verdict,) = learner.until("before")[-1]["verdicts"]
                assert words(verdict) == f"not yet: {sentence}"


def test_a_hint_holds_no_english_of_the_servers_own(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with classroom(tmp_path / "course") as (client, _):
        hints = [client.post(f"/api/lessons/{SLUG}/hints/double?language=de").json()["hints"] for _ in range(3)][-1]
        assert hints[2].startswith("```python\ndef double(x):")


def test_a_sentence_that_has_changed_since_its_translation_is_told_in_english(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course", translated="You take the square.")
    with classroom(tmp_path / "course") as (client, _):
        read(client, "de")
        with page(client) as learner:
            assert words(checked(learner, SQUARE)) == f"not yet: {ENGLISH}"


def test_a_class_counts_a_mistake_as_one_in_whatever_language_it_is_told(data_dir: Path, tmp_path: Path) -> None:
    in_german(tmp_path / "course")
    with held(tmp_path) as room:
        ada, bob = room.pupil("Ada"), room.pupil("Bob")
        told = []
        for pupil, language in ((ada, "de"), (bob, "en")):
            read(pupil.client, language, place=f"/pupil/{pupil.id}")
            told.append(words(pupil.check(SQUARE)))
        assert told == [f"not yet: {GERMAN}", f"not yet: {ENGLISH}"]
        (group,) = room.wall()["groups"]
        assert (group["mistake"], group["pupils"]) == (ENGLISH, [ada.id, bob.id])
        found = [each.get(each.of_mine("class/feedback")).json()["work"][0] for each in (ada, bob)]
        assert list(map(words, found)) == told


@pytest.mark.parametrize(("number", "called"), [(1, "slope("), (5, "was `Note(tensor).get()` gibt oder wirft")])
def test_the_course_speaks_german_in_a_verdict(data_dir: Path, tmp_path: Path, number: int, called: str) -> None:
    entry = load_course().find(number)
    lesson = entry.read("de")
    with classroom(tmp_path / "course") as (client, app):
        app.state.lessons.folder = None
        read(client, "de", entry.slug)
        with page(client, entry.slug) as learner:
            for mistake in lesson.mistakes[:2]:
                told = checked(learner, mistake.text, mistake.id)
                assert words(told) == f"not yet: {lesson.sentences[sentence_of(mistake)]}"
                assert words(told) != f"not yet: {sentence_of(mistake)}"
                assert f"\n  called     {called}" in told["message"]

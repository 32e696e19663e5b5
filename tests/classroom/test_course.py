"""The course as data, and lessons in other languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from minigrad import classroom
from minigrad.classroom import LessonError, NoSuchLessonError, load_course, parse, problems, template, translated
from minigrad.classroom.lesson import with_mistakes
from minigrad.classroom.translation import fingerprint, retold

HEADER = "# ---\n# title: Twice\n# goal: Double a number.\n# minutes: 25\n# seconds: 1\n# ---\n"
SOURCE = HEADER + "# %% [markdown]\n# Hello.\n\n# %%\nprint(1)\n\n# %% [markdown]\n# Good bye.\n"


def made(folder: Path, **files: str) -> Path:
    (folder / "course.toml").write_text('lessons = ["01-twice.py", "02-thrice.py"]\nfast_track = ["02-thrice.py"]\n')
    for name in ("01-twice.py", "02-thrice.py"):
        (folder / name).write_text(SOURCE)
    return folder


def test_the_course_knows_its_lessons_and_their_order() -> None:
    shipped = load_course()
    assert [entry.number for entry in shipped] == sorted(int(entry.slug[:2]) for entry in shipped)
    first = shipped.find(1)
    assert (first.slug, first.title) == ("01-one-number-one-slope", "One number, one slope")
    assert first.minutes >= 25
    assert first.fast_track
    assert shipped.after(first) == shipped.entries[1]
    assert shipped.after(first, fast=True) == shipped.fast_track[1]
    assert shipped.after(shipped.entries[-1]) is None
    assert shipped.minutes == sum(entry.minutes for entry in shipped)


@pytest.mark.parametrize(
    "name", ["2", 2, "02", "02-gradients-add-up", "02-gradients-add-up.py", "gradients", "Gradients"]
)
def test_a_lesson_is_found_by_what_one_would_call_it(name: str | int) -> None:
    assert load_course().find(name).slug == "02-gradients-add-up"


def test_a_lesson_that_is_not_there_is_an_error_that_names_those_that_are(tmp_path: Path) -> None:
    small = load_course(made(tmp_path))
    with pytest.raises(NoSuchLessonError, match="no lesson '3'; the lessons are 1, 2"):
        small.find(3)
    with pytest.raises(NoSuchLessonError, match="no lesson 'four'; the lessons are 01-twice, 02-thrice"):
        small.find("four")
    with pytest.raises(NoSuchLessonError, match="several lessons begin with 't'"):
        small.find("t")


@pytest.mark.parametrize("text", [None, "lessons = [", "title = 'no lessons'"])
def test_a_folder_without_a_course_says_so(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "course.toml").write_text(text)
    with pytest.raises(LessonError, match=r"course\.toml"):
        load_course(tmp_path)


def test_a_file_that_is_no_lesson_is_named(tmp_path: Path) -> None:
    entry = load_course(made(tmp_path)).find(1)
    entry.path.write_text("x = 1\n")
    with pytest.raises(LessonError, match=r"01-twice\.py: line 1: a lesson begins with a header"):
        entry.title
    entry.path.unlink()
    entry = load_course(tmp_path).find(1)
    with pytest.raises(LessonError, match=r"cannot read .*01-twice\.py"):
        entry.title


def test_a_translation_replaces_the_texts_and_leaves_the_code(tmp_path: Path) -> None:
    entry = load_course(made(tmp_path)).find(1)
    german = template(entry.read()).replace("Hello.", "Hallo.").replace("title: Twice", "title: Zweimal")
    (tmp_path / "de").mkdir()
    (tmp_path / "de" / entry.path.name).write_text(german)
    assert entry.languages == ["de"]
    lesson = entry.read("de")
    assert [cell.text for cell in lesson.cells] == ["Hallo.", "print(1)", "Good bye."]
    assert lesson.header["title"] == "Zweimal"
    assert lesson.header["minutes"] == "25"
    assert entry.read("fr") == entry.read()


def test_a_text_that_has_changed_since_its_translation_is_shown_as_it_is_now_and_told() -> None:
    german = template(parse(SOURCE)).replace("Hello.", "Hallo.").replace("Good bye.", "Tschüss.")
    changed = parse(SOURCE.replace("Hello.", "Hello, you."))
    assert problems(parse(SOURCE), german) == []
    assert [cell.text for cell in translated(changed, german).cells] == ["Hello, you.", "print(1)", "Tschüss."]
    missing, gone = problems(changed, german)
    assert missing.startswith("the text of line 7 is not translated")
    assert gone.endswith("is no text of the lesson any more")


@pytest.mark.parametrize("cell", ["# %%\nprint(2)\n", "# %% [markdown]\n# Hallo.\n"])
def test_a_translation_holds_texts_that_say_what_they_translate(cell: str) -> None:
    with pytest.raises(LessonError, match="line 5: a translation holds text cells only"):
        translated(parse(SOURCE), "# ---\n# title: Zweimal\n# ---\n\n" + cell)


WRONG = """\
# ---
# lesson: Twice
# ---

# %% tags=["wrong"] id="double"
# You square it.
# Add it to itself.
def double(x):
    return x * x

# %% tags=["wrong"] id="double"
# That is the number itself.
def double(x):
    return x

# %% tags=["wrong"] id="double"
# That is the number itself.
def double(x):
    return 1 * x
"""

TO_DOUBLE = HEADER + '# %% tags=["exercise"] id="double"\ndef double(x): ...\n'


def test_the_sentences_of_wrong_answers_are_translated_once_each() -> None:
    lesson = with_mistakes(parse(TO_DOUBLE), WRONG)
    english = template(lesson)
    assert english.count("That is the number itself.") == 1
    assert problems(lesson, english) == []
    german = english.replace("You square it. Add it to itself.", "Du quadrierst es.\n# Addiere es zu sich selbst.")
    there = translated(lesson, german)
    assert there.mistakes == lesson.mistakes
    assert there.sentences["You square it. Add it to itself."] == "Du quadrierst es. Addiere es zu sich selbst."
    told = "not yet: You square it. Add it to itself.\n  called     double(3)"
    assert (
        retold(told, there, "double") == "not yet: Du quadrierst es. Addiere es zu sich selbst.\n  called     double(3)"
    )
    told = "not yet: That is no number.\n  called     double(3)"
    assert retold(told, there, "double") == told


def test_a_sentence_that_has_changed_since_its_translation_is_told_as_it_is_now() -> None:
    german = template(with_mistakes(parse(TO_DOUBLE), WRONG)).replace("You square it.", "Du quadrierst es.")
    changed = with_mistakes(parse(TO_DOUBLE), WRONG.replace("You square it.", "That is the square."))
    missing, gone = problems(changed, german)
    assert missing.startswith("the sentence of line 5 of the wrong answers is not translated: of=")
    assert gone.endswith("is no text of the lesson any more")
    told = "not yet: That is the square. Add it to itself.\n  called     double(3)"
    assert retold(told, translated(changed, german), "double") == told


CHECK = '''
# %% tags=["check"] id="double"
def yours(x):
    """twice {x}, by your `double`"""
    return double(x)

def own(x):
    """It is only called."""
    return x

class Even(Wanted):
    def wrong(self, found):
        return f"{found:.0f} is missing" if found % 2 else None

    def __repr__(self):
        return "an even number"

expect(yours, own(3), gives=Even())
'''
SAID = "not yet: 3 is missing\n  called     twice 3, by your `double`\n  expected   an even number\n  came back  3"


def test_what_a_check_says_is_translated_with_its_blanks() -> None:
    lesson = parse(TO_DOUBLE + CHECK)
    english = template(lesson)
    assert english.count('tags=["check"] id="double"') == 3
    assert "It is only called." not in english
    german = english.replace("twice {x}, by your `double`", "zweimal {x}, mit deinem `double`")
    german = german.replace("{found} is missing", "{found} fehlt").replace("an even number", "eine gerade Zahl")
    there = translated(lesson, german)
    told = (
        "not yet: 3 fehlt\n  called     zweimal 3, mit deinem `double`\n  expected   eine gerade Zahl\n  came back  3"
    )
    assert retold(SAID, there, "double") == told
    assert retold(SAID, there, "another") == SAID, "what one check says means nothing in another"
    assert retold(SAID, lesson, "double") == SAID
    (missing,) = problems(lesson, german.replace(fingerprint("an even number"), fingerprint("Hello.")))[:1]
    assert (
        missing == f"'an even number' in the check of line 10 is not translated: of=\"{fingerprint('an even number')}\""
    )


def test_every_public_name_of_the_classroom_is_found_where_it_is_said_to_be() -> None:
    assert sorted(name for names in classroom.MODULES.values() for name in names) == sorted(classroom.__all__)
    assert [name for name in classroom.__all__ if not hasattr(classroom, name)] == []

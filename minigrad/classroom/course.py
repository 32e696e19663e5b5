"""The course: its lessons, their order, and their files.

    course = mg.classroom.load_course()      the course that comes with minigrad
    course.find("2").title                   'Gradients add up'
    course.find("2").read()                  its parsed Lesson

`course.toml` in the lessons' folder names the files. From a source checkout that is `lessons/` beside the package, from
an installed wheel `lessons/` inside it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from ..errors import MinigradError
from .lesson import Lesson, LessonError, parse, with_mistakes
from .translation import retold, translated

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

INDEX = "course.toml"


class NoSuchLessonError(MinigradError, LookupError):
    """The course has no such lesson; the message names the lessons that it has."""


@dataclass(frozen=True)
class Entry:
    """One lesson of a course. Its file is read when first needed."""

    number: int
    """The number that begins its file's name; without one, its place in the course, from 1."""
    path: Path
    fast_track: bool

    @property
    def slug(self) -> str:
        """The lesson's name in an address: its file name without `.py`."""
        return self.path.stem

    @cached_property
    def source(self) -> str:
        """The text of the lesson's file, with solutions."""
        return read_text(self.path)

    @cached_property
    def header(self) -> Mapping[str, str]:
        """The lesson's header. Raises LessonError if the file is no lesson."""
        return self.read().header

    @property
    def title(self) -> str:
        """The lesson's title."""
        return self.header["title"]

    @property
    def goal(self) -> str:
        """The lesson's goal, in one sentence."""
        return self.header["goal"]

    @property
    def minutes(self) -> int:
        """The minutes a learner takes."""
        return int(self.header["minutes"])

    @property
    def seconds(self) -> float:
        """The seconds in which the whole file runs."""
        return float(self.header["seconds"])

    @property
    def mistakes(self) -> Path:
        """The file of the lesson's known wrong answers."""
        return self.path.parent / "mistakes" / self.path.name

    @property
    def languages(self) -> list[str]:
        """The languages the lesson is translated into, without its original language."""
        return sorted(
            path.parent.name for path in self.path.parent.glob(f"*/{self.path.name}") if path != self.mistakes
        )

    def read(self, language: str | None = None) -> Lesson:
        """The parsed lesson. With `language`, those of its texts that are translated are in that language."""
        try:
            lesson = parse(self.source)
            if self.mistakes.is_file():
                lesson = with_mistakes(lesson, read_text(self.mistakes))
            if language is None or language not in self.languages:
                return lesson
            return translated(lesson, read_text(self.path.parent / language / self.path.name))
        except LessonError as error:
            raise LessonError(f"{self.path}: {error}") from None

    def translations(self, message: str, exercise: str) -> dict[str, str]:
        """The message of a verdict in each language whose translation differs."""
        told = {language: retold(message, self.read(language), exercise) for language in self.languages}
        return {language: text for language, text in told.items() if text != message}


@dataclass(frozen=True)
class Course:
    """Lessons in the order in which they are learnt."""

    folder: Path
    title: str
    language: str
    entries: list[Entry] = field(default_factory=list)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def minutes(self) -> int:
        """The minutes a learner takes for the whole course."""
        return sum(entry.minutes for entry in self.entries)

    @property
    def fast_track(self) -> list[Entry]:
        """The lessons of the fast track."""
        return [entry for entry in self.entries if entry.fast_track]

    def find(self, name: str | int) -> Entry:
        """A lesson by its number, its slug, its file's name, or the beginning of its name without the number.

        >>> load_course().find("2").slug == load_course().find("gradients").slug == "02-gradients-add-up"
        True
        """
        wanted = str(name).strip().removesuffix(".py")
        if wanted.isdigit():
            found = [entry for entry in self.entries if entry.number == int(wanted)]
        else:
            found = [entry for entry in self.entries if entry.slug == wanted] or [
                entry for entry in self.entries if entry.slug.partition("-")[2].startswith(wanted.lower())
            ]
        if len(found) == 1:
            return found[0]
        there = ", ".join(str(entry.number) if wanted.isdigit() else entry.slug for entry in self.entries)
        what = f"several lessons begin with {wanted!r}" if found else f"there is no lesson {wanted!r}"
        raise NoSuchLessonError(f"{what}; the lessons are {there}. `minigrad lesson list` lists them")

    def after(self, entry: Entry, fast: bool = False) -> Entry | None:
        """The next lesson, of the whole course or of the fast track; None after the last."""
        later = [each for each in self.entries if each.number > entry.number and (each.fast_track or not fast)]
        return later[0] if later else None


def load_course(folder: Path | None = None) -> Course:
    """The course in `folder`, by default the one that comes with minigrad. Raises LessonError if there is none.

    >>> load_course().find(1).title
    'One number, one slope'
    """
    folder = Path(folder) if folder is not None else lessons_folder()
    index = folder / INDEX
    try:
        told = tomllib.loads(index.read_text(encoding="utf-8"))
        names, fast = list(told["lessons"]), set(told.get("fast_track", ()))
    except OSError as error:
        raise LessonError(f"There is no course in {folder}: {INDEX}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError) as error:
        raise LessonError(f"{index} does not say `lessons = [...]` in TOML: {error}") from None
    entries = [Entry(_number(name) or place, folder / name, name in fast) for place, name in enumerate(names, 1)]
    return Course(folder, str(told.get("title", folder.name)), str(told.get("language", "en")), entries)


def _number(name: str) -> int | None:
    first = name.partition("-")[0]
    return int(first) if first.isdecimal() else None


def lessons_folder() -> Path:
    """The folder of the lessons that come with minigrad. Raises LessonError if there is none."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "lessons", package.parent / "lessons"):
        if (folder / INDEX).is_file():
            return folder
    raise LessonError(f"minigrad's lessons are neither in {package} nor beside it. Install minigrad again.")


def read_text(path: Path) -> str:
    """The text of a lesson's file. Raises LessonError if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise LessonError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise LessonError(f"{path} is no text in UTF-8, so it is no lesson") from None

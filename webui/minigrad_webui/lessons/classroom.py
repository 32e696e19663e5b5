"""The open lessons and the learner's progress: the layer between the addresses and the course."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Executor
from functools import partial

from fastapi import WebSocket

from minigrad.classroom import Course, Entry, LessonError, LessonSession, NoSuchLessonError
from minigrad.classroom import Lesson as Source
from minigrad_webui.lessons import pages as pages
from minigrad_webui.lessons.memory import Memory
from minigrad_webui.lessons.open_lesson import OpenLesson
from minigrad_webui.lessons.progress import Progress
from minigrad_webui.lessons.protocol import (
    Card,
    Checked,
    CheckExercise,
    Draft,
    Exercise,
    Lesson,
    Overtaken,
    Question,
    Unknown,
)
from minigrad_webui.lessons.protocol import Course as CourseShown


def any_thread() -> Executor | None:
    """The default: run in any thread of the event loop."""
    return None


class Classroom:
    """One learner's course. `session` creates the session of a lesson; `known` waits until a run is
    in the store, `there` says whether it is.

    Answers are judged in the executor that `judging` returns. `closed` says why nothing may be run or checked
    now. The course is read again for each request, so its author sees changes at once.
    """

    def __init__(
        self,
        progress: Progress,
        session: Callable[[Entry, Source], LessonSession],
        known: Callable[[str], Awaitable[None]],
        grace: float,
        course: Callable[[], Course],
        judging: Callable[[], Executor | None] = any_thread,
        closed: Callable[[], str] = str,
        there: Callable[[str], bool] = bool,
    ) -> None:
        self.progress = progress
        self._there = there
        self._session = session
        self._known = known
        self._grace = grace
        self._course = course
        self._judging = judging
        self._closed = closed
        self._writing = threading.Lock()
        self._open: dict[str, OpenLesson] = {}
        self._leaving: dict[str, asyncio.Task[None]] = {}

    @property
    def open(self) -> int:
        """The number of open lessons."""
        return len(self._open)

    # Reading ------------------------------------------------------------------------------------------------------

    def course(self, language: str | None = None) -> CourseShown:
        """All lessons; with a `language`, their titles in it if they are translated."""
        files = self._files()
        cards = [self._card(entry, language) for entry in files]
        return CourseShown(title=files.title, language=files.language, folder=self._folder(), lessons=cards)

    def _folder(self) -> str:
        return "" if self.progress.folder is None else str(self.progress.folder.absolute())

    def lesson(self, slug: str, language: str | None = None) -> Lesson:
        """One lesson as its learner may see it; with a `language`, its texts in it if they are translated."""
        files = self._files()
        entry = _entry(files, slug)
        around = {
            name: None if each is None else self._card(each, language)
            for name, each in pages.neighbours(files, entry).items()
        }
        source = entry.read(language)
        return pages.page(entry, source, self.progress.standing(entry.slug, source), around)

    def _card(self, entry: Entry, language: str | None = None) -> Card:
        source = entry.read(language)
        return pages.card(entry, source, self.progress.standing(entry.slug, source))

    def _source(self, slug: str, language: str | None = None) -> tuple[Entry, Source]:
        entry = _entry(self._files(), slug)
        return entry, entry.read(language)

    def _files(self) -> Course:
        try:
            return self._course()
        except LessonError as error:
            raise Unknown(str(error)) from error

    # Writing ------------------------------------------------------------------------------------------------------

    def keep(self, slug: str, draft: Draft) -> Card:
        """Store the text of a cell. Raises Overtaken if another window has changed it since."""
        entry, source = self._source(slug)
        place = _place(draft.key, source)
        with self._writing:
            now = self.progress.standing(entry.slug, source).drafts.get(place, pages.originals(source)[place])
            if draft.base is not None and now not in (draft.base, draft.code):
                raise Overtaken("This cell was changed in another window since. Load the page again to see its text.")
            self.progress.keep(entry.slug, source, place, draft.code)
        return self._card(entry)

    def hint(self, slug: str, id: str, language: str | None = None) -> Exercise:
        """Reveal one more hint, if there is one."""
        entry, source = self._source(slug, language)
        _known_id(id, source.exercises, "exercise")
        shown = pages.exercise(source, id, self.progress.standing(entry.slug, source))
        if len(shown.hints) < shown.hints_in_all:
            self.progress.hint(entry.slug, id)
        return pages.exercise(source, id, self.progress.standing(entry.slug, source))

    def guess(self, slug: str, id: str, guess: float | None, language: str | None = None) -> Question:
        """Answer a question, or give it up."""
        entry, source = self._source(slug, language)
        _known_id(id, source.predictions, "question")
        self.progress.guess(entry.slug, id, guess)
        return pages.question(source, id, self.progress.standing(entry.slug, source))

    def reset_cell(self, slug: str, key: str, language: str | None = None) -> Lesson:
        """Reset a cell to the lesson's text."""
        entry, source = self._source(slug)
        with self._writing:
            self.progress.forget_cell(entry.slug, source, _place(key, source))
        return self.lesson(slug, language)

    def reset(self, slug: str, language: str | None = None) -> Lesson:
        """Reset a lesson: forget all that the learner did in it."""
        entry, _ = self._source(slug)
        with self._writing:
            self.progress.forget(entry.slug)
        if entry.slug in self._open:
            self._open[entry.slug].memory.clear()
        return self.lesson(slug, language)

    def _check(self, entry: Entry, source: Source, session: LessonSession, asked: CheckExercise) -> Checked:
        """Judge an answer, and store the verdict."""
        _known_id(asked.id, source.exercises, "exercise")
        drafts = self.progress.standing(entry.slug, source)
        earlier = answers_before(asked.id, source, drafts)
        verdict = session.check(asked.id, asked.code, earlier)
        self.progress.judged(entry.slug, asked.id, asked.code, verdict)
        now = self.progress.standing(entry.slug, source)
        exercise = pages.exercise(source, asked.id, now).model_copy(update={"code": asked.code})
        return Checked(
            id=asked.id,
            passed=verdict.passed,
            message=verdict.message,
            output=verdict.output,
            exercise=exercise,
            card=pages.card(entry, source, now),
        )

    # Running ------------------------------------------------------------------------------------------------------

    async def attend(self, slug: str, socket: WebSocket) -> None:
        """Serve a lesson's page until it leaves."""
        entry, source = await asyncio.to_thread(self._source, slug)
        leaving = self._leaving.pop(entry.slug, None)
        if leaving is not None:
            leaving.cancel()
        bench = self._open.get(entry.slug) or self._open.setdefault(entry.slug, self._opened(entry, source))
        try:
            await bench.attend(socket)
        finally:
            if not bench.attended and self._open.get(entry.slug) is bench:
                self._leaving[entry.slug] = asyncio.create_task(self._close_later(entry.slug, bench))

    def _opened(self, entry: Entry, source: Source) -> OpenLesson:
        session = self._session(entry, source)

        async def check(asked: CheckExercise) -> Checked:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._judging(), self._check, entry, source, session, asked)

        memory = Memory(self.progress.results(entry.slug), partial(self.progress.keep_results, entry.slug))
        return OpenLesson(session, check, self._known, self._closed, memory, self._there, entry.translations)

    async def _close_later(self, slug: str, bench: OpenLesson) -> None:
        await asyncio.sleep(self._grace)
        if not bench.attended:
            self._open.pop(slug, None)
            self._leaving.pop(slug, None)
            await bench.close()

    async def close(self) -> None:
        """Stop all that runs."""
        for task in self._leaving.values():
            task.cancel()
        benches, self._open = list(self._open.values()), {}
        await asyncio.gather(*(bench.close() for bench in benches))


def answers_before(id: str, source: Source, standing: pages.Standing) -> Mapping[str, str]:
    """The learner's passed answers to the exercises before this one."""
    earlier = source.exercises[: source.exercises.index(id)]
    places = {part.id: at for at, part in enumerate(source.cells) if part.tag == "exercise"}
    return {
        each: standing.drafts[places[each]]
        for each in earlier
        if each in standing.passed and places[each] in standing.drafts
    }


def _entry(files: Course, slug: str) -> Entry:
    try:
        return files.find(slug)
    except NoSuchLessonError as error:
        raise Unknown(str(error)) from error


def _place(key: str, source: Source) -> int:
    place = pages.place_of(key, source)
    if place is None:
        raise Unknown(f"The lesson has no cell {key!r} (any more). Load its page again.")
    return place


def _known_id(id: str, ids: list[str], what: str) -> None:
    if id not in ids:
        raise Unknown(f"The lesson has no {what} {id!r} (any more); it has {', '.join(ids) or 'none'}.")

"""The lessons' addresses.

    GET  /api/lessons                           the course, with the learner's progress
    GET  /api/lessons/{slug}                    one lesson, as its learner may see it
    POST /api/lessons/{slug}/draft              store the text of a cell
    POST /api/lessons/{slug}/hints/{id}         one more hint
    POST /api/lessons/{slug}/guesses/{id}       answer a question
    POST /api/lessons/{slug}/reset              reset the lesson
    POST /api/lessons/{slug}/reset/{key}        reset a cell
    WS   /api/lessons/{slug}/bench              run cells, check answers

minigrad itself is imported at the first request for a lesson: a server that only shows runs does not need it.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Path, Query, Request, Response, WebSocket

from minigrad.observe.publish.data_folder import data_dir
from minigrad_webui.errors import answer, trouble
from minigrad_webui.lessons.protocol import (
    Card,
    Course,
    Draft,
    Exercise,
    Guess,
    Lesson,
    Overtaken,
    Question,
    Refused,
    Unknown,
)
from minigrad_webui.runs.store import Store, UnknownRun
from minigrad_webui.websocket import say

if TYPE_CHECKING:
    from minigrad.classroom import Entry
    from minigrad.classroom import Lesson as Source
    from minigrad_webui.lessons.classroom import Classroom

GRACE = 20.0
"""Seconds that a page may be away, as when it is reloaded, before the Python of its lesson ends."""

PATIENCE, LOOK = 3.0, 0.02
"""The most seconds to wait for a lesson's run, and the seconds between two checks."""

Slug = Annotated[str, Path(description="the lesson's name, that of its file", examples=["01-one-number-one-slope"])]
Id = Annotated[str, Path(description="the id of an exercise or a question", examples=["two-ways"])]
Language = Annotated[str | None, Query(description="a language of the lesson's texts, as far as they are translated")]
Key = Annotated[str, Path(description="what the page calls a cell", examples=["c4"])]


def called(entry: Entry) -> str:
    """The name of the runs of a lesson."""
    return f"Lesson {entry.number}: {entry.title}"


class Lessons:
    """The classroom of this server, created at the first request for a lesson.

    `address` is the server's own URL and token, to which lessons publish their records. After `grace` seconds
    without its page, the Python of a lesson ends.
    """

    def __init__(self, address: tuple[str, str] | None, store: Store, grace: float = GRACE) -> None:
        self._address = address
        self._store = store
        self._grace = grace
        self._classroom: Classroom | None = None
        self.folder: FilePath | None = None
        """Another course than minigrad's own; set it before the first request for a lesson."""

    @property
    def open(self) -> int:
        """The number of open lessons."""
        return self._classroom.open if self._classroom is not None else 0

    @property
    def classroom(self) -> Classroom:
        """The classroom, created at first use."""
        if self._classroom is None:
            from minigrad.classroom import LessonSession, Watch, load_course
            from minigrad_webui.lessons.classroom import Classroom
            from minigrad_webui.lessons.progress import LearnerProgress

            watch = None if self._address is None else Watch(*self._address)
            course = partial(load_course, self.folder)

            def session(entry: Entry, lesson: Source) -> LessonSession:
                return LessonSession(lesson, watch=watch, name=called(entry))

            self._classroom = Classroom(
                LearnerProgress(data_dir() / "lessons"), session, self.appeared, self._grace, course, there=self.there
            )
        return self._classroom

    def seat(self, classroom: Classroom) -> None:
        """Use this classroom instead of creating one."""
        self._classroom = classroom

    async def appeared(self, run: str) -> None:
        """Wait, at most `PATIENCE` seconds, until a run is in the store."""
        left = int(PATIENCE / LOOK)
        while left > 0 and not self.there(run):
            left -= 1
            await asyncio.sleep(LOOK)

    def there(self, run: str) -> bool:
        """Whether a run is in the store."""
        try:
            self._store.run(run)
        except UnknownRun:
            return False
        return True

    async def close(self) -> None:
        """Stop all that runs."""
        if self._classroom is not None:
            await self._classroom.close()


_NO_LESSON = trouble(404, "There is no such lesson.")
_OVERTAKEN = _NO_LESSON | trouble(409, "Another window has written there since.")


def mount(app: FastAPI, lessons: Lessons) -> None:
    """Add the lessons' addresses."""
    _reading(app, lessons)
    _writing(app, lessons)

    @app.websocket("/api/lessons/{slug}/bench")
    async def bench(socket: WebSocket, slug: str) -> None:
        await socket.accept()
        try:
            await lessons.classroom.attend(slug, socket)
        except Unknown as error:
            await say(socket, Refused(message=str(error)).model_dump_json())
            await socket.close(1008)

    @app.exception_handler(Unknown)
    def not_there(request: Request, error: Unknown) -> Response:
        return answer(404, "unknown_lesson", str(error))

    @app.exception_handler(Overtaken)
    def overtaken(request: Request, error: Overtaken) -> Response:
        return answer(409, "overtaken", str(error))


def _reading(app: FastAPI, lessons: Lessons) -> None:
    @app.get("/api/lessons", tags=["lessons"], summary="The course")
    def course(language: Language = None) -> Course:
        """All lessons in order, with the learner's progress in each."""
        return lessons.classroom.course(language)

    @app.get("/api/lessons/{slug}", tags=["lessons"], summary="One lesson", responses=_NO_LESSON)
    def lesson(slug: Slug, language: Language = None) -> Lesson:
        """The texts and cells of a lesson. Solutions, checks and answers are included once they are earned."""
        return lessons.classroom.lesson(slug, language)


def _writing(app: FastAPI, lessons: Lessons) -> None:
    @app.post(
        "/api/lessons/{slug}/draft",
        tags=["lessons"],
        summary="Keep what was written",
        responses=_OVERTAKEN,
    )
    def draft(slug: Slug, draft: Draft) -> Card:
        """Store the text of a cell, as a plain file in the course's folder."""
        return lessons.classroom.keep(slug, draft)

    @app.post("/api/lessons/{slug}/hints/{id}", tags=["lessons"], summary="One more hint", responses=_NO_LESSON)
    def hint(slug: Slug, id: Id, language: Language = None) -> Exercise:
        """Reveal the next hint of an exercise. It stays revealed."""
        return lessons.classroom.hint(slug, id, language)

    @app.post("/api/lessons/{slug}/guesses/{id}", tags=["lessons"], summary="Answer a question", responses=_NO_LESSON)
    def guess(slug: Slug, id: Id, guess: Guess, language: Language = None) -> Question:
        """Answer a question, and return it with its answer. Only the first guess counts."""
        return lessons.classroom.guess(slug, id, guess.guess, language)

    @app.post("/api/lessons/{slug}/reset", tags=["lessons"], summary="Reset a lesson", responses=_NO_LESSON)
    def reset(slug: Slug, language: Language = None) -> Lesson:
        """Forget all that was written, revealed and passed in the lesson."""
        return lessons.classroom.reset(slug, language)

    @app.post("/api/lessons/{slug}/reset/{key}", tags=["lessons"], summary="Reset a cell", responses=_NO_LESSON)
    def reset_cell(slug: Slug, key: Key, language: Language = None) -> Lesson:
        """Reset a cell to the lesson's text; passed exercises stay passed."""
        return lessons.classroom.reset_cell(slug, key, language)

"""The room of a class: its lessons, its rules, and a seat for each pupil who is here."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from fastapi import FastAPI, WebSocket

from minigrad.classroom import (
    Course,
    Entry,
    Judge,
    Lesson,
    LessonBrokenError,
    LessonSession,
    Limits,
    RunnerError,
    Watch,
)
from minigrad.classroom.examiners import Examiners
from minigrad.classroom.limits import limits_for
from minigrad.classroom.sandbox import Sandbox
from minigrad_webui.app import create_app
from minigrad_webui.classroom.door import Door, Program
from minigrad_webui.classroom.protocol import Projected
from minigrad_webui.classroom.pupil_progress import PupilProgress
from minigrad_webui.classroom.register import Pupil, Register
from minigrad_webui.lessons.classroom import Classroom
from minigrad_webui.lessons.routes import called
from minigrad_webui.runs.store import Store

GRACE = 60.0
"""Seconds that a pupil's page may stay away before the Python of its lesson ends."""

KEPT_RUNS = 8
"""How many runs of a pupil are kept. Older ones are deleted when the next begins."""

CORES = os.cpu_count() or 1

CHECKED = 10.0
"""Every pupil's answer may take at least this many seconds before it is stopped."""

MEMORY, FILES, OUTPUT = 1024, 32, 100_000
"""The limits of a pupil's Python: mebibytes of memory, mebibytes of a file, and characters that a cell prints."""


class FixedEntry(Entry):
    """A lesson as it was when the class began, parsed once for all pupils."""

    @cached_property
    def _lessons(self) -> dict[str | None, Lesson]:
        return {language: super(FixedEntry, self).read(language) for language in (None, *self.languages)}

    def read(self, language: str | None = None) -> Lesson:
        """The parsed lesson, the same each time."""
        return self._lessons.get(language, self._lessons[None])


def fixed(course: Course, entries: list[Entry]) -> Course:
    """A course with only these lessons."""
    chosen = [FixedEntry(entry.number, entry.path, entry.fast_track) for entry in entries]
    return Course(course.folder, course.title, course.language, list[Entry](chosen))


class Bell:
    """Wakes all tasks that wait for news. Any thread may call `ring`."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waiting: set[asyncio.Event] = set()

    def start(self) -> None:
        """Start the bell, from the event loop in which the tasks wait."""
        self._loop = asyncio.get_running_loop()

    def ring(self) -> None:
        """Wake the tasks that wait for news."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake)

    def _wake(self) -> None:
        for event in self._waiting:
            event.set()

    @contextlib.contextmanager
    def heard(self) -> Any:
        """An event that is set at every ring."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            yield event
        finally:
            self._waiting.discard(event)


@dataclass(frozen=True)
class Keys:
    """The keys of the room. Each allows its holder one thing: to lead the class, to watch the projector, or to join."""

    presenter: str
    viewer: str
    code: str


class Room:
    """What all seats share. A few judges work on the answers of all pupils, so that each is judged soon.

    After an answer that had to be stopped, its pupil waits in a second queue, so that endless loops do not delay
    others.
    """

    def __init__(self, course: Course, register: Register, folder: Path, sandbox: Sandbox, keys: Keys) -> None:
        self.course, self.register, self.folder, self.sandbox, self.keys = course, register, folder, sandbox, keys
        self.address = ""
        """The address at which pupils join."""
        self.bell = Bell()
        register.changed = self.bell.ring
        self.judging = ThreadPoolExecutor(2 * CORES, "minigrad class judge")
        self.doubting = ThreadPoolExecutor(1, "minigrad class slow judge")
        self.warming = ThreadPoolExecutor(CORES, "minigrad class warmer")
        self.examiners = Examiners(2 * CORES, sandbox.absent)
        self.making = asyncio.Lock()
        """Applications are created one at a time, because creating their schemas is not thread-safe."""
        self._seats: dict[int, asyncio.Task[Seat]] = {}

    @property
    def title(self) -> str:
        """The title of the class: its lessons."""
        return " · ".join(f"{entry.number} {entry.title}" for entry in self.course)

    def page_of(self, pupil: int) -> str:
        """The page on which a pupil begins."""
        return f"pupil/{pupil}/lesson/{self.course.entries[0].slug}"

    @property
    def frozen(self) -> bool:
        """Whether work is frozen."""
        return self.register.fact("frozen") == "yes"

    @property
    def left(self) -> float | None:
        """Seconds to the deadline, if there is one."""
        until = self.register.fact("deadline")
        return max(0.0, float(until) - time.time()) if until else None

    @property
    def shown(self) -> Projected | None:
        """What the projector shows, or None."""
        told = self.register.fact("shown")
        return Projected.model_validate_json(told) if told else None

    def closed(self, id: int) -> str:
        """Why this pupil can run and check nothing now; empty if they can."""
        pupil = self.register.pupil(id)
        if pupil is None or pupil.handed_in is not None:
            return "You have handed in. Your teacher can give it back to you."
        if self.left == 0.0:
            return "The time is up."
        return "Your teacher has stopped work for a moment." if self.frozen else ""

    async def seat(self, id: int) -> Seat | None:
        """The seat of a pupil, created at first use; None if there is no such pupil."""
        pupil = self.register.pupil(id)
        if pupil is None:
            return None
        if id not in self._seats:
            self._seats[id] = asyncio.create_task(Seat(self, pupil).open())
        return await asyncio.shield(self._seats[id])

    async def close(self) -> None:
        """Stop all that runs. Stored work is kept."""
        seats, self._seats = list(self._seats.values()), {}
        await asyncio.gather(*(close(task) for task in seats), return_exceptions=True)
        self.judging.shutdown(wait=False, cancel_futures=True)
        self.doubting.shutdown(wait=False, cancel_futures=True)
        self.warming.shutdown(wait=False, cancel_futures=True)
        self.examiners.close()


async def close(task: asyncio.Task[Seat]) -> None:
    """End a seat, even one that is being created."""
    await (await task).close()


class Seat:
    """One pupil's own explorer: an application with its own runs, and lessons whose code runs in a sandbox."""

    app: FastAPI

    def __init__(self, room: Room, pupil: Pupil) -> None:
        self._room, self.pupil = room, pupil
        self._ends = contextlib.AsyncExitStack()

    async def open(self) -> Seat:
        """Create the pupil's store, application and socket."""
        self.store = await asyncio.to_thread(Store, self._room.folder / "runs" / f"{self.pupil.id}.sqlite")
        async with self._room.making:
            self.app = await asyncio.to_thread(create_app, self.store, None)
        self._publish: Callable[[WebSocket], Any] = self.app.state.publishing.serve
        self._door = Door(self._came)
        lessons = self.app.state.lessons
        progress = PupilProgress(self._room.register, self.pupil.id)
        classroom = Classroom(
            progress,
            self._session,
            lessons.appeared,
            GRACE,
            lambda: self._room.course,
            lambda: self._room.doubting if progress.stopped else self._room.judging,
            lambda: self._room.closed(self.pupil.id),
            lessons.there,
        )
        lessons.seat(classroom)
        await self._ends.enter_async_context(self.app.router.lifespan_context(self.app))
        await self._door.open()
        self._ends.push_async_callback(self._door.close)
        self._ends.push_async_callback(lessons.close)
        return self

    async def close(self) -> None:
        """Close in order: the pupil's Python, the socket for its records, the store."""
        await self._ends.aclose()

    async def _came(self, program: Program) -> None:
        await asyncio.to_thread(self._forget_runs)
        await self._publish(cast(WebSocket, program))

    def _forget_runs(self) -> None:
        for run in self.store.runs()[KEPT_RUNS - 1 :]:
            if run.status != "running":
                self.store.delete(run.id)

    def _session(self, entry: Entry, lesson: Lesson) -> LessonSession:
        sandbox = self._room.sandbox
        seconds = float(lesson.header["seconds"])
        firm = Limits(memory=MEMORY, file=FILES, output=OUTPUT)
        slow = Limits(**{**vars(firm), "seconds": limits_for(seconds).seconds})
        quick = Limits(**{**vars(firm), "seconds": max(CHECKED, 4 * seconds)})
        judge = Judge(lesson, quick, sandbox, self._room.examiners)
        watch = Watch(self._door.url) if sandbox.walls or hasattr(os, "fork") else None
        session = LessonSession(
            lesson,
            limits=slow,
            watch=watch,
            name=called(entry),
            sandbox=sandbox,
            judge=judge,
            ahead=self._room.warming,
        )
        if lesson.exercises:
            self._room.warming.submit(warm, session, lesson.exercises[0])
        return session


def warm(session: LessonSession, exercise: str) -> None:
    """Start what the pupil will need. An error is reported when it is needed."""
    with contextlib.suppress(RunnerError, LessonBrokenError):
        session.prepare(exercise)

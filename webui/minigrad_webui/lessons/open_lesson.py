"""One open lesson: the Python that its cells run in, and the page that shows it.

The page may leave and come back, as when it is reloaded; it then gets the cells' output again. Python ends only
after it has stayed away for a while. Of two pages of the same lesson, the later one takes it over.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ValidationError

from minigrad.classroom import LessonSession, Outcome, RunnerError
from minigrad_webui.lessons import pages as pages
from minigrad_webui.lessons.memory import Memory
from minigrad_webui.lessons.protocol import (
    ASKED,
    Checked,
    CheckExercise,
    Died,
    Draft,
    Finished,
    Interrupt,
    Judged,
    Output,
    Ready,
    Refused,
    RunCells,
    Started,
    Trouble,
)
from minigrad_webui.websocket import say

Spoken = TypeVar("Spoken", Checked, Judged)

INTERVAL = 1 / 30
"""The least seconds between two messages about a cell's output."""

TAKEN = 4001
"""The code with which a page's connection is closed when another page takes the lesson over."""


def untranslated(message: str, exercise: str) -> dict[str, str]:
    """The translations of a verdict's message: none."""
    return {}


class OpenLesson:
    """An open lesson. `check` judges an answer and returns the message about it; `known` waits for a run.

    `closed` says why nothing may be run or checked now, or is empty. `memory` has the results of an earlier Python of
    the lesson, and `there` says whether a run is still stored. `translations` gives the message of a verdict on an
    exercise in other languages.
    """

    def __init__(
        self,
        session: LessonSession,
        check: Callable[[CheckExercise], Awaitable[BaseModel]],
        known: Callable[[str], Awaitable[None]],
        closed: Callable[[], str] = str,
        memory: Memory | None = None,
        there: Callable[[str], bool] = bool,
        translations: Callable[[str, str], dict[str, str]] = untranslated,
    ) -> None:
        self.session = session
        self._translations = translations
        self.memory = memory or Memory("", lambda text: None)
        self._there = there
        self._closed = closed
        self._check = check
        self._known = known
        self._cells = ThreadPoolExecutor(1, "minigrad lesson")
        self._page: WebSocket | None = None
        self._waiting: list[BaseModel] = []
        self._news = asyncio.Event()
        self._history: dict[str, list[BaseModel]] = {}
        self._work: set[asyncio.Task[None]] = set()
        self._running: asyncio.Task[None] | None = None
        self._run: str | None = None
        self._queue: list[str] = []

    @property
    def attended(self) -> bool:
        """Whether a page is connected."""
        return self._page is not None

    # The page -----------------------------------------------------------------------------------------------------

    async def attend(self, socket: WebSocket) -> None:
        """Serve a page until it leaves, or another takes the lesson over."""
        older, self._page = self._page, socket
        if older is not None:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await older.close(TAKEN)
        self._waiting = [Ready(run=self._run), *self._from_before(), *self._so_far()]
        self._news.set()
        telling = asyncio.create_task(self._tell(socket))
        try:
            while True:
                self._take(await socket.receive_text())
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            telling.cancel()
            if self._page is socket:
                self._page = None

    def _from_before(self) -> Iterable[BaseModel]:
        run = self.memory.run if self._run is None else None
        told = self.memory.told(run if run is not None and self._there(run) else None, self._history)
        if told is None:
            return []
        return [told.model_copy(update={"verdicts": [self._translated(each) for each in told.verdicts]})]

    def _translated(self, verdict: Spoken) -> Spoken:
        return verdict.model_copy(update={"translations": self._translations(verdict.message, verdict.id)})

    def _so_far(self) -> Iterable[BaseModel]:
        """The messages about the cells that have run, in the order in which they ran."""
        return [message for told in self._history.values() for message in told]

    async def _tell(self, socket: WebSocket) -> None:
        with contextlib.suppress(WebSocketDisconnect):
            while self._page is socket:
                await self._news.wait()
                if self._page is not socket:
                    return  # these messages are for the page that has the lesson now
                self._news.clear()
                messages, self._waiting = self._waiting, []
                for message in joined(messages):
                    await say(socket, message.model_dump_json())
                await asyncio.sleep(INTERVAL)

    def _say(self, message: BaseModel) -> None:
        if self._page is not None:
            self._waiting.append(message)
            self._news.set()

    # Requests of the page

    def _take(self, text: str) -> None:
        try:
            asked = ASKED.validate_json(text)
        except ValidationError as error:
            self._say(Refused(message=f"The server does not understand this page; load it again. {error}"))
            return
        if isinstance(asked, Interrupt):
            self._queue.clear()
            self.session.interrupt()
        elif self._closed():
            self._say(Refused(message=self._closed()))
        elif isinstance(asked, CheckExercise):
            self._begin(self._judge(asked))
        elif self._running is not None and not self._running.done():
            self._say(Refused(message="A cell is running. Stop it first, or wait."))
        else:
            self._running = self._begin(self._cells_of(asked) if isinstance(asked, RunCells) else self._restart())

    def _begin(self, work: Awaitable[None]) -> asyncio.Task[None]:
        task = asyncio.ensure_future(work)
        self._work.add(task)
        task.add_done_callback(self._work.discard)
        return task

    async def _in_thread(self, do: Callable[[], object]) -> object:
        return await asyncio.get_running_loop().run_in_executor(self._cells, do)

    async def _judge(self, asked: CheckExercise) -> None:
        try:
            checked = await self._check(asked)
            if isinstance(checked, Checked):
                await asyncio.to_thread(self.memory.judged, asked.code, checked)
                checked = self._translated(checked)
            self._say(checked)
        except Exception as error:  # the page needs an answer even if the lesson does not run
            self._say(Refused(message=f"The check could not be done: {error}"))

    # Running ------------------------------------------------------------------------------------------------------

    async def _cells_of(self, asked: RunCells) -> None:
        self._queue = [cell.key for cell in asked.cells]
        try:
            if asked.fresh:
                self._forget()
            await self._in_thread(self.session.restart if asked.fresh else self.session.start)
            await self._announce()
        except RunnerError as error:
            self._queue.clear()
            self._say(Died(message=str(error)))
            return
        failed = False
        for cell in asked.cells:
            if failed or cell.key not in self._queue:
                self._tell_of(cell.key, Finished(key=cell.key, status="skipped"))
            else:
                failed = not await self._one(cell)
        self._queue.clear()

    async def _restart(self) -> None:
        self._forget()
        await self._in_thread(self.session.close)
        self._run = None
        self._say(Ready(run=None))

    def _forget(self) -> None:
        self._history.clear()

    async def _announce(self) -> None:
        """Send the id of the run that records the new Python, once it is in the store."""
        if self.session.run_id != self._run:
            self._run = self.session.run_id
            if self._run is not None:
                await self._known(self._run)
            self._say(Ready(run=self._run))

    async def _one(self, cell: Draft) -> bool:
        """Run a cell. Returns whether the next one may follow."""
        place = pages.place_of(cell.key, self.session.lesson)
        if place is None:
            self._say(Refused(message=f"This lesson has no cell {cell.key!r} any more. Load the page again."))
            return False
        self._history.pop(cell.key, None)
        self._tell_of(cell.key, Started(key=cell.key))
        loop = asyncio.get_running_loop()

        def heard(text: str) -> None:
            loop.call_soon_threadsafe(self._tell_of, cell.key, Output(key=cell.key, text=text))

        try:
            outcome = await self._in_thread(lambda: self.session.run(place, cell.code, heard))
        except RunnerError as error:
            self._tell_of(cell.key, Finished(key=cell.key, status="failed", trouble=Trouble(message=str(error))))
            return False
        assert isinstance(outcome, Outcome)
        end = finished(cell.key, outcome, self.session.called(place))
        await asyncio.to_thread(self.memory.ran, cell.code, self._run, [*self._history[cell.key], end])
        self._tell_of(cell.key, end)  # last, because the page may ask for the next cells at once
        if not outcome.alive:
            self._history.clear()
            self._say(Died(message=outcome.sentence))
        return outcome.well

    def _tell_of(self, key: str, message: BaseModel) -> None:
        """Send a message about a cell to the page, and keep it for a page that connects later."""
        self._history.setdefault(key, []).append(message)
        self._say(message)

    # Closing

    async def close(self) -> None:
        """End Python, and drop all waiting requests."""
        self._queue.clear()
        self.session.interrupt()
        await self._in_thread(self.session.close)
        for task in tuple(self._work):
            task.cancel()
        await asyncio.gather(*self._work, return_exceptions=True)
        self._cells.shutdown(wait=False)


def finished(key: str, outcome: Outcome, called: str) -> Finished:
    """The message to the page about an outcome."""
    if outcome.status == "done":
        return Finished(key=key, status="ok", seconds=outcome.seconds)
    if outcome.status in ("failed", "died"):
        error = outcome.error or {}
        trouble = Trouble(
            message=outcome.sentence, traceback=error.get("text", ""), line=line_in(called, error.get("text", ""))
        )
        return Finished(key=key, status="failed", seconds=outcome.seconds, trouble=trouble)
    return Finished(key=key, status="interrupted", seconds=outcome.seconds, note=outcome.sentence)


def line_in(called: str, traceback: str) -> int | None:
    """The last line of that cell in a traceback; None if there is none.

    >>> line_in("cell 3", 'File "cell 3", line 4, in <module>\\n  File "cell 1 (f)", line 2, in f')
    4
    """
    found = re.findall(rf'File "{re.escape(called)}(?: \(version \d+\))?", line (\d+)', traceback)
    return int(found[-1]) if found else None


def joined(messages: Sequence[BaseModel]) -> list[BaseModel]:
    """The messages, with consecutive output of one cell joined into one."""
    out: list[BaseModel] = []
    for message in messages:
        last = out[-1] if out else None
        if isinstance(message, Output) and isinstance(last, Output) and last.key == message.key:
            out[-1] = Output(key=last.key, text=last.text + message.text)
        else:
            out.append(message)
    return out

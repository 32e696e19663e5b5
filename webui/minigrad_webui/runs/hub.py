"""Send the records of one publisher to many viewers.

Each watched run has a `Channel`. It collects stored records, and at most 30 times a second writes them as text,
once, for all viewers. A viewer has a short queue; if that is full, the viewer becomes *stale*: its queue is emptied,
and as soon as it takes a message again it gets a new snapshot of the whole picture. So a slow viewer delays no other,
and never the publisher.

A snapshot is read from the store, which may be ahead of the batches that are still on their way to a viewer. Each
viewer therefore has the number up to which it is complete, and gets only records after that.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import NamedTuple

from minigrad.observe.publish.wire import write_batch
from minigrad_webui.protocol import Pause, Run, Step, StepUpdate
from minigrad_webui.runs.incoming import Line
from minigrad_webui.runs.store import Store, UnknownRun

INTERVAL = 1 / 30
"""The least seconds between two batches to the same viewers."""

COST = 0.0003
"""Seconds of the server's time for each viewer and round: with more viewers, rounds are further apart."""

CHANGE = 0.1
"""The least seconds between two changes of the followed step: a fast program has too many steps to see."""

UPDATE = 0.25
"""The least seconds between two messages about the timeline while a run is active."""

ROOM = 8
"""How many messages may wait for one viewer."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One message for many viewers: a batch of `lines`, or another message.

    After it, a viewer is complete up to `last`.
    """

    text: str
    last: int = 0
    lines: Sequence[Line] = ()

    def beyond(self, complete: int) -> str:
        """The part of the message that a viewer lacks if it is complete up to that number; empty if none."""
        if not self.lines or self.lines[0].seq > complete:
            return self.text
        rest = [line.text for line in self.lines if line.seq > complete]
        return write_batch(complete + 1, self.last, rest) if rest else ""


class Made(NamedTuple):
    """The picture of a step."""

    step: int
    chosen_among: int
    """The newest step, if the run has ended."""
    frame: Frame


@dataclass(eq=False)
class Viewer:
    """One browser window. With `step` None it follows the newest step.

    `outline` asks for the outline of a large step first.
    """

    step: int | None
    outline: bool = False
    shown: int = -1
    """The step of the last snapshot in the queue."""
    chosen_among: int = -1
    """The newest step when the step to show was chosen in an ended run: only a newer step replaces that choice."""
    complete: int = 0
    """The number up to which all records were sent."""
    stale: bool = True
    queue: deque[Frame] = field(default_factory=deque)
    awake: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.awake.set()

    @property
    def follows_from(self) -> int:
        """A viewer that follows turns to a step newer than this."""
        return max(self.shown, self.chosen_among)

    def offer(self, frame: Frame) -> None:
        """Queue a message. If there is no room, the viewer becomes stale instead."""
        if self.stale:
            return
        if len(self.queue) >= ROOM:
            self.refresh()
        else:
            self.queue.append(frame)
            self.awake.set()

    def turn_to(self, step: int, snapshot: Frame) -> None:
        """Show another step. Waiting messages are dropped: the snapshot has their records."""
        self.queue.clear()
        self.shown = step
        self.offer(snapshot)

    def refresh(self) -> None:
        """Drop all waiting messages; a snapshot comes next."""
        self.queue.clear()
        self.stale = True
        self.awake.set()

    def follow(self, step: int | None) -> None:
        """Show this step from now on, or always the newest if None."""
        self.step = step
        self.refresh()


class Channel:
    """One watched run: its viewers, and the records that they have not been sent yet."""

    def __init__(self, run: str, store: Store) -> None:
        self.run = run
        self.viewers: set[Viewer] = set()
        self._store = store
        self._pending: list[Line] = []
        self._steps: dict[int, Step] = {}
        self._row: Run | None = None
        self._paused: Pause | None = None
        self._newest = -1
        self._told = 0
        """All records up to this number have been offered to the viewers."""
        self._turned = 0.0
        self._updated = 0.0
        self._news = asyncio.Event()
        self._reading = asyncio.Lock()
        self._snapshots: dict[int | None, Made] = {}
        self._rounds = asyncio.create_task(self._go_round())

    def close(self) -> None:
        """End the channel after the last viewer has gone."""
        self._rounds.cancel()

    def tell(self, run: Run, steps: Iterable[Step] = (), lines: Sequence[Line] = ()) -> None:
        """Take stored changes. Viewers get them in the next round, and a pause at once."""
        if run.paused != self._paused:
            self._paused, self._updated = run.paused, 0.0
        self._row = run
        self._steps.update((row.step, row) for row in steps)
        self._pending += lines
        self._news.set()

    def forget(self) -> None:
        """Forget all that was read of the run; viewers get new snapshots."""
        self._snapshots.clear()
        for viewer in self.viewers:
            viewer.refresh()

    async def messages(self, viewer: Viewer) -> AsyncIterator[str]:
        """The messages for `viewer`, without end. Raises UnknownRun once the run is deleted."""
        while True:
            await viewer.awake.wait()
            if viewer.stale:
                if viewer.outline:
                    viewer.outline = False
                    outline = await asyncio.to_thread(self._store.outline, self.run, viewer.step)
                    if outline is not None:
                        viewer.awake.clear()  # it subscribes again after drawing the outline
                        yield outline.message()
                        continue
                # From here on messages are queued again, so none is missing between the snapshot and them.
                viewer.stale = False
                picture = await self._snapshot(viewer.step)
                viewer.shown, viewer.chosen_among = picture.step, picture.chosen_among
                viewer.complete = picture.frame.last
                yield picture.frame.text
            elif viewer.queue:
                frame = viewer.queue.popleft()
                text = frame.beyond(viewer.complete)
                viewer.complete = max(viewer.complete, frame.last)
                if text:
                    yield text
            else:
                viewer.awake.clear()

    async def _go_round(self) -> None:
        """Send the news to all viewers, in rounds."""
        while True:
            await self._news.wait()
            self._news.clear()
            with contextlib.suppress(UnknownRun):
                await self._tell_all()
            await asyncio.sleep(max(INTERVAL, COST * len(self.viewers)))

    async def _tell_all(self) -> None:
        lines, self._pending = self._pending, []
        batches = self._batches(lines)
        behind = [v for v in self.viewers if v.step is None and v.follows_from < self._newest and not v.stale]
        if behind and monotonic() - self._turned < CHANGE:
            self._news.set()
            behind = []
        if behind:
            picture = await self._snapshot(self._newest)
            self._turned = monotonic()
            for viewer in behind:
                viewer.turn_to(picture.step, picture.frame)
        update = self._update()
        for viewer in self.viewers:
            if viewer.shown in batches:
                viewer.offer(batches[viewer.shown])
            if update is not None:
                viewer.offer(update)

    def _batches(self, lines: Sequence[Line]) -> dict[int, Frame]:
        """For each step its new lines, as one message. Together they cover all numbers since the last round."""
        if not lines:
            return {}
        first, self._told = min(self._told + 1, lines[0].seq), lines[-1].seq
        parts: dict[int, list[Line]] = {}
        for line in lines:
            parts.setdefault(line.step, []).append(line)
        self._newest = max(self._newest, *parts)
        watched = {viewer.shown for viewer in self.viewers}
        return {
            step: Frame(write_batch(first, part[-1].seq, (line.text for line in part)), part[-1].seq, part)
            for step, part in parts.items()
            if step in watched
        }

    def _update(self) -> Frame | None:
        """The changes of the timeline and the run, or None if it is too early to send them."""
        if self._row is None:
            return None
        if self._row.status == "running" and monotonic() - self._updated < UPDATE:
            self._news.set()
            return None
        rows = [self._steps[step] for step in sorted(self._steps)]
        text = StepUpdate(run=self._row, steps=rows).model_dump_json()
        self._row, self._steps, self._updated = None, {}, monotonic()
        return Frame(text)

    async def _snapshot(self, step: int | None) -> Made:
        """The snapshot of `step`, or of the newest, up to the last round. One is shared by all who ask."""
        told = self._told
        async with self._reading:
            made = self._snapshots.get(step)
            if made is None or made.frame.last < told or not told:
                picture = await asyncio.to_thread(self._store.picture, self.run, step)
                frame = Frame(await asyncio.to_thread(picture.message), picture.seq)
                ended = picture.run.status != "running"
                made = Made(picture.step, picture.run.steps - 1 if ended else -1, frame)
                self._snapshots = {step: made}
                self._told = self._told or picture.seq
            return made


class Hub:
    """The channels of all watched runs."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._channels: dict[str, Channel] = {}
        self.counted: Callable[[str, int], None] = lambda run, viewers: None
        """Called with a run and the number of its viewers, whenever that number changes."""

    def audience(self, run: str) -> int:
        """The number of viewers of that run."""
        channel = self._channels.get(run)
        return 0 if channel is None else len(channel.viewers)

    @property
    def viewers(self) -> int:
        """The number of viewers of all runs."""
        return sum(len(channel.viewers) for channel in self._channels.values())

    def tell(self, run: Run, steps: Iterable[Step] = (), lines: Sequence[Line] = ()) -> None:
        """Tell the viewers of a run what was stored."""
        channel = self._channels.get(run.id)
        if channel is not None:
            channel.tell(run, steps, lines)

    def forget(self, run: str) -> None:
        """Tell the viewers of a run that it was deleted."""
        channel = self._channels.get(run)
        if channel is not None:
            channel.forget()

    @contextlib.contextmanager
    def watching(self, run: str, step: int | None, *, outline: bool = False) -> Iterator[tuple[Channel, Viewer]]:
        """Add a viewer of a run while the block runs."""
        channel = self._channels.get(run) or self._channels.setdefault(run, Channel(run, self._store))
        viewer = Viewer(step, outline)
        channel.viewers.add(viewer)
        self.counted(run, len(channel.viewers))
        try:
            yield channel, viewer
        finally:
            channel.viewers.discard(viewer)
            self.counted(run, len(channel.viewers))
            if not channel.viewers and self._channels.get(run) is channel:
                channel.close()
                del self._channels[run]

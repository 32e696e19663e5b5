"""From one publisher to many viewers, some of them slow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from minigrad_webui.protocol import LIVE
from minigrad_webui.runs import hub as hub_module
from minigrad_webui.runs import snapshots
from minigrad_webui.runs.hub import ROOM, Channel, Hub, Viewer
from minigrad_webui.runs.store import Store, UnknownRun
from tests.webui.synthetic import Record, lines, one_step, record, started, training

Message = dict[str, Any]


class Stage:
    """A store, a hub, and a program that writes into them."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.hub = Hub(store)
        store.begin("r1", "demo.py", "2026-01-01T12:00:00+00:00")
        self.publish([started()])

    def publish(self, records: list[Record]) -> None:
        appended = self.store.append("r1", lines(records))
        self.hub.tell(appended.run, appended.steps, appended.lines)


@pytest.fixture
def stage() -> Iterator[Stage]:
    store = Store()
    yield Stage(store)
    store.close()


def play(scene: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scene(), 20))


async def told(messages: Any, kind: str) -> Message:
    """The next message of that kind."""
    async for text in messages:
        LIVE.validate_json(text)
        message: Message = json.loads(text)
        if message["type"] == kind:
            return message
    raise AssertionError("messages never end")


def seqs(message: Message) -> list[int]:
    return [one["seq"] for one in message["records"]]


def released(first: int, last: int, step: int = 0) -> list[Record]:
    return [record(seq, step, "released", node=1) for seq in range(first, last + 1)]


def test_a_viewer_gets_the_picture_first_and_then_what_is_new(stage: Stage) -> None:
    async def scene() -> None:
        stage.publish(released(2, 5))
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            snapshot = await told(messages, "snapshot")
            assert (snapshot["seq"], seqs(snapshot)) == (5, [1, 2, 3, 4, 5])
            stage.publish(released(6, 8))
            batch = await told(messages, "batch")
            assert (batch["first"], batch["last"], seqs(batch)) == (6, 8, [6, 7, 8])
            assert (await told(messages, "steps"))["steps"][0]["last"] == 8

    play(scene)


def test_who_asks_for_an_outline_gets_nothing_else_until_it_asks_for_more(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "LARGE", 3)

    async def scene() -> None:
        stage.publish([record(2, 0, "source", file="demo.py", text="x\n"), *released(3, 9)])
        with stage.hub.watching("r1", None, outline=True) as (channel, viewer):
            messages = channel.messages(viewer)
            outline = json.loads(await anext(messages))
            assert (outline["type"], outline["seq"], seqs(outline)) == ("outline", 9, [2])
            following = asyncio.ensure_future(anext(messages))
            stage.publish(released(10, 12))
            assert not (await asyncio.wait([following], timeout=0.2))[0]
            viewer.follow(None)
            snapshot = json.loads(await following)
            assert (snapshot["type"], seqs(snapshot)) == ("snapshot", list(range(1, 13)))
            viewer.follow(0)
            assert (await told(messages, "snapshot"))["step"] == 0, "an outline comes once"

    play(scene)


def test_nothing_is_missing_and_nothing_twice_however_writing_and_watching_meet(stage: Stage) -> None:
    async def scene() -> None:
        async def write() -> None:
            for first in range(2, 902, 3):
                stage.publish(released(first, first + 2))
                await asyncio.sleep(0)

        async def watch() -> list[int]:
            with stage.hub.watching("r1", None) as (channel, viewer):
                seen: list[int] = []
                async for text in channel.messages(viewer):
                    message = json.loads(text)
                    if message["type"] == "snapshot":
                        seen = seqs(message)
                    elif message["type"] == "batch":
                        assert message["first"] == seen[-1] + 1
                        seen += seqs(message)
                    if seen and seen[-1] == 901:
                        return seen
            raise AssertionError("unreachable")

        *watched, _ = await asyncio.gather(*(watch() for _ in range(20)), write())
        assert all(seen == list(range(1, 902)) for seen in watched)

    play(scene)


def test_a_follower_turns_to_the_newest_step_and_a_holder_stays(stage: Stage) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, follower), stage.hub.watching("r1", 0) as (_, holder):
            following, holding = channel.messages(follower), channel.messages(holder)
            await told(following, "snapshot")
            await told(holding, "snapshot")
            stage.publish([*released(2, 3), *released(4, 6, step=1)])
            turned = await told(following, "snapshot")
            assert (turned["step"], seqs(turned)) == (1, [4, 5, 6])
            assert seqs(await told(holding, "batch")) == [2, 3]
            stage.publish(released(7, 9, step=1))
            assert seqs(await told(following, "batch")) == [7, 8, 9]
            await told(holding, "steps")
            while holder.queue:
                assert holder.queue.popleft().lines == ()

    play(scene)


def ended_in_trouble() -> list[Record]:
    """Two whole steps, of which the first made a NaN; the second is over and so is the run."""
    first = list(one_step(1, 0, 0, 2))
    found = {**record(first[-1]["seq"], 0, "anomaly_found", message="Tanh made a NaN", node=2), "kind": "nan"}
    step = {**first[-1], "seq": found["seq"] + 1}
    second = list(one_step(step["seq"], 1, 3, 2))
    return [*first[:-1], found, step, *second, record(second[-1]["seq"] + 1, 1, "run_finished", status="finished")]


def test_who_looks_again_at_a_run_that_has_ended_stays_where_it_went_wrong(stage: Stage) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            await told(messages, "snapshot")
            stage.publish(ended_in_trouble())
            assert (await told(messages, "steps"))["run"]["status"] == "finished"
            viewer.follow(None)  # as the page does when it hears that
            while (again := await told(messages, "snapshot"))["step"] != 0:
                pass
            assert again["run"]["trouble"]["step"] == 0
            stage.hub.tell(stage.store.run("r1"))
            await asyncio.sleep(0.5)
            assert not [each for each in viewer.queue if '"type":"snapshot"' in each.text]

    play(scene)


def test_a_viewer_can_turn_to_another_step(stage: Stage) -> None:
    async def scene() -> None:
        stage.publish(released(2, 4, step=1))
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            assert (await told(messages, "snapshot"))["step"] == 1
            viewer.follow(0)
            back = await told(messages, "snapshot")
            assert (back["step"], seqs(back)) == (0, [1])

    play(scene)


def test_a_slow_viewer_gets_a_fresh_picture_and_holds_nobody_up(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "INTERVAL", 0.001)

    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, slow), stage.hub.watching("r1", None) as (_, quick):
            slowly, quickly = channel.messages(slow), channel.messages(quick)
            await told(slowly, "snapshot")
            await told(quickly, "snapshot")
            last = 1
            while not slow.stale:
                last += 1
                stage.publish(released(last, last))
                assert seqs(await told(quickly, "batch")) == [last]
                assert len(slow.queue) <= ROOM
            fresh = await told(slowly, "snapshot")
            assert (fresh["seq"], seqs(fresh)) == (last, list(range(1, last + 1)))
            stage.publish(released(last + 1, last + 1))
            assert seqs(await told(slowly, "batch")) == [last + 1]

    play(scene)


def test_a_batch_is_written_once_for_all_viewers(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, first), stage.hub.watching("r1", None) as (_, second):
            for viewer in (first, second):
                await told(channel.messages(viewer), "snapshot")
            stage.publish(released(2, 3))
            while not (first.queue and second.queue):
                await asyncio.sleep(0)
            assert first.queue[0] is second.queue[0]

    play(scene)


def test_the_end_of_a_run_is_told(stage: Stage) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            await told(messages, "snapshot")
            stage.publish([record(2, 0, "run_finished", status="failed", error="ValueError: no")])
            run = (await told(messages, "steps"))["run"]
            assert (run["status"], run["error"]) == ("failed", "ValueError: no")

    play(scene)


def test_a_lost_run_is_told_although_no_record_says_so(stage: Stage) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            await told(messages, "snapshot")
            lost = stage.store.lose("r1", "killed")
            assert lost is not None
            stage.hub.tell(lost)
            assert (await told(messages, "steps"))["run"]["status"] == "lost"

    play(scene)


def test_viewers_of_a_deleted_run_find_out(stage: Stage) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            await told(messages, "snapshot")
            stage.store.delete("r1")
            stage.hub.forget("r1")
            with pytest.raises(UnknownRun):
                await told(messages, "snapshot")

    play(scene)


def test_a_run_that_nobody_watches_costs_nothing(stage: Stage) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None):
            assert stage.hub.viewers == 1
        assert stage.hub.viewers == 0
        stage.publish(released(2, 3))
        with stage.hub.watching("r1", None) as (channel, viewer):
            assert seqs(await told(channel.messages(viewer), "snapshot")) == [1, 2, 3]

    play(scene)


def test_a_fast_program_turns_its_followers_ten_times_a_second_at_most(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_module, "INTERVAL", 0.001)

    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            begun = asyncio.get_running_loop().time()
            turns = 0
            for step in range(1, 100):
                stage.publish(released(step + 1, step + 1, step=step))
                turns += sum([await _is_snapshot(channel, viewer, messages)])
            passed = asyncio.get_running_loop().time() - begun
            assert turns <= 2 + passed / hub_module.CHANGE

    play(scene)


async def _is_snapshot(channel: Channel, viewer: Viewer, messages: Any) -> bool:
    """Whether the next message is one."""
    message = json.loads(await anext(messages))
    return bool(message["type"] == "snapshot")


def test_a_training_seen_live_ends_with_the_picture_of_its_last_step(stage: Stage) -> None:
    async def scene() -> None:
        with stage.hub.watching("r1", None) as (channel, viewer):
            messages = channel.messages(viewer)
            for one in list(training(steps=5))[1:]:
                stage.publish([one])
                await asyncio.sleep(0)
            while True:
                message = await told(messages, "snapshot")
                if message["step"] == 4:
                    break
            while message["run"]["status"] != "finished":
                message = await told(messages, "steps")

    play(scene)

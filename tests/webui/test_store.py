"""Runs on disk."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minigrad_webui.protocol import LIVE
from minigrad_webui.runs import snapshots
from minigrad_webui.runs.database import DamagedStore, set_aside
from minigrad_webui.runs.store import Store, StoreError, UnknownRun
from tests.webui.synthetic import lines, one_step, record, started, training

STARTED = "2026-01-01T12:00:00+00:00"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    opened = Store(tmp_path / "runs.sqlite")
    yield opened
    opened.close()


def fill(store: Store, run: str = "r1", **shape: int) -> None:
    store.begin(run, "demo.py", STARTED)
    store.append(run, lines(training(run, **shape)))  # type: ignore[arg-type]


def test_what_was_appended_is_read_back_word_for_word(store: Store) -> None:
    fill(store, steps=3)
    assert list(store.records("r1")) == [line.text for line in lines(training(steps=3))]


def test_a_run_counts_its_records_its_steps_and_its_loss(store: Store) -> None:
    fill(store, steps=4)
    run = store.run("r1")
    assert (run.name, run.status, run.steps, run.loss) == ("demo.py", "finished", 4, 0.25)
    assert run.records == len(list(training(steps=4)))
    assert run.ended is not None
    assert run.ended.startswith("2026-01-01T12:00:00.0")


def test_the_timeline_says_what_each_step_came_to(store: Store) -> None:
    fill(store, steps=3, nodes=2)
    rows = list(store.steps("r1"))
    assert [row.step for row in rows] == [0, 1, 2]
    assert [(row.nodes, row.backwards, row.values, row.done) for row in rows] == [(2, 1, True, True)] * 3
    assert [row.loss for row in rows] == [1.0, 0.5, pytest.approx(1 / 3)]
    assert [row.first for row in rows] == [1, rows[0].last + 1, rows[1].last + 1]


def test_a_loss_that_became_nan_is_not_hidden_behind_the_last_number(store: Store) -> None:
    store.begin("r1", "demo.py", "2026-01-01T12:00:00+00:00")
    taken = [record(2, 0, "step_taken", loss=0.5), record(3, 1, "step_taken", loss=None, not_finite="nan")]
    store.append("r1", lines([started(), *taken]))
    run = store.run("r1")
    assert (run.loss, run.not_finite) == (None, "nan")
    assert [(row.loss, row.not_finite) for row in store.steps("r1")] == [(0.5, None), (None, "nan")]


@given(cuts=st.lists(st.integers(0, 40), max_size=6), reopen=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
def test_however_a_run_is_cut_into_batches_and_reopened_the_store_is_the_same(cuts: list[int], reopen: bool) -> None:
    store, whole = Store(), lines(training(steps=4, nodes=3))
    store.begin("r1", "demo.py", STARTED)
    edges = [0, *sorted(cuts), len(whole)]
    for first, last in pairwise(edges):
        if reopen:
            store.begin("r1", "demo.py", STARTED)
        store.append("r1", whole[max(0, first - 3) : last])  # some of it for the second time
    at_once = Store()
    fill(at_once, steps=4, nodes=3)
    assert list(store.records("r1")) == list(at_once.records("r1"))
    assert list(store.steps("r1")) == list(at_once.steps("r1"))
    assert store.run("r1") == at_once.run("r1")
    store.close()
    at_once.close()


def test_records_can_be_asked_for_by_number_step_and_count(store: Store) -> None:
    fill(store, steps=3)
    everything = [json.loads(text) for text in store.records("r1")]
    assert [json.loads(text) for text in store.records("r1", after=5, limit=4)] == everything[5:9]
    assert [json.loads(text) for text in store.records("r1", step=1)] == [one for one in everything if one["step"] == 1]
    assert list(store.records("r1", step=99)) == []
    assert list(store.records("r1", limit=0)) == []


def test_pages_join_without_a_seam(store: Store) -> None:
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines([record(seq, seq // 100, "scope_left", path=[]) for seq in range(1, 5_002)]))
    assert [json.loads(text)["seq"] for text in store.records("r1")] == list(range(1, 5_002))
    assert [json.loads(text)["seq"] for text in store.records("r1", after=10, limit=4_500)] == list(range(11, 4_511))


def test_a_store_that_is_opened_again_goes_on_where_it_stopped(tmp_path: Path) -> None:
    whole = lines(training(steps=3))
    first = Store(tmp_path / "runs.sqlite")
    first.begin("r1", "demo.py", STARTED)
    first.append("r1", whole[:9])
    first.close()
    second = Store(tmp_path / "runs.sqlite")
    second.begin("r1", "demo.py", STARTED)
    assert second.have("r1") == 9
    second.append("r1", whole)
    assert list(second.records("r1")) == [line.text for line in whole]
    assert all(row.done for row in second.steps("r1"))
    second.close()


def test_a_run_that_is_lost_says_why_and_goes_on_when_its_program_comes_back(store: Store) -> None:
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines([started()]))
    lost = store.lose("r1", "killed")
    assert lost is not None
    assert (lost.status, lost.error, lost.ended is None) == ("lost", "killed", False)
    again = store.begin("r1", "demo.py", STARTED)
    assert (again.status, again.error, again.ended) == ("running", None, None)


def test_a_run_that_ended_cannot_be_lost(store: Store) -> None:
    fill(store)
    assert store.lose("r1", "killed") is None
    assert store.run("r1").status == "finished"


def test_a_failed_run_carries_its_error(store: Store) -> None:
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines([started(), record(2, 0, "run_finished", status="failed", error="ZeroDivisionError")]))
    assert (store.run("r1").status, store.run("r1").error) == ("failed", "ZeroDivisionError")


def test_the_timeline_says_in_which_step_there_was_trouble(store: Store) -> None:
    store.begin("r1", "demo.py", STARTED)
    anomaly = record(2, 1, "anomaly_found") | {"kind": "nan", "message": "Log made 1 NaN of finite numbers."}
    store.append("r1", lines([started(), anomaly, record(3, 2, "step_taken")]))
    assert [(row.step, row.trouble) for row in store.steps("r1")] == [(0, False), (1, True), (2, False)]


def test_what_still_writes_into_a_deleted_run_does_not_write_into_the_one_that_has_its_number(tmp_path: Path) -> None:
    store, elsewhere = Store(tmp_path / "runs.sqlite"), Store(tmp_path / "runs.sqlite")
    whole = lines(training("r1", steps=2))
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", whole[:3])
    elsewhere.delete("r1")
    fill(elsewhere, "r2", steps=1)
    with pytest.raises(UnknownRun):
        store.append("r1", whole[3:])
    assert [run.id for run in store.runs()] == ["r2"]
    assert list(store.records("r2")) == [line.text for line in lines(training("r2", steps=1))]
    store.close()
    elsewhere.close()


def test_a_deleted_run_leaves_nothing(store: Store) -> None:
    fill(store, "r1")
    fill(store, "r2")
    store.delete("r1")
    assert [run.id for run in store.runs()] == ["r2"]
    database = sqlite3.connect(store.path)
    for table in ("runs", "steps", "records", "sources"):
        (numbers,) = zip(
            *database.execute(f"SELECT {'number' if table == 'runs' else 'run'} FROM {table}"), strict=True
        )
        assert set(numbers) == {2}
    database.close()


def test_an_unknown_run_is_named(store: Store) -> None:
    for ask in (store.run, store.steps, store.records, store.picture, store.delete):
        with pytest.raises(UnknownRun, match="nobody"):
            ask("nobody")


def test_a_picture_holds_the_sources_and_one_whole_step(store: Store) -> None:
    fill(store, steps=3)
    message = LIVE.validate_json(store.picture("r1", 1).message())
    assert message.type == "snapshot"
    assert message.records[0]["type"] == "source"
    assert message.records[1:] == [json.loads(text) for text in store.records("r1", step=1)]
    assert (message.step, message.seq) == (1, store.have("r1"))


def test_sources_keep_their_place_before_among_and_after_the_records_of_a_step(store: Store) -> None:
    places = [(1, 0, "source"), (2, 1, "released"), (3, 0, "source"), (4, 0, "released"), (5, 1, "released")]
    places += [(6, 2, "source"), (7, 2, "released")]
    store.begin("r1", "demo.py", STARTED)
    fields: dict[str, dict[str, Any]] = {"source": {"file": "a.py", "text": ""}, "released": {"node": 1}}
    store.append("r1", lines([record(seq, step, kind, **fields[kind]) for seq, step, kind in places]))
    message = LIVE.validate_json(store.picture("r1", 1).message())
    assert [one["seq"] for one in message.records] == [1, 2, 3, 5, 6]


def test_the_outline_of_a_large_step_says_what_there_is_in_it_and_not_what_becomes_of_it(store: Store) -> None:
    fill(store, steps=2, nodes=snapshots.LARGE)
    outline = store.outline("r1", 1)
    assert outline is not None
    message = LIVE.validate_json(outline.message())
    whole = LIVE.validate_json(store.picture("r1", 1).message())
    assert (message.type, message.run, message.steps, message.step) == ("outline", whole.run, whole.steps, whole.step)
    kinds = ("source", "tensor", "node")
    assert message.records == [one for one in whole.records if one["type"] in kinds]
    assert len(message.records) == snapshots.LARGE + 2 < len(whole.records)


def test_an_outline_has_every_record_that_a_page_draws_a_graph_of(store: Store) -> None:
    drawn: dict[str, dict[str, Any]] = {
        "source": {"file": "a.py", "text": ""},
        "tensor": {"id": 1, "shape": [], "dtype": "float32"},
        "scope_entered": {"path": ["net:Net"]},
        "node": {"id": 1, "op": "Tanh", "inputs": [], "outputs": []},
        "scope_left": {"path": ["net:Net"]},
        "detached": {"tensor": 1, "result": 2},
        "collective_ran": {"kind": "all_reduce"},
    }
    others = [record(10 + i, 0, "released", node=1) for i in range(snapshots.LARGE)]
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines([record(i, 0, kind) | fields for i, (kind, fields) in enumerate(drawn.items(), 1)]))
    store.append("r1", lines(others))
    outline = store.outline("r1", 0)
    assert outline is not None
    assert [one["type"] for one in json.loads(outline.message())["records"]] == list(drawn)


def test_a_step_that_is_not_large_needs_no_outline(store: Store) -> None:
    fill(store, steps=1)
    assert store.outline("r1") is None
    assert store.outline("r1", 50) is None


def test_a_picture_of_no_step_in_particular_is_of_the_newest(store: Store) -> None:
    fill(store, steps=3)
    assert store.picture("r1").step == 2


def test_a_picture_of_an_ended_run_is_of_its_last_backward_and_not_of_what_came_after(store: Store) -> None:
    records = list(training(steps=3, end=None))
    last = records[-1]["seq"]
    output = record(last + 1, 3, "tensor", id=999, shape=[], dtype="float32", leaf=False)
    records.append(record(last + 1, 3, "node", id=999, op="Exp", inputs=[], outputs=[output], recorded=False))
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines(records))
    assert store.picture("r1").step == 3
    store.append("r1", lines([record(last + 2, 3, "run_finished", status="finished")]))
    assert store.picture("r1").step == 2


def test_a_run_that_goes_on_opens_at_the_newest_step_that_has_ops(store: Store) -> None:
    whole = list(training(steps=2, end=None))
    last = whole[-1]["seq"]
    store.begin("r1", "demo.py", STARTED)
    taken = [record(last + step, 1 + step, "step_taken", optimizer="SGD", loss=0.5) for step in (1, 2)]
    store.append("r1", lines([*whole, *taken]))
    assert store.picture("r1").step == 1
    store.append("r1", lines(list(one_step(last + 2, 4, 100, 2))[:3]))
    assert store.picture("r1").step == 4


def test_a_run_without_a_recorded_backward_opens_where_there_are_ops(store: Store) -> None:
    first = [each for each in training(steps=1, end=None) if not each["type"].startswith(("backward", "grad"))]
    last = first[-1]["seq"]
    taken = [record(last + step, step, "step_taken", optimizer="SGD", loss=0.5) for step in (1, 2)]
    end = record(last + 3, 2, "run_finished", status="finished")
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines([*first, *taken, end]))
    assert store.picture("r1").step == 0


def test_a_picture_of_a_step_that_is_not_there_is_empty_but_for_the_sources(store: Store) -> None:
    fill(store, steps=1)
    message = LIVE.validate_json(store.picture("r1", 50).message())
    assert [one["type"] for one in message.records] == ["source"]


def test_a_run_that_ended_well_shows_the_newest_step_of_which_backward_was_kept_too(store: Store) -> None:
    way = {"node_entered", "grad_computed", "grad_accumulated"}
    forward_only = [each for each in training(steps=3, end=None) if each["step"] < 2 or each["type"] not in way]
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines([*forward_only, record(41, 2, "run_finished", status="finished")]))
    rows = list(store.steps("r1"))
    assert [(row.values, row.gradients) for row in rows] == [(True, True), (True, True), (True, False)]
    assert store.picture("r1").step == 1


def test_of_a_long_timeline_a_picture_shows_the_newest_rows_and_every_nth_older_one(store: Store) -> None:
    store.begin("r1", "demo.py", STARTED)
    store.append("r1", lines([record(step + 1, step, "step_taken", loss=0.1) for step in range(9_000)]))
    shown = [row.step for row in store.picture("r1").steps]
    assert shown[-5_000:] == list(range(4_000, 9_000))
    assert shown[:-5_000] == list(range(4_000)), "no step of such a run is left out"
    assert len(list(store.steps("r1"))) == 9_000


def test_a_store_in_memory_leaves_nothing_behind() -> None:
    store = Store(":memory:")
    folder = store.path.parent
    fill(store)
    store.close()
    assert not folder.exists()


def test_a_batch_that_cannot_be_written_is_not_half_there(store: Store, tmp_path: Path) -> None:
    store.begin("r1", "demo.py", STARTED)
    whole = lines(training(steps=2))
    store.append("r1", whole[:3])
    database = sqlite3.connect(store.path)
    database.execute("CREATE TRIGGER full BEFORE INSERT ON steps BEGIN SELECT RAISE(ABORT, 'disk is full'); END")
    with pytest.raises(StoreError, match="disk is full"):
        store.append("r1", whole[3:])
    database.execute("DROP TRIGGER full")
    database.close()
    store.begin("r1", "demo.py", STARTED)
    assert store.have("r1") == 3
    store.append("r1", whole)
    assert list(store.records("r1")) == [line.text for line in whole]


def test_a_store_of_a_newer_minigrad_is_refused_by_its_version(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / "runs.sqlite")
    database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(StoreError, match="has version 99, and this minigrad knows 1 at most"):
        Store(tmp_path / "runs.sqlite")


def test_a_file_that_is_no_store_is_refused_with_a_way_out(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").write_text("these are not the runs you are looking for" * 100)
    with pytest.raises(StoreError, match="--store PATH"):
        Store(tmp_path / "runs.sqlite")


def test_a_damaged_store_is_known_as_such_and_put_aside_whole(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    Store(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DamagedStore, match="is damaged and cannot be used"):
        Store(path)
    kept = set_aside(path)
    assert kept.read_bytes() == whole[: len(whole) // 2]
    Store(path).close()


def test_a_reader_sees_one_moment_while_a_writer_goes_on(store: Store) -> None:
    fill(store, steps=1)
    pages = store.records("r1", limit=1)
    assert json.loads(next(pages))["seq"] == 1
    store.append("r1", lines(one_step(store.have("r1"), 1, 100, 2)))
    assert list(pages) == []


def rows_without_end(run: str) -> Iterator[dict[str, object]]:
    yield started(run)
    yield from (record(seq, 0, "scope_left", path=["x" * 500]) for seq in range(2, 4_000))


@pytest.mark.parametrize("made_by", ["this minigrad", "an older one"])
def test_the_room_of_a_deleted_run_goes_back_to_the_disk(tmp_path: Path, made_by: str) -> None:
    path = tmp_path / "runs.sqlite"
    Store(path).close()
    if made_by == "an older one":
        older = sqlite3.connect(path)
        older.executescript("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM;")
        assert older.execute("PRAGMA auto_vacuum").fetchone() == (0,)
        older.close()
    store = Store(path)
    fill(store, "kept", steps=3)
    before = path.stat().st_size
    for run in ("r1", "r2"):
        store.begin(run, "long.py", STARTED)
        store.append(run, lines(rows_without_end(run)))
    for run in ("r1", "r2"):
        store.delete(run)
        store.reclaim()
    there = sum(path.with_name(path.name + ending).stat().st_size for ending in ("", "-wal"))
    assert there < before + 200_000
    assert list(store.records("kept")) == [line.text for line in lines(training("kept", steps=3))]
    store.close()


def test_what_cannot_be_given_back_now_is_no_error_and_nothing_is_lost(store: Store) -> None:
    fill(store, "kept")
    fill(store, "r1")
    store.delete("r1")
    other = sqlite3.connect(store.path, isolation_level=None)
    store._database.writer.execute("PRAGMA busy_timeout = 0")
    other.execute("BEGIN IMMEDIATE")
    store.reclaim()
    other.execute("ROLLBACK")
    other.close()
    assert [run.id for run in store.runs()] == ["kept"]


def test_a_run_knows_the_bytes_of_its_records_unless_an_older_minigrad_began_it(store: Store) -> None:
    fill(store, "r1", steps=2)
    assert store.run("r1").size == sum(len(text.encode()) for text in store.records("r1"))
    whole = lines(training("r2"))
    store.begin("r2", "demo.py", STARTED)
    store.append("r2", whole[:3])
    with store._database.writing() as db:
        db.execute("UPDATE runs SET json = json_remove(json, '$.size') WHERE id = 'r2'")
    store.begin("r2", "demo.py", STARTED)
    store.append("r2", whole)
    assert store.run("r2").size is None

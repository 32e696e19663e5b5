"""A store that is damaged somewhere: nothing new is lost in it, and what can be read of the old is kept."""

from __future__ import annotations

import random
import sqlite3
from pathlib import Path

import pytest

from minigrad_webui.runs.database import DamagedStore
from minigrad_webui.runs.rescue import begin_anew
from minigrad_webui.runs.store import Store, StoreError
from tests.webui.synthetic import lines, training

PAGE = 4096
RUNS = 60


def keep(store: Store, run: str) -> None:
    store.begin(run, f"{run}.py", "2026-01-01T12:00:00+00:00")
    store.append(run, lines(training(run, end="finished")))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "runs.sqlite"
    store = Store(path)
    for number in range(RUNS):
        keep(store, f"r{number}")
    store.close()
    return path.read_bytes()


@pytest.mark.parametrize("seed", range(30))
def test_wherever_a_store_is_damaged_new_runs_are_kept_in_one(seed: int, whole: bytes, tmp_path: Path) -> None:
    chance, path = random.Random(seed), tmp_path / "runs.sqlite"
    content = bytearray(whole)
    at = PAGE * chance.randrange(1, len(whole) // PAGE)
    content[at : at + PAGE] = chance.randbytes(PAGE) if seed % 2 else bytes(PAGE)
    path.write_bytes(content)
    try:
        store = Store(path)
    except DamagedStore:
        rescue = begin_anew(path)
        assert rescue.kept.is_file()
        assert rescue.rescued + rescue.lost <= RUNS
        store = Store(path)
        assert len(store.runs()) == rescue.rescued
        for run in store.runs():
            assert list(store.records(run.id))
    keep(store, "new")
    assert len(list(store.records("new"))) == len(list(training("new", end="finished")))
    store.close()


def test_the_runs_that_can_be_read_are_in_the_new_store(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_bytes(whole)
    with sqlite3.connect(path) as db:
        (root,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_steps_1'").fetchone()
    db.close()
    content = bytearray(whole)
    content[(root - 1) * PAGE : root * PAGE] = bytes(PAGE)
    path.write_bytes(content)
    with pytest.raises(DamagedStore):
        Store(path)
    rescue = begin_anew(path)
    assert str(rescue).startswith(f"A new store holds {rescue.rescued} of its runs")
    assert rescue.rescued + rescue.lost == RUNS


def test_damage_that_comes_while_it_is_open_is_said_in_words(whole: bytes, tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    path.write_bytes(whole)
    store = Store(path)
    with path.open("r+b") as file:
        file.write(bytes(len(whole)))
    with pytest.raises(StoreError, match="damaged|could not be read"):
        for run in range(RUNS):
            list(store.records(f"r{run}"))
    store.close()

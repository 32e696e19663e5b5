"""What a file that carries runs holds; how it looks in a browser, the front end's own tests say."""

from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from minigrad_webui import frontend
from minigrad_webui.app import create_app
from minigrad_webui.runs import page_export
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard
from tests.webui.synthetic import lines, record, training


@pytest.fixture(autouse=True)
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A front end that is as small as one can be."""
    (tmp_path / "app.js").write_text("run()")
    (tmp_path / "app.css").write_text("")
    parts = '<script type="module" src="./app.js"></script><link rel="stylesheet" href="./app.css">'
    (tmp_path / "index.html").write_text(f"<title>minigrad explorer</title>{parts}<body></body>")
    monkeypatch.setattr(frontend, "STATIC", tmp_path)


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store()
    yield opened
    opened.close()


def keep(store: Store, run: str, at: str = "12:00:00", *, end: str | None = "finished", **launched: Any) -> None:
    """A run of three steps, begun at that time of the day."""
    begun = f"2026-01-01T{at}+00:00"
    first, *rest = training(run, end=end)
    store.begin(run, f"{run}.py", begun)
    store.append(run, lines([{**first, "started": begun, **launched}, *rest]))


def carried(page: str) -> list[dict[str, Any]]:
    found = re.search(r'id="minigrad-replay">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    runs: list[dict[str, Any]] = json.loads(found[1])["runs"]
    return runs


def ids(runs: list[dict[str, Any]]) -> list[str]:
    return [one["run"]["id"] for one in runs]


def test_the_run_comes_first_then_the_other_ranks_of_its_launch_in_their_order(store: Store) -> None:
    for run, rank in (("c", 2), ("a", 0), ("b", 1)):
        keep(store, run, launch="l1", rank=rank, world_size=3)
    keep(store, "elsewhere", launch="l2", rank=0, world_size=3)
    keep(store, "smaller", launch="l1", rank=1, world_size=2)
    keep(store, "alone")
    assert ids(carried(page_export.page(store, "b"))) == ["b", "a", "c"]
    assert ids(carried(page_export.page(store, "a"))) == ["a", "b", "c"]
    assert ids(carried(page_export.page(store, "alone"))) == ["alone"]


def test_each_run_has_all_its_steps_and_records_and_the_title_is_the_first_ones(store: Store) -> None:
    keep(store, "a", launch="l1", rank=0, world_size=2)
    keep(store, "b", launch="l1", rank=1, world_size=2)
    page = page_export.page(store, "b")
    assert "<title>b.py · minigrad</title>" in page
    for one in carried(page):
        run = one["run"]["id"]
        assert one["records"] == [json.loads(text) for text in store.records(run)]
        assert one["steps"] == [row.model_dump() for row in store.steps(run)]


def test_of_launches_that_are_called_the_same_those_belong_together_that_began_together(store: Store) -> None:
    for launch in range(3):
        keep(store, f"zero{launch}", f"1{launch}:00:00", launch="none", rank=0, world_size=2)
        keep(store, f"one{launch}", f"1{launch}:00:07", launch="none", rank=1, world_size=2)
    for launch in range(3):
        assert ids(carried(page_export.page(store, f"one{launch}"))) == [f"one{launch}", f"zero{launch}"]


def test_a_run_that_goes_on_is_lost_to_who_opens_the_file_and_nowhere_else(store: Store) -> None:
    keep(store, "r1", end=None)
    (one,) = carried(page_export.page(store, "r1"))
    assert (one["run"]["status"], one["run"]["error"]) == ("lost", page_export.GOES_ON)
    assert one["run"]["ended"] > one["run"]["started"]
    assert store.run("r1").status == "running"


def test_the_server_gives_the_same_file(store: Store) -> None:
    keep(store, "a", launch="l1", rank=0, world_size=2)
    keep(store, "b", launch="l1", rank=1, world_size=2)
    expected = page_export.page(store, "a")
    headers = {"Authorization": "Bearer secret"}
    with TestClient(create_app(store, Guard("secret")), "http://localhost", headers=headers) as client:
        assert client.get("/api/runs/a/page").text == expected
        assert client.get("/api/runs/gone/page").status_code == 404


def test_of_one_step_there_is_nothing_else_but_the_sources(store: Store) -> None:
    keep(store, "a")
    (one,) = carried(page_export.page(store, "a", step=1))
    (all_of_it,) = carried(page_export.page(store, "a"))
    assert [row["step"] for row in one["steps"]] == [1]
    wanted = [each for each in all_of_it["records"] if each["step"] == 1 or each["type"] == "source"]
    assert one["records"] == wanted
    headers = {"Authorization": "Bearer secret"}
    with TestClient(create_app(store, Guard("secret")), "http://localhost", headers=headers) as client:
        assert carried(client.get("/api/runs/a/page?step=1").text) == [one]
        assert client.get("/api/runs/a/page?step=-1").status_code == 422


def test_a_step_of_numbers_brings_the_step_that_it_is_like(store: Store) -> None:
    keep(store, "a")
    have = store.have("a")
    nothing: dict[str, Any] = {"norm": [], "min": [], "max": []}
    numbers = {"seq": have + 1, "t": 9.0, "step": 3, "type": "numbers", "like": 1, "nodes": [], **nothing}
    store.append("a", lines([numbers]))
    (one,) = carried(page_export.page(store, "a", step=3))
    assert {each["step"] for each in one["records"] if each["type"] != "source"} == {1, 3}


def test_nothing_that_a_program_says_ends_the_data(store: Store) -> None:
    keep(store, "r1", launch="</script><script>alert(1)</script>", rank=0, world_size=2)
    (one,) = carried(page_export.page(store, "r1"))
    assert one["run"]["launch"] == "</script><script>alert(1)</script>"


def test_a_long_run_takes_no_more_memory_than_a_short_one(store: Store) -> None:
    keep(store, "long", end=None)
    last = max(json.loads(line)["seq"] for line in store.records("long"))
    source = {"t": 0.0, "step": 0, "type": "source", "file": "a.py", "text": "x" * 1000}
    for start in range(last + 1, last + 40_001, 1000):
        store.append("long", lines([{"seq": seq, **source} for seq in range(start, start + 1000)]))
    tracemalloc.start()
    try:
        size = sum(len(piece) for piece in page_export.pieces(store, "long"))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 40_000_000
    assert most < 10_000_000


def test_a_run_of_very_many_steps_takes_no_more_memory_than_a_short_one(store: Store) -> None:
    """A million steps took 2.3 GB."""
    store.begin("long", "long", "2026-01-01T00:00:00Z")
    for first in range(0, 20_000, 1000):
        store.append("long", lines([record(step + 1, step, "released", node=1) for step in range(first, first + 1000)]))
    tracemalloc.start()
    try:
        assert sum(1 for _ in store.steps("long")) == 20_000
        size = sum(len(piece) for piece in page_export.pieces(store, "long"))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert size > 5_000_000
    assert most < 10_000_000

"""The curves of the gradients: from the records of steps, through the store, to whoever asks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from fastapi.testclient import TestClient

import minigrad as mg
from minigrad import nn, optim
from minigrad.observe import Recorder
from minigrad_webui.app import create_app
from minigrad_webui.protocol import RECORD, Gradients
from minigrad_webui.runs import curves, page_export, trace_import
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard
from tests.webui.synthetic import Record, lines, record, started

STARTED = "2026-01-01T12:00:00+00:00"


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store()
    opened.begin("r1", "demo.py", STARTED)
    yield opened
    opened.close()


def taken(seq: int, step: int, norms: dict[int, float | str | None], **fields: Any) -> Record:
    """The end of a step in which each tensor, named after its number, had a gradient so long."""
    each = [
        {"tensor": tensor, "name": f"p{tensor}", **({"not_finite": norm} if isinstance(norm, str) else {"norm": norm})}
        for tensor, norm in norms.items()
    ]
    return record(seq, step, "step_taken", **{"grad_norm": 1.0, "grad_norms": each, **fields})


def curve(found: Gradients, tensor: int) -> list[Any]:
    return next(each.norms for each in found.parameters if each.tensor == tensor)


def test_a_step_says_where_its_norms_are(store: Store) -> None:
    without = record(3, 1, "step_taken", grad_norm=2.0)
    changed = store.append("r1", lines([started(), taken(2, 0, {7: 0.5}), without])).steps
    assert [(row.norms, row.grad_norm) for row in changed] == [(2, 1.0), (None, 2.0)]


def test_each_parameter_has_a_number_a_step(store: Store) -> None:
    ends = [taken(2, 0, {7: 0.5, 3: None}), taken(3, 1, {7: 0.25, 3: 1e-300}), taken(5, 3, {3: 0.0})]
    store.append("r1", lines([started(), *ends[:2], record(4, 2, "step_taken"), ends[2]]))
    found = store.gradients("r1")
    assert (found.every, found.steps, found.left_out) == (1, [0, 1, 3], 0)
    assert [(each.tensor, each.name, each.norms) for each in found.parameters] == [
        (3, "p3", ["none", 1e-300, 0.0]),
        (7, "p7", [0.5, 0.25, None]),
    ], "those of the newest step first"


def test_what_is_no_number_stays_a_word_in_json(store: Store) -> None:
    store.append("r1", lines([started(), taken(2, 0, {7: "nan", 3: "inf", 4: None}, grad_norm=None)]))
    text = store.gradients("r1").model_dump_json()
    assert [each["norms"] for each in json.loads(text)["parameters"]] == [["nan"], ["inf"], ["none"]]
    assert Gradients.model_validate_json(text).parameters[0].norms == ["nan"]


def test_records_say_a_nan_in_the_same_words() -> None:
    line = taken(2, 0, {7: "nan"}, grad_norm=None)
    assert RECORD.validate_python(line).grad_norms[0].not_finite == "nan"


def test_of_a_long_run_there_are_some_steps_and_no_explosion_is_missed(store: Store) -> None:
    ends = [
        taken(step + 2, step, {1: 10.0 if step == 777 else 1.0}, grad_norm=1.0 + (step == 777)) for step in range(1_100)
    ]
    ends[501]["grad_norm"] = None  # a NaN somewhere
    store.append("r1", lines([started(), *ends]))
    found = store.gradients("r1")
    assert (found.every, len(found.steps)) == (4, 275)
    assert {777, 501} <= set(found.steps)
    assert max(curve(found, 1)) == 10.0


def test_a_run_that_goes_on_keeps_the_steps_that_were_picked() -> None:
    rows = [curves.Row(step, step + 1, float(step * 37 % 101)) for step in range(900)]
    for size in range(505, 900, 13):
        every, before = curves.thinned(rows[:size], 500)
        assert len(before) <= 500
        assert (every, before[:-1]) == (2, curves.thinned(rows, 500)[1][: len(before) - 1])


@pytest.mark.parametrize(("parameters", "steps"), [(10, 400), (1_000, 100), (30_000, 3)])
def test_there_are_never_more_numbers_than_fit(store: Store, parameters: int, steps: int) -> None:
    norms: dict[int, float | str | None] = dict.fromkeys(range(parameters), 0.5)
    count = min(steps, 5) if parameters > 1_000 else steps + 5
    store.append("r1", lines([started(), *(taken(step + 2, step, norms) for step in range(count))]))
    found = store.gradients("r1")
    assert sum(len(each.norms) for each in found.parameters) <= curves.NUMBERS
    assert (found.left_out, len(found.parameters)) == (0, parameters)


def test_new_leaves_in_every_step_are_counted_where_there_is_no_room_for_them(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(curves, "NUMBERS", 100)
    store.append("r1", lines([started(), *(taken(step + 2, step, {step: 0.5}) for step in range(20))]))
    found = store.gradients("r1")
    assert len(found.parameters) * len(found.steps) <= 100
    assert found.parameters[0].tensor == 19, "the newest are there"
    assert found.left_out == len(found.steps) - len(found.parameters)


def test_a_run_without_any_has_none(store: Store) -> None:
    store.append("r1", lines([started(), record(2, 0, "step_taken", loss=0.5)]))
    assert store.gradients("r1") == Gradients()


def test_two_hundred_parameters_in_thousands_of_steps_are_told_in_little_time(store: Store) -> None:
    norms: dict[int, float | str | None] = {number: 0.123456789 * number for number in range(200)}
    store.append("r1", lines([started(), *(taken(step + 2, step, norms) for step in range(3_000))]))
    before = process_time()
    text = store.gradients("r1").model_dump_json()
    assert process_time() - before < 2.0
    assert len(text) < 3_000_000


def trained(norms: list[dict[str, float]]) -> None:
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 5), nn.Sigmoid(), nn.Linear(5, 2))
    sgd = optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        sgd.zero_grad()
        net(mg.randn(6, 3)).square().mean().backward()
        norms.append({name: float(each.grad.norm()) for name, each in net.named_parameters()})
        sgd.step()


def test_of_a_real_run_the_server_tells_what_the_program_had(tmp_path: Path) -> None:
    had: list[dict[str, float]] = []
    with Recorder(tmp_path / "run.jsonl", values="all", id="real"):
        trained(had)
    store = Store()
    with TestClient(create_app(store, Guard("secret")), base_url="http://localhost") as client:
        client.headers["Authorization"] = "Bearer secret"
        client.post("/api/runs/import", content=(tmp_path / "run.jsonl").read_bytes())
        found = Gradients.model_validate(client.get("/api/runs/real/gradients").json())
        unknown = client.get("/api/runs/nobody/gradients")
    assert found.steps == [0, 1, 2, 3]
    assert {each.name: each.norms for each in found.parameters} == {
        name: pytest.approx([norms[name] for norms in had], rel=1e-6) for name in had[0]
    }
    assert unknown.status_code == 404
    assert "nobody" in unknown.json()["message"]


def test_the_offline_file_carries_them(store: Store, tmp_path: Path) -> None:
    had: list[dict[str, float]] = []
    with Recorder(tmp_path / "run.jsonl", values="all", id="real"):
        trained(had)
    importer = trace_import.Importer(store)
    for line in (tmp_path / "run.jsonl").read_text().splitlines():
        importer.feed(line)
    importer.finish()
    carried = json.loads("".join(page_export._one(store, store.run("real"))))
    ends = {one["seq"]: one for one in carried["records"] if one["type"] == "step_taken"}
    told = [ends[row["norms"]]["grad_norms"] for row in carried["steps"]]
    assert [{each["name"]: each["norm"] for each in step} for step in told] == [
        pytest.approx(norms, rel=1e-6) for norms in had
    ]

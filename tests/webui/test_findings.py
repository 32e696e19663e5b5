"""The explorer says what is wrong with a program, while it runs and afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

import minigrad as mg
from minigrad_webui.runs import doctor
from minigrad_webui.runs.store import Store, UnknownRun
from tests.webui.synthetic import lines


def records_of_a_program_that_never_clears() -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    with mg.observe.Recorder(records.append, values="all"):
        mg.manual_seed(0)
        net = mg.nn.Linear(3, 1)
        optimizer = mg.optim.SGD(net.parameters(), lr=0.01)
        x = mg.randn(8, 3)
        for _ in range(5):
            net(x).pow(2).mean().backward()
            optimizer.step()
    return records


@pytest.fixture
def store() -> Iterator[Store]:
    with closing(Store()) as store:
        yield store


def fill(store: Store, records: list[dict[str, Any]]) -> None:
    store.begin("r", "train.py", "2026-01-01T00:00:00.000+00:00")
    store.append("r", lines(records))


def test_it_says_so_with_the_line_and_the_op(store: Store) -> None:
    records = records_of_a_program_that_never_clears()
    fill(store, records)
    found = doctor.Doctor(store).findings("r")
    assert found.complete
    (one,) = found.findings
    assert one.kind == "uncleared"
    assert one.at is not None
    assert one.at.code.endswith("backward()")
    node = next(
        each for each in records if each["type"] == "node" and (each["step"], each["id"]) == (one.step, one.node)
    )
    assert node["at"]["line"] == one.at.line


def test_a_long_run_is_read_in_parts_and_what_comes_later_is_read_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "MOST", 40)
    records = records_of_a_program_that_never_clears()
    half = len(records) // 2
    fill(store, records[:half])
    asked = doctor.Doctor(store)
    rounds = 0
    while not asked.findings("r").complete:
        rounds += 1
    assert rounds > 1
    store.append("r", lines(records[half:]))
    while not (found := asked.findings("r")).complete:
        pass
    assert [each.kind for each in found.findings] == ["uncleared"]


def test_a_run_that_is_not_there_is_unknown(store: Store) -> None:
    with pytest.raises(UnknownRun):
        doctor.Doctor(store).findings("r")


def test_a_rule_that_fails_ends_the_diagnosis_of_that_run_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fill(store, records_of_a_program_that_never_clears())
    clinic = doctor.Doctor(store)
    with monkeypatch.context() as broken:
        broken.setattr(doctor.Diagnosis, "send", lambda *_: 1 / 0)
        assert clinic.findings("r").findings == []
    assert "The diagnosis of run 'r' failed at record 1" in caplog.text
    later = clinic.findings("r")
    assert later.complete and later.findings == []
    assert [one.kind for one in doctor.Doctor(store).findings("r").findings] == ["uncleared"]

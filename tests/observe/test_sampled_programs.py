"""Of some steps everything is recorded, of others the numbers or the loss, and graphs go on from one to the next."""

from __future__ import annotations

import random
import runpy
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe.record.ledger import Ledger

from .helpers import Record, of_type, recorded, sample
from .training.correct import CORRECT
from .training.everyday_correct import EVERYDAY_CORRECT
from .training.everyday_faults import EVERYDAY_FAULTS
from .training.faults import FAULTS

PICTURED = Path(__file__).parents[2] / "webui/frontend/fixtures/programs"
FRESH: list[Callable[[Any], None]] = [*CORRECT, *EVERYDAY_CORRECT, *(each for _, each in [*FAULTS, *EVERYDAY_FAULTS])]


@pytest.fixture(params=range(4))
def sampled_by_chance(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(request.param)
    sample(monkeypatch, lambda: chance.choice(["whole", "numbers", "loss"]))


def check(records: list[Record]) -> None:
    """What a page needs of each node is there."""
    for node in of_type(records, "node"):
        assert all("shape" in output for output in node["outputs"]), node
    assert [each["reason"] for each in of_type(records, "dropped") if "could not" in each["reason"]] == []


@pytest.mark.usefixtures("sampled_by_chance")
@pytest.mark.parametrize("program", FRESH, ids=lambda each: each.__name__)
def test_small_programs(program: Callable[[Any], None]) -> None:
    def run() -> None:
        with suppress(RuntimeError, IndexError, ValueError):
            program(mg)

    check(recorded(run, values="auto"))


@pytest.mark.usefixtures("sampled_by_chance")
@pytest.mark.parametrize("program", sorted(PICTURED.glob("*.py")), ids=lambda path: path.stem)
def test_programs_that_are_pictured(program: Path) -> None:
    def run() -> None:
        with suppress(RuntimeError, ValueError):
            runpy.run_path(str(program))

    check(recorded(run, values="auto"))


def test_a_node_that_was_not_recorded_and_whose_output_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    ways = iter(["loss"])
    sample(monkeypatch, lambda: next(ways, "whole"))

    def program() -> None:
        p = mg.tensor([3.0, 4.0], requires_grad=True)
        sgd = mg.optim.SGD([p], lr=0.1)
        (p + 1).sum().backward()
        sgd.step()
        unseen = p.exp()
        sgd.step()
        y = unseen + 1
        del unseen
        p.grad = None
        sgd.step()
        y.sum().backward()

    records = recorded(program, values="auto")
    check(records)
    exps = [node for node in of_type(records, "node") if node["op"] == "Exp"]
    assert [(node["step"], node["outputs"][0]["shape"]) for node in exps] == [(2, [2]), (3, [2])]


def test_an_error_of_the_recorders_ends_the_recording_and_not_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Ledger, *_: object) -> None:
        raise KeyError("shape")

    went_on = []

    def program() -> None:
        monkeypatch.setattr(Ledger, "next_step", broken)
        with pytest.warns(RuntimeWarning, match="stopped recording this run because of an error of its own"):
            mg.observe.look()
        went_on.append(True)

    with pytest.raises(AssertionError, match="KeyError"):
        recorded(program)
    assert went_on == [True]

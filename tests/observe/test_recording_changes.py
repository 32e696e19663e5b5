"""A recording of what the program writes to: results, leaves by index or under no_grad or by an optimiser."""

from __future__ import annotations

import numpy as np
import pytest

import minigrad as mg
from minigrad.utils.checkpoint import checkpoint

from .helpers import Record, array, named, of_type, positions, recorded
from .programs import cut_off, in_place


def versions(records: list[Record], name: str) -> list[int]:
    """Those that a leaf is said to have had, one after another."""
    number = named(records)[name]["id"]
    return [record["version"] for record in of_type(records, "mutated") if record["tensor"] == number]


def test_in_place_ops_raise_the_version_of_the_same_tensor() -> None:
    records = recorded(in_place)
    y = named(records)["y"]["id"]
    written = [record for record in of_type(records, "mutated") if record["tensor"] == y]
    assert [record["version"] for record in written] == [1, 2]
    np.testing.assert_allclose(array(written[-1]["value"]), [[7, 36]])
    node = next(record for record in of_type(records, "node") if record.get("inplace"))
    assert node["symbol"] == "*="
    assert node["inputs"][0]["tensor"] == node["outputs"][0]["id"] == y


def test_writes_by_index_move_the_leaf_on_and_what_is_used_later_is_introduced() -> None:
    def program() -> None:
        weight = mg.nn.Parameter(mg.zeros(4, 4))
        filters = mg.nn.Parameter(mg.arange(24.0).reshape(2, 3, 2, 2))
        with mg.no_grad():
            weight[1, 2] = 5.0
            weight[3, 3] = 7.0
        loss = (mg.ones(1, 4) @ weight).sum() + filters.sum()
        loss.backward()

    records = recorded(program)
    assert versions(records, "weight") == [1, 2]
    last = [r for r in of_type(records, "mutated") if r["tensor"] == named(records)["weight"]["id"]][-1]
    assert array(last["value"])[[1, 3], [2, 3]].tolist() == [5.0, 7.0]
    assert named(records)["filters"]["shape"] == [2, 3, 2, 2]


def test_a_row_that_may_not_follow_its_leaf_is_looked_at_and_does_not_end_the_recording() -> None:
    def program() -> None:
        weight = mg.ones(3, 2, requires_grad=True)
        with mg.no_grad():
            row = weight[0]
            weight.mul_(2)
            doubled = row + row
            row.add_(doubled)
        loss = (weight * weight).sum()
        loss.backward()

    records = recorded(program)
    assert named(records)["doubled"]["value"]["mean"] == 4.0
    assert versions(records, "weight") == [1, 2]
    assert of_type(records, "backward_finished")


@pytest.mark.parametrize("name", ["SGD", "Adam"])
def test_an_optimiser_moves_leaves_on_in_every_step(name: str) -> None:
    def program() -> None:
        weight = mg.ones(2, requires_grad=True)
        optimiser = getattr(mg.optim, name)([weight], lr=0.1)
        for _ in range(3):
            optimiser.zero_grad()
            loss = (weight * weight).sum()
            loss.backward()
            optimiser.step()

    changes = of_type(recorded(program), "mutated")
    assert sorted({record["step"] for record in changes if record["version"]}) == [0, 1, 2]
    first = [record["version"] for record in changes]
    assert first == sorted(first) and len(set(first)) >= 3


def test_a_gradient_that_is_clipped_is_said_to_have_changed_and_its_leaf_is_not() -> None:
    def program() -> None:
        weight = mg.ones(2, requires_grad=True)
        sgd = mg.optim.SGD([weight], lr=0.1)
        (weight * mg.tensor([3.0, 4.0])).sum().backward()
        mg.nn.utils.clip_grad_norm_(weight, 1.0)
        sgd.step()

    records = recorded(program)
    clipped, moved = [r for r in of_type(records, "mutated") if r["tensor"] == named(records)["weight"]["id"]]
    assert clipped["grad"] and not moved["grad"]
    assert clipped["at"]["code"].startswith("mg.nn.utils.clip_grad_norm_(")
    np.testing.assert_allclose(array(clipped["value"]), [[0.6, 0.8]], rtol=1e-5)
    (taken,) = of_type(records, "step_taken")
    assert taken["grad_norm"] == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize(("factor", "said"), [(1.0, None), (float("nan"), "nan"), (-float("inf"), "-inf")])
def test_a_loss_that_is_no_number_is_said_in_words(factor: float, said: str | None) -> None:
    def program() -> None:
        weight = mg.ones(2, requires_grad=True)
        (weight * factor).sum().backward()

    (taken,) = of_type(recorded(program), "step_taken")
    assert (taken["loss"], taken.get("not_finite")) == (2.0 if said is None else None, said)


def test_what_is_cut_off_is_told_with_what_it_came_from_and_the_line() -> None:
    records = recorded(cut_off)
    hidden, kept, left = (named(records)[name]["id"] for name in ("hidden", "kept", "left"))
    inside, data, itself, for_numpy = of_type(records, "detached")
    assert (inside["tensor"], inside["result"], inside["at"]["function"]) == (hidden, kept, "outside")
    assert (data["tensor"], data["at"]["function"]) == (hidden, "cut_off")
    assert itself["tensor"] == itself["result"] == left
    (made,) = (node for node in of_type(records, "node") if node["op"] == "Add")
    assert for_numpy["tensor"] == made["outputs"][0]["id"]


@positions
def test_what_cuts_off_is_quoted() -> None:
    codes = [cut["at"]["code"] for cut in of_type(recorded(cut_off), "detached")]
    assert codes == ["h.detach()", "hidden.data", "left.detach_()", "(w + 1).detach()"]


def test_what_no_gradient_would_pass_anyway_is_not_cut_off_nor_what_is_of_an_earlier_step() -> None:
    def program() -> None:
        data = mg.ones(2).detach()
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        optimizer = mg.optim.SGD([w], lr=0.1)
        for _ in range(2):
            optimizer.zero_grad(set_to_none=False)
            loss = (w * data).sum()
            loss.backward()
            optimizer.step()
            loss.detach()
        checkpoint(lambda x: (x * data).exp(), w, use_reentrant=False).sum().backward()

    assert of_type(recorded(program), "detached") == []

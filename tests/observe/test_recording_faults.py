"""What a recording says when something goes wrong, and the user's lines that it puts beside the error."""

from __future__ import annotations

import pytest

import minigrad as mg

from .helpers import named, of_type, positions, recorded
from .programs import broken


@positions
def test_the_op_that_made_a_nan_of_numbers_is_named() -> None:
    found = of_type(recorded(broken), "anomaly_found")
    assert [each["kind"] for each in found] == ["nan"]
    assert found[0]["message"] == (
        "Log made 1 NaN of finite numbers. 1 of its 2 inputs are negative, down to -1; "
        "the logarithm of a negative number is not a number."
    )
    assert found[0]["at"]["code"] == "mg.log(x)"


@pytest.mark.parametrize("masked", ["filled", "added"])
def test_an_infinity_that_was_asked_for_is_no_anomaly(masked: str) -> None:
    def program() -> None:
        mask = mg.tensor([False, True])
        scores = mg.tensor([1.0, 2.0], requires_grad=True)
        if masked == "filled":
            scores = scores.masked_fill(mask, float("-inf"))
        else:
            scores = scores + mg.tensor([0.0, float("-inf")])
        mg.softmax(scores, dim=0)[0].backward()

    assert of_type(recorded(program), "anomaly_found") == []


def test_a_failed_backward_says_so() -> None:
    def program() -> None:
        x = mg.tensor(1.0, requires_grad=True)
        y = x.exp()
        y.backward()
        with pytest.raises(RuntimeError, match="second time"):
            y.backward()

    finished = of_type(recorded(program), "backward_finished")
    assert finished[0]["error"] is None
    assert finished[1]["error"].startswith("FreedGraphError: Trying to backward")


def test_a_stale_save_names_the_tensor_that_was_changed() -> None:
    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()

    records = recorded(program)
    (anomaly,) = of_type(records, "anomaly_found")
    assert anomaly["kind"] == "stale"
    assert anomaly["tensor"] == named(records)["y"]["id"]


@pytest.mark.skipif(not hasattr(BaseException, "add_note"), reason="errors have no notes before Python 3.11")
def test_errors_of_autograd_tell_the_users_lines() -> None:
    def program() -> None:
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y += 1
        with pytest.raises(RuntimeError, match="modified by an inplace operation") as stale:
            y.sum().backward()
        notes["stale"] = stale.value.__notes__[0]
        z = (x * x).sum()
        z.backward()
        with pytest.raises(RuntimeError, match="a second time") as freed:
            z.backward()
        notes["freed"] = freed.value.__notes__[0]

    notes: dict[str, str] = {}
    recorded(program)
    assert "the backward of Exp at " in notes["stale"]
    assert "`x.exp()`" in notes["stale"]
    assert "It had saved y, which was changed in place at " in notes["stale"]
    assert "`y += 1`" in notes["stale"]
    assert "the backward of Mul at " in notes["freed"]
    assert "It let go of what it had saved in the backward at " in notes["freed"]
    assert "`z.backward()`" in notes["freed"]

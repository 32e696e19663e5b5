"""What a recording says when something goes wrong, and the user's lines that it puts beside the error."""

from __future__ import annotations

from collections.abc import Callable

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


def told(program: Callable[[], object], values: str = "auto") -> list[str]:
    return [each["message"] for each in of_type(recorded(program, values=values), "anomaly_found")]


def test_a_nan_that_is_made_of_a_masks_infinities_is_told() -> None:
    def program() -> None:
        scores = mg.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        nothing = scores.masked_fill(mg.tensor([[False, True], [True, True]]), float("-inf"))
        nothing.softmax(-1).sum().backward()

    assert told(program) == [
        "Softmax made 2 NaN of infinities. 3 of its 4 inputs are infinite; ∞ - ∞ and 0 · ∞ are not numbers."
    ]


def test_a_nan_that_came_with_the_data_is_told_once_and_only_where_it_reaches_the_loss() -> None:
    def program(cleaned: bool) -> None:
        mg.manual_seed(0)
        net = mg.nn.Linear(3, 1)
        sgd = mg.optim.SGD(net.parameters(), lr=0.1)
        for step in range(5):
            row = mg.tensor([1.0, float("nan") if step == 2 else 2.0, 3.0])
            loss = net(row.nan_to_num() if cleaned else row).sum()
            masked = mg.where(row.isnan(), mg.tensor(0.0), row).sum() if cleaned else 0.0
            sgd.zero_grad()
            (loss + masked).backward()
            sgd.step()

    (message,) = told(lambda: program(False))
    assert message == "row came with 1 NaN among its 3 numbers, and Affine used it: the loss is not a number."
    assert told(lambda: program(True)) == []


@pytest.mark.parametrize(
    ("slope", "words"),
    [
        (lambda x: x.sqrt(), "Sqrt made 1 infinity for its input x, of finite gradients. The slope of the square root"),
        (lambda x: mg.acos(x + 1), "Acos made 1 infinity for its input x, of finite gradients. The slope of the arc"),
    ],
)
def test_an_infinite_slope_is_called_that(slope: Callable[[mg.Tensor], mg.Tensor], words: str) -> None:
    (message,) = told(lambda: slope(mg.zeros(1, requires_grad=True)).sum().backward())
    assert words in message


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
def test_the_spread_of_one_number_and_the_end_of_float16_are_named() -> None:
    (spread,) = told(lambda: mg.ones(1, requires_grad=True).std())
    assert spread.endswith("the spread of a single number is not a number, unless with correction=0.")
    (spread,) = told(lambda: mg.ones(1, 3, requires_grad=True).std(0))
    assert "Along a dimension it has one input" in spread
    big = mg.full((2,), 300.0, dtype=mg.float16)
    assert told(lambda: big * big) == ["Mul made 2 infinities of finite numbers. float16 ends at 65,504."]


def test_a_root_of_a_negative_number_is_named_and_a_square_that_is_too_large_is_not_taken_for_one() -> None:
    (root,) = told(lambda: mg.tensor([-4.0, 4.0], requires_grad=True) ** 0.5)
    assert root.endswith("are negative, down to -4; a negative number to a power that is not whole is not a number.")
    (square,) = told(lambda: mg.tensor([-1e30, 1.0], requires_grad=True) ** 2.0)
    assert "negative" not in square


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

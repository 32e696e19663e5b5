"""Where a recording ends one step and begins the next, and what belongs to which."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad import optim

from .helpers import of_type, recorded
from .programs import descent_by_hand, hidden_state, scalar_program, training


def test_an_optimiser_ends_a_step() -> None:
    records = recorded(training)
    taken = of_type(records, "step_taken")
    assert [record["step"] for record in taken] == [0, 1, 2]
    assert {record["optimizer"] for record in taken} == {"SGD"}
    assert taken[0]["loss"] > taken[2]["loss"] > 0
    assert taken[0]["grad_norm"] > 0
    assert [len([n for n in of_type(records, "node") if n["step"] == step]) for step in range(3)] == [6, 6, 6]


def test_without_an_optimiser_the_first_op_after_a_leaf_was_written_begins_a_step() -> None:
    records = recorded(descent_by_hand)
    losses = [record["loss"] for record in of_type(records, "step_taken")]
    assert losses == pytest.approx([5.0 * 0.64**step for step in range(4)], rel=1e-5)
    first_ops = [next(n["op"] for n in of_type(records, "node") if n["step"] == step) for step in range(4)]
    assert first_ops == ["Mul"] * 4


def test_gradients_that_are_returned_make_steps_too() -> None:
    def program() -> None:
        p = mg.tensor([3.0], requires_grad=True)
        for _ in range(3):
            (gradient,) = mg.autograd.grad((p * p).sum(), p)
            with mg.no_grad():
                p -= 0.5 * gradient

    records = recorded(program)
    assert [record["loss"] for record in of_type(records, "step_taken")] == [9.0, 0.0, 0.0]


def test_two_backwards_without_a_write_between_them_are_one_step() -> None:
    assert {record["step"] for record in recorded(scalar_program)} == {0}


def test_a_graph_that_goes_on_in_the_next_step_is_introduced_there_again() -> None:
    nodes = of_type(recorded(hidden_state), "node")
    assert [[n["id"] for n in nodes if n["step"] == step] for step in range(3)] == [[1], [1, 2], [1, 2, 3]]


def test_a_look_at_the_loss_after_the_step_does_not_bring_its_graph_along() -> None:
    def program() -> None:
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        sgd = optim.SGD([w], lr=0.1)
        for _ in range(2):
            sgd.zero_grad()
            loss = (w * w).sum()
            loss.backward()
            sgd.step()
            loss.detach().isnan()

    records = recorded(program)
    second = [record["op"] for record in of_type(records, "node") if record["step"] == 1]
    assert second[:2] == ["IsNan", "Mul"], "of the loss itself only its value is there"
    assert second.count("Sum") == 1, "the graph of the step, and not that of the one before"


def test_a_step_has_at_most_fifty_thousand_nodes() -> None:
    def program() -> None:
        x = mg.tensor(1.0, requires_grad=True)
        y = x
        for _ in range(50_010):
            y = y + 1
        y.backward()

    records = recorded(program, values="none")
    counts: dict[int, int] = {}
    for record in of_type(records, "node"):
        counts[record["step"]] = counts.get(record["step"], 0) + 1
    assert max(counts.values()) <= 50_000
    assert sum(record["count"] for record in of_type(records, "dropped")) > 50_000

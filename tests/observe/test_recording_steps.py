"""Where a recording ends one step and begins the next, and what belongs to which."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

import minigrad as mg
from minigrad import func, nn, optim

from .helpers import of_type, recorded, sample
from .programs import descent_by_hand, energy_model, hidden_state, scalar_program, training


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


def loss_of(w: mg.Tensor) -> mg.Tensor:
    return (w * w).sum()


def test_a_transform_that_is_called_again_from_the_same_place_begins_a_step() -> None:
    told: list[float] = []

    def program() -> None:
        w = mg.tensor([1.0, -2.0])
        for _ in range(4):
            grad, loss = func.grad_and_value(loss_of)(w)
            told.append(loss.item())
            w = w - 0.1 * grad

    records = recorded(program)
    assert [record["loss"] for record in of_type(records, "step_taken")] == told
    assert [node["step"] for node in of_type(records, "node") if node["op"] == "Sum"] == [0, 1, 2, 3]


def test_transforms_that_are_called_once_each_are_one_step() -> None:
    def program() -> None:
        w = mg.tensor([1.0, -2.0])
        func.grad(loss_of)(w)
        func.grad(lambda v: loss_of(v) * 2)(w)
        func.hessian(loss_of)(w)

    records = recorded(program)
    assert {record["step"] for record in records} == {0} and not of_type(records, "step_taken")


def test_inner_steps_of_a_transform_are_part_of_the_outer_one() -> None:
    def tuned(w: mg.Tensor) -> mg.Tensor:
        v = w
        for _ in range(3):
            v = v - 0.1 * func.grad(loss_of)(v)
        return loss_of(v)

    def program() -> None:
        w = mg.tensor([1.0, -2.0])
        for _ in range(2):
            w = w - 0.1 * func.grad(tuned)(w)

    assert len(of_type(recorded(program), "step_taken")) == 2


def test_transforms_beside_an_optimiser_make_no_steps_of_their_own() -> None:
    def program() -> None:
        w = mg.ones(2, requires_grad=True)
        sgd = optim.SGD([w], lr=0.1)
        for _ in range(3):
            w.grad = mg.zeros(2)
            for part in (1.0, 2.0):
                w.grad += part * func.grad(loss_of)(w.detach())
            sgd.step()

    records = recorded(program)
    assert [record["optimizer"] for record in of_type(records, "step_taken")][-2:] == ["SGD", "SGD"]
    assert len(of_type(records, "step_taken")) <= 4


@pytest.mark.parametrize("way", ["whole", "numbers", "loss"])
def test_samples_that_an_energy_model_draws_by_gradients_are_part_of_its_step(
    way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample(monkeypatch, lambda: way)
    losses: list[float] = []
    taken = of_type(recorded(lambda: losses.extend(energy_model(mg)), values="auto"), "step_taken")
    assert [record["loss"] for record in taken] == losses
    assert [record["grad_norm"] > 0 for record in taken] == [True] * 4


def test_an_input_that_is_moved_past_parameters_makes_steps_where_there_is_no_optimiser() -> None:
    def program() -> None:
        net, x = nn.Linear(2, 1), mg.ones(2)
        for _ in range(3):
            x = x.detach().requires_grad_()
            (grad,) = mg.autograd.grad(net(x).sum(), x)
            x = x + 0.1 * grad

    assert len(of_type(recorded(program), "step_taken")) == 3


def test_steps_by_hand_after_those_of_an_optimiser_are_steps() -> None:
    def program() -> None:
        w = mg.tensor([4.0], requires_grad=True)
        sgd = optim.SGD([w], lr=0.25)
        loss_of(w).backward()
        sgd.step()
        for _ in range(2):
            (grad,) = mg.autograd.grad(loss_of(w), w)
            with mg.no_grad():
                w -= 0.25 * grad

    assert [record["loss"] for record in of_type(recorded(program), "step_taken")] == [16.0, 4.0, 1.0]


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


def in_a_thread(work: Callable[[], object]) -> None:
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_threads_that_train_at_the_same_time_have_steps_of_their_own() -> None:
    def program() -> None:
        turns = threading.Barrier(2)

        def train(start: float) -> None:
            w = mg.tensor([start], requires_grad=True)
            sgd = optim.SGD([w], lr=0.25)
            for _ in range(20):
                sgd.zero_grad()
                turns.wait()
                loss = (w * w).sum()
                turns.wait()
                loss.backward()
                turns.wait()
                sgd.step()

        other = threading.Thread(target=train, args=(3.0,))
        other.start()
        train(1.0)
        other.join()

    taken = of_type(recorded(program), "step_taken")
    assert [record["optimizer"] for record in taken] == ["SGD"] * 40
    for start in (1.0, 3.0):
        wanted = [start**2 * 0.25**step for step in range(20)]
        losses = [record["loss"] for record in taken if record["loss"] in wanted]
        assert losses == wanted


@pytest.mark.parametrize("way", ["whole", "numbers", "loss"])
def test_nets_that_are_trained_side_by_side_keep_their_losses_apart(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample(monkeypatch, lambda: way)
    losses: list[float] = []

    def program() -> None:
        nets = [mg.tensor([start], requires_grad=True) for start in (1.0, 3.0)]
        optimisers = [optim.SGD([w], lr=0.25) for w in nets]
        for _ in range(4):
            for w, sgd in zip(nets, optimisers, strict=True):
                sgd.zero_grad()
                loss = (w * w).sum()
                loss.backward()
                losses.append(loss.item())
            for sgd in optimisers:
                sgd.step()

    taken = of_type(recorded(program, values="auto"), "step_taken")
    assert [record["loss"] for record in taken] == losses
    assert {record["loss_name"] for record in taken} == {"loss"}


@pytest.mark.parametrize("way", ["whole", "numbers", "loss"])
def test_optimisers_that_share_a_loss_take_one_step_together(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sample(monkeypatch, lambda: way)
    losses: list[float] = []

    def program() -> None:
        weights = [mg.tensor([start], requires_grad=True) for start in (1.0, 3.0, 2.0)]
        optimisers = [make([w], lr=0.25) for make, w in zip((optim.SGD, optim.Adam, optim.SGD), weights, strict=True)]
        for _ in range(4):
            loss = sum((w * w).sum() for w in weights)
            for each in optimisers:
                each.zero_grad()
            loss.backward()  # type: ignore[union-attr]
            losses.append(loss.item())  # type: ignore[union-attr]
            for each in optimisers:
                each.step()

    taken = of_type(recorded(program, values="auto"), "step_taken")
    assert [record["loss"] for record in taken] == losses
    assert {record["optimizer"] for record in taken} == {"SGD + Adam"}
    assert [len(record["grad_norms"]) for record in taken] == [3] * 4
    assert taken[0]["grad_norm"] == pytest.approx((4 * 14) ** 0.5)


@pytest.mark.parametrize("way", ["whole", "numbers", "loss"])
def test_an_optimiser_takes_its_step_alone_where_no_other_follows(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Backward reaches a weight that nothing moves, and after the last step there is no op."""
    sample(monkeypatch, lambda: way)

    def program() -> None:
        moved, other = (mg.tensor([start], requires_grad=True) for start in (1.0, 3.0))
        sgd = optim.SGD([moved], lr=0.25)
        for _ in range(4):
            (moved * other).sum().backward()
            sgd.step()
            sgd.zero_grad()

    taken = of_type(recorded(program, values="auto"), "step_taken")
    assert [(record["optimizer"], record["loss"]) for record in taken] == [
        ("SGD", 3.0),
        ("SGD", 0.75),
        ("SGD", -1.5),
        ("SGD", -3.75),
    ]


def test_a_step_may_end_in_another_thread_than_its_backward() -> None:
    def program() -> None:
        w = mg.tensor([2.0], requires_grad=True)
        sgd = optim.SGD([w], lr=0.25)
        for _ in range(3):
            sgd.zero_grad()
            in_a_thread(lambda: (w * w).sum().backward())
            sgd.step()

    assert [record["loss"] for record in of_type(recorded(program), "step_taken")] == [4.0, 1.0, 0.25]


def test_the_last_step_of_a_thread_is_kept_when_the_run_ends_in_another() -> None:
    taken = of_type(recorded(lambda: in_a_thread(descent_by_hand)), "step_taken")
    assert [record["loss"] for record in taken] == pytest.approx([5.0 * 0.64**step for step in range(4)], rel=1e-5)


def by_hand(model: nn.Module) -> None:
    for parameter in model.parameters():
        with mg.no_grad():
            parameter -= 0.1 * parameter.grad
        parameter.grad = None


def with_an_input(model: nn.Module) -> None:
    optim.SGD(model.parameters(), lr=0.1).step()
    model.zero_grad()


@pytest.mark.parametrize("move", [by_hand, with_an_input])
@pytest.mark.parametrize("values", ["auto", "all"])
def test_a_step_that_begins_within_modules_tells_which_they_are(move: Callable[[nn.Module], None], values: str) -> None:
    """After a step by hand, and where a leaf was not moved, only the next op shows that a new step has begun."""

    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.cell = nn.Linear(3, 3)

        def forward(self, x: mg.Tensor) -> mg.Tensor:
            return self.cell(self.cell(x))

    def program() -> None:
        model = Twice()
        for _ in range(4):
            x = mg.ones(2, 3, requires_grad=True)
            model(x).sum().backward()
            move(model)

    records = recorded(program, values=values)
    for step in range(1, 4):
        of_step = [record for record in records if record.get("step") == step]
        if not of_type(of_step, "node"):
            continue
        entered = [record["path"][-1] for record in of_type(of_step, "scope_entered")]
        assert entered[:3] == ["model:Twice", "cell:Linear", "cell:Linear"], step
    assert sum(bool(of_type([r for r in records if r.get("step") == step], "node")) for step in range(1, 4)) > 1

"""How long each parameter's gradient is when a step ends."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad import nn, optim
from minigrad.observe.record import sampling

from .helpers import Record, of_type, recorded
from .programs import descent_by_hand, training

Norms = dict[str | None, Any]


def norms(program: Callable[[], Any], **options: Any) -> list[Norms]:
    """Of each step that was taken: by name the length, or what it was instead."""
    return [said(record) for record in of_type(recorded(program, **options), "step_taken")]


def said(record: Record) -> Norms:
    return {each["name"]: each.get("not_finite") or each["norm"] for each in record.get("grad_norms", ())}


class HalfUsed(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.used, self.idle, self.frozen = nn.Linear(2, 2), nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.frozen(self.used(x))


def chain(package: Any) -> Any:
    """Three layers that hardly let a gradient through, with weights that are the same in both packages."""
    layers = [package.nn.Linear(4, 4), package.nn.Sigmoid(), package.nn.Linear(4, 4), package.nn.Linear(4, 1)]
    net = package.nn.Sequential(*layers)
    generator = np.random.default_rng(0)
    with package.no_grad():
        for parameter in net.parameters():
            parameter.copy_(package.tensor(1e-3 * generator.standard_normal(parameter.shape).astype(np.float32)))
    return net


def clipped_training(package: Any, seen: list[Norms]) -> None:
    net = chain(package)
    adam = package.optim.Adam(net.parameters(), lr=0.01)
    for number in range(4):
        adam.zero_grad()
        (net(package.ones(8, 4)) - 100.0 * number).square().mean().backward()
        package.nn.utils.clip_grad_norm_(net.parameters(), 0.5)
        seen.append({name: float(each.grad.norm()) for name, each in net.named_parameters()})
        adam.step()


@pytest.mark.parity
def test_they_are_those_that_the_optimiser_moved_by_and_torchs() -> None:
    torch = pytest.importorskip("torch")
    told: list[Norms] = []
    here = norms(lambda: clipped_training(mg, told))
    assert [list(step) for step in here] == [["0.weight", "0.bias", "2.weight", "2.bias", "3.weight", "3.bias"]] * 4
    there: list[Norms] = []
    clipped_training(torch, there)
    for ours, own, theirs in zip(here, told, there, strict=True):
        assert ours == pytest.approx(own, rel=1e-6)
        assert ours == pytest.approx(theirs, rel=1e-4), "of the gradients that torch computes"
    assert 0 < here[0]["0.weight"] < 1e-3 * here[0]["3.bias"], "a layer whose gradient vanishes"


@pytest.mark.parity
@pytest.mark.parametrize("size", [1, 1_000, 100_000])
def test_of_one_and_the_same_gradient_torch_has_the_same_length(size: int) -> None:
    torch = pytest.importorskip("torch")
    grad = np.random.default_rng(size).standard_normal(size).astype(np.float32)

    def program() -> None:
        w = mg.zeros(size, requires_grad=True)
        sgd = optim.SGD([w], lr=0.1)
        (w * mg.tensor(grad)).sum().backward()
        sgd.step()

    (step,) = norms(program)
    assert step["w"] == pytest.approx(torch.tensor(grad, dtype=torch.float64).norm().item(), rel=1e-6)


def test_together_they_are_the_length_of_all() -> None:
    for record in of_type(recorded(training), "step_taken"):
        each = said(record).values()
        assert record["grad_norm"] == pytest.approx(sum(norm**2 for norm in each) ** 0.5, rel=1e-12)


def test_a_parameter_without_a_gradient_is_named_and_a_frozen_one_is_not() -> None:
    def program() -> None:
        net = HalfUsed()
        net.frozen.requires_grad_(False)
        forgotten = mg.ones(3, requires_grad=True)
        sgd = optim.SGD([*net.parameters(), forgotten], lr=0.1)
        for _ in range(2):
            sgd.zero_grad()
            net(mg.ones(2)).sum().backward()
            sgd.step()

    for step in norms(program):
        assert list(step) == ["used.weight", "used.bias", "idle.weight", "idle.bias", "forgotten"]
        assert [norm is None for norm in step.values()] == [False, False, True, True, True]


@pytest.mark.parametrize(
    ("grads", "expected"),
    [
        ([1.0, float("nan"), float("inf")], "nan"),
        ([1.0, float("-inf"), 0.0], "inf"),
        ([0.0, 0.0, 0.0], 0.0),
        ([float("nan")], "nan"),
        ([1e-30] * 5_000, 5_000**0.5 * 1e-30),
        ([3e30] * 5_000, 5_000**0.5 * 3e30),
        ([], 0.0),
    ],
)
def test_what_is_no_number_is_said_in_words_and_what_is_small_is_not_lost(grads: list[float], expected: Any) -> None:
    def program() -> None:
        w = mg.zeros(len(grads), requires_grad=True)
        v = mg.ones(1, requires_grad=True)
        sgd = optim.SGD([w, v], lr=0.1)
        w.grad, v.grad = mg.tensor(grads), mg.tensor([3.0])
        sgd.step()

    (record,) = of_type(recorded(program), "step_taken")
    assert said(record) == {
        "w": expected if isinstance(expected, str) else pytest.approx(expected, rel=1e-6, abs=0),
        "v": 3.0,
    }
    assert (record["grad_norm"] is None) == isinstance(expected, str)


def test_a_leaf_moved_by_hand_has_the_length_that_it_was_moved_by() -> None:
    steps = norms(descent_by_hand)[:3]  # in the last one the leaf has gone before the end of the run is said
    assert [step["w"] for step in steps] == pytest.approx([2 * 5.0**0.5 * 0.8**number for number in range(3)])


def test_neither_a_gradient_made_zero_in_place_nor_one_clipped_late_deceives() -> None:
    def program() -> None:
        w = mg.tensor([3.0, 4.0], requires_grad=True)
        for _ in range(2):
            ((w * w).sum() / 2).backward()
            with mg.no_grad():
                w.mul_(1.0)  # not yet the step
                nn.utils.clip_grad_norm_([w], 1.0)
                w -= 0.1 * w.grad
                w.grad.zero_()
        w.sum()

    assert [step["w"] for step in norms(program)][:2] == pytest.approx([1.0, 1.0], rel=1e-5)


def test_a_leaf_moved_by_a_gradient_that_was_returned_has_its_length() -> None:
    def program() -> None:
        p = mg.tensor([3.0], requires_grad=True)
        for _ in range(2):
            (gradient,) = mg.autograd.grad((p * p).sum(), p)
            with mg.no_grad():
                p -= 0.5 * gradient

    assert norms(program) == [{"p": 6.0}, {"p": 0.0}]


def test_two_optimisers_that_take_a_step_together_tell_of_the_parameters_of_both() -> None:
    def program() -> None:
        a, b = mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
        first, second = optim.SGD([a], lr=0.1), optim.SGD([b], lr=0.1)
        (a * b).sum().backward()
        first.step()
        second.step()

    assert [list(step) for step in norms(program)] == [["a", "b"]]


def test_where_no_values_are_taken_there_are_none_and_only_what_is_taken_is_looked_at() -> None:
    assert norms(training, values="none") == [{}] * 3
    assert all(record["grad_norm"] > 0 for record in of_type(recorded(training, values="none"), "step_taken"))


def test_no_gradient_is_measured_a_second_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from minigrad.observe.record import ledger, norms

    measured: list[Any] = []
    measure, norms_of = ledger.measure, norms.norms
    monkeypatch.setattr(ledger, "measure", lambda *given: (measured.append(given), measure(*given))[1])
    counts: list[int] = []

    def counted(*given: Any) -> Any:
        before = len(measured)
        found = norms_of(*given)
        counts.append(len(measured) - before)
        return found

    monkeypatch.setattr(norms, "norms", counted)
    recorded(training)
    recorded(descent_by_hand)
    assert counts[:3] == [0, 0, 0]
    assert set(counts) == {0}
    assert measured


def test_a_long_run_has_them_in_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = norms(lambda: training(6), values="all")
    monkeypatch.setattr(sampling, "FREE", -1e9)
    monkeypatch.setattr(sampling, "WHOLE_SHARE", 1e-9)
    for found, right in zip(norms(lambda: training(6), values="auto"), whole, strict=True):
        assert found == {name: pytest.approx(norm, rel=1e-5) for name, norm in right.items()}

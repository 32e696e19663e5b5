"""Learning rates over time, the same as PyTorch's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

Lib = Any

SCHEDULES: dict[str, Callable[[Any, Any], Any]] = {
    "lambda": lambda s, o: s.LambdaLR(o, lambda epoch: 0.95**epoch),
    "lambdas": lambda s, o: s.LambdaLR(o, [lambda epoch: 1 / (1 + epoch), lambda epoch: 2.0]),
    "step": lambda s, o: s.StepLR(o, step_size=4, gamma=0.5),
    "multi": lambda s, o: s.MultiStepLR(o, milestones=[3, 3, 8], gamma=0.5),
    "exponential": lambda s, o: s.ExponentialLR(o, gamma=0.9),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, T_max=10, eta_min=0.01),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda epoch: 0.9),
    "constant": lambda s, o: s.ConstantLR(o, factor=0.25, total_iters=4),
    "linear": lambda s, o: s.LinearLR(o, start_factor=0.1, end_factor=0.8, total_iters=7),
    "polynomial": lambda s, o: s.PolynomialLR(o, total_iters=9, power=2.0),
    "warm restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, T_0=3, T_mult=2, eta_min=0.01),
    "cyclic": lambda s, o: s.CyclicLR(o, 0.01, [0.2, 0.5], step_size_up=3, step_size_down=4, mode="triangular2"),
    "cyclic exponential": lambda s, o: s.CyclicLR(o, 0.01, 0.2, step_size_up=3, mode="exp_range", gamma=0.9),
    "cyclic by a function": lambda s, o: s.CyclicLR(o, 0.01, 0.2, step_size_up=3, scale_fn=lambda x: 1 / x),
    "sequential": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, factor=0.5, total_iters=3), s.ExponentialLR(o, gamma=0.8), s.StepLR(o, 2)], [5, 12]
    ),
    "chained": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, factor=0.5, total_iters=3), s.ExponentialLR(o, 0.9)]),
    "one cycle": lambda s, o: s.OneCycleLR(o, max_lr=[1.0, 2.0], total_steps=30),
    "one cycle linear": lambda s, o: s.OneCycleLR(
        o, max_lr=1.0, epochs=5, steps_per_epoch=6, anneal_strategy="linear", three_phase=True, cycle_momentum=False
    ),
}


def rates(lib: Lib, make: Callable[[Any, Any], Any], steps: int = 25) -> list[list[float]]:
    parameters = [lib.ones(1, requires_grad=True), lib.ones(2, requires_grad=True)]
    groups = [{"params": [parameters[0]]}, {"params": [parameters[1]], "lr": 0.3}]
    optimizer = lib.optim.SGD(groups, lr=0.1, momentum=0.9)
    scheduler = make(lib.optim.lr_scheduler, optimizer)
    found = []
    for _ in range(steps):
        found.append([each[name] for each in optimizer.param_groups for name in ("lr", "momentum")])
        optimizer.step()
        scheduler.step()
    assert scheduler.get_last_lr() == [group["lr"] for group in optimizer.param_groups]
    return found


@pytest.mark.parity
@pytest.mark.parametrize("name", SCHEDULES)
def test_the_rates_are_pytorchs(name: str) -> None:
    torch = pytest.importorskip("torch")
    for ours, theirs in zip(rates(mg, SCHEDULES[name]), rates(torch, SCHEDULES[name]), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-9)


def test_the_rates_follow_their_formulas() -> None:
    def first(name: str) -> list[float]:
        return [each[0] for each in rates(mg, SCHEDULES[name])]

    assert first("step")[:9] == pytest.approx([0.1] * 4 + [0.05] * 4 + [0.025])
    assert first("multi")[2:4] == pytest.approx([0.1, 0.025])
    assert first("cosine")[5] == pytest.approx(0.01 + 0.09 * 0.5 * (1 + math.cos(math.pi / 2)))
    assert first("one cycle")[8] == pytest.approx(1.0)


def test_a_plateau_lowers_the_rate(lib: Lib) -> None:
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
    scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=2, cooldown=1, min_lr=0.2)
    found = []
    for metric in [1.0, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.8]:
        scheduler.step(metric)
        found.append(optimizer.param_groups[0]["lr"])
    assert found == [1.0, 1.0, 1.0, 1.0, 0.5, 0.5, 0.5, 0.5, 0.25, 0.25, 0.25, 0.25]


def test_a_plateau_may_be_one_of_a_score(lib: Lib) -> None:
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
    scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(
        optimizer, mode="max", patience=0, threshold=0.1, threshold_mode="abs"
    )
    for metric in (0.5, 0.55, 0.75):
        scheduler.step(lib.tensor(metric))
    assert optimizer.param_groups[0]["lr"] == pytest.approx(0.1)


def test_a_schedule_can_be_taken_up_again(lib: Lib) -> None:
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 2, 0.1)
    optimizer.step()
    scheduler.step()
    again = lib.optim.lr_scheduler.StepLR(optimizer, 5, 0.5)
    again.load_state_dict(scheduler.state_dict())
    assert (again.last_epoch, again.step_size, again.gamma) == (1, 2, 0.1)


TAKEN_UP: dict[str, tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]] = {
    "one cycle": (
        lambda lib, o: lib.optim.lr_scheduler.OneCycleLR(o, 1.0, total_steps=9, anneal_strategy="linear"),
        lambda lib, o: lib.optim.lr_scheduler.OneCycleLR(o, 1.0, total_steps=20, three_phase=True),
    ),
    "cyclic": (
        lambda lib, o: lib.optim.lr_scheduler.CyclicLR(o, 0.1, 1.0, step_size_up=2, step_size_down=5),
        lambda lib, o: lib.optim.lr_scheduler.CyclicLR(o, 0.1, 1.0, step_size_up=3),
    ),
    "averaged": (
        lambda lib, o: lib.optim.swa_utils.SWALR(o, 0.05, anneal_strategy="linear"),
        lambda lib, o: lib.optim.swa_utils.SWALR(o, 0.05),
    ),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", TAKEN_UP)
def test_a_schedule_of_the_other_library_can_be_taken_up(name: str) -> None:
    """The state says all that the arguments said: those of the schedule that takes it up no longer count."""
    torch = pytest.importorskip("torch")
    first, second = TAKEN_UP[name]
    for here, there in ((mg, torch), (torch, mg)):
        made = {}
        for lib, make in ((here, first), (there, first), (there, second)):
            made[lib, make] = make(lib, lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0, momentum=0.9))
        other, expected, found = made.values()
        for _ in range(3):
            for each in (other, expected):
                each.optimizer.step()
                each.step()
        found.optimizer.load_state_dict(expected.optimizer.state_dict())
        found.load_state_dict(other.state_dict())
        for _ in range(4):
            rates = []
            for each in (expected, found):
                each.optimizer.step()
                each.step()
                rates.append(each.get_last_lr())
            assert rates[0] == pytest.approx(rates[1])


def test_a_plateau_wants_a_least_rate_for_every_group(lib: Lib) -> None:
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
    with pytest.raises(ValueError, match="expected 1 min_lrs, got 2"):
        lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, min_lr=[0.1, 0.2])


def test_stepping_in_the_wrong_order_warns(lib: Lib) -> None:
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0)
    scheduler = lib.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    with pytest.warns(UserWarning, match=r"`lr_scheduler.step\(\)` before `optimizer.step\(\)`"):
        scheduler.step()


def test_too_many_steps_of_one_cycle_are_refused(lib: Lib) -> None:
    optimizer = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=1.0, momentum=0.9)
    scheduler = lib.optim.lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=3)
    with pytest.raises(ValueError, match="Tried to step"):
        for _ in range(5):
            optimizer.step()
            scheduler.step()
    with pytest.raises(ValueError, match="total_steps OR"):
        lib.optim.lr_scheduler.OneCycleLR(optimizer, 1.0)


def test_a_schedule_that_goes_on_warns_too_where_it_moves_before_the_optimiser(lib: Any) -> None:
    optimizer = lib.optim.SGD([lib.nn.Parameter(lib.ones(1))], lr=0.5)
    optimizer.param_groups[0]["initial_lr"] = 0.5
    schedule = lib.optim.lr_scheduler.StepLR(optimizer, 3, last_epoch=10)
    with pytest.warns(UserWarning, match="how-to-adjust-learning-rate"):
        schedule.step()


def test_a_step_replaced_after_the_schedule_began_is_warned_of_once(lib: Any) -> None:
    optimizer = lib.optim.SGD([lib.nn.Parameter(lib.ones(1))], lr=0.5)
    schedule = lib.optim.lr_scheduler.StepLR(optimizer, 3)
    plain = optimizer.step
    optimizer.step = lambda *args, **kwargs: plain(*args, **kwargs)
    optimizer.step()
    with pytest.warns(UserWarning, match=r"`optimizer.step\(\)` has been overridden after"):
        schedule.step()
    optimizer.step()
    schedule.step()
    assert "_step_at_first" not in schedule.state_dict()

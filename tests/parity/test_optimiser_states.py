"""Optimisers and schedules whose state goes to PyTorch and back, steps in the graph, and rates that are tensors."""

from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.utils.serialization import from_torch, to_torch

from .same import same, torch

pytestmark = pytest.mark.parity

OPTIMISERS: dict[str, dict[str, Any]] = {
    "SGD": {"momentum": 0.9}, "Adam": {"amsgrad": True}, "AdamW": {}, "Adamax": {}, "NAdam": {}, "RAdam": {},
    "RMSprop": {"momentum": 0.9, "centered": True}, "Rprop": {}, "Adagrad": {}, "Adadelta": {}, "ASGD": {},
    "Adafactor": {},
}  # fmt: skip


def trained(lib: Any, name: str, steps: int, **settings: Any) -> tuple[Any, Any]:
    weight = lib.tensor([[1.0, -2.0], [3.0, 0.5]], requires_grad=True)
    optimiser = getattr(lib.optim, name)([("weight", weight)], lr=0.1, **settings)
    train(weight, optimiser, steps)
    return weight, optimiser


def train(weight: Any, optimiser: Any, steps: int) -> None:
    for _ in range(steps):
        optimiser.zero_grad()
        (weight**2).sum().backward()
        optimiser.step()


@pytest.mark.parametrize("name", OPTIMISERS)
def test_the_state_is_pytorchs_by_name_type_and_value(name: str) -> None:
    same(lambda lib: trained(lib, name, 3, **OPTIMISERS[name])[1].state_dict())


@pytest.mark.parametrize("name", OPTIMISERS)
def test_training_goes_on_in_the_other_library(name: str) -> None:
    settings = OPTIMISERS[name]
    expected, _ = trained(torch, name, 6, **settings)
    for here, there, converted in ((mg, torch, to_torch), (torch, mg, from_torch)):
        weight, optimiser = trained(here, name, 3, **settings)
        moved = converted(weight).detach().clone().requires_grad_()
        other = getattr(there.optim, name)([("weight", moved)], lr=0.1, **settings)
        other.load_state_dict(converted(optimiser.state_dict()))
        train(moved, other, 3)
        assert torch.allclose(torch.tensor(moved.tolist()), expected.detach(), atol=2e-5), (name, here.__name__)


SCHEDULES: dict[str, tuple[Any, ...]] = {
    "StepLR": (2,), "MultiStepLR": ([2, 3, 3],), "ExponentialLR": (0.9,), "CosineAnnealingLR": (5,), "LinearLR": (),
    "ConstantLR": (), "PolynomialLR": (), "CosineAnnealingWarmRestarts": (3,), "CyclicLR": (0.01, 0.1, 3),
    "OneCycleLR": (0.1, 20), "LambdaLR": (lambda epoch: 0.9**epoch,), "MultiplicativeLR": (lambda epoch: 0.9,),
    "ReduceLROnPlateau": ("min", 0.1, 1),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_schedule_goes_on_in_the_other_library(name: str) -> None:
    def made(lib: Any) -> tuple[Any, Any]:
        optimiser = lib.optim.SGD([lib.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
        scheduler = getattr(lib.optim.lr_scheduler, name)(optimiser, *SCHEDULES[name])
        assert isinstance(scheduler, lib.optim.lr_scheduler.LRScheduler)
        return optimiser, scheduler

    def rates(optimiser: Any, scheduler: Any, epochs: int) -> list[float]:
        found = []
        for _ in range(epochs):
            optimiser.step()
            scheduler.step(1.0) if name == "ReduceLROnPlateau" else scheduler.step()
            found.append(optimiser.param_groups[0]["lr"])
        return found

    expected = rates(*made(torch), 9)[4:]
    for here, there in ((mg, torch), (torch, mg)):
        optimiser, scheduler = made(here)
        rates(optimiser, scheduler, 4)
        other, resumed = made(there)
        resumed.load_state_dict(copy.deepcopy(scheduler.state_dict()))
        other.load_state_dict(copy.deepcopy(optimiser.state_dict()))
        assert rates(other, resumed, 5) == pytest.approx(expected), here.__name__


@pytest.mark.parametrize("name", [name for name in OPTIMISERS if name not in ("Adafactor",)])
def test_a_step_is_part_of_the_graph(name: str) -> None:
    def program(lib: Any) -> Any:
        start = lib.tensor([1.0, 2.0, -1.0], requires_grad=True)
        slope = lib.tensor([0.3, -0.2, 0.5], requires_grad=True)
        weight = start.clone()
        weight.grad = slope.clone()
        getattr(lib.optim, name)([weight], lr=0.1, differentiable=True).step()
        (weight**2).sum().backward()
        return weight, start.grad, slope.grad

    same(program)


def test_several_steps_in_the_graph_have_the_gradient_of_all() -> None:
    def trained(rate: Any, start: Any) -> Any:
        weight = start.clone()
        optimiser = mg.optim.Adam([weight], lr=rate, differentiable=True)
        for _ in range(3):
            (weight.grad,) = mg.autograd.grad((weight.clone() ** 4).sum(), weight, create_graph=True)
            optimiser.step()
        return weight.sum()

    start = mg.tensor([1.0, -2.0], dtype=mg.float64, requires_grad=True)
    assert mg.autograd.gradcheck(trained, (mg.tensor(0.1, dtype=mg.float64, requires_grad=True), start))


def test_a_learning_rate_may_be_a_tensor_and_stays_one() -> None:
    def program(lib: Any) -> Any:
        rate = lib.tensor(0.1)
        weight = lib.ones(3, requires_grad=True)
        optimiser = lib.optim.SGD([weight], lr=rate, momentum=0.9)
        scheduler = lib.optim.lr_scheduler.ExponentialLR(optimiser, 0.5)
        train(weight, optimiser, 1)
        scheduler.step()
        train(weight, optimiser, 1)
        adam = lib.ones(3, requires_grad=True)
        train(adam, lib.optim.Adam([adam], lr=lib.tensor([0.1])), 2)
        return weight, adam, rate, optimiser.param_groups[0]["lr"] is rate

    same(program)


def test_parameters_that_are_listed_twice() -> None:
    def program(lib: Any) -> Any:
        weight = lib.ones(2, requires_grad=True)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            optimiser = lib.optim.SGD([weight, weight], lr=0.1)
        train(weight, optimiser, 1)
        with pytest.raises(ValueError, match="more than one parameter group"):
            lib.optim.SGD([{"params": [weight]}, {"params": [weight]}], lr=0.1)
        with pytest.raises(TypeError, match="ordered collections"):
            lib.optim.SGD([{"params": {weight}}], lr=0.1)
        return weight, len(caught), "duplicate parameters" in str(caught[0].message)

    same(program)


def test_hooks_on_states() -> None:
    def program(lib: Any) -> Any:
        said: list[Any] = []
        optimiser = lib.optim.Adam([lib.ones(1, requires_grad=True)])
        optimiser.register_state_dict_pre_hook(lambda _: said.append("saving"))
        optimiser.register_state_dict_pre_hook(lambda _: said.append("first"), prepend=True)
        optimiser.register_state_dict_post_hook(lambda _, state: {**state, "more": 1})
        optimiser.register_load_state_dict_pre_hook(lambda _, state: said.append(sorted(state)))
        handle = optimiser.register_load_state_dict_post_hook(lambda _: said.append("loaded"))
        state = optimiser.state_dict()
        optimiser.load_state_dict(state)
        handle.remove()
        optimiser.load_state_dict(state)
        return said, sorted(state)

    same(program)


def test_plain_sgd_remembers_nothing() -> None:
    ours, theirs = (trained(lib, "SGD", 2)[1].state_dict()["state"] for lib in (mg, torch))
    assert ours == theirs == {}


def test_what_a_user_adds_to_the_state_of_plain_sgd_stays() -> None:
    def kept(lib: Any) -> Any:
        optimiser = trained(lib, "SGD", 1)[1]
        optimiser.state["mean"] = np.array([1.0, 2.0])
        return lib.tensor(optimiser.state_dict()["state"]["mean"])

    same(kept)

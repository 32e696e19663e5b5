"""Small parameters are moved together: every number is what it is when each is moved by itself."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

OPTIMISERS: list[tuple[str, dict[str, Any]]] = [
    ("Adam", {"weight_decay": 0.1}),
    ("Adam", {"amsgrad": True, "maximize": True}),
    ("AdamW", {}),
    ("RMSprop", {"centered": True, "momentum": 0.5}),
    ("Adagrad", {"lr_decay": 0.1}),
    ("Adadelta", {}),
    ("Adamax", {"weight_decay": 0.1}),
    ("NAdam", {}),
    ("RAdam", {}),
    ("ASGD", {}),
    ("Rprop", {}),
]
SHAPES = [(3, 2), (5,), (), (2, 1, 4), (70, 70)]  # the last is too large to be moved with the others

Deed = Callable[[Any, list[Any], int], None]


def trained(name: str, settings: dict[str, Any], deed: Deed | None = None, steps: int = 7) -> tuple[list[Any], Any]:
    """Parameters after some steps, and their optimiser; before each step the `deed` may meddle."""
    mg.manual_seed(0)
    parameters = [mg.nn.Parameter(mg.randn(shape)) for shape in SHAPES]
    optimizer = getattr(mg.optim, name)(parameters, lr=0.01, **settings)
    for number in range(steps):
        for each in parameters:
            each.grad = mg.randn(each.shape)
        if deed is not None:
            deed(optimizer, parameters, number)
        optimizer.step()
    return parameters, optimizer


def remembered(optimizer: Any) -> dict[int, dict[str, Any]]:
    return {
        n: {name: value.tolist() for name, value in memory.items()}
        for n, memory in optimizer.state_dict()["state"].items()
    }


def same(name: str, settings: dict[str, Any], deed: Deed | None = None) -> None:
    """The same bits with and without bundles."""
    together, a = trained(name, settings, deed)
    alone, b = trained(name, {**settings, "foreach": False}, deed)
    assert [each.tolist() for each in together] == [each.tolist() for each in alone]
    assert remembered(a) == remembered(b)
    assert [each._version for each in together] == [each._version for each in alone]


@pytest.mark.parametrize(("name", "settings"), OPTIMISERS)
def test_moving_together_changes_no_bit(name: str, settings: dict[str, Any]) -> None:
    same(name, settings)


def test_small_parameters_share_one_update() -> None:
    sizes: list[int] = []

    class Counting(mg.optim.Adam):
        @mg.optim.bundle.elementwise
        def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
            sizes.append(param.size)
            super().update(xp, param, grad, state, group)

    parameters = [mg.nn.Parameter(mg.ones(shape)) for shape in SHAPES]
    optimizer = Counting(parameters)
    for _ in range(3):
        for each in parameters:
            each.grad = mg.ones(each.shape)
        optimizer.step()
    assert sizes == [6, 5, 1, 8, 4900] + [20, 4900] * 2


def test_an_update_that_is_not_declared_elementwise_sees_each_parameter() -> None:
    shapes: list[Any] = []

    class Whole(mg.optim.Adam):
        def update(self, xp: Any, param: Any, grad: Any, state: dict[str, Any], group: dict[str, Any]) -> None:
            shapes.append(param.shape)

    trained_one = [mg.nn.Parameter(mg.ones(shape)) for shape in SHAPES]
    optimizer = Whole(trained_one)
    for _ in range(3):
        for each in trained_one:
            each.grad = mg.ones(each.shape)
        optimizer.step()
    assert shapes == SHAPES * 3


def write_in_place(optimizer: Any, parameters: list[Any], number: int) -> None:
    with mg.no_grad():
        parameters[0].mul_(0.5)


def replace_data(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number == 4:
        parameters[1].data = mg.ones(5)


def replace_memory(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number == 4:
        optimizer.state[parameters[0]]["exp_avg"] = mg.ones(3, 2)


def write_memory(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number == 4:
        optimizer.state[parameters[0]]["exp_avg"].zero_()


def forget(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number == 4:
        del optimizer.state[parameters[2]]


def older(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number == 4:
        optimizer.state[parameters[2]]["step"] = 100


def freeze(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number % 2:
        parameters[1].grad = None


def join_later(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number < 3:
        parameters[0].grad = None


def reload(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number == 4:
        optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))


def change_settings(optimizer: Any, parameters: list[Any], number: int) -> None:
    optimizer.param_groups[0].update(lr=0.01 * number, amsgrad=number > 4)


def double_gradient(optimizer: Any, parameters: list[Any], number: int) -> None:
    if number == 4:
        parameters[1]._grad = parameters[1].grad.double()


def transposed_gradient(optimizer: Any, parameters: list[Any], number: int) -> None:
    parameters[0].grad = mg.randn(2, 3).T


def tensor_rate(optimizer: Any, parameters: list[Any], number: int) -> None:
    optimizer.param_groups[0]["lr"] = mg.tensor(0.01 * number)


@pytest.mark.parametrize(
    "deed",
    [
        write_in_place, replace_data, replace_memory, write_memory, forget, older, freeze, join_later, reload,
        change_settings, double_gradient, transposed_gradient, tensor_rate,
    ],
)  # fmt: skip
def test_whatever_a_program_does_between_steps_counts_as_ever(deed: Deed) -> None:
    same("Adam", {}, deed)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))])
def test_a_copy_of_an_optimiser_goes_its_own_way(copied: Callable[[Any], Any]) -> None:
    parameters, optimizer = trained("Adam", {})
    before = [each.tolist() for each in parameters]
    twin = copied(optimizer)
    for _ in range(3):
        for each in twin.param_groups[0]["params"]:
            each.grad = mg.ones(each.shape)
        twin.step()
    assert [each.tolist() for each in parameters] == before
    assert remembered(twin) != remembered(optimizer)
    assert twin.state_dict()["state"][0]["step"] == 10
    moved = twin.param_groups[0]["params"]
    assert all((a - b).abs().max() > 0 for a, b in zip(moved, parameters, strict=True))


@pytest.mark.parametrize("name", ["Adam", "RMSprop", "Adagrad", "NAdam"])
def test_what_is_remembered_of_a_parameter_without_dimensions_can_be_loaded(name: str) -> None:
    parameter = mg.tensor(2.0, requires_grad=True)
    optimizer = getattr(mg.optim, name)([parameter])
    for _ in range(3):
        parameter.grad = mg.tensor(1.0)
        optimizer.step()
        optimizer.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    assert optimizer.state_dict()["state"][0]["step"] == 3


def test_parameters_that_look_into_each_other_are_moved_one_after_another() -> None:
    def run(foreach: bool | None) -> list[Any]:
        whole = mg.arange(6.0)
        parameters = [whole[:3].requires_grad_(), whole[2:5].requires_grad_(), mg.ones(2, requires_grad=True)]
        optimizer = mg.optim.RMSprop(parameters, momentum=0.9, foreach=foreach)
        for number in range(5):
            for each in parameters:
                each.grad = mg.ones(each.shape) * (number + 1) * each.detach()
            optimizer.step()
        return [each.tolist() for each in parameters]  # type: ignore[no-any-return]

    assert run(None) == run(False)


def test_backward_through_values_from_before_a_step_is_an_error() -> None:
    parameters = [mg.ones(3, requires_grad=True) for _ in range(4)]
    optimizer = mg.optim.Adam(parameters)
    for _ in range(3):
        loss = sum((each * each).sum() for each in parameters)
        loss.backward(retain_graph=True)  # type: ignore[union-attr]
        optimizer.step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()  # type: ignore[union-attr]

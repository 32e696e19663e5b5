"""A function being differentiated reads what it captures, and does not write to it."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import pytest

Lib = Any

pytestmark = pytest.mark.filterwarnings("ignore:.*jit.script:DeprecationWarning")

ERROR = "During a grad .vjp, jvp, grad, etc. transform"

TRANSFORMS = {
    "grad": lambda lib, f: lib.func.grad(f)(lib.ones(2)),
    "vjp": lambda lib, f: lib.func.vjp(f, lib.ones(2)),
    "jvp": lambda lib, f: lib.func.jvp(f, (lib.ones(2),), (lib.ones(2),)),
    "jacrev": lambda lib, f: lib.func.jacrev(f)(lib.ones(2)),
    "hessian": lambda lib, f: lib.func.hessian(f)(lib.ones(2)),
    "grad of grad": lambda lib, f: lib.func.grad(lambda x: lib.func.grad(f)(x).sum())(lib.ones(2)),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
def test_a_captured_tensor_is_not_written_to(lib: Lib, transform: str) -> None:
    total = lib.ones(2)

    def f(x: Any) -> Any:
        total.mul_(x)
        return total.sum()

    with pytest.raises(RuntimeError, match=ERROR):
        TRANSFORMS[transform](lib, f)
    assert total.tolist() == [1.0, 1.0]


WRITES = {
    "copy_": lambda lib, captured, x: captured.copy_(x),
    "add_ a number": lambda lib, captured, x: captured.add_(1),
    "an item": lambda lib, captured, x: captured.__setitem__(0, x[0]),
    "through a view": lambda lib, captured, x: captured[:1].mul_(x[0]),
}


@pytest.mark.parametrize("write", WRITES)
def test_nor_in_any_other_way(lib: Lib, write: str) -> None:
    captured = lib.ones(2)

    def f(x: Any) -> Any:
        WRITES[write](lib, captured, x)
        return (captured * x).sum()

    with pytest.raises(RuntimeError, match=ERROR):
        lib.func.grad(f)(lib.ones(2) * 3)
    assert captured.tolist() == [1.0, 1.0]


class Box:
    """Holds what it was made with, and can be called."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def take(self, x: Any) -> Any:
        self.held.add_(x)
        return x.sum()


@dataclass(slots=True)
class Slotted:
    held: Any


@dataclass
class Deep:
    boxes: dict[str, list[Box]]


HOLDERS = {
    "a list": (lambda t: [t], lambda held: held[0]),
    "a dict": (lambda t: {"t": t}, lambda held: held["t"]),
    "an object": (Box, lambda held: held.held),
    "an object with slots": (Slotted, lambda held: held.held),
    "an object in a list in a dict": (lambda t: Deep({"a": [Box(t)]}), lambda held: held.boxes["a"][0].held),
    "its detached alias": (lambda t: [t], lambda held: held[0].detach()),
    "its data": (lambda t: [t], lambda held: held[0].data),
}


@pytest.mark.parametrize("holder", HOLDERS)
def test_nor_from_within_what_the_function_captures(lib: Lib, holder: str) -> None:
    put, take = HOLDERS[holder]
    tensor = lib.ones(2)
    held = put(tensor)

    def f(x: Any) -> Any:
        take(held).add_(1)
        return (take(held) * x).sum()

    with pytest.raises(RuntimeError, match=ERROR):
        lib.func.grad(f)(lib.ones(2))
    with pytest.raises(RuntimeError, match=ERROR):
        lib.func.vmap(lib.func.jacfwd(f))(lib.ones(3, 2))
    assert tensor.tolist() == [1.0, 1.0]


def test_nor_one_that_comes_with_the_function_itself(lib: Lib) -> None:
    tensor = lib.ones(2)

    def by_default(x: Any, held: Any = tensor) -> Any:
        held.add_(x)
        return x.sum()

    def first(held: Any, x: Any) -> Any:
        return by_default(x, held)

    for function in (by_default, Box(tensor).take, functools.partial(first, tensor), lambda x: by_default(x)):
        with pytest.raises(RuntimeError, match=ERROR):
            lib.func.grad(function)(lib.ones(2))
    assert tensor.tolist() == [1.0, 1.0]


def test_nor_the_running_statistics_of_a_captured_module(lib: Lib) -> None:
    module = lib.nn.BatchNorm1d(2)
    parameters = dict(module.named_parameters())

    def loss(parameters: Any, x: Any) -> Any:
        return (lib.func.functional_call(module, parameters, (x,)) ** 2).sum()

    x = lib.tensor([[1.0, 2.0], [3.0, 5.0]])
    with pytest.raises(RuntimeError, match=ERROR):
        lib.func.grad(loss)(parameters, x)
    assert module.running_mean.tolist() == [0.0, 0.0]
    module.eval()
    assert set(lib.func.grad(loss)(parameters, x)) == {"weight", "bias"}


def test_what_is_made_during_the_call_may_be_kept_outside_and_what_is_given_is_not_captured(lib: Lib) -> None:
    kept: dict[str, Any] = {}
    given = lib.ones(2)

    def f(x: Any, y: Any) -> Any:
        kept["sum"] = lib.zeros(2)
        kept["sum"].add_(1)
        y.add_(1)
        return (x * y).sum() + 0 * given.sum()

    assert lib.func.grad(f)(lib.ones(2), given).tolist() == [2.0, 2.0]
    assert kept["sum"].tolist() == [1.0, 1.0]


def test_what_is_given_and_changed_has_no_history_afterwards(lib: Lib) -> None:
    given = lib.ones(2)

    def f(x: Any, y: Any) -> Any:
        y.mul_(x)
        return (x * y).sum()

    assert lib.func.grad(f)(lib.ones(2) * 3, given).tolist() == [6.0, 6.0]
    assert given.tolist() == [3.0, 3.0] and not given.requires_grad


def test_what_the_function_makes_or_is_given_may_be_written_to(lib: Lib) -> None:
    captured = lib.ones(2)

    def f(x: Any, y: Any) -> Any:
        made = lib.zeros(2)
        made.copy_(x * captured)
        y.add_(made.detach())
        return (made * made).sum() + y.sum()

    given = lib.ones(2)
    assert lib.func.grad(f)(lib.ones(2) * 3, given).tolist() == [6.0, 6.0]
    assert given.tolist() == [4.0, 4.0]


def test_afterwards_it_may_be_written_to_again(lib: Lib) -> None:
    captured = lib.ones(2)
    lib.func.grad(lambda x: (x * captured).sum())(lib.ones(2))
    assert captured.add_(1).tolist() == [2.0, 2.0]


def test_functionalize_returns_what_the_function_does(lib: Lib) -> None:
    x = lib.ones(2)
    assert lib.func.functionalize(lambda x: x.view(2).mul_(2), remove="mutations_and_views")(x).tolist() == [2.0, 2.0]
    assert x.tolist() == [2.0, 2.0]

    def f(x: Any) -> Any:
        y = x * 1
        y.mul_(x)
        return y.sum()

    assert lib.func.grad(lib.func.functionalize(f))(lib.ones(2) * 3).tolist() == [6.0, 6.0]
    with pytest.raises(RuntimeError, match="received invalid argument for remove=views"):
        lib.func.functionalize(f, remove="views")(x)

"""A function being differentiated reads what it captures, and does not write to it."""

from __future__ import annotations

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

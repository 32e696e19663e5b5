"""func.grad: the gradient as a function. It nests, takes structures, touches nothing, and costs what it must."""

from __future__ import annotations

import math
from typing import Any

import pytest

import minigrad as mg

from .helpers import cubes, numbers, scalar

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


def test_grad_gives_the_gradient_and_touches_nothing(lib: Any) -> None:
    x = numbers(lib, 1, 2)
    slope = lib.func.grad(cubes)(x)
    assert slope.tolist() == [3, 12]
    assert x.grad is None and not x.requires_grad and not slope.requires_grad


def test_grad_of_grad_of_grad(lib: Any) -> None:
    grad = lib.func.grad
    assert grad(grad(grad(lambda x: x**4)))(scalar(lib, 2)).item() == 48


def test_each_level_differentiates_by_its_own_input_only(lib: Any) -> None:
    grad, one = lib.func.grad, scalar(lib, 1)
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(scalar(lib, 3)).item() == 1
    assert grad(lambda x: x * grad(lambda y: x * y)(one))(scalar(lib, 3)).item() == 6


def test_grad_and_value_gives_both(lib: Any) -> None:
    slope, value = lib.func.grad_and_value(cubes)(numbers(lib, 1, 2))
    assert slope.tolist() == [3, 12] and value.item() == 9


def test_value_and_grad_is_the_other_way_round() -> None:
    value, slope = mg.func.value_and_grad(cubes)(numbers(mg, 1, 2))
    assert slope.tolist() == [3, 12] and value.item() == 9


def test_argnums_says_by_which_arguments(lib: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        return (x * y).sum()

    x, y = numbers(lib, 1, 2), numbers(lib, 3, 4)
    assert lib.func.grad(f, argnums=1)(x, y).tolist() == [1, 2]
    assert lib.func.grad(f, argnums=-1)(x, y).tolist() == [1, 2]
    assert [each.tolist() for each in lib.func.grad(f, argnums=(0, 1))(x, y)] == [[3, 4], [1, 2]]


@pytest.mark.parametrize(
    ("argnums", "message"),
    [
        (2, "only 2 positional inputs"),
        ((), "must be non-empty"),
        ((0, 0), "must be unique"),
        ("a", "must be int or Tuple"),
    ],
)
def test_argnums_must_name_arguments(lib: Any, argnums: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        lib.func.grad(lambda x, y: x * y, argnums=argnums)(scalar(lib, 1), scalar(lib, 2))


def test_an_argument_may_be_a_structure(lib: Any) -> None:
    weights = {"a": numbers(lib, 1, 2), "b": (scalar(lib, 3),)}
    slopes = lib.func.grad(lambda w: (w["a"] * w["b"][0]).sum())(weights)
    assert slopes["a"].tolist() == [3, 3] and slopes["b"][0].item() == 3


def test_has_aux_hands_something_on(lib: Any) -> None:
    slope, aux = lib.func.grad(lambda x: (cubes(x), x * 2), has_aux=True)(numbers(lib, 1, 2))
    assert slope.tolist() == [3, 12] and aux.tolist() == [2, 4] and not aux.requires_grad
    with pytest.raises(RuntimeError, match=r"should be a tuple: \(output, aux\) if has_aux is True"):
        lib.func.grad(cubes, has_aux=True)(numbers(lib, 1))


def test_what_does_not_matter_has_a_gradient_of_zeros(lib: Any) -> None:
    assert lib.func.grad(lambda x, y: y.sum())(numbers(lib, 1, 2), numbers(lib, 3)).tolist() == [0, 0]
    assert lib.func.grad(lambda x: scalar(lib, 1))(numbers(lib, 1, 2)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda x: x, "Expected f.*to return a scalar Tensor, got tensor with 1 dims"),
        (lambda x: 1.0, "Expected f.*to return a Tensor, got <class 'float'>"),
        (lambda x: x.sum() * 1j, "only for real scalar outputs"),
    ],
)
def test_grad_wants_a_real_scalar(lib: Any, result: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        lib.func.grad(result)(numbers(lib, 1, 2))


def test_only_float_tensors_are_differentiated_by(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        lib.func.grad(lambda x: x.sum())(lib.tensor([1, 2]))
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor"):
        lib.func.grad(lambda x: x * 2)(2.0)


def test_the_input_is_a_leaf_inside_and_is_not_changed_in_place(lib: Any) -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append((x.is_leaf, x.requires_grad, x.grad_fn))
        return x.mul_(2).sum()

    x = numbers(lib, 1, 2)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"):
        lib.func.grad(f)(x)
    assert seen == [(True, True, None)] and x.tolist() == [1, 2]


def test_a_gradient_stays_connected_to_what_it_was_computed_from(lib: Any) -> None:
    w, x = numbers(lib, 2, 2, requires_grad=True), numbers(lib, 1, 3)
    slope = lib.func.grad(lambda x: (w * x**2).sum())(x)
    (found,) = lib.autograd.grad(slope.sum(), w)
    assert found.tolist() == [2, 6]
    (second,) = lib.autograd.grad(lib.func.grad(cubes)(w).sum(), w)
    assert second.tolist() == [12, 12]


def test_no_grad_outside_is_for_the_outside_and_inside_for_the_inside(lib: Any) -> None:
    def half(x: Any) -> Any:
        with lib.no_grad():
            constant = x**2
        return (x**2 - constant).sum()

    def constant_slope(x: Any) -> Any:
        with lib.no_grad():
            slope = lib.func.grad(cubes)(x)
        return (x * slope).sum()

    x = numbers(lib, 1, 2)
    with lib.no_grad():
        assert lib.func.grad(cubes)(x).tolist() == [3, 12]
    assert lib.func.grad(half)(x).tolist() == [2, 4]
    assert lib.func.grad(constant_slope)(x).tolist() == [3, 12]


def test_detach_cuts_at_every_level(lib: Any) -> None:
    grad = lib.func.grad
    assert grad(lambda x: x * x.detach())(scalar(lib, 3)).item() == 3
    assert grad(lambda x: grad(lambda y: y * x.detach())(x))(scalar(lib, 3)).item() == 0


# Cost -----------------------------------------------------------------------------------------------------------------


def test_a_gradient_nobody_differentiates_leaves_no_graph() -> None:
    seen = []

    def f(x: mg.Tensor) -> Any:
        y = x * 2
        y.register_hook(lambda grad: seen.append(grad.requires_grad))
        return (y * y).sum()

    mg.func.grad(f)(numbers(mg, 1, 2))
    mg.func.grad(lambda x: mg.func.grad(f)(x).sum())(numbers(mg, 1, 2))
    assert seen[0] is False and True in seen[1:]


def test_a_chain_of_a_thousand_ops_is_pushed_through() -> None:
    def f(x: mg.Tensor) -> Any:
        for _ in range(1000):
            x = x * 1.001
        return x

    slope = mg.func.jvp(mg.func.grad(lambda x: f(x) ** 2), (scalar(mg, 1),), (scalar(mg, 1),))[1].item()
    assert math.isclose(slope, 2 * 1.001**2000, rel_tol=1e-9)


def test_a_gradient_looks_no_further_back_than_where_it_is_taken() -> None:
    from minigrad.core.engine import Pass
    from minigrad.core.entry import entered

    x = numbers(mg, 1, requires_grad=True)
    for _ in range(1000):
        x = x + 1
    start = entered(x)
    y = (start * start).exp().sum()
    edge: Any = (y.grad_fn, 0)
    wanted: dict[Any, Any] = {start._edge: None}
    run = Pass([(edge, mg.ones_like(y))], wanted, retain=True, create=False)
    run.execute()
    assert len(run.waiting) < 10 and run.captures[start._edge] is not None  # type: ignore[index]

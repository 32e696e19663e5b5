"""Views whose base is turned in place, or which were made where nothing was recorded."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any


def base_and_row(lib: Lib) -> tuple[Any, Any, Any]:
    """A leaf, a base computed from it, and a view of the base's first row."""
    x = lib.arange(6.0).reshape(2, 3).requires_grad_()
    base = x * 1
    return x, base, base[0]


TURNS = {
    "t_": lambda base: base.t_(),
    "transpose_": lambda base: base.transpose_(0, 1),
    "unsqueeze_": lambda base: base.unsqueeze_(1),
    "twice": lambda base: base.t_().unsqueeze_(0),
    "there and back": lambda base: base.unsqueeze_(2).squeeze_(2),
}


@pytest.mark.parametrize("turn", TURNS)
def test_a_view_keeps_its_place_when_its_base_is_turned(lib: Lib, turn: str) -> None:
    x, base, row = base_and_row(lib)
    TURNS[turn](base)
    assert row.tolist() == [0.0, 1.0, 2.0]
    (row * row).sum().backward()
    assert x.grad.tolist() == [[0.0, 2.0, 4.0], [0.0, 0.0, 0.0]]


@pytest.mark.parametrize("turn", TURNS)
def test_a_write_through_an_older_view_reaches_the_right_elements(lib: Lib, turn: str) -> None:
    x, base, row = base_and_row(lib)
    TURNS[turn](base)
    row.mul_(3)
    base.sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0, 3.0], [1.0, 1.0, 1.0]]


def test_a_view_of_a_turned_base_may_be_viewed_again(lib: Lib) -> None:
    x, base, row = base_and_row(lib)
    base.t_()
    row.mul_(2)
    row[1:].mul_(3)
    (base * base).sum().backward()
    assert x.grad.tolist() == [[0.0, 72.0, 144.0], [6.0, 8.0, 10.0]]


def test_a_base_without_a_history_may_be_turned_too(lib: Lib) -> None:
    base, weights = lib.zeros(2, 3), lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    row = base[0]
    base.t_()
    row.copy_(weights)
    (base * base).sum().backward()
    assert weights.grad.tolist() == [2.0, 4.0, 6.0]


def test_a_vector_is_turned_into_itself(lib: Lib) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    base = x * 1
    view = base[1:]
    base.t_().mul_(3)
    view.sum().backward()
    assert x.grad.tolist() == [0.0, 3.0]


def test_a_squeezed_base(lib: Lib) -> None:
    x = lib.ones(1, 3, requires_grad=True)
    base = x * 1
    view = base[0, :2]
    base.squeeze_(0).mul_(3)
    view.sum().backward()
    assert x.grad.tolist() == [[3.0, 3.0, 0.0]]


# Views made unseen


def unseen(lib: Lib) -> tuple[Any, Any]:
    """A leaf, and a view made under no_grad of what was computed from it."""
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    base = x * 1
    with lib.no_grad():
        return x, base[:1]


def test_what_is_computed_of_an_unseen_view_is_recorded_and_leads_nowhere(lib: Lib) -> None:
    x, view = unseen(lib)
    assert view.requires_grad and view.is_leaf and view.grad_fn is None
    result = view * 2
    assert result.requires_grad
    assert result.grad_fn.next_functions[0] == (None, 0)
    result.sum().backward()
    assert x.grad is None


def test_other_inputs_get_their_gradients(lib: Lib) -> None:
    x, view = unseen(lib)
    w = lib.tensor([5.0], requires_grad=True)
    (view * w).sum().backward()
    assert (x.grad, w.grad.tolist()) == (None, [1.0])


def test_a_view_made_before_its_base_required_a_gradient(lib: Lib) -> None:
    x = lib.ones(2)
    view = x[:1]
    x.requires_grad_()
    result = view * 2
    assert result.requires_grad
    result.sum().backward()
    assert x.grad is None


def test_an_unseen_view_counts_as_unused(lib: Lib) -> None:
    _, view = unseen(lib)
    result = view * 2
    assert lib.autograd.grad(result, view, lib.ones(1), retain_graph=True, allow_unused=True) == (None,)
    with pytest.raises(RuntimeError, match="not have been used in the graph"):
        lib.autograd.grad(result, view, lib.ones(1))


# What may not be turned, and what follows a base


def test_a_view_of_a_leaf_is_not_turned(lib: Lib) -> None:
    view = lib.ones(2, 3, requires_grad=True)[:1]
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        view.t_()


def test_a_view_is_no_leaf_once_its_base_has_a_history(lib: Lib) -> None:
    base = lib.ones(3)
    view = base[:2]
    base.mul_(lib.ones(3, requires_grad=True))
    assert not view.is_leaf


def test_the_result_of_a_change_through_a_view_is_differentiated_twice(lib: Lib) -> None:
    x = lib.tensor([[0.5, 0.2], [0.1, -0.3]], dtype=lib.float64, requires_grad=True)

    def through_a_view(x: Any) -> Any:
        base = x * 1
        base.t().sigmoid_()
        return base * base

    assert lib.autograd.gradgradcheck(through_a_view, x)

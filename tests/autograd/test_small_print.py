"""The small print: rules that a program meets seldom, and that other tests do not hold."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

Lib = Any


# Leaves and their attributes


@pytest.mark.parametrize("name", ["grad_fn", "requires_grad", "data"])
def test_what_autograd_keeps_cannot_be_deleted(lib: Lib, name: str) -> None:
    with pytest.raises((RuntimeError, AttributeError)):
        delattr(lib.ones(2, requires_grad=True), name)


def test_deleting_a_gradient_is_setting_it_to_none(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    x.sum().backward()
    del x.grad
    assert x.grad is None


def test_a_gradient_may_be_kept_in_another_type_than_its_leaf(lib: Lib) -> None:
    x = lib.ones(2, dtype=lib.float64, requires_grad=True)
    assert x.grad_dtype == lib.float64
    x.grad_dtype = lib.float32
    (x * 3).sum().backward()
    assert (x.grad.dtype, x.grad.tolist()) == (lib.float32, [3.0, 3.0])
    with pytest.raises(RuntimeError, match="grad"):
        x.grad_dtype = lib.float64


@pytest.mark.cpu("memory is shared with NumPy")
def test_numbers_can_be_had_of_a_parameter_where_nothing_is_recorded(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    with lib.no_grad():
        assert x.numpy().tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="detach"):
        x.numpy()


@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_gradient_with_a_graph_is_added_to_as_one(lib: Lib) -> None:
    x = lib.tensor([2.0], requires_grad=True)
    (x**3).backward(create_graph=True)
    first = x.grad
    (x**2).backward(create_graph=True)
    assert first.tolist() == [12.0]
    assert x.grad.tolist() == [16.0]
    assert lib.autograd.grad(x.grad.sum(), x)[0].tolist() == [14.0]


# Inference mode


def test_inference_mode_may_be_turned_off_within(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    with lib.inference_mode():
        assert lib.zeros(2).is_inference()
        assert lib.arange(3).is_inference()
        with lib.inference_mode(False):
            assert not lib.is_inference_mode_enabled()
            y = (x * 2).sum()
            assert not y.is_inference() and y.requires_grad
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_view_of_an_ordinary_tensor_in_inference_mode_is_an_ordinary_one(lib: Lib) -> None:
    base = lib.ones(4)
    with lib.inference_mode():
        view, made = base[:2], base + 1
    assert not view.is_inference()
    assert made.is_inference()
    view.add_(1)
    assert base.tolist() == [2.0, 2.0, 1.0, 1.0]


# Saved tensors


def test_hooks_of_saved_tensors_may_be_switched_off_with_a_reason(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    graph = lib.autograd.graph
    with graph.disable_saved_tensors_hooks("not in here"):
        (x * x).sum().backward()
        with pytest.raises(RuntimeError, match="not in here"), graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            x * x
    assert x.grad.tolist() == [2.0, 2.0]
    with (
        graph.saved_tensors_hooks(lambda t: t, lambda t: t),
        pytest.raises(RuntimeError, match="not in here"),
        graph.disable_saved_tensors_hooks("not in here"),
    ):
        x * x


def test_changes_of_saved_tensors_are_allowed_once_at_a_time(lib: Lib) -> None:
    allow = lib.autograd.graph.allow_mutation_on_saved_tensors
    with allow() as context:
        x = lib.ones(2, requires_grad=True)
        y = x.clone()
        out = (y**2).sum()
        y.mul_(10)
        out.backward()
        with pytest.raises(RuntimeError, match="nest"), allow():
            pass
    context.clear()
    assert x.grad.tolist() == [2.0, 2.0]


# Modes


def test_many_threads_are_a_mode(lib: Lib) -> None:
    with lib.autograd.set_multithreading_enabled(False):
        x = lib.ones(2, requires_grad=True)
        x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


# Forward mode


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_a_detached_dual_has_no_tangent(lib: Lib) -> None:
    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level():
        made = forward_ad.make_dual(lib.ones(2), lib.ones(2)) * 2
        assert forward_ad.unpack_dual(made).tangent.tolist() == [2.0, 2.0]
        made.detach_()
        assert forward_ad.unpack_dual(made).tangent is None


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_the_tangent_of_what_is_changed_in_place_must_be_changed_in_place_too(lib: Lib) -> None:
    forward_ad = lib.autograd.forward_ad

    class Doubled(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx, tangent):
            return tangent.mul_(2)

    class Careless(Doubled):
        @staticmethod
        def jvp(ctx, tangent):
            return tangent * 2

    with forward_ad.dual_level():
        made = Doubled.apply(forward_ad.make_dual(lib.ones(2), lib.ones(2)).clone())
        assert forward_ad.unpack_dual(made).tangent.tolist() == [2.0, 2.0]
        with pytest.raises(RuntimeError, match="(?i)in-?place"):
            Careless.apply(forward_ad.make_dual(lib.ones(2), lib.ones(2)).clone())


# Complex powers


def test_a_real_power_of_a_complex_number_has_the_gradient_of_its_formula(lib: Lib) -> None:
    base = lib.tensor([-1.0 + 0.5j, 2.0 - 1.0j], dtype=lib.complex128, requires_grad=True)
    power = lib.tensor([2.0 + 0.3j, 0.5 + 0j], dtype=lib.complex128, requires_grad=True)
    assert lib.autograd.gradcheck(lib.pow, (base, power))


# Checks of gradients


def test_gradcheck_takes_gradients_that_are_undefined(lib: Lib) -> None:
    class Forgets(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * 2, y * 3

        @staticmethod
        def backward(ctx, first, second):
            return first * 2, second * 3

    x = lib.tensor([1.0, 2.0], dtype=lib.float64, requires_grad=True)
    y = lib.tensor([3.0, 4.0], dtype=lib.float64, requires_grad=True)
    assert lib.autograd.gradcheck(Forgets.apply, (x, y), check_undefined_grad=True)


def test_nothing_here_warns(lib: Lib) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = lib.tensor([1.0, 2.0], requires_grad=True)
        (x.clone() * 2).sum().backward()
        lib.autograd.grad((x * x).sum(), {"x": x}, create_graph=True)


def test_a_tensor_is_not_equal_to_what_is_no_number(lib: Lib) -> None:
    x = lib.ones(2)
    assert (x == None) is False  # noqa: E711
    assert (x != "a") is True
    with pytest.raises(TypeError, match="not supported between instances"):
        x < "a"  # noqa: B015


def test_integers_take_the_numbers_of_a_leaf_and_nothing_else(lib: Lib) -> None:
    target = lib.tensor([1, 2])
    target.copy_(lib.tensor([3.0, 4.0], requires_grad=True))
    assert (target.tolist(), target.requires_grad) == ([3, 4], False)


@pytest.mark.parametrize("kind", [float, int])
def test_only_one_element_is_a_python_number(lib: Lib, kind: Any) -> None:
    with pytest.raises(ValueError, match="only one element tensors can be converted to Python scalars"):
        kind(lib.ones(2))

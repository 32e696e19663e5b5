"""What a Function may say about its gradients and saved tensors, and what switches forward mode and recording off."""

from __future__ import annotations

from typing import Any

import pytest

from .helpers import numbers

Lib = Any


def cube(lib: Lib, **settings: Any) -> Any:
    """A Function that computes x³ and reads its saved tensor `reads` times in backward."""
    reads = settings.pop("reads", 1)

    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return x**3

    def backward(ctx: Any, grad: Any) -> Any:
        for _ in range(reads):
            (x,) = ctx.saved_tensors
        return grad * 3 * x**2

    body = {"forward": staticmethod(forward), "backward": staticmethod(backward), **settings}
    return type("Cube", (lib.autograd.Function,), body)


def test_saved_tensors_may_be_let_go_as_soon_as_they_are_read(lib: Lib) -> None:
    x = numbers(lib, 2.0, requires_grad=True)
    cube(lib, clear_saved_tensors_on_access=True).apply(x).backward()
    assert x.grad.tolist() == [12.0]
    with pytest.raises(RuntimeError, match="can only be accessed once"):
        cube(lib, clear_saved_tensors_on_access=True, reads=2).apply(x).backward()
    y = cube(lib, clear_saved_tensors_on_access=True).apply(x)
    y.backward(retain_graph=True)
    with pytest.raises(RuntimeError, match="can only be accessed once"):
        y.backward()


@pytest.mark.parametrize("once", [False, True])
def test_backward_may_get_its_gradients_as_one_list(lib: Lib, once: bool) -> None:
    kinds = []

    def backward(ctx: Any, grads: Any) -> Any:
        kinds.append(type(grads))
        first, grads[0] = grads[0], None
        return 5 * first + 7 * grads[1]

    rule = lib.autograd.function.once_differentiable(backward) if once else backward

    class Twice(lib.autograd.Function):
        boxed_grads_call = True

        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 5 * x, 7 * x

    Twice.backward = staticmethod(rule)
    x = numbers(lib, 1.0, requires_grad=True)
    a, b = Twice.apply(x)
    (a + 10 * b).backward()
    assert x.grad.tolist() == [75.0]
    assert kinds == [list]


def test_an_input_returned_as_not_differentiable_is_detached(lib: Lib) -> None:
    class Stop(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_non_differentiable(x)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            raise AssertionError("no gradient comes here")

    x = numbers(lib, 1.0, requires_grad=True)
    y = Stop.apply(x)
    assert (y.requires_grad, x.requires_grad) == (False, True)


@pytest.mark.parametrize(
    ("method", "wrong", "error"),
    [
        ("mark_non_differentiable", 3, RuntimeError),
        ("save_for_forward", 3, AssertionError),
        ("set_materialize_grads", 1, TypeError),
    ],
)
def test_the_methods_of_ctx_check_their_arguments(lib: Lib, method: str, wrong: Any, error: type[Exception]) -> None:
    class Wrong(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            getattr(ctx, method)(wrong)
            return x * 2

    with pytest.raises(error):
        Wrong.apply(numbers(lib, 1.0, requires_grad=True))


def test_arguments_of_a_forward_with_ctx_may_be_named(lib: Lib) -> None:
    class Scaled(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, by: float = 1.0) -> Any:
            ctx.by = by
            return x * by

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.by, None

    x = numbers(lib, 2.0, requires_grad=True)
    y = Scaled.apply(x, by=4.0)
    y.backward()
    assert (y.tolist(), x.grad.tolist()) == ([8.0], [4.0])
    with pytest.raises(TypeError):
        Scaled.apply(x, to=4.0)


# Inference mode


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_nothing_moves_in_inference_mode(lib: Lib) -> None:
    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(numbers(lib, 1.0), numbers(lib, 2.0))
        with lib.inference_mode():
            inside = forward_ad.unpack_dual(dual * 3).tangent
            made = forward_ad.unpack_dual(forward_ad.make_dual(numbers(lib, 1.0), numbers(lib, 2.0))).tangent
        with lib.no_grad():
            unrecorded = forward_ad.unpack_dual(dual * 3).tangent
        assert (inside, made, unrecorded.tolist()) == (None, None, [6.0])
        assert forward_ad.unpack_dual(dual * 5).tangent.tolist() == [10.0]


def test_a_gradient_transformed_in_inference_mode_is_the_same(lib: Lib) -> None:
    x = numbers(lib, 3.0)
    with lib.inference_mode():
        slope = lib.func.grad(lambda x: (x**2).sum())(x)
        value, pull = lib.func.vjp(lambda x: x**3, x)
        pulled = pull(numbers(lib, 1.0))[0]
        assert lib.is_inference_mode_enabled()
    assert (slope.tolist(), value.tolist(), pulled.tolist()) == ([6.0], [27.0], [27.0])


def test_the_modes_say_what_they_were_given(lib: Lib) -> None:
    assert lib.inference_mode(False).mode is False
    assert lib.inference_mode().clone().mode is True
    with pytest.raises(TypeError):
        lib.set_grad_enabled(1)
    assert lib.is_grad_enabled()


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_only_tensors_are_unpacked(lib: Lib) -> None:
    with lib.autograd.forward_ad.dual_level(), pytest.raises(TypeError):
        lib.autograd.forward_ad.unpack_dual(3.0)

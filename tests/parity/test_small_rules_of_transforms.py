"""What transformations refuse, pause and hand on, and gradients of arguments that are easily forgotten."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .same import refused, same

pytestmark = [
    pytest.mark.parity,
    pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning"),
]


def forward_mode_pauses_at_the_innermost_level(lib: Any) -> Any:
    forward = __import__(f"{lib.__name__}.autograd.forward_ad", fromlist=["forward_ad"])

    def f(x: Any) -> Any:
        with forward._set_fwd_grad_enabled(False):
            still = x**2
        return x**2 - still

    x, t = lib.tensor(1.5), lib.tensor(1.0)
    return [
        lib.func.jvp(f, (x,), (t,)),
        lib.func.jvp(lambda x: lib.func.jvp(f, (x,), (t,))[1], (x,), (t,)),
    ]


def a_functions_rule_for_vmap_sees_nested_arguments(lib: Any) -> Any:
    seen = []

    class Both(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any, y: Any) -> Any: ...

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any, y: Any) -> Any:
            seen.append((in_dims, info.batch_size))
            return (x, y[0] + y[1]), (in_dims[0], 0)

    x = lib.arange(6.0).reshape(2, 3)
    return [lib.vmap(Both.apply)(x, [x, x]), seen]


def one_number_fills_many_slices_and_gets_one_gradient(lib: Any) -> Any:
    index = lib.tensor([1, 2])
    x, v = lib.ones(3, 2, requires_grad=True), lib.tensor(2.0, requires_grad=True)
    x.index_fill(0, index, v * 3).backward(lib.arange(6.0).reshape(3, 2))
    pull = lib.func.vjp(lambda x, v: x.index_fill(1, index[:1], v), x.detach(), v.detach())[1]
    return [x.grad, v.grad, pull(lib.ones(3, 2)), lib.func.jacrev(lambda v: x.index_fill(0, index, v))(v.detach())]


def weights_of_losses_have_derivatives_in_transforms(lib: Any) -> Any:
    loss = lib.nn.functional.binary_cross_entropy_with_logits
    x, y = lib.arange(6.0).reshape(2, 3) / 3 - 1, lib.arange(6.0).reshape(2, 3) / 5
    w, p = lib.tensor([2.0, 3.0, 4.0]), lib.tensor([0.5, 1.0, 2.0])

    def f(x: Any, y: Any, w: Any, p: Any) -> Any:
        return loss(x, y, weight=w, pos_weight=p)

    return [lib.func.grad(f, (0, 1, 2, 3))(x, y, w, p), lib.func.jvp(f, (x, y, w, p), (x, y, w, p))]


def a_weighted_huber_loss_is_a_plain_mean(lib: Any) -> Any:
    x = lib.arange(6.0).reshape(2, 3).requires_grad_()
    loss = lib.nn.functional.huber_loss(x, x.detach() * 0.3, weight=lib.arange(6.0).reshape(2, 3) + 1)
    loss.backward()
    return [loss, x.grad]


def a_primal_that_is_also_captured_may_be_changed(lib: Any) -> Any:
    x = lib.ones(3)
    return [lib.func.jvp(lambda y: y.mul_(2).sum() + x.sum(), (x,), (lib.ones(3),)), x]


def running_sums_of_single_numbers_are_mapped(lib: Any) -> Any:
    def f(x: Any) -> Any:
        return x.cumsum(0) * x.cumprod(0) * lib.logcumsumexp(x, 0)

    return lib.vmap(lib.func.grad(f))(lib.tensor([1.0, 2.0]))


def preallocation_is_a_wish(lib: Any) -> Any:
    return lib.func.jacrev(lambda x: x * x, chunk_size=1, _preallocate_and_copy=True)(lib.tensor([1.0, 2.0]))


SAME = [
    forward_mode_pauses_at_the_innermost_level,
    a_functions_rule_for_vmap_sees_nested_arguments,
    one_number_fills_many_slices_and_gets_one_gradient,
    weights_of_losses_have_derivatives_in_transforms,
    a_weighted_huber_loss_is_a_plain_mean,
    a_primal_that_is_also_captured_may_be_changed,
    running_sums_of_single_numbers_are_mapped,
    preallocation_is_a_wish,
]


@pytest.mark.parametrize("program", SAME, ids=lambda program: program.__name__)
def test_it_is_the_same(program: Callable[[Any], Any]) -> None:
    same(program)


def jacobian_of_complex(lib: Any, transform: str) -> Any:
    return getattr(lib.func, transform)(lambda x: x.conj())(lib.tensor([1j]))


def jacobian_to_complex(lib: Any, transform: str) -> Any:
    return getattr(lib.func, transform)(lambda x: x * 0.5j)(lib.tensor([1.0]))


def jacobian_of_nothing(lib: Any, transform: str) -> Any:
    return getattr(lib.func, transform)(lambda x: ())(lib.tensor([1.0]))


@pytest.mark.parametrize("transform", ["jacrev", "jacfwd"])
@pytest.mark.parametrize("program", [jacobian_of_complex, jacobian_to_complex, jacobian_of_nothing])
def test_jacobians_are_of_real_numbers(program: Callable[[Any, str], Any], transform: str) -> None:
    refused(lambda lib: program(lib, transform))


def models_that_differ_in_what_they_train(lib: Any) -> Any:
    models = [lib.nn.Linear(2, 2) for _ in range(2)]
    models[0].weight.requires_grad_(False)
    return lib.func.stack_module_state(models)


def class_weights_that_want_a_gradient(lib: Any) -> Any:
    weight = lib.ones(3, requires_grad=True)
    return lib.nn.functional.cross_entropy(lib.ones(2, 3), lib.tensor([0, 1]), weight=weight)


def a_function_with_named_tensors_only(lib: Any) -> Any:
    class Sum(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any, *, y: Any) -> Any:
            return x + y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

    return lib.vmap(Sum.apply)(lib.ones(3), y=lib.ones(3))


def out_dims_that_do_not_fit(lib: Any) -> Any:
    class Zeros(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any) -> Any: ...

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None: ...

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            return x[0], (None,)

    return lib.vmap(Zeros.apply)(lib.ones(2, 3))


def a_huber_weight_of_another_size(lib: Any) -> Any:
    return lib.nn.functional.huber_loss(lib.ones(2, 3), lib.zeros(2, 3), weight=lib.ones(3))


@pytest.mark.parametrize(
    "program",
    [
        models_that_differ_in_what_they_train,
        class_weights_that_want_a_gradient,
        a_function_with_named_tensors_only,
        out_dims_that_do_not_fit,
        a_huber_weight_of_another_size,
    ],
    ids=lambda program: program.__name__,
)
def test_it_is_refused(program: Callable[[Any], Any]) -> None:
    refused(program)

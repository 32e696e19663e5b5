"""vmap inside and outside of gradients and tangents: through changes in place, Functions, the graph around it."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

from .helpers import rows

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


# In place -------------------------------------------------------------------------------------------------------------


def test_a_change_in_place_reaches_all_examples(lib: Any) -> None:
    x = rows(lib)
    assert lib.func.vmap(lambda x: x.mul_(2).add_(1))(x).tolist() == [[1, 3, 5], [7, 9, 11]]
    assert x.tolist() == [[1, 3, 5], [7, 9, 11]]


def test_a_change_through_a_view_reaches_its_base(lib: Any) -> None:
    def f(x: Any) -> Any:
        y = x.clone()
        y[1:].mul_(10)
        y[0] = x.sum()
        return y

    assert lib.func.vmap(f)(rows(lib)).tolist() == [[3, 10, 20], [12, 40, 50]]


def test_what_differs_is_not_written_into_what_is_alike(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="inplace arithmetic|doesn't match the broadcast shape"):
        lib.func.vmap(lambda x: lib.zeros(3, dtype=lib.float64).add_(x))(rows(lib))


def test_gradients_inside_go_through_changes_in_place(lib: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y[0].mul_(3)
        y.mul_(x)
        return (y * x).sum()

    x = rows(lib)
    expected = lib.stack([lib.func.grad(f)(each) for each in x])
    assert lib.allclose(lib.func.vmap(lib.func.grad(f))(x), expected)
    assert lib.allclose(lib.func.grad(lambda x: lib.func.vmap(f)(x).sum())(x), expected)


def test_tangents_go_through_changes_in_place_inside(lib: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y[0].mul_(x[1])
        return y.mul_(x)

    x, t = rows(lib), rows(lib) + 1
    expected = lib.stack([lib.func.jvp(f, (a,), (b,))[1] for a, b in zip(x, t, strict=True)])
    assert lib.allclose(lib.func.vmap(lambda a, b: lib.func.jvp(f, (a,), (b,))[1])(x, t), expected)
    assert lib.allclose(lib.func.jvp(lambda x: lib.func.vmap(f)(x), (x,), (t,))[1], expected)


# Nested ---------------------------------------------------------------------------------------------------------------


def f(x: Any) -> Any:
    return (x.sin() * x.flip(0) ** 2).sum()


def test_vmap_over_grad_and_grad_over_vmap(lib: Any) -> None:
    x = rows(lib) / 5
    expected = lib.stack([lib.func.grad(f)(each) for each in x])
    assert lib.allclose(lib.func.vmap(lib.func.grad(f))(x), expected)
    assert lib.allclose(lib.func.grad(lambda x: lib.func.vmap(f)(x).sum())(x), expected)


def test_vmap_over_hessian_and_a_mixture_of_everything(lib: Any) -> None:
    grad, jvp, vmap, hessian = lib.func.grad, lib.func.jvp, lib.func.vmap, lib.func.hessian
    x = rows(lib) / 5
    expected = lib.stack([hessian(f)(each) for each in x])
    assert lib.allclose(vmap(hessian(f))(x), expected)

    def mixture(x: Any) -> Any:
        pushed = vmap(lambda row: jvp(grad(f), (row,), (row * 2,))[1])(x)
        return (pushed * x).sum()

    by_hand = lambda x: sum(  # noqa: E731
        ((hessian(f)(row) @ (row * 2)) * row).sum() for row in x
    )
    assert lib.allclose(grad(mixture)(x), grad(by_hand)(x))


def test_a_gradient_for_every_example_by_weights_they_share(lib: Any) -> None:
    x, w = rows(lib), lib.ones(3, dtype=lib.float64)
    found = lib.func.vmap(lib.func.grad(lambda w, x: (w * x).sum() ** 2), (None, 0))(w, x)
    assert lib.allclose(found, 2 * x.sum(1, keepdim=True) * x)


# The graph outside ----------------------------------------------------------------------------------------------------


def test_the_graph_outside_goes_on_through_vmap(lib: Any) -> None:
    w = lib.ones(3, dtype=lib.float64, requires_grad=True)
    lib.func.vmap(lambda x: (w * x).sum() ** 2)(rows(lib)).sum().backward()
    x = rows(lib)
    assert lib.allclose(w.grad, (2 * x.sum(1, keepdim=True) * x).sum(0))


def test_detach_and_no_grad_inside_hold_outside_too(lib: Any) -> None:
    x = rows(lib)
    assert lib.func.grad(lambda x: lib.func.vmap(lambda y: y * y.detach())(x).sum())(x).tolist() == x.tolist()


def test_batched_output_gradients_are_one_pass(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    runs = []
    y = x * 2
    y.register_hook(lambda grad: runs.append(tuple(grad.shape)))
    (jacobian,) = lib.autograd.grad(y * y, x, lib.eye(3), is_grads_batched=True)
    assert jacobian.tolist() == [[8, 0, 0], [0, 16, 0], [0, 0, 24]] and runs == [(3,)]


def test_batched_output_gradients_go_through_views_changed_in_place(lib: Any) -> None:
    x = lib.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 1
    y[1:].mul_(x[:2])
    (jacobian,) = lib.autograd.grad(y, x, lib.eye(3), is_grads_batched=True)
    assert jacobian.tolist() == [[1, 0, 0], [2, 1, 0], [0, 3, 2]]


# Functions ------------------------------------------------------------------------------------------------------------


def make_product(lib: Any, generate: bool) -> Any:
    class Product(lib.autograd.Function):  # type: ignore[misc, name-defined]
        generate_vmap_rule = generate

        @staticmethod
        def forward(x: Any, y: Any) -> Any:
            return x * y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            x, y = ctx.saved_tensors
            return grad * y, grad * x

        @staticmethod
        def jvp(ctx: Any, dx: Any, dy: Any) -> Any:
            x, y = ctx.saved_tensors
            return dx * y + x * dy

    if not generate:

        def rule(info: Any, in_dims: Any, x: Any, y: Any) -> Any:
            assert info.batch_size == 2
            x = x.unsqueeze(-1) if in_dims[0] is None else x.movedim(in_dims[0], -1)
            y = y.unsqueeze(-1) if in_dims[1] is None else y.movedim(in_dims[1], -1)
            return Product.apply(x, y), -1

        Product.vmap = staticmethod(rule)  # type: ignore[method-assign]
    return Product


@pytest.mark.parametrize("generate", [True, False], ids=["generated", "written"])
def test_a_function_is_mapped_in_every_mode(lib: Any, generate: bool) -> None:
    product = make_product(lib, generate)
    vmap, grad, jvp = lib.func.vmap, lib.func.grad, lib.func.jvp
    x, w = rows(lib), lib.ones(3, dtype=lib.float64) * 2
    assert vmap(product.apply, (0, None))(x, w).tolist() == (x * 2).tolist()
    assert vmap(grad(lambda w, x: product.apply(x, w).sum()), (None, 0))(w, x).tolist() == x.tolist()
    assert grad(lambda w: vmap(product.apply, (0, None))(x, w).sum())(w).tolist() == x.sum(0).tolist()
    assert vmap(lambda x: jvp(lambda x: product.apply(x, w), (x,), (x,))[1])(x).tolist() == (x * 2).tolist()
    assert jvp(lambda x: vmap(product.apply, (0, None))(x, w), (x,), (x,))[1].tolist() == (x * 2).tolist()
    assert vmap(grad(lambda w, x: product.apply(x, w).sum() ** 2), (None, 0))(w, x).tolist() == [
        (2 * (row * w).sum() * row).tolist() for row in x
    ]


def test_a_function_without_a_rule_says_what_is_missing() -> None:
    class Double(mg.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x * 2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

    with pytest.raises(NotImplementedError, match="does not have vmap support. .*generate_vmap_rule=True"):
        mg.func.vmap(Double.apply)(rows(mg))

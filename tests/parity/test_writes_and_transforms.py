"""Writes into scalars, views and fresh buffers, alone and under transforms."""

from __future__ import annotations

from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity


def an_ellipsis_writes_to_a_scalar(lib: Any) -> Any:
    z = lib.tensor(1.0)
    z[...] = 5
    out = z
    return out


def an_empty_index_writes_to_a_scalar(lib: Any) -> Any:
    z = lib.tensor(1.0)
    z[()] = 5
    out = z
    return out


def a_scalar_view_is_written_to_its_base(lib: Any) -> Any:
    b = lib.zeros(2, 3)
    v = b[0, 1]
    v[...] = 13
    out = [b, v]
    return out


def a_scalar_view_takes_an_empty_index(lib: Any) -> Any:
    b = lib.zeros(2, 3)
    v = b[0, 1]
    v[()] = lib.tensor(13.0)
    out = [b, v]
    return out


def a_write_to_a_scalar_view_has_a_gradient(lib: Any) -> Any:
    x = lib.tensor(3.0, requires_grad=True)
    b = lib.zeros(2, 3)
    v = b[0, 1]
    v[...] = x * 2
    b.sum().backward()
    out = [b, v, x.grad]
    return out


def a_mask_writes_to_a_scalar(lib: Any) -> Any:
    z = lib.tensor(1.0)
    z[lib.tensor(True)] = 7
    out = z
    return out


def a_truth_writes_to_a_scalar(lib: Any) -> Any:
    z = lib.tensor(1.0)
    z[True] = 7
    out = z
    return out


def a_falsehood_writes_nothing(lib: Any) -> Any:
    z = lib.tensor(1.0)
    z[False] = 7
    out = z
    return out


def none_writes_to_a_scalar(lib: Any) -> Any:
    z = lib.tensor(1.0)
    z[None] = 7
    out = z
    return out


def none_and_ellipsis_write_to_a_scalar(lib: Any) -> Any:
    z = lib.tensor(1.0)
    z[None, ...] = 7
    out = z
    return out


def methods_write_through_scalar_views(lib: Any) -> Any:
    z = lib.zeros(3)
    z[1].fill_(5)
    z[2].add_(2)
    z[0].copy_(lib.tensor(4.0))
    out = z
    return out


def elements_are_changed_one_by_one(lib: Any) -> Any:
    z = lib.zeros(3)
    z[0] += 1
    z[1] *= 2
    z[2] = z[0]
    out = z
    return out


def a_chain_of_changes_goes_through_a_scalar_view(lib: Any) -> Any:
    b = lib.zeros(2, 3)
    v = b[0, 1]
    v.add_(1)
    v.mul_(3)
    v.exp_()
    v.sub_(1).div_(2)
    out = b
    return out


def a_fresh_buffer_has_second_derivatives_in_every_order_of_transforms(lib: Any) -> Any:
    def f(x):
        y = x.new_zeros(3)
        y[:2] = x**3
        y[2:] += x[0] * x[1]
        return y

    x = lib.tensor([2.0, 3.0])
    g = lambda x: f(x).sum()
    return [
        lib.func.hessian(g)(x),
        lib.func.jacfwd(lib.func.grad(g))(x),
        lib.func.jacfwd(f)(x),
        lib.func.jacrev(f)(x),
        lib.func.jacfwd(lib.func.jacrev(f))(x),
        lib.func.jacrev(lib.func.jacrev(f))(x),
    ]


def zeros_like_is_written_to_for_each_example(lib: Any) -> Any:
    def f(x):
        y = lib.zeros_like(x)
        y[0] = x[1] ** 2
        return y

    return lib.vmap(f)(lib.arange(6.0).reshape(3, 2))


def new_zeros_is_written_to_for_each_example(lib: Any) -> Any:
    def f(x):
        y = x.new_zeros(3)
        y[0] = x[1] ** 2
        return y

    return lib.vmap(f)(lib.arange(6.0).reshape(3, 2))


def control_flow_goes_by_the_value_under_a_hessian(lib: Any) -> Any:
    f = lambda x: (x**3).sum() if x.sum() > 0 else (x**2).sum()
    x = lib.tensor([2.0, 3.0])
    out = [lib.func.hessian(f)(x), lib.func.hessian(f)(-x), lib.func.jacfwd(lib.func.jacfwd(f))(x)]
    return out


def item_reads_the_value_under_a_hessian(lib: Any) -> Any:
    f = lambda x: (x**3).sum() * x[0].item() + x.tolist()[1] * x.sum() ** 2
    x = lib.tensor([2.0, 3.0])
    out = [lib.func.hessian(f)(x)]
    return out


def a_mask_picks_under_a_hessian(lib: Any) -> Any:
    f = lambda x: (x[x > 0] ** 3).sum()
    x = lib.tensor([2.0, -3.0])
    out = [lib.func.hessian(f)(x)]
    return out


def nonzero_finds_under_a_hessian(lib: Any) -> Any:
    f = lambda x: (x[(x > 0).nonzero().squeeze(-1)] ** 3).sum()
    x = lib.tensor([2.0, -3.0])
    out = [lib.func.hessian(f)(x)]
    return out


def a_mask_picks_under_jacrev(lib: Any) -> Any:
    f = lambda x: (x.unique() ** 3).sum() + x.int().max().item()
    x = lib.tensor([2.0, -3.0])
    out = [lib.func.jacrev(lambda x: x[x > 0])(x)]
    return out


def control_flow_goes_by_what_all_examples_share(lib: Any) -> Any:
    return lib.vmap(
        lambda x, w: lib.func.grad(lambda w: (w**2).sum() * x.sum() if w.sum() > 0 else w.sum())(w), in_dims=(0, None)
    )(lib.ones(3, 2), lib.ones(2))


def item_reads_a_constant_under_vmap(lib: Any) -> Any:
    return lib.vmap(lambda x: x * lib.tensor(2.0).item())(lib.ones(3))


def a_buffer_of_the_function_is_read_under_vmap(lib: Any) -> Any:
    def f(x):
        k = lib.zeros(3)
        k[1] = 1
        return x * k if k.sum() > 0 else x

    return lib.vmap(f)(lib.ones(2, 3))


def a_captured_tensor_is_written_to_under_vmap(lib: Any) -> Any:
    c = lib.zeros(2)

    def f(x):
        c[0] = 3.0
        return x * c

    return [lib.vmap(f)(lib.ones(2, 2)), c]


def a_captured_tensor_takes_what_all_examples_share(lib: Any) -> Any:
    c = lib.zeros(2)

    def f(x, w):
        c[:] = w
        return x * c

    return [lib.vmap(f, in_dims=(0, None))(lib.ones(2, 2), lib.ones(2)), c]


def a_function_that_saves_its_output_moves_forward_over_reverse(lib: Any) -> Any:

    fw = lib.autograd.forward_ad

    class E(lib.autograd.Function):
        @staticmethod
        def forward(x):
            return x.exp()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)
            ctx.save_for_forward(output)

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

        @staticmethod
        def jvp(ctx, t):
            (y,) = ctx.saved_tensors
            return t * y

    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(x, lib.tensor([1.0, 10.0]))
        y = E.apply(d)
        (g,) = lib.autograd.grad(y.sum(), d, create_graph=True)
        out = [fw.unpack_dual(y).tangent, fw.unpack_dual(g).primal, fw.unpack_dual(g).tangent]
    return out


def a_function_of_the_old_style_that_saves_its_output_does_too(lib: Any) -> Any:
    fw = lib.autograd.forward_ad

    class E(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            ctx.save_for_forward(y)
            return y

        @staticmethod
        def backward(ctx, g):
            (y,) = ctx.saved_tensors
            return g * y

        @staticmethod
        def jvp(ctx, t):
            (y,) = ctx.saved_tensors
            return t * y

    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        d = fw.make_dual(x, lib.tensor([1.0, 10.0]))
        y = E.apply(d)
        (g,) = lib.autograd.grad(y.sum(), d, create_graph=True)
        out = [fw.unpack_dual(y).tangent, fw.unpack_dual(g).primal, fw.unpack_dual(g).tangent]
    return out


def a_function_that_saves_an_output_has_a_hessian(lib: Any) -> Any:
    class E(lib.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x.exp(), x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output[0])
            ctx.save_for_forward(output[0])

        @staticmethod
        def backward(ctx, g, h):
            (y,) = ctx.saved_tensors
            return g * y + 2 * h

        @staticmethod
        def jvp(ctx, t):
            (y,) = ctx.saved_tensors
            return t * y, 2 * t

    x = lib.tensor([1.0, 2.0])
    f = lambda x: (lambda a, b: (a * b).sum())(*E.apply(x))
    return [
        lib.func.hessian(f)(x),
        lib.func.jacrev(lib.func.jacrev(f))(x),
        lib.vmap(lib.func.hessian(f))(lib.stack([x, x + 1])),
    ]


def linearize_pushes_through_logcumsumexp(lib: Any) -> Any:
    f = lambda x: lib.logcumsumexp(x, 0)
    x = lib.tensor([1.0, 2.0, 0.5])
    o, j = lib.func.linearize(f, x)
    out = [
        o,
        j(lib.tensor([1.0, 0.0, 2.0])),
        lib.func.jvp(f, (x,), (lib.tensor([1.0, 0.0, 2.0]),)),
        lib.func.jacfwd(f)(x),
    ]
    return out


def as_strided_writes_into_each_example(lib: Any) -> Any:
    def f(x):
        y = x.clone()
        y.as_strided((2,), (2,), 1).mul_(10)
        return y

    return lib.vmap(f)(lib.arange(12.0).reshape(3, 4))


def as_strided_copies_into_each_example(lib: Any) -> Any:
    def f(x):
        y = x.clone()
        y.as_strided((2,), (2,), 0).copy_(x[:2])
        return y, y.as_strided((2, 2), (1, 1))

    return lib.vmap(f)(lib.arange(12.0).reshape(3, 4))


def as_strided_of_a_part_has_the_gradient_of_the_whole(lib: Any) -> Any:
    x = lib.arange(24.0).reshape(4, 6).requires_grad_()
    y = x[1:3, 1:5].as_strided((2, 3), (6, 2), 8)
    (y * lib.arange(6.0).reshape(2, 3)).sum().backward()
    out = [y, x.grad]
    return out


def as_strided_reaches_between_the_elements_of_a_part(lib: Any) -> Any:
    x = lib.arange(24.0).reshape(4, 6).requires_grad_()
    z = x * 1
    y = z[:, ::2].as_strided((2, 3), (6, 1), 1)
    (y * lib.arange(6.0).reshape(2, 3)).sum().backward()
    out = [y, x.grad]
    return out


def as_strided_windows_that_overlap_add_their_gradients(lib: Any) -> Any:
    x = lib.arange(6.0).requires_grad_()
    y = x.as_strided((3, 3), (1, 1))
    (y * lib.arange(9.0).reshape(3, 3)).sum().backward()
    out = [y, x.grad]
    return out


def as_strided_of_a_transpose_has_a_gradient(lib: Any) -> Any:
    x = lib.arange(6.0).reshape(2, 3).requires_grad_()
    y = x.t().as_strided((2, 2), (1, 2))
    (y * lib.arange(4.0).reshape(2, 2)).sum().backward()
    out = [y, x.grad]
    return out


def as_strided_of_an_expanded_tensor_counts_its_gradient_once(lib: Any) -> Any:
    x = lib.arange(3.0).requires_grad_()
    y = x.expand(4, 3).as_strided((2, 3), (0, 1))
    (y * lib.arange(6.0).reshape(2, 3)).sum().backward()
    out = [y, x.grad]
    return out


def as_strided_of_an_expanded_tensor_counts_shared_memory_once(lib: Any) -> Any:
    x = lib.arange(3.0).requires_grad_()
    y = x.expand(4, 3).as_strided((2, 2), (1, 1))
    (y * lib.arange(4.0).reshape(2, 2)).sum().backward()
    out = [y, x.grad]
    return out


def a_reentrant_checkpoint_may_return_an_input(lib: Any) -> Any:
    from importlib import import_module

    c = import_module(lib.__name__ + ".utils.checkpoint").checkpoint
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    w = lib.tensor([3.0, 4.0], requires_grad=True)
    a, b = c(lambda x, w: (x, x * w), x, w, use_reentrant=True)
    ((a * 2).sum() + b.sum()).backward()
    out = [x.grad, w.grad, a.requires_grad, b]
    return out


def a_reentrant_checkpoint_may_return_only_its_input(lib: Any) -> Any:
    c = lib.utils.checkpoint.checkpoint
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    a = c(lambda h: h, h, use_reentrant=True)
    (a * a).sum().backward()
    out = [x.grad]
    return out


def a_reentrant_checkpoint_may_return_views_of_its_input(lib: Any) -> Any:
    c = lib.utils.checkpoint.checkpoint
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    a, b = c(lambda h: (h[0], h.view(2, 1)), h, use_reentrant=True)
    (a * b).sum().backward()
    out = [x.grad]
    return out


def a_function_that_overwrites_its_input_has_a_rule_for_vmap(lib: Any) -> Any:
    class Double(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any) -> Any:
            return x.mul_(2)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_dirty(inputs[0])

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return tangent.mul_(2)

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            Double.apply(x)
            return x, in_dims[0]

    def f(x: Any) -> Any:
        return Double.apply(x.clone()) ** 2

    x = lib.randn(2, 3, dtype=lib.float64)
    slopes = lib.vmap(lib.func.grad(lambda x: f(x).sum()))(x)
    return [lib.vmap(f)(x), slopes, lib.func.jacfwd(f)(x), lib.func.jacrev(f)(x)]


def a_function_that_returns_a_view_has_a_rule_for_vmap(lib: Any) -> Any:
    class First(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any) -> Any:
            return x[0]

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.shape = inputs[0].shape

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            result = grad.new_zeros(ctx.shape)
            result[0] = grad
            return result

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return First.apply(tangent)

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> Any:
            return First.apply(x.movedim(in_dims[0], 1)), 0

    x = lib.randn(2, 3, dtype=lib.float64)
    return [lib.func.jacfwd(First.apply)(x), lib.func.jacrev(First.apply)(x), lib.vmap(First.apply)(x)]


PROGRAMS = [
    a_function_that_overwrites_its_input_has_a_rule_for_vmap,
    a_function_that_returns_a_view_has_a_rule_for_vmap,
    an_ellipsis_writes_to_a_scalar,
    an_empty_index_writes_to_a_scalar,
    a_scalar_view_is_written_to_its_base,
    a_scalar_view_takes_an_empty_index,
    a_write_to_a_scalar_view_has_a_gradient,
    a_mask_writes_to_a_scalar,
    a_truth_writes_to_a_scalar,
    a_falsehood_writes_nothing,
    none_writes_to_a_scalar,
    none_and_ellipsis_write_to_a_scalar,
    methods_write_through_scalar_views,
    elements_are_changed_one_by_one,
    a_chain_of_changes_goes_through_a_scalar_view,
    a_fresh_buffer_has_second_derivatives_in_every_order_of_transforms,
    zeros_like_is_written_to_for_each_example,
    new_zeros_is_written_to_for_each_example,
    control_flow_goes_by_the_value_under_a_hessian,
    item_reads_the_value_under_a_hessian,
    a_mask_picks_under_a_hessian,
    nonzero_finds_under_a_hessian,
    a_mask_picks_under_jacrev,
    control_flow_goes_by_what_all_examples_share,
    item_reads_a_constant_under_vmap,
    a_buffer_of_the_function_is_read_under_vmap,
    a_captured_tensor_is_written_to_under_vmap,
    a_captured_tensor_takes_what_all_examples_share,
    a_function_that_saves_its_output_moves_forward_over_reverse,
    a_function_of_the_old_style_that_saves_its_output_does_too,
    a_function_that_saves_an_output_has_a_hessian,
    linearize_pushes_through_logcumsumexp,
    as_strided_writes_into_each_example,
    as_strided_copies_into_each_example,
    as_strided_of_a_part_has_the_gradient_of_the_whole,
    as_strided_reaches_between_the_elements_of_a_part,
    as_strided_windows_that_overlap_add_their_gradients,
    as_strided_of_a_transpose_has_a_gradient,
    as_strided_of_an_expanded_tensor_counts_its_gradient_once,
    as_strided_of_an_expanded_tensor_counts_shared_memory_once,
    a_reentrant_checkpoint_may_return_an_input,
    a_reentrant_checkpoint_may_return_only_its_input,
    a_reentrant_checkpoint_may_return_views_of_its_input,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_the_same_on_both(program: Any) -> None:
    same(program)

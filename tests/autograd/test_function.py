"""Rows 53 to 69: Functions that users write."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def make(lib: Lib, forward: Any, backward: Any = None, **extra: Any) -> Any:
    body = {"forward": staticmethod(forward), **{name: staticmethod(value) for name, value in extra.items()}}
    if backward is not None:
        body["backward"] = staticmethod(backward)
    return type("F", (lib.autograd.Function,), body)


def save_and_square(ctx: Any, x: Any) -> Any:
    ctx.save_for_backward(x)
    return x * x


def double_saved(ctx: Any, grad: Any) -> Any:
    (x,) = ctx.saved_tensors
    return grad * 2 * x


def test_a_function_has_a_node_of_its_name(lib: Lib) -> None:
    square = make(lib, save_and_square, double_saved)
    x = leaf(lib)
    y = square.apply(x)
    assert type(y.grad_fn).__name__ == "FBackward" and y.grad_fn.name() == "FBackward"
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_forward_is_not_recorded_and_backward_only_with_create_graph(lib: Lib) -> None:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        seen.append(lib.is_grad_enabled())
        return x * 2

    def backward(ctx: Any, grad: Any) -> Any:
        seen.append(lib.is_grad_enabled())
        return grad * 2

    function, x = make(lib, forward, backward), leaf(lib)
    function.apply(x).sum().backward()
    lib.autograd.grad(function.apply(x).sum(), x, create_graph=True)
    assert seen == [False, False, False, True]


def test_a_backward_of_differentiable_ops_can_be_differentiated_again(lib: Lib) -> None:
    square, x = make(lib, save_and_square, double_saved), leaf(lib)
    (grad,) = lib.autograd.grad(square.apply(x).sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(grad.sum(), x)
    assert second.tolist() == [2.0, 2.0, 2.0]


def test_a_saved_output_can_be_differentiated_again(lib: Lib) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    def backward(ctx: Any, grad: Any) -> Any:
        return grad * ctx.saved_tensors[0]

    function = make(lib, forward, backward)
    x = lib.tensor(0.0, requires_grad=True)
    (grad,) = lib.autograd.grad(function.apply(x), x, create_graph=True)
    (second,) = lib.autograd.grad(grad, x)
    assert second.item() == 1.0


def test_setup_context_is_the_second_style(lib: Lib) -> None:
    def setup(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)

    function, x = make(lib, lambda x: x * x, double_saved, setup_context=setup), leaf(lib)
    function.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_only_tensors_can_be_saved(lib: Lib) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(5)
        return x * 1

    with pytest.raises(TypeError, match="save_for_backward can only save variables, but argument 0 is of type int"):
        make(lib, forward).apply(leaf(lib))


def test_saved_tensors_are_checked_for_changes_and_freed(lib: Lib) -> None:
    square, x = make(lib, save_and_square, double_saved), leaf(lib)
    y = x * 1
    z = square.apply(y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        z.sum().backward()
    z = square.apply(x)
    z.sum().backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        z.grad_fn.saved_tensors


def test_the_number_of_gradients_is_checked(lib: Lib) -> None:
    x = leaf(lib)
    many = make(lib, lambda ctx, x: x * 1, lambda ctx, g: (g, g))
    with pytest.raises(RuntimeError, match=r"returned an incorrect number of gradients \(expected 1, got 2\)"):
        many.apply(x).sum().backward()
    few = make(lib, lambda ctx, x, y: x * y, lambda ctx, g: g)
    with pytest.raises(RuntimeError, match=r"returned an incorrect number of gradients \(expected 2, got 1\)"):
        few.apply(x, x).sum().backward()
    extra_none = make(lib, lambda ctx, x: x * 1, lambda ctx, g: (g, None))
    extra_none.apply(x).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_the_shape_and_type_of_gradients_are_checked(lib: Lib) -> None:
    x = leaf(lib)
    wrong = make(lib, lambda ctx, x: x * 1, lambda ctx, g: lib.ones(7))
    with pytest.raises(
        RuntimeError, match=r"invalid gradient at index 0 - got \[7\] but expected shape compatible with \[3\]"
    ):
        wrong.apply(x).sum().backward()
    wide = make(lib, lambda ctx, x: x * 1, lambda ctx, g: lib.ones(4, 3))
    wide.apply(x).sum().backward()
    assert x.grad.tolist() == [4.0, 4.0, 4.0]
    number = make(lib, lambda ctx, x: x * 1, lambda ctx, g: 5)
    with pytest.raises(RuntimeError, match=r"expected Variable or None \(got int\)"):
        number.apply(x).sum().backward()


def test_missing_methods_are_named(lib: Lib) -> None:
    x = leaf(lib)
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        type("Empty", (lib.autograd.Function,), {}).apply(x)  # type: ignore[attr-defined]
    with pytest.raises(NotImplementedError, match="You must implement either the backward or vjp method"):
        make(lib, lambda ctx, x: x * 1).apply(x).sum().backward()


def test_a_dirty_input_comes_back_as_itself(lib: Lib) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    double = make(lib, forward, lambda ctx, g: g * 2)
    x = leaf(lib)
    y = x * 1
    z = double.apply(y)
    assert z is y and y.tolist() == [2.0, 4.0, 6.0]
    z.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad has been used in an in-place operation"):
        double.apply(leaf(lib))

    def forget(ctx: Any, x: Any) -> Any:
        ctx.mark_dirty(x)
        return x * 1

    with pytest.raises(RuntimeError, match="Some elements marked as dirty during the forward method were not returned"):
        make(lib, forget, lambda ctx, g: g).apply(leaf(lib) * 1)


def test_a_dirty_view_changes_its_base(lib: Lib) -> None:
    def forward(ctx: Any, x: Any) -> Any:
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    double = make(lib, forward, lambda ctx, g: g * 2)
    x = leaf(lib)
    base = x * 1
    double.apply(base[:2])
    base.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 1.0]


def test_non_differentiable_outputs_do_not_require_grad_and_bring_zeros(lib: Lib) -> None:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        a, b = x * 1, x * 2
        ctx.mark_non_differentiable(a)
        return a, b

    def backward(ctx: Any, ga: Any, gb: Any) -> Any:
        seen.append((ga.tolist(), gb.tolist()))
        return gb * 2

    a, b = make(lib, forward, backward).apply(leaf(lib))
    assert (a.requires_grad, b.requires_grad) == (False, True)
    b.sum().backward()
    assert seen == [([0.0, 0.0, 0.0], [1.0, 1.0, 1.0])]


@pytest.mark.parametrize("materialize", [True, False])
def test_missing_gradients_are_zeros_or_none(lib: Lib, materialize: bool) -> None:
    seen = []

    def forward(ctx: Any, x: Any) -> Any:
        ctx.set_materialize_grads(materialize)
        return x * 1, x * 2

    def backward(ctx: Any, a: Any, b: Any) -> Any:
        seen.append((a is None, b is None))
        return a

    first, _ = make(lib, forward, backward).apply(leaf(lib))
    first.sum().backward()
    assert seen == [(False, not materialize)]


def test_needs_input_grad_says_which(lib: Lib) -> None:
    seen = []

    def backward(ctx: Any, grad: Any) -> Any:
        seen.append(ctx.needs_input_grad)
        return grad, None, None

    make(lib, lambda ctx, x, y, n: x * y, backward).apply(leaf(lib), lib.ones(3), 5).sum().backward()
    assert seen == [(True, False, False)]


def test_once_differentiable_refuses_the_second_time(lib: Lib) -> None:
    from_library = lib.autograd.function.once_differentiable
    square, x = make(lib, save_and_square, from_library(double_saved)), leaf(lib)
    square.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    (grad,) = lib.autograd.grad((square.apply(x) * x).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="trying to differentiate twice a function that was marked with @once_diff"):
        grad.sum().backward()


def test_an_input_returned_as_it_is_becomes_a_view_of_itself(lib: Lib) -> None:
    x = leaf(lib)
    y = make(lib, lambda ctx, x: x, lambda ctx, g: g * 7).apply(x)
    assert y is not x and y.data_ptr() == x.data_ptr()
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 7.0, 7.0]


def test_a_view_returned_by_a_function_may_not_be_changed(lib: Lib) -> None:
    y = make(lib, lambda ctx, x: x[:2], lambda ctx, g: g).apply(leaf(lib) * 1)
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace"):
        y.mul_(2)


def test_other_arguments_pass_through(lib: Lib) -> None:
    assert make(lib, lambda ctx, x: 3).apply(leaf(lib)) == 3
    function = make(lib, lambda ctx, x, k: x * k, lambda ctx, g: (g, None))
    x = leaf(lib)
    function.apply(x, 3).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_an_instance_can_be_called() -> None:
    x = leaf(mg)  # OneFlow has this; PyTorch refuses it
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        instance = make(mg, save_and_square, double_saved)()
    instance(x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    legacy = type("Legacy", (mg.autograd.Function,), {"forward": lambda self, x: x * 1})
    with (
        pytest.warns(DeprecationWarning),
        pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method is deprecated"),
    ):
        legacy()(x)


def test_the_old_kinds_of_function_still_work() -> None:
    from minigrad.autograd.function import InplaceFunction, NestedIOFunction

    class Sum(NestedIOFunction):
        @staticmethod
        def forward_extended(ctx: Any, pair: Any, extra: Any) -> Any:
            return {"sum": pair[0] + pair[1] + extra, "twice": (pair[0] * 2,)}

        @staticmethod
        def backward_extended(ctx: Any, total: Any, twice: Any) -> Any:
            return (total + 2 * twice[0], total), total

    x, y, z = leaf(mg), leaf(mg), leaf(mg)
    out = Sum.apply((x, y), z)
    assert set(out) == {"sum", "twice"} and isinstance(out["twice"], tuple)
    (out["sum"] + out["twice"][0]).sum().backward()
    assert (x.grad[0].item(), y.grad[0].item(), z.grad[0].item()) == (3.0, 1.0, 1.0)

    class Double(InplaceFunction):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    assert Double(inplace=True).inplace and Double.apply(x).tolist() == [2.0, 4.0, 6.0]

"""Rows 1 to 16: the ways into the engine, and what they refuse."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_backward_needs_a_gradient_for_anything_but_a_scalar(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        (leaf(lib) * 2).backward()


def test_backward_needs_something_that_requires_grad(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        lib.ones(3).sum().backward()


def test_the_gradient_must_have_the_shape_of_the_output(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match=r"Mismatch in shape: grad_output\[0\] has a shape of"):
        (leaf(lib) * 2).backward(lib.ones(2))


def test_a_complex_gradient_does_not_fit_a_real_output(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="For complex Tensors, both grad_output and output are required"):
        (leaf(lib) * 2).backward(lib.ones(3, dtype=lib.complex64))


def test_a_wider_gradient_is_cast_to_the_leaf(lib: Lib) -> None:
    x = leaf(lib)
    (x * 2).backward(lib.ones(3, dtype=lib.float64))
    assert x.grad.dtype == lib.float32


def test_a_second_backward_through_saved_tensors_is_refused(lib: Lib) -> None:
    loss = leaf(lib).exp().sum()
    loss.backward()
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        loss.backward()


def test_a_second_backward_is_fine_where_nothing_was_saved(lib: Lib) -> None:
    x = leaf(lib)
    loss = (x + 1).sum()
    loss.backward()
    loss.backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


def test_retain_graph_allows_a_second_backward_which_accumulates(lib: Lib) -> None:
    x = leaf(lib)
    loss = (x * x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert x.grad.tolist() == [4.0, 8.0, 12.0]


def test_accumulation_keeps_the_grad_object(lib: Lib) -> None:
    x = leaf(lib)
    x.sum().backward()
    first = x.grad
    x.sum().backward()
    assert x.grad is first
    assert first.tolist() == [2.0, 2.0, 2.0]


def test_create_graph_warns_and_replaces_the_grad_object(lib: Lib) -> None:
    x = leaf(lib)
    x.sum().backward()
    first = x.grad
    with pytest.warns(UserWarning, match="Using backward\\(\\) with create_graph=True will create a reference cycle"):
        (x * x).sum().backward(create_graph=True)
    assert x.grad is not first
    x.grad = None


def test_an_unused_input_is_an_error_unless_allowed(lib: Lib) -> None:
    x, unused = leaf(lib), leaf(lib)
    with pytest.raises(RuntimeError, match="The differentiated Tensor at index 1 appears to not have been used"):
        lib.autograd.grad((x * 2).sum(), [x, unused])
    grads = lib.autograd.grad((x * 2).sum(), [x, unused], allow_unused=True)
    assert grads[0].tolist() == [2.0, 2.0, 2.0] and grads[1] is None
    grads = lib.autograd.grad((x * 2).sum(), [x, unused], materialize_grads=True)
    assert grads[1].tolist() == [0.0, 0.0, 0.0]


def test_materialize_grads_contradicts_allow_unused_false(lib: Lib) -> None:
    x = leaf(lib)
    with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed when materialize_grads=True"):
        lib.autograd.grad(x.sum(), [x], allow_unused=False, materialize_grads=True)


def test_an_input_must_require_grad(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="One of the differentiated Tensors does not require grad"):
        lib.autograd.grad(leaf(lib).sum(), [lib.ones(3)])


def test_inputs_may_not_be_empty(lib: Lib) -> None:
    x = leaf(lib)
    with pytest.raises(RuntimeError, match="`inputs` argument to `backward\\(\\)` cannot be empty"):
        x.sum().backward(inputs=[])
    with pytest.raises((RuntimeError, ValueError)):
        lib.autograd.grad(x.sum(), [])


def test_backward_with_inputs_fills_only_these_and_non_leaves_too(lib: Lib) -> None:
    x, w = leaf(lib), leaf(lib)
    y = x * w
    y.sum().backward(inputs=[y])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert y.grad.tolist() == [1.0, 1.0, 1.0]
    assert x.grad is None and w.grad is None
    (x * w).sum().backward(inputs=[w])
    assert x.grad is None and w.grad.tolist() == [1.0, 2.0, 3.0]  # type: ignore[attr-defined]


def test_deprecated_arguments_warn(lib: Lib) -> None:
    x = leaf(lib)
    with pytest.warns(FutureWarning, match="only_inputs argument is deprecated and is ignored now"):
        lib.autograd.grad(x.sum(), [x], only_inputs=False)
    with pytest.warns(FutureWarning, match="`?grad_variables`? is deprecated. Use `?grad_tensors`? instead"):
        lib.autograd.backward(x * 1, grad_variables=lib.ones(3))
    with pytest.raises(RuntimeError, match="Please only use `?grad_tensors`?"), pytest.warns(FutureWarning):
        lib.autograd.backward(x * 1, lib.ones(3), grad_variables=lib.ones(3))


def test_a_gradient_of_a_wrong_type_is_refused(lib: Lib) -> None:
    with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got str"):
        lib.autograd.backward([leaf(lib).sum()], ["one"])


def test_a_complex_loss_needs_a_gradient(lib: Lib) -> None:
    z = lib.tensor([1 + 2j], requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for real scalar outputs but got"):
        (z * z).sum().backward()


def test_a_gradient_edge_stands_for_its_tensor(lib: Lib) -> None:
    x = leaf(lib)
    y = x * 2
    loss = y.sum()
    edge = lib.autograd.graph.get_gradient_edge(y)
    assert edge._fields == ("node", "output_nr", "ownership_token")
    (grad,) = lib.autograd.grad(loss, [edge], retain_graph=True)
    assert grad.tolist() == [1.0, 1.0, 1.0]
    (grad,) = lib.autograd.grad([edge], [x], grad_outputs=[lib.ones(3)])
    assert grad.tolist() == [2.0, 2.0, 2.0]
    with pytest.raises(RuntimeError, match="It is not possible to get the gradient edge"):
        lib.autograd.graph.get_gradient_edge(lib.ones(1))


def test_several_roots_and_the_same_root_twice_add_up(lib: Lib) -> None:
    x = leaf(lib)
    y = x * 2
    lib.autograd.backward([y, y], [lib.ones(3), lib.ones(3)])
    assert x.grad.tolist() == [4.0, 4.0, 4.0]
    x.grad = None
    lib.autograd.backward([(x * 2).sum(), x.sum()])
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


def test_a_backward_may_run_inside_a_hook(lib: Lib) -> None:
    x, y = leaf(lib), leaf(lib)

    def hook(grad: Any) -> Any:
        with lib.enable_grad():
            (y * y).sum().backward()

    x.register_hook(hook)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]
    assert y.grad.tolist() == [2.0, 4.0, 6.0]


def test_backwards_may_be_nested_hundreds_deep(lib: Lib) -> None:
    class Deep(lib.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, depth: int) -> Any:
            ctx.depth = depth
            with lib.enable_grad():
                ctx.inner = lib.ones((), requires_grad=True) * 1
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            if ctx.depth:
                with lib.enable_grad():
                    Deep.apply(ctx.inner, ctx.depth - 1).backward()
            return grad, None

    x = lib.ones((), requires_grad=True)
    Deep.apply(x, 300).backward()
    assert x.grad.item() == 1.0


def test_a_variable_is_a_tensor(lib: Lib) -> None:
    v = lib.autograd.Variable(lib.ones(1), requires_grad=True)
    assert type(v) is lib.Tensor and v.requires_grad
    assert isinstance(v, lib.autograd.Variable)
    with pytest.warns(UserWarning, match="volatile was removed and now has no effect"):
        lib.autograd.Variable(lib.ones(1), volatile=True)


def test_batched_gradients_are_one_row_each(lib: Lib) -> None:
    x = leaf(lib)
    (rows,) = lib.autograd.grad(x * 2, [x], grad_outputs=lib.eye(3), is_grads_batched=True)
    assert rows.tolist() == [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]]


# Batches of gradients


def test_a_batch_of_gradients_may_be_filled_up_with_zeros(lib: Lib) -> None:
    x, unused = lib.tensor([1.0, 2.0], requires_grad=True), lib.ones(1, requires_grad=True)
    found = lib.autograd.grad(x * x, [x, unused], lib.eye(2), is_grads_batched=True, materialize_grads=True)
    assert found[0].tolist() == [[2.0, 0.0], [0.0, 4.0]]
    assert found[1].tolist() == [0.0]


def test_a_batch_of_gradients_needs_gradients(lib: Lib) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        lib.autograd.grad(x * x, x, is_grads_batched=True)
    with pytest.raises(IndexError, match="0-dim tensor"):
        lib.autograd.grad(x * x, x, lib.tensor(1.0), is_grads_batched=True)


def test_what_is_no_tensor_cannot_be_differentiated_by(lib: Lib) -> None:
    x = lib.ones(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="all inputs have to be Tensors or GradientEdges"):
        lib.autograd.grad(x * x, [x, 3])
    with pytest.raises(TypeError):
        lib.autograd.grad(x * x, None)
    with pytest.raises(TypeError):
        lib.autograd.backward(None)

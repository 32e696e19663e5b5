"""What goes into `grad` and `backward` beside tensors: edges, zeros in the place of None, batches."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any


def in_two_steps(lib: Lib, x: Any, scalar: bool = True) -> tuple[Any, Any]:
    middle = x.sin().cos()
    middle = middle.sum() if scalar else middle
    return middle.exp().clone().sin().sum(), lib.autograd.graph.get_gradient_edge(middle)


def test_a_gradient_can_be_taken_up_to_an_edge_and_on_from_there(lib: Lib) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    out, edge = in_two_steps(lib, x)
    (expected,) = lib.autograd.grad(out, x, retain_graph=True)
    (middle,) = lib.autograd.grad(out, edge, retain_graph=True)
    (found,) = lib.autograd.grad(edge, x, grad_outputs=middle, retain_graph=True)
    assert found.tolist() == pytest.approx(expected.tolist())
    lib.autograd.backward((edge, out))
    assert x.grad is not None


def test_an_edge_knows_the_shape_and_type_of_its_tensor(lib: Lib) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    _, edge = in_two_steps(lib, x, scalar=False)
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        lib.autograd.grad(edge, x)
    _, edge = in_two_steps(lib, x)
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        lib.autograd.grad(edge, x, grad_outputs=lib.ones(4))
    with pytest.raises(RuntimeError, match="required to have the same dtype"):
        lib.autograd.grad(edge, x, grad_outputs=lib.ones((), dtype=lib.complex64))
    lib.autograd.grad(edge, x)


def test_an_edge_keeps_its_graph(lib: Lib) -> None:
    x = lib.ones(1, requires_grad=True).clone()
    out = x.clone()
    edge = lib.autograd.graph.get_gradient_edge(out)
    del out
    lib.autograd.backward(edge)


def test_the_edge_of_before_an_in_place_change_stays_where_it_was(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True).clone()
    edge = lib.autograd.graph.get_gradient_edge(x)
    x *= 2
    before, after = lib.autograd.grad(x.sum(), (edge, x))
    assert (before.tolist(), after.tolist()) == ([2.0, 2.0], [1.0, 1.0])


def test_an_unused_edge_cannot_become_zeros(lib: Lib) -> None:
    x, y = (lib.ones(2, requires_grad=True).clone() for _ in range(2))
    edge = lib.autograd.graph.GradientEdge(y.grad_fn, y.output_nr)
    out = x.clone().sum()
    with pytest.raises(RuntimeError, match="materialize_grads cannot be used when the given input is a GradientEdge"):
        lib.autograd.grad(out, (x, edge), allow_unused=True, materialize_grads=True)


def test_zeros_in_the_place_of_none_can_be_differentiated_where_the_rest_can(lib: Lib) -> None:
    x, a = (lib.tensor(0.5, requires_grad=True) for _ in range(2))
    slope = lib.autograd.grad(x * a, x, create_graph=True)
    second = lib.autograd.grad(slope, x, create_graph=True, materialize_grads=True)
    (third,) = lib.autograd.grad(second, x, materialize_grads=True)
    assert second[0].item() == third.item() == 0.0 and second[0].requires_grad and not third.requires_grad


def test_the_message_of_a_mismatch_shows_both_shapes(lib: Lib) -> None:
    out, wrong = lib.ones(2, 2, requires_grad=True) * 1, lib.ones(2)
    with pytest.raises(RuntimeError) as caught:
        lib.autograd.backward(out, wrong)
    assert str(caught.value) == (
        f"Mismatch in shape: grad_output[0] has a shape of {wrong.shape} and output[0] has a shape of {out.shape}."
    )


def test_a_batch_of_the_wrong_shape_says_how_batches_are_read(lib: Lib) -> None:
    x = lib.ones(2, 2, requires_grad=True)
    for out, grad in ((x.clone(), lib.ones(2, 2)), (x.sum(), lib.ones(2, 1))):
        with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first"):
            lib.autograd.grad(out, x, grad, is_grads_batched=True)


def test_the_inputs_may_be_a_dict_and_so_are_the_gradients_then(lib: Lib) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    w = lib.tensor(3.0, requires_grad=True)
    unused = lib.tensor(1.0, requires_grad=True)
    found = lib.autograd.grad((x * w).sum(), {"w": w, "x": x, "unused": unused}, allow_unused=True)
    assert list(found) == ["w", "x", "unused"]
    assert (found["w"].item(), found["x"].tolist(), found["unused"]) == (3.0, [3.0, 3.0], None)


def test_a_gradient_that_is_not_asked_for_need_not_exist(lib: Lib) -> None:
    a = lib.tensor([1.0, 2.0], requires_grad=True)
    x = lib.tensor([0.5, 2.0], requires_grad=True)
    y = lib.igamma(a, x).sum()
    (found,) = lib.autograd.grad(y, x, retain_graph=True)
    assert found[0].item() == pytest.approx(0.60653, abs=1e-4)
    y.backward(inputs=[x], retain_graph=True)
    assert x.grad.tolist() == found.tolist()
    with pytest.raises((NotImplementedError, RuntimeError), match="not implemented"):
        y.backward()

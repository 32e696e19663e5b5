"""A node called by hand runs its gradient rule, as in PyTorch."""

from __future__ import annotations

from typing import Any

import pytest


def leaves(lib: Any) -> tuple[Any, Any]:
    return lib.tensor([1.0, 2.0], requires_grad=True), lib.tensor([3.0, 4.0], requires_grad=True)


def test_the_gradients_of_all_inputs_come_in_a_tuple(lib: Any) -> None:
    x, y = leaves(lib)
    node: Any = (x * y).grad_fn
    first, second = node(lib.ones(2))
    assert first.tolist() == [3.0, 4.0] and second.tolist() == [1.0, 2.0]
    assert type(node).__name__ == node.name() == "MulBackward0"
    assert node(lib.ones(2))[0].tolist() == [3.0, 4.0], "a second time too: nothing was released"


def test_one_input_gives_one_tensor(lib: Any) -> None:
    x, _ = leaves(lib)
    total: Any = x.sum().grad_fn
    assert total(lib.tensor(2.0)).tolist() == [2.0, 2.0]
    view: Any = x.view(2, 1).grad_fn
    assert view(lib.ones(2, 1)).tolist() == [1.0, 1.0]


def test_an_input_without_gradient_and_a_missing_gradient_give_none(lib: Any) -> None:
    x, y = leaves(lib)
    half: Any = (x * lib.ones(2)).grad_fn
    assert half(lib.ones(2))[1] is None
    whole: Any = (x * y).grad_fn
    assert whole(None) == (None, None)


def test_it_is_recorded_where_gradients_are(lib: Any) -> None:
    x, y = leaves(lib)
    node: Any = (x * y).grad_fn
    assert node(lib.ones(2))[0].requires_grad
    with lib.no_grad():
        assert not node(lib.ones(2))[0].requires_grad
    seed = lib.ones(2, requires_grad=True)
    (found,) = lib.autograd.grad(node(seed)[0].sum(), seed)
    assert found.tolist() == [3.0, 4.0]


def test_a_chain_of_nodes_by_hand_gives_what_backward_gives(lib: Any) -> None:
    x, y = leaves(lib)
    loss = (x.exp() * y).sum()
    grad: Any = loss.grad_fn(lib.tensor(1.0))
    product: Any = loss.grad_fn.next_functions[0][0]
    to_exp, to_y = product(grad)
    exp, leaf = (node for node, _ in product.next_functions)
    leaf(to_y)
    by_hand = exp(to_exp)
    loss.backward()
    assert lib.equal(by_hand, x.grad)
    assert lib.allclose(y.grad, 2 * x.exp())


def test_a_leaf_accumulates_and_runs_the_hooks_for_that(lib: Any) -> None:
    x, y = leaves(lib)
    seen = []
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(leaf.grad.tolist()))
    x.register_hook(lambda grad: grad * 100)  # not one of them
    leaf: Any = (x * y).grad_fn.next_functions[0][0]
    assert leaf(lib.ones(2)) == () and leaf(lib.ones(2)) == () and leaf(None) == ()
    assert seen == [[1.0, 1.0], [2.0, 2.0], [2.0, 2.0]]


def test_hooks_of_the_node_do_not_run(lib: Any) -> None:
    x, y = leaves(lib)
    node: Any = (x * y).grad_fn
    node.register_hook(lambda inputs, outputs: pytest.fail("it ran"))
    node.register_prehook(lambda outputs: pytest.fail("it ran"))
    assert node(lib.ones(2))[0].tolist() == [3.0, 4.0]


def test_an_op_with_several_outputs_takes_a_gradient_for_each_that_has_one(lib: Any) -> None:
    x, _ = leaves(lib)
    parts: Any = (x * 1).unbind()[0].grad_fn
    assert parts(lib.tensor(1.0), lib.tensor(2.0)).tolist() == [1.0, 2.0]
    assert parts(lib.tensor(1.0), None).tolist() == [1.0, 0.0]
    with pytest.raises(TypeError, match="expected 2 arguments, got 1 instead"):
        parts(lib.tensor(1.0))
    values: Any = (x * 1).sort().values.grad_fn
    assert values(lib.ones(2)).tolist() == [1.0, 1.0]


def test_a_base_changed_through_a_view_may_be_called(lib: Any) -> None:
    x, _ = leaves(lib)
    base = x * 1
    base[:1].mul_(3)
    slices: Any = base.grad_fn
    assert slices.name().endswith("CopySlices") and slices(lib.ones(2))[0].tolist() == [3.0, 1.0]


@pytest.mark.parametrize(
    ("grads", "settings", "message"),
    [
        ((), {}, "expected 1 arguments, got 0 instead"),
        ((1.0,), {}, "argument 0 is not a Variable"),
        ((None,), {"grad": None}, "keyword arguments are not supported"),
    ],
)
def test_what_is_no_gradient_is_refused(lib: Any, grads: Any, settings: Any, message: str) -> None:
    x, y = leaves(lib)
    node: Any = (x * y).grad_fn
    for each in (node, node.next_functions[0][0]):
        with pytest.raises(TypeError, match=message):
            each(*grads, **settings)


def test_after_backward_the_saved_tensors_are_gone(lib: Any) -> None:
    x, y = leaves(lib)
    z = x * y
    z.sum().backward()
    with pytest.raises(RuntimeError, match="second time"):
        z.grad_fn(lib.ones(2))


def test_a_functions_own_node_is_not_callable_in_pytorch_either(lib: Any) -> None:
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x, _ = leaves(lib)
    with pytest.raises(TypeError, match="'TwiceBackward' object is not callable"):
        Twice.apply(x).grad_fn(lib.ones(2))


def test_a_node_that_was_looked_at_goes_on_as_before(lib: Any) -> None:
    """A view remembers its ops to walk its way again, forward."""
    x, _ = leaves(lib)
    base = x * 1
    view = base[1:].view(1, 1)
    assert lib.autograd.graph.get_gradient_edge(view).node is view.grad_fn
    assert view.grad_fn.name() == "ViewBackward0"
    base.mul_(5)
    view.sum().backward()
    assert x.grad is not None and x.grad.tolist() == [0.0, 5.0]
    assert view.tolist() == [[10.0]]

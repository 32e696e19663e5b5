"""Rows 46 to 52: hooks, their order, and what they may return."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_a_tensor_hook_sees_the_gradient_until_it_is_removed(lib: Lib) -> None:
    x, seen = leaf(lib), []
    handle = x.register_hook(lambda grad: seen.append(grad.tolist()))
    (x * 2).sum().backward()
    handle.remove()
    handle.remove()
    (x * 2).sum().backward()
    assert seen == [[2.0, 2.0, 2.0]]


def test_what_a_hook_returns_replaces_the_gradient(lib: Lib) -> None:
    x = leaf(lib)
    y = x * 2
    with y.register_hook(lambda grad: grad * 10):
        y.sum().backward()
    assert x.grad.tolist() == [20.0, 20.0, 20.0]


def test_what_a_hook_returns_is_checked(lib: Lib) -> None:
    x = leaf(lib)
    with x.register_hook(lambda grad: 1), pytest.raises(TypeError, match="expected Variable, but hook returned 'int'"):
        x.sum().backward()

    def shrink(grad: Any) -> Any:
        return grad[:1]

    with (
        x.register_hook(shrink),
        pytest.raises(RuntimeError, match="hook 'shrink' has changed the size of value"),
    ):
        x.sum().backward()
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        lib.ones(1).register_hook(lambda grad: None)


def test_hooks_run_in_the_order_pytorch_states(lib: Lib) -> None:
    x, order = leaf(lib), []
    y = x * 2
    x.register_hook(lambda grad: order.append("leaf_pre"))
    x.register_post_accumulate_grad_hook(lambda tensor: order.append("post_acc"))
    y.register_hook(lambda grad: order.append("tensor_pre"))
    y.grad_fn.register_prehook(lambda grads: order.append("node_pre"))
    y.grad_fn.register_hook(lambda inputs, outputs: order.append("node_post"))
    y.sum().backward()
    assert order == ["tensor_pre", "node_pre", "node_post", "leaf_pre", "post_acc"]


def test_retain_grad_sees_what_all_tensor_hooks_left(lib: Lib) -> None:
    y = leaf(lib) * 2
    y.retain_grad()
    y.register_hook(lambda grad: grad * 3)
    y.sum().backward()
    assert y.grad.tolist() == [3.0, 3.0, 3.0]


def test_a_hook_stays_with_the_node_it_was_registered_on(lib: Lib) -> None:
    order: list[str] = []
    y = leaf(lib) * 2
    y.register_hook(lambda grad: order.append("old"))
    y.mul_(2)
    y.register_hook(lambda grad: order.append("new"))
    y.sum().backward()
    assert order == ["new", "old"]


def test_node_hooks_see_and_replace(lib: Lib) -> None:
    x, seen = leaf(lib), []
    y = x * 2

    def post(inputs: Any, outputs: Any) -> Any:
        seen.append((inputs[0].tolist(), outputs[0].tolist()))
        return (inputs[0] * 0, *inputs[1:])

    y.grad_fn.register_hook(post)
    y.grad_fn.register_prehook(lambda grads: (grads[0] * 5,))
    y.sum().backward()
    assert seen == [([10.0, 10.0, 10.0], [5.0, 5.0, 5.0])]
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_post_accumulate_hooks_are_for_leaves_and_for_backward(lib: Lib) -> None:
    x, seen = leaf(lib), []
    x.register_post_accumulate_grad_hook(lambda tensor: seen.append(tensor.grad.tolist()))
    lib.autograd.grad((x * 2).sum(), x)
    assert seen == []
    (x * 2).sum().backward()
    assert seen == [[2.0, 2.0, 2.0]]
    with pytest.raises(RuntimeError, match="post accumulate grad hooks cannot be registered on non-leaf tensors"):
        (x * 2).register_post_accumulate_grad_hook(lambda tensor: None)


def test_a_tensor_hook_fires_under_grad_too(lib: Lib) -> None:
    x, seen = leaf(lib), []
    x.register_hook(lambda grad: seen.append(1))
    lib.autograd.grad((x * 2).sum(), x)
    assert seen == [1]


def test_a_multi_grad_hook_waits_for_all_or_takes_the_first(lib: Lib) -> None:
    a, b, seen, first = leaf(lib), leaf(lib), [], []
    lib.autograd.graph.register_multi_grad_hook((a, b), lambda grads: seen.append([g is None for g in grads]))
    lib.autograd.graph.register_multi_grad_hook((a, b), lambda grad: first.append(grad.tolist()), mode="any")
    (a * 2).sum().backward()
    (a * b).sum().backward()
    assert seen == [[False, True], [False, False]]
    assert len(first) == 2 and first[0] == [2.0, 2.0, 2.0]


def test_a_multi_grad_hook_in_mode_any_leaves_out_tensors_that_need_no_gradient(lib: Lib) -> None:
    a, first = leaf(lib), []
    lib.autograd.graph.register_multi_grad_hook((lib.ones(3), a), lambda grad: first.append(grad.tolist()), mode="any")
    (a * 2).sum().backward()
    assert first == [[2.0, 2.0, 2.0]]


def test_a_multi_grad_hook_that_is_refused_leaves_nothing_behind(lib: Lib) -> None:
    a = leaf(lib)
    seen: list[Any] = []
    with pytest.raises((RuntimeError, AssertionError)):
        lib.autograd.graph.register_multi_grad_hook((a, lib.ones(3)), seen.append)
    (a * 2).sum().backward()
    assert seen == []


def test_the_hook_of_a_node_sees_gradients_in_the_shapes_of_its_inputs(lib: Lib) -> None:
    row, table = leaf(lib), lib.ones(2, 3, requires_grad=True)
    seen: list[tuple[int, ...]] = []
    product = row * table
    product.grad_fn.register_hook(lambda sent, _: seen.extend(tuple(grad.shape) for grad in sent))
    product.sum().backward()
    assert seen == [(3,), (2, 3)]


# What hooks of nodes may return


@pytest.mark.parametrize("answer", [3, "a tensor", "a list"])
def test_a_hook_of_a_node_returns_a_tuple(lib: Lib, answer: Any) -> None:
    x = lib.ones(1, requires_grad=True)
    result = x * lib.ones(1, requires_grad=True)
    answers = {"a tensor": lib.ones(1), "a list": [lib.ones(1), None]}
    result.grad_fn.register_hook(lambda grads, _: answers.get(answer, answer))
    with pytest.raises(TypeError, match="expected tuple, but hook returned"):
        result.backward()


def test_none_from_a_hook_of_a_node_is_no_gradient(lib: Lib) -> None:
    x = lib.ones(1, requires_grad=True)
    result = (x * 3) * 2
    result.grad_fn.register_hook(lambda grads, _: (None, None))
    result.backward()
    assert x.grad is None


def test_the_leaves_of_one_op_are_served_in_their_order(lib: Lib) -> None:
    seen: list[str] = []
    leaves = [lib.ones(1, requires_grad=True) for _ in range(3)]
    for name, leaf in zip("abc", leaves, strict=True):
        leaf.register_post_accumulate_grad_hook(lambda _, name=name: seen.append(name))
    lib.addcmul(*leaves).backward()
    assert seen == ["a", "b", "c"]

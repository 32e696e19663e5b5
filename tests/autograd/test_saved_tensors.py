"""Rows 70 to 73: control over what is saved."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_pack_and_unpack_are_called_once_for_each_saved_tensor(lib: Lib) -> None:
    calls: list[str] = []

    def pack(x: Any) -> Any:
        calls.append("pack")
        return x

    def unpack(x: Any) -> Any:
        calls.append("unpack")
        return x

    x = leaf(lib)
    with lib.autograd.graph.saved_tensors_hooks(pack, unpack):
        y = x.exp()
    y.sum().backward()
    assert calls == ["pack", "unpack"]


def test_the_innermost_hooks_win(lib: Lib) -> None:
    calls: list[str] = []

    def named(name: str) -> Any:
        return lambda x: (calls.append(name), x)[1]

    hooks = lib.autograd.graph.saved_tensors_hooks
    with hooks(named("outer"), lambda x: x), hooks(named("inner"), lambda x: x):
        leaf(lib).exp()
    assert calls == ["inner"]


def test_hooks_may_change_what_is_stored(lib: Lib) -> None:
    x = leaf(lib)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t * 4, lambda t: t / 2):
        y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 8.0, 12.0]


def test_unpack_must_return_a_tensor(lib: Lib) -> None:
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 1):
        y = leaf(lib).exp()
    with pytest.raises(
        TypeError, match="Output of saved tensor unpack_hook expected to be a Tensor but got result of type"
    ):
        y.sum().backward()


def test_pack_must_not_change_its_input(lib: Lib) -> None:
    with (
        lib.autograd.graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t),
        pytest.raises(RuntimeError, match="A saved tensor pack hook is modifying its input in place"),
    ):
        (leaf(lib) * 1).exp().exp()


def test_hooked_tensors_can_be_differentiated_twice(lib: Lib) -> None:
    x = leaf(lib)
    with lib.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), lib.tensor):
        y = (x * 1).exp() * x
    (grad,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = lib.autograd.grad(grad.sum(), x)
    assert lib.allclose(second, x.detach().exp() * (x.detach() + 2))


def test_save_on_cpu_changes_no_gradient(lib: Lib) -> None:
    x = leaf(lib)
    with lib.autograd.graph.save_on_cpu():
        y = (x * x).sum()
    y.backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_hooks_can_be_disabled_with_a_message(lib: Lib) -> None:
    hooks = lib.autograd.graph.saved_tensors_hooks
    with (
        lib.autograd.graph.disable_saved_tensors_hooks("not here"),
        pytest.raises(RuntimeError, match="not here"),
        hooks(lambda t: t, lambda t: t),
    ):
        pass


def test_mutation_can_be_allowed(lib: Lib) -> None:
    x = leaf(lib)
    with lib.autograd.graph.allow_mutation_on_saved_tensors():
        y = x * 1
        z = (y * y).sum()
        y.mul_(10)
        z.backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]


def test_a_pack_hook_gets_the_very_tensor(lib: Lib) -> None:
    packed: list[Any] = []
    x = lib.ones(2, requires_grad=True)
    y = x * 1

    def pack(tensor: Any) -> Any:
        packed.append(tensor)
        return tensor

    with lib.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        result = y.sin()
    assert packed[0] is y
    result.sum().backward()
    assert lib.allclose(x.grad, lib.ones(2).cos())


def test_what_no_gradient_asks_for_was_not_saved(lib: Lib) -> None:
    node = (lib.ones(1, requires_grad=True) * lib.ones(1)).grad_fn
    assert node._saved_self is None
    assert node._saved_other.tolist() == [1.0]


def test_a_tensor_that_is_saved_twice_is_cloned_once(lib: Lib) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    with lib.autograd.graph.allow_mutation_on_saved_tensors() as context:
        y = x.clone()
        z = (y * y).sum()
        y.add_(5)
        assert len(context.cloned) == 1
        z.backward()
    assert x.grad.tolist() == [2.0, 4.0]


# Hooks on one saved tensor


def test_hooks_may_take_over_one_saved_tensor(lib: Lib) -> None:
    seen: list[str] = []
    x, y = lib.tensor([2.0], requires_grad=True), lib.tensor([3.0], requires_grad=True)
    product = x * y

    def pack(tensor: Any) -> Any:
        seen.append("packed")
        return tensor.tolist()

    def unpack(numbers: Any) -> Any:
        seen.append("unpacked")
        return lib.tensor(numbers) * 10

    product.grad_fn._raw_saved_other.register_hooks(pack, unpack)
    assert seen == ["packed"]
    product.backward()
    assert seen == ["packed", "unpacked"]
    assert (x.grad.tolist(), y.grad.tolist()) == ([30.0], [2.0])


def test_an_output_may_be_taken_over_too(lib: Lib) -> None:
    x = lib.tensor([0.0], requires_grad=True)
    y = x.exp()
    y.grad_fn._raw_saved_result.register_hooks(lambda tensor: tensor.detach() * 5, lambda tensor: tensor)
    y.backward()
    assert x.grad.tolist() == [5.0]


def test_a_saved_tensor_is_taken_over_once_and_only_while_it_is_there(lib: Lib) -> None:
    def same(tensor: Any) -> Any:
        return tensor

    x = lib.tensor([2.0], requires_grad=True)
    squared = x * x
    place = squared.grad_fn._raw_saved_self
    place.register_hooks(same, same)
    with pytest.raises(RuntimeError, match="whose hooks have already been set"):
        place.register_hooks(same, same)
    half = x * lib.ones(1)
    with pytest.raises(RuntimeError, match="with value None is forbidden"):
        half.grad_fn._raw_saved_self.register_hooks(same, same)
    with pytest.raises(RuntimeError, match="modifying its input in place"):
        half.grad_fn._raw_saved_other.register_hooks(lambda tensor: tensor.add_(1), same)


def test_what_a_function_saved_may_be_taken_over(lib: Lib) -> None:
    class Square(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * grad

    x = lib.tensor([2.0], requires_grad=True)
    y = Square.apply(x)
    y.grad_fn._raw_saved_tensors[0].register_hooks(lambda tensor: tensor * 3, lambda tensor: tensor)
    y.backward()
    assert x.grad.tolist() == [12.0]


def test_a_saved_tensor_that_left_its_graph_in_place_is_refused(lib: Lib) -> None:
    for higher in (False, True):
        x = lib.tensor([1.0, 2.0], requires_grad=True)
        y = x * 2
        loss = (y * y).sum()
        version = y._version
        y.detach_()
        assert y._version == version
        assert loss.grad_fn.next_functions[0][0]._saved_self is y  # to look at it is no harm
        with pytest.raises(RuntimeError, match="a saved tensor that has been detached in-place"):
            lib.autograd.grad(loss, x, create_graph=higher)


def test_a_saved_result_may_leave_its_graph_in_place_and_so_may_what_is_saved_later(lib: Lib) -> None:
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    y = (x * 1).exp()
    first = y.sum()
    y.detach_()
    (slope,) = lib.autograd.grad(first, x, create_graph=True)
    (curve,) = lib.autograd.grad(slope.sum(), x)
    assert curve.tolist() == y.tolist()
    w = lib.tensor([3.0, 4.0], requires_grad=True)
    (w * y * w).sum().backward()
    assert w.grad.tolist() == (2 * w * y).tolist()


def test_what_a_function_saved_has_its_value_still_but_no_history_to_differentiate() -> None:
    class Square(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * grad

    x = mg.tensor([2.0], requires_grad=True)
    y = x * 1
    z = Square.apply(y)
    y.detach_()
    with pytest.raises(mg.MinigradError, match="detached in-place"):  # PyTorch's second derivative is wrong here
        mg.autograd.grad(z, x, create_graph=True)
    z.backward()
    assert x.grad is not None and x.grad.tolist() == [4.0]

"""Rows 70 to 73: control over what is saved."""

from __future__ import annotations

from typing import Any

import pytest

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

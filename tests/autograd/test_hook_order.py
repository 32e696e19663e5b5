"""When hooks run: before, at and after a node, for gradients that never arrive, and in a backward to some inputs."""

from __future__ import annotations

import gc
from typing import Any

import pytest

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor(1.0, requires_grad=True)


def counted(log: list[Any], name: str) -> Any:
    def hook(*grads: Any) -> None:
        log.append(name)

    return hook


def test_a_leaf_runs_its_hooks_before_and_after_the_accumulation(lib: Lib) -> None:
    x = lib.ones(3, requires_grad=True)
    node = x.view_as(x).grad_fn.next_functions[0][0]

    def after(tensor: Any) -> None:
        tensor.grad.add_(0.5)

    def last(nothing: Any, grads: Any) -> None:
        x.grad = grads[0].mul(10)

    x.register_hook(lambda grad: grad.sub(2.0))
    node.register_prehook(lambda grads: (grads[0].div(5.0),))
    x.register_post_accumulate_grad_hook(after)
    node.register_hook(last)
    x.sum().backward()
    assert x.grad.tolist() == pytest.approx([3.0, 3.0, 3.0])  # ((1 - 2) / 5 + 0.5) * 10


def test_a_post_accumulate_hook_returns_nothing_or_its_leaf(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    with x.register_post_accumulate_grad_hook(lambda p: p.sub_(p.grad)):
        x.sum().backward()
    assert x.tolist() == [0.0, 0.0]
    x.register_post_accumulate_grad_hook(lambda p: p.grad)
    with pytest.raises(RuntimeError, match="hooks should return None"):
        x.sum().backward()


def test_grad_runs_tensor_hooks_at_its_inputs_but_not_their_nodes(lib: Lib) -> None:
    a = leaf(lib)
    b = a * 2
    c = b * 2
    log: list[str] = []
    for tensor in (a, b):
        tensor.register_hook(counted(log, "tensor"))
    for node in (b.grad_fn, b.grad_fn.next_functions[0][0]):
        node.register_hook(counted(log, "post"))
        node.register_prehook(counted(log, "pre"))

    def tally() -> tuple[int, int, int]:
        found = (log.count("tensor"), log.count("pre"), log.count("post"))
        log.clear()
        return found

    lib.autograd.grad(c, b, retain_graph=True)
    assert tally() == (1, 0, 0)
    lib.autograd.grad(c, (a, b), retain_graph=True)
    assert tally() == (2, 1, 1)
    c.backward(retain_graph=True)
    assert tally() == (2, 2, 2)
    c.backward(inputs=(a, b), retain_graph=True)
    assert tally() == (2, 2, 2)


def test_an_input_on_the_way_to_another_is_taken_before_its_hooks(lib: Lib) -> None:
    a = leaf(lib)
    b = a * 2
    b.register_hook(lambda grad: grad * 10)
    c = b * 3
    assert [g.item() for g in lib.autograd.grad(c, (a, b), retain_graph=True)] == [60.0, 3.0]
    assert [g.item() for g in lib.autograd.grad(c, (b,))] == [30.0]


def test_backward_to_a_non_leaf_makes_it_retain_its_gradient(lib: Lib) -> None:
    a = leaf(lib)
    b = a.clone()
    b.grad_fn.register_prehook(lambda grads: tuple(g * 2 for g in grads))
    b.register_hook(lambda grad: grad * 3)
    b.sum().backward(inputs=(b,))
    assert b.grad.item() == 3.0 and b.retains_grad and a.grad is None
    b.sum().backward()
    assert b.grad.item() == 6.0


def test_backward_to_inputs_adds_in_place_and_runs_the_leafs_hooks(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    log: list[str] = []
    x.register_post_accumulate_grad_hook(counted(log, "after"))
    y = (x * 2).sum()
    y.backward(inputs=[x], retain_graph=True)
    first = x.grad
    y.backward(inputs=[x])
    assert x.grad is first and first.tolist() == [4.0, 4.0] and log == ["after", "after"]


def test_a_function_runs_even_where_no_gradient_arrives(lib: Lib) -> None:
    log: list[Any] = []

    class Note(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            log.append(grad.item())
            return grad

    class Stop(Note):
        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return None

    x = leaf(lib)
    Stop.apply(Note.apply(x * 2)).backward()
    assert log == [0.0] and x.grad.item() == 0.0


def test_hooks_are_told_of_a_gradient_that_never_arrives(lib: Lib) -> None:
    x = lib.arange(3.0).requires_grad_()
    first, second, _ = x.unbind()
    seen: list[Any] = []
    first.register_hook(seen.append)
    second.backward()
    assert seen == [None] and x.grad.tolist() == [0.0, 1.0, 0.0]


def test_a_nodes_hooks_run_where_no_gradient_arrives(lib: Lib) -> None:
    class Stop(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return None

    log: list[Any] = []
    y = leaf(lib) * 2
    y.register_hook(lambda grad: log.append(("tensor", grad)))
    y.grad_fn.register_prehook(lambda outer: log.append(("before", *outer)))
    y.grad_fn.register_hook(lambda inner, outer: log.append(("after", inner[0], *outer)))
    Stop.apply(y).backward()
    assert log == [("tensor", None), ("before", None), ("after", None, None)]


def test_what_a_hook_holds_goes_with_the_graph_of_a_view_changed_in_place(lib: Lib) -> None:
    gone: list[int] = []

    class Held:
        def __call__(self, *grads: Any) -> None: ...

        def __del__(self) -> None:
            gone.append(1)

    def build() -> None:
        copy = lib.ones(3, 3, requires_grad=True).clone()
        copy.grad_fn.register_hook(Held())
        lib.nn.functional.relu(copy.view(9), inplace=True)

    gc.disable()
    try:
        build()
        assert gone == [1]
    finally:
        gc.enable()


def test_retaining_moves_on_with_views_of_a_base_that_changes(lib: Lib) -> None:
    base = lib.ones(1, requires_grad=True).clone()
    one, other = base[:], base[:]
    one.retain_grad()
    other.retain_grad()
    one.mul_(2)
    (one + other).sum().backward()
    assert one.grad.tolist() == other.grad.tolist() == [1.0]

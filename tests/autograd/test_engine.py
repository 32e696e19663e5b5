"""Rows 86 to 97: the graph as data, depth, memory, order, threads, and numbers at the edges."""

from __future__ import annotations

import gc
import math
import threading
import weakref
from typing import Any

import pytest

import minigrad as mg
from minigrad import events

Lib = Any


def leaf(lib: Lib) -> Any:
    return lib.tensor([1.0, 2.0, 3.0], requires_grad=True)


def test_the_graph_can_be_walked(lib: Lib) -> None:
    x = leaf(lib)
    node = (x * 2).grad_fn
    assert node.name() == "MulBackward0" and type(node).__name__ in ("MulBackward0", "Mul")
    (first, number), (second, zero) = node.next_functions
    assert number == zero == 0 and second is None
    assert first.name().endswith("AccumulateGrad") and first.variable is x
    node.metadata["note"] = 1
    assert node.metadata == {"note": 1}
    assert isinstance(node, lib.autograd.graph.Node)


def test_sequence_numbers_grow(lib: Lib) -> None:
    x = leaf(lib)
    assert (x * 2).grad_fn._sequence_nr() < (x * 2).grad_fn._sequence_nr()


def test_a_deep_chain_runs_backward_and_is_freed_without_recursion(lib: Lib) -> None:
    x = leaf(lib)
    y = x
    for _ in range(150_000):
        y = y + 1
    y.sum().backward()
    del y
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_nothing_keeps_an_intermediate_alive(lib: Lib) -> None:
    gc.disable()
    try:
        x = leaf(lib)
        y = x.exp()
        z = (y * y).tanh().sum()
        refs = [weakref.ref(z)]
        if lib.__name__ == "minigrad":
            refs += [weakref.ref(y), weakref.ref(z.grad_fn)]
        z.backward()
        del y, z
        assert [ref() for ref in refs] == [None] * len(refs)
    finally:
        gc.enable()


def test_saved_tensors_are_freed_node_by_node() -> None:
    x = leaf(mg)
    a = x.exp()
    b = a.exp()
    alive: list[bool] = []
    node = b.grad_fn
    a.register_hook(lambda grad: alive.append(node.saved is not None))
    b.sum().backward()
    assert alive == [False]


def test_a_node_hears_of_the_gradient_only_once_all_of_it_has_come(lib: Lib) -> None:
    x, seen = leaf(lib), []
    y = x * 1
    y.register_hook(lambda grad: seen.append(grad.tolist()))
    (y + y.exp() * 0 + y).sum().backward()
    assert seen == [[2.0, 2.0, 2.0]]


def test_double_edges_count_twice(lib: Lib) -> None:
    x = leaf(lib)
    (x + x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("shape", [(), (1,), (3,), (2, 1), (2, 3), (0, 3), (4, 1, 3)])
def test_broadcast_gradients_are_summed_to_the_input(lib: Lib, shape: tuple[int, ...]) -> None:
    x = lib.ones(shape).requires_grad_()
    other = lib.ones(2, 3) if shape != (0, 3) else lib.ones(1, 3)
    y = x * other
    y.sum().backward()
    assert tuple(x.grad.shape) == shape
    assert x.grad.sum().item() == y.numel()


def test_only_nodes_on_a_path_to_the_inputs_run(lib: Lib) -> None:
    x, w, ran = leaf(lib), leaf(lib), []
    a, b = x * 2, w * 3
    b.register_hook(lambda grad: ran.append("b"))
    w.register_hook(lambda grad: ran.append("w"))
    a.register_hook(lambda grad: ran.append("a"))
    lib.autograd.grad((a + b).sum(), x)
    assert ran == ["a"]


def test_nodes_run_newest_first(lib: Lib) -> None:
    x, order = leaf(lib), []
    parts = [x * i for i in range(4)]
    for i, part in enumerate(parts):
        part.register_hook(lambda grad, i=i: order.append(i))
    (parts[2] + parts[0] + parts[3] + parts[1]).sum().backward()
    assert order == [3, 2, 1, 0]


def test_a_leaf_is_served_as_soon_as_its_gradient_is_complete(lib: Lib) -> None:
    x, late, order = leaf(lib), leaf(lib), []
    x.register_hook(lambda grad: order.append("x"))
    deep = x * 1
    deep.register_hook(lambda grad: order.append("deep"))
    late.register_post_accumulate_grad_hook(lambda t: order.append("late"))
    (deep * late).sum().backward()
    assert order == ["late", "deep", "x"]


def test_a_listener_changes_no_gradient_of_an_op_with_several_outputs() -> None:
    """Two inputs of one op come from different outputs of another."""

    def gradients() -> Any:
        x = mg.tensor([2.0, 3.0, 5.0], requires_grad=True)
        first, _, third = x.unbind()
        (third * first - first).backward()
        return x.grad

    heard: list[Any] = []
    with events.listening(heard.append):
        watched = gradients()
    assert heard and watched.tolist() == gradients().tolist() == [4.0, 0.0, 2.0]


def test_two_threads_may_run_over_one_graph(lib: Lib) -> None:
    x = lib.ones(1000).requires_grad_()
    y = (x * x).sum()
    threads = [threading.Thread(target=lambda: y.backward(retain_graph=True)) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert x.grad.tolist() == [16.0] * 1000


def test_undefined_gradients_do_not_materialise(lib: Lib) -> None:
    class Half(lib.autograd.Function):  # type: ignore[misc,name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any, y: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad, None

    x, y, seen = leaf(lib), leaf(lib), []
    z = y * 2
    z.register_hook(lambda grad: seen.append(grad))
    Half.apply(x, z).sum().backward()
    assert y.grad is None
    assert seen in ([], [None])  # PyTorch calls the hook, with nothing


KINKS = {
    "relu": lambda x: x.relu(),
    "abs": lambda x: x.abs(),
    "sign": lambda x: x.sign(),
    "clamp": lambda x: x.clamp(min=0.0),
    "norm": lambda x: x.norm(),
    "zeroth power": lambda x: x**0,
}


@pytest.mark.parametrize(
    ("name", "slope"), [("relu", 0), ("abs", 0), ("sign", 0), ("clamp", 1), ("norm", 0), ("zeroth power", 0)]
)
def test_slopes_at_kinks(lib: Lib, name: str, slope: float) -> None:
    x = lib.zeros(2).requires_grad_()
    KINKS[name](x).sum().backward()
    assert x.grad.tolist() == [slope, slope]


def test_the_slope_of_sqrt_at_zero_is_infinite(lib: Lib) -> None:
    x = lib.zeros(1).requires_grad_()
    x.sqrt().sum().backward()
    assert math.isinf(x.grad.item())


def test_ties_share_evenly_or_go_to_the_index(lib: Lib) -> None:
    x = lib.tensor([2.0, 2.0, 1.0], requires_grad=True)
    for reduce, expected in (
        (lambda t: t.max(), [0.5, 0.5, 0.0]),
        (lambda t: t.amax(), [0.5, 0.5, 0.0]),
        (lambda t: t.max(0).values, [1.0, 0.0, 0.0]),
        (lambda t: t.median(), [0.5, 0.5, 0.0]),
    ):
        (grad,) = lib.autograd.grad(reduce(x), x)
        assert grad.tolist() == expected
    a, b = lib.ones(1).requires_grad_(), lib.ones(1).requires_grad_()
    assert [g.item() for g in lib.autograd.grad(lib.maximum(a, b).sum(), [a, b])] == [0.5, 0.5]


def test_prod_is_exact_with_zeros(lib: Lib) -> None:
    for values, expected in (([2.0, 0.0, 3.0], [0.0, 6.0, 0.0]), ([2.0, 0.0, 0.0], [0.0, 0.0, 0.0])):
        x = lib.tensor(values, requires_grad=True)
        x.prod().backward()
        assert x.grad.tolist() == expected


def test_where_lets_a_nan_of_the_other_branch_through(lib: Lib) -> None:
    x = lib.tensor([-1.0, 4.0], requires_grad=True)
    lib.where(x > 0, x.sqrt(), x * 0).sum().backward()
    assert math.isnan(x.grad[0].item()) and x.grad[1].item() == 0.25


def test_complex_gradients_follow_the_conjugate_convention(lib: Lib) -> None:
    z = lib.tensor(1 + 2j, requires_grad=True)
    (grad,) = lib.autograd.grad(z.abs() ** 2, z)
    assert abs(grad.item() - (2 + 4j)) < 1e-5
    (grad,) = lib.autograd.grad((z * z).real, z)
    assert abs(grad.item() - (2 - 4j)) < 1e-5


def test_any_order_of_derivative(lib: Lib) -> None:
    x = lib.tensor(2.0, requires_grad=True)
    y = x**5
    for expected in (80.0, 160.0, 240.0, 240.0, 120.0):
        (y,) = lib.autograd.grad(y, x, create_graph=True)
        assert y.item() == pytest.approx(expected)


def test_what_a_node_saved_can_be_looked_at_until_it_is_freed(lib: Lib) -> None:
    x, w = leaf(lib), leaf(lib)
    product, power = x * w, x.exp()
    assert product.grad_fn._saved_self is x or product.grad_fn._saved_self.tolist() == x.tolist()
    assert product.grad_fn._saved_other.tolist() == w.tolist()
    assert power.grad_fn._saved_result.tolist() == power.tolist()
    assert power.grad_fn._saved_result.grad_fn is power.grad_fn
    product.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        product.grad_fn._saved_self
    with pytest.raises(AttributeError):
        power.grad_fn._saved_nothing


@pytest.mark.gpu
def test_gradients_are_ready_on_the_current_stream_after_backward() -> None:
    """A user may read a gradient right after backward, without synchronising: all work goes to one stream."""
    if not mg.cuda.is_available():
        pytest.skip("there is no GPU here")
    x = mg.ones(1000, 1000, device="cuda", requires_grad=True)
    (x @ x).sum().backward()
    assert x.grad is not None and float((x.grad - 2000).abs().max()) == 0.0

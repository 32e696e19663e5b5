"""Row 90: what is kept, counted in bytes, and when it is let go."""

from __future__ import annotations

import gc
import tracemalloc
import weakref
from typing import Any

import pytest

import minigrad as mg
from minigrad import events

SIZE = 1_000_000
BYTES = 4 * SIZE


@pytest.fixture
def counted() -> Any:
    """Bytes of arrays alive beyond those alive at the start; NumPy reports its memory to tracemalloc."""
    (
        (mg.ones(1, requires_grad=True) + 1) * 2
    ).tanh().sin().sum().backward()  # what is imported at first use is no array
    gc.collect()
    tracemalloc.start()
    start = tracemalloc.get_traced_memory()[0]
    yield lambda: round((tracemalloc.get_traced_memory()[0] - start) / BYTES, 1)
    tracemalloc.stop()


def peak_of(action: Any) -> float:
    start = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    action()
    return round((tracemalloc.get_traced_memory()[1] - start) / BYTES, 1)


def test_only_what_the_gradients_ask_for_is_kept(counted: Any) -> None:
    x = mg.ones(SIZE, requires_grad=True)
    y = x + 1
    z = y * 2
    del y
    assert counted() == 2.0  # x and z: sums and products with a number keep no tensor
    w = z.tanh()
    del z
    assert counted() == 2.0  # tanh keeps its output, not its input
    s = w.sin()
    assert counted() == 3.0
    del w
    assert counted() == 3.0  # sin keeps its input
    s.sum().backward()
    del s
    assert counted() == 2.0  # x and its gradient


def test_saved_tensors_go_node_by_node_so_the_peak_stays_flat(counted: Any) -> None:
    x = mg.ones(SIZE, requires_grad=True)
    y = x
    for _ in range(10):
        y = y.sin()
    loss = y.sum()
    del y
    assert counted() == 10.0  # x, and the nine results that became inputs of the next sin; sum keeps nothing
    # In backward one gradient travels, and one product is made for it, while saved tensors go one after the other.
    assert peak_of(loss.backward) <= 3.0
    del loss
    assert counted() == 2.0


def test_the_first_gradient_becomes_grad_without_a_copy(counted: Any) -> None:
    x = mg.ones(SIZE, requires_grad=True)
    loss = (x * 2).sum()
    assert peak_of(loss.backward) <= 2.0


def test_a_gradient_that_somebody_holds_is_copied() -> None:
    x = mg.ones(3, requires_grad=True)
    held: list[Any] = []
    x.register_hook(held.append)
    (x * 2).sum().backward()
    assert x.grad is not None and x.grad is not held[0] and x.grad.data_ptr() != held[0].data_ptr()


def test_no_cycle_keeps_a_graph_alive() -> None:
    gc.collect()
    gc.disable()
    try:
        x = mg.ones(3, requires_grad=True)
        y = x.exp().sigmoid()
        z = mg.cat([y, y * x]).max()
        node = weakref.ref(z.grad_fn)
        leaf = weakref.ref(x)
        del x, y, z
        assert node() is None and leaf() is None
    finally:
        gc.enable()


def test_a_failed_backward_leaves_nothing_behind() -> None:
    x = mg.ones(3, requires_grad=True)

    def fail(grad: Any) -> None:
        raise KeyError("stop")

    y = x * 2
    y.register_hook(fail)
    with pytest.raises(KeyError):
        y.sum().backward()
    assert x.grad is None and mg.is_grad_enabled()
    assert not events.LISTENERS

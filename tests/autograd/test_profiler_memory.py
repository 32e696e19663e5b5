"""What the profiler counts as held: every array of a tensor once, as one kind, until nobody holds it any more."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad import events, nn, optim
from minigrad.autograd.profiler_memory import KINDS, Held

KB = 1024
"""Bytes of 256 floats."""

pytestmark = pytest.mark.cpu("its arrays name another base each time they are asked")


def counted(held: Held) -> dict[str, int]:
    held(None)  # what has gone is noticed with the next event
    assert sum(held.now.values()) == held.total
    return {kind: size for kind, size in held.now.items() if size}


def test_a_leaf_counts_from_when_it_is_made_and_as_long_as_somebody_has_it() -> None:
    held = Held()
    with events.listening(held):
        x, w = mg.ones(256), mg.ones(256, requires_grad=True)
        assert counted(held) == {"parameters": KB, "inputs": KB}
        view = x[:2]
        del x
        assert counted(held) == {"parameters": KB, "inputs": KB}, "a view holds all of its base"
        del view, w
        assert counted(held) == {}


def test_an_activation_is_saved_as_long_as_a_node_keeps_it_and_then_somebodys_or_gone() -> None:
    held = Held()
    with events.listening(held):
        w = mg.ones(256, requires_grad=True)
        y = w.exp()
        z = (y.exp() + 1).sum()
        assert counted(held) == {"parameters": KB, "saved": 2 * KB, "activations": 4}
        z.backward()
        assert counted(held) == {"parameters": KB, "gradients": KB, "activations": KB + 4}, "y and z have variables"
        del y, z
        assert counted(held) == {"parameters": KB, "gradients": KB}
        w.grad = None
        assert counted(held) == {"parameters": KB}, "a gradient set to None is free memory"


def test_a_graph_that_is_thrown_away_lets_go_of_what_it_saved() -> None:
    held = Held()
    with events.listening(held):
        w = mg.ones(256, requires_grad=True)
        y = w.exp()
        kept = y.detach()
        assert counted(held) == {"parameters": KB, "saved": KB}
        del y
        assert counted(held) == {"parameters": KB, "activations": KB}
        assert kept.sum().item() > 0


def test_what_backward_makes_in_passing_is_temporary() -> None:
    held = Held()
    with events.listening(held):
        w = mg.ones(256, requires_grad=True)
        (found,) = mg.autograd.grad((w * w).sum(), w)
        assert counted(held) == {"parameters": KB, "temporary": KB}, "it is in no .grad"
        del found
        assert counted(held) == {"parameters": KB}
        (found,) = mg.autograd.grad((w * w * w).sum(), w, create_graph=True)
        assert {"saved", "activations"} & set(counted(held)), "a gradient with a graph of its own is a result of ops"
        del found
        assert counted(held) == {"parameters": KB}


def test_data_are_inputs_and_an_optimiser_remembers() -> None:
    held = Held()
    with events.listening(held):
        layer = nn.Linear(16, 16, bias=False)
        with mg.no_grad():
            x = mg.ones(16, 16) * 2
        adam = optim.Adam(layer.parameters())
        layer(x).sum().backward()
        adam.step()
        assert counted(held) == {"parameters": KB, "optimizer": 2 * KB, "gradients": KB, "inputs": KB}
        adam.zero_grad()
        del x
        assert counted(held) == {"parameters": KB, "optimizer": 2 * KB}


def test_the_same_memory_is_not_counted_twice() -> None:
    held = Held()
    with events.listening(held):
        w = mg.ones(256, requires_grad=True)
        with mg.no_grad():
            w.data.mul_(2)
            w.detach().add_(1)
        assert counted(held) == {"parameters": KB}
    assert held.peak == KB


def test_the_peak_has_the_kinds_of_that_moment() -> None:
    held = Held()
    with events.listening(held):
        w = mg.ones(256, requires_grad=True)
        for _ in range(3):
            w.exp().sum().backward()
    assert tuple(held.at_peak) == KINDS
    assert sum(held.at_peak.values()) == held.peak > held.total

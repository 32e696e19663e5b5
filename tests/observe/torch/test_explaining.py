"""Of a tensor of PyTorch's it is told why it has no gradient, or how that came, as of minigrad's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder

from .helpers import torch

pytestmark = pytest.mark.parity


def not_yet(lib: Any) -> Any:
    w = lib.tensor(2.0, requires_grad=True)
    loss = w * w
    return [mg.explain(w), loss][0]


def unused(lib: Any) -> Any:
    w, other = lib.tensor(2.0, requires_grad=True), lib.tensor(1.0, requires_grad=True)
    loss = other * 2
    loss.backward()
    return mg.explain(w)


def gone(lib: Any) -> Any:
    w = lib.tensor(2.0, requires_grad=True)
    w * 2
    return mg.explain(w)


def not_a_leaf(lib: Any) -> Any:
    w = lib.tensor(2.0, requires_grad=True)
    h = w.exp()
    h.backward()
    return mg.explain(h)


def retained(lib: Any) -> Any:
    w = lib.tensor(2.0, requires_grad=True)
    h = w * 3
    h.retain_grad()
    h.exp().backward()
    return mg.explain(h)


def detached(lib: Any) -> Any:
    w = lib.tensor([2.0, 1.0], requires_grad=True)
    h = w * 3
    cut = h.detach()
    return mg.explain(cut)


def no_grad(lib: Any) -> Any:
    w = lib.tensor(2.0, requires_grad=True)
    with lib.no_grad():
        h = w * 3
    return mg.explain(h)


def integer(lib: Any) -> Any:
    indices = lib.tensor([1, 2])
    return mg.explain(indices)


def no_requires_grad(lib: Any) -> Any:
    data = lib.ones(3)
    return mg.explain(data)


def cleared(lib: Any) -> Any:
    w = lib.tensor(2.0, requires_grad=True)
    loss = w * w
    loss.backward()
    w.grad = None
    return [mg.explain(w), loss][0]


def accumulated(lib: Any) -> Any:
    net = lib.nn.Linear(2, 1)
    with lib.no_grad():
        net.weight.fill_(1.0)
    for _ in range(2):
        (net(lib.ones(2)) * 3).sum().backward()
    return mg.explain(net.weight)


PROGRAMS: list[Callable[[Any], Any]] = [
    not_yet, unused, gone, not_a_leaf, retained, detached, no_grad, integer, no_requires_grad, cleared, accumulated,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_the_answer_is_the_same_as_of_minigrads_tensors(program: Callable[[Any], Any]) -> None:
    from minigrad.observe.torch import TORCH

    with Recorder(values="all"):
        mine = program(mg)
    with Recorder(values="all", framework=TORCH) as recorder:
        theirs = program(torch)
    assert recorder.failure is None
    assert theirs.verdict == mine.verdict
    assert str(theirs) == str(mine).replace("mg.", "torch.")


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_where_nobody_watches_the_graph_itself_tells(program: Callable[[Any], Any]) -> None:
    if program is cleared and not hasattr(
        torch.ones(1, requires_grad=True).exp().grad_fn._raw_saved_result, "unpack_hook"
    ):
        pytest.skip("An older PyTorch does not tell that what was saved is gone")
    theirs, mine = program(torch), program(mg)
    assert theirs.verdict == mine.verdict
    assert theirs.summary == mine.summary.replace("mg.", "torch.")

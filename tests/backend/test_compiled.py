"""Compiled routines: found by an entry point, only for large work, left out on demand, equal to NumPy's numbers."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.backend import compiled

pytestmark = pytest.mark.cpu("routines are for the memory of the CPU")
F = mg.nn.functional


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    compiled.offered.cache_clear()
    yield
    compiled.offered.cache_clear()


def offer(monkeypatch: Any, *loads: Callable[[], Any]) -> None:
    """Let these be the entry points."""
    points = [SimpleNamespace(load=load) for load in loads]
    monkeypatch.delenv("MINIGRAD_FAST", raising=False)
    found = importlib.metadata.entry_points

    def look(**asked: Any) -> Any:
        return points if asked.get("group") == "minigrad.routines" else found(**asked)

    monkeypatch.setattr(importlib.metadata, "entry_points", look)


def missing() -> Any:
    raise ImportError("no compiler here")


def test_a_routine_serves_large_arrays_and_numpy_the_others(monkeypatch: Any) -> None:
    offer(monkeypatch, missing, lambda: lambda: {"gelu": lambda x: np.full_like(x, 7)})
    large, small = mg.zeros(compiled.ENOUGH), mg.zeros(compiled.ENOUGH - 1)
    assert (F.gelu(large) == 7).all()
    assert (F.gelu(small) == 0).all()
    assert (F.gelu(large.double()) == 0).all()
    assert (F.gelu(mg.zeros(2, compiled.ENOUGH).T) == 0).all()


def test_a_variable_leaves_all_routines_out(monkeypatch: Any) -> None:
    offer(monkeypatch, lambda: lambda: {"gelu": lambda x: np.full_like(x, 7)})
    monkeypatch.setenv("MINIGRAD_FAST", "0")
    assert (F.gelu(mg.zeros(compiled.ENOUGH)) == 0).all()


def test_small_programs_never_look_for_a_plug_in(monkeypatch: Any) -> None:
    def look(group: str) -> Any:
        raise AssertionError("a small program waits for a plug-in")

    monkeypatch.setattr(importlib.metadata, "entry_points", look)
    net = mg.nn.Sequential(mg.nn.Linear(64, 64), mg.nn.GELU(), mg.nn.LayerNorm(64), mg.nn.Linear(64, 10))
    optimizer = mg.optim.Adam(net.parameters())
    net(mg.randn(32, 64)).sum().backward()
    optimizer.step()


# Numba's --------------------------------------------------------------------------------------------------------------


def with_and_without(monkeypatch: Any, run: Callable[[], list[Any]]) -> tuple[list[Any], list[Any]]:
    """What `run` gives with Numba's routines, and with NumPy alone."""
    pytest.importorskip("numba")
    from minigrad.fast import routines

    offer(monkeypatch, lambda: routines)
    quick = run()
    compiled.offered.cache_clear()
    monkeypatch.setenv("MINIGRAD_FAST", "0")
    return quick, run()


def near(quick: list[Any], plain: list[Any], units: float) -> None:
    """Whether they differ by no more than this, in units of the last place of the largest."""
    for one, other in zip(quick, plain, strict=True):
        scale = np.abs(other[np.isfinite(other)]).max() * 2.0**-23
        assert np.array_equal(np.isnan(one), np.isnan(other))
        finite = np.isfinite(other)
        assert np.abs(one[finite].astype(np.float64) - other[finite]).max() <= units * scale


def arrays(*shapes: tuple[int, ...]) -> list[Any]:
    random = np.random.default_rng(0)
    return [random.standard_normal(shape).astype(np.float32) for shape in shapes]


@pytest.mark.parametrize("size", [(160, 128), (1 << 19,)], ids=["one part", "several parts"])
def test_numba_s_gelu_is_numpy_s(monkeypatch: Any, size: tuple[int, ...]) -> None:
    x, g = arrays(size, size)
    x.reshape(-1)[:6] = [1e30, -1e30, np.inf, np.nan, 0, -20]

    def run() -> list[Any]:
        leaf = mg.tensor(x, requires_grad=True)
        out = F.gelu(leaf)
        out.backward(mg.tensor(g))
        return [each.reshape(-1)[k:] for each in (out.detach().numpy(), leaf.grad.numpy()) for k in (1, 6)]

    quick, plain = with_and_without(monkeypatch, run)
    near([quick[1], quick[3]], [plain[1], plain[3]], 4)
    assert np.allclose(quick[0][:5], plain[0][:5], equal_nan=True)
    assert np.allclose(quick[2][:5], plain[2][:5], equal_nan=True)


def test_numba_s_layer_norm_is_numpy_s(monkeypatch: Any) -> None:
    x, g, weight, bias = arrays((4, 60, 100), (4, 60, 100), (100,), (100,))

    def run() -> list[Any]:
        leaves = [mg.tensor(each, requires_grad=True) for each in (x, weight, bias)]
        out = F.layer_norm(leaves[0], (100,), leaves[1], leaves[2])
        out.backward(mg.tensor(g))
        return [out.detach().numpy(), *[leaf.grad.numpy() for leaf in leaves]]

    near(*with_and_without(monkeypatch, run), 8)


@pytest.mark.parametrize("bidirectional", [False, True])
def test_numba_s_lstm_is_numpy_s(monkeypatch: Any, bidirectional: bool) -> None:
    count = 4 if bidirectional else 2
    x, h, c = arrays((35, 8, 30), (count, 8, 34), (count, 8, 34))

    def run() -> list[Any]:
        mg.manual_seed(0)
        net = mg.nn.LSTM(30, 34, 2, bidirectional=bidirectional)
        leaves = [mg.tensor(each, requires_grad=True) for each in (x, h, c)]
        out, (last, cell) = net(leaves[0], (leaves[1], leaves[2]))
        ((out * out).sum() + last.sum() + (cell * cell).sum()).backward()
        return [out.detach().numpy(), *[leaf.grad.numpy() for leaf in [*leaves, *net.parameters()]]]

    near(*with_and_without(monkeypatch, run), 8)


def test_numba_s_adam_is_numpy_s_bit_for_bit(monkeypatch: Any) -> None:
    (values,) = arrays((160, 128))

    def run() -> list[Any]:
        weight = mg.nn.Parameter(mg.tensor(values.copy()))
        optimizer = mg.optim.Adam([weight], lr=0.01, weight_decay=0.01)
        for _ in range(5):
            optimizer.zero_grad()
            (weight**3).sum().backward()
            optimizer.step()
        return [weight.detach().numpy().copy()]

    quick, plain = with_and_without(monkeypatch, run)
    assert np.array_equal(quick[0], plain[0])

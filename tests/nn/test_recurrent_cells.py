"""Recurrent cells in one op: they compute what ordinary ops compute, to second order, in vmap and in forward mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.nn.utils.rnn import step_by_step

CELLS: dict[str, Callable[..., Any]] = {
    "RNNCell": lambda *args, **more: nn.RNNCell(*args, **more),
    "RNNCell relu": lambda *args, **more: nn.RNNCell(*args, nonlinearity="relu", **more),
    "GRUCell": lambda *args, **more: nn.GRUCell(*args, **more),
    "LSTMCell": lambda *args, **more: nn.LSTMCell(*args, **more),
}
EACH_CELL = pytest.mark.parametrize("cell", CELLS)


def parts_of(state: Any) -> tuple[Any, ...]:
    return state if isinstance(state, tuple) else (state,)


def random_state(cell: str, *shape: int, dtype: Any = mg.float64) -> Any:
    parts = [mg.randn(*shape, dtype=dtype) for _ in range(1 + (cell == "LSTMCell"))]
    return tuple(parts) if len(parts) > 1 else parts[0]


def three_steps(net: Any, x: Any, state: Any) -> list[Any]:
    """The states after three steps, and the gradients of a sum of them that weighs each element differently."""
    leaves = [x.requires_grad_(), *net.parameters(), *[each.requires_grad_() for each in parts_of(state)]]
    for row in x.unbind(0):
        state = net(row, state)
    found = parts_of(state)
    loss = sum((part * mg.arange(part.numel(), dtype=part.dtype).reshape(part.shape).cos()).sum() for part in found)
    return [*found, *mg.autograd.grad(loss, leaves)]


@EACH_CELL
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("batch", [4, 0])
@pytest.mark.parametrize("dtype", [mg.float64, mg.float32])
def test_one_op_gives_what_ordinary_ops_give(cell: str, bias: bool, batch: int, dtype: Any) -> None:
    mg.manual_seed(0)
    net = CELLS[cell](3, 2, bias=bias, dtype=dtype)
    x = mg.randn(batch, 3, 3, dtype=dtype).transpose(0, 1)  # rows with gaps
    state = random_state(cell, batch, 2, dtype=dtype)
    found = three_steps(net, x, state)
    with step_by_step():
        wanted = three_steps(net, x, state)
    for one, other in zip(found, wanted, strict=True):
        if dtype is mg.float64:
            mg.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)
        else:
            mg.testing.assert_close(one, other)


@EACH_CELL
def test_it_is_one_node_or_shows_its_steps(cell: str) -> None:
    net, x = CELLS[cell](3, 2), mg.ones(1, 3)
    node = parts_of(net(x))[0].grad_fn
    assert node.name().endswith("LayerBackward0")
    with step_by_step():
        assert parts_of(net(x))[0].grad_fn.name() in ("AddBackward0", "TanhBackward0", "ReluBackward0", "MulBackward0")


def test_a_large_lstm_runs_in_ordinary_ops() -> None:
    """One op would copy all weights at every step, to reorder their rows."""
    names = [nn.LSTMCell(2, size)(mg.ones(1, 2))[0].grad_fn.name() for size in (128, 129)]
    assert names == ["LSTMLayerBackward0", "MulBackward0"]


@pytest.mark.parametrize("cell", [each for each in CELLS if each != "RNNCell relu"])  # relu has a kink
def test_gradients_hold_to_second_order(cell: str) -> None:
    mg.manual_seed(1)
    net = CELLS[cell](2, 2, dtype=mg.float64)
    names = [name for name, _ in net.named_parameters()]
    weights = [each.detach().requires_grad_() for each in net.parameters()]
    x = mg.randn(2, 2, dtype=mg.float64, requires_grad=True)
    states = [each.requires_grad_() for each in parts_of(random_state(cell, 2, 2))]

    def run(x: Any, *rest: Any) -> Any:
        state = rest[: len(states)]
        given = state if len(state) > 1 else state[0]
        return mg.func.functional_call(net, dict(zip(names, rest[len(states) :], strict=True)), (x, given))

    assert mg.autograd.gradcheck(run, (x, *states, *weights), check_forward_ad=True)
    assert mg.autograd.gradgradcheck(run, (x, *states, *weights), fast_mode=True)


@EACH_CELL
def test_rows_without_a_batch_and_vmap_give_the_rows_of_a_batch(cell: str) -> None:
    mg.manual_seed(2)
    net, x = CELLS[cell](3, 2, dtype=mg.float64), mg.randn(4, 3, dtype=mg.float64)
    wanted = parts_of(net(x))
    for found in (parts_of(mg.vmap(net)(x)), parts_of(net(x[1]))):
        for one, other in zip(found, wanted, strict=True):
            mg.testing.assert_close(one, other if one.ndim == 2 else other[1])


@EACH_CELL
def test_a_state_may_be_written_to_before_the_next_step(cell: str) -> None:
    """As a program does that begins some of its sequences anew."""

    def gradients() -> list[Any]:
        state = None
        for row in x:
            state = net(row, state)
            for each in parts_of(state):
                if cell.startswith("RNN"):  # tanh and relu need their results in backward
                    break
                each[0] = 0.0
        return list(mg.autograd.grad(sum(each.sum() for each in parts_of(state)), list(net.parameters())))

    mg.manual_seed(3)
    net, x = CELLS[cell](3, 2, dtype=mg.float64), mg.randn(3, 4, 3, dtype=mg.float64)
    found = gradients()
    with step_by_step():
        wanted = gradients()
    for one, other in zip(found, wanted, strict=True):
        mg.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


@EACH_CELL
def test_half_precision_runs_in_ordinary_ops(cell: str) -> None:
    net = CELLS[cell](3, 2, dtype=mg.float16)
    state = parts_of(net(mg.ones(2, 3, dtype=mg.float16)))[0]
    assert state.dtype is mg.float16
    assert not state.grad_fn.name().endswith("LayerBackward0")

"""Recurrent layers in one op: they compute what the steps one by one compute, to second order and in forward mode."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg
from minigrad import nn
from minigrad.nn.utils.rnn import pack_sequence, step_by_step

LAYERS = {
    "RNN": lambda size=(3, 4, 2), **more: nn.RNN(*size, **more),
    "RNN relu": lambda size=(3, 4, 2), **more: nn.RNN(*size, "relu", **more),
    "GRU": lambda size=(3, 4, 2), **more: nn.GRU(*size, **more),
    "LSTM": lambda size=(3, 4, 2), **more: nn.LSTM(*size, **more),
    "projected": lambda size=(3, 4, 2), **more: nn.LSTM(*size, proj_size=size[1] - 1, **more),
}
EACH_LAYER = pytest.mark.parametrize("layer", LAYERS)


def everything(net: Any, x: Any, state: Any = None) -> list[Any]:
    """Output and last states, and the gradients of a sum of them that weighs each element differently."""
    output, last = net(x, state)
    parts = [output.data if hasattr(output, "batch_sizes") else output, *(last if isinstance(last, tuple) else (last,))]
    loss = sum((part * mg.arange(part.numel(), dtype=part.dtype).reshape(part.shape).cos()).sum() for part in parts)
    leaves = list(net.parameters())
    return [*parts, *mg.autograd.grad(loss, leaves)]


def assert_alike(found: list[Any], wanted: list[Any]) -> None:
    for one, other in zip(found, wanted, strict=True):
        mg.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


@EACH_LAYER
@pytest.mark.parametrize(("bias", "bidirectional"), [(True, True), (True, False), (False, True), (False, False)])
def test_one_op_gives_what_the_steps_give(layer: str, bias: bool, bidirectional: bool) -> None:
    mg.manual_seed(0)
    net = LAYERS[layer](bias=bias, bidirectional=bidirectional, dtype=mg.float64)
    x = mg.randn(5, 2, 3, dtype=mg.float64)
    found = everything(net, x)
    with step_by_step():
        assert_alike(found, everything(net, x))


@EACH_LAYER
@pytest.mark.parametrize("bidirectional", [False, True])
def test_packed_sequences_give_what_the_steps_give(layer: str, bidirectional: bool) -> None:
    mg.manual_seed(1)
    net = LAYERS[layer](bidirectional=bidirectional, dtype=mg.float64)
    x = pack_sequence([mg.randn(n, 3, dtype=mg.float64) for n in (2, 5, 3, 5)], enforce_sorted=False)
    found = everything(net, x)
    with step_by_step():
        assert_alike(found, everything(net, x))


@pytest.mark.parametrize("layer", [each for each in LAYERS if each != "RNN relu"])  # relu has a kink
@pytest.mark.parametrize("bidirectional", [False, True])
def test_gradients_hold_to_second_order(layer: str, bidirectional: bool) -> None:
    mg.manual_seed(2)
    net = LAYERS[layer]((1, 2, 1), bidirectional=bidirectional, dtype=mg.float64)
    x = mg.randn(2, 1, 1, dtype=mg.float64, requires_grad=True)
    weights = [each.detach().requires_grad_() for each in net.parameters()]
    names = [name for name, _ in net.named_parameters()]

    def run(x: Any, *weights: Any) -> Any:
        output, last = mg.func.functional_call(net, dict(zip(names, weights, strict=True)), (x,))
        return (output, *last) if isinstance(last, tuple) else (output, last)

    assert mg.autograd.gradcheck(run, (x, *weights), check_forward_ad=True)
    assert mg.autograd.gradgradcheck(run, (x, *weights), fast_mode=True)


@EACH_LAYER
def test_forward_mode_and_vmap_see_the_layer(layer: str) -> None:
    mg.manual_seed(3)
    net = LAYERS[layer](dtype=mg.float64)
    x, t = mg.randn(4, 2, 3, dtype=mg.float64), mg.randn(4, 2, 3, dtype=mg.float64)
    _, tangent = mg.func.jvp(lambda x: net(x)[0], (x,), (t,))
    moved = (net(x + 1e-6 * t)[0] - net(x - 1e-6 * t)[0]) / 2e-6
    mg.testing.assert_close(tangent, moved, rtol=1e-6, atol=1e-8)
    batch = mg.randn(3, 4, 2, 3, dtype=mg.float64)
    mg.testing.assert_close(mg.vmap(lambda x: net(x)[0])(batch), mg.stack([net(each)[0] for each in batch]))


def test_a_sigmoid_far_from_zero_neither_overflows_nor_warns() -> None:
    net = nn.LSTM(1, 1)
    with mg.no_grad():
        for each in net.parameters():
            each.fill_(1.0)
    x = mg.tensor([[-1e30], [1e30], [-200.0]], requires_grad=True)
    output, _ = net(x)
    output.sum().backward()
    assert output.isfinite().all()
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_the_graph_shows_one_op_a_layer_or_every_step() -> None:
    net, x = nn.LSTM(2, 3), mg.ones(4, 1, 2)

    def names(node: Any) -> set[str]:
        found, todo = set(), [node]
        while todo:
            node = todo.pop()
            if node is not None and node not in found:
                found.add(node)
                todo += [each for each, _ in node.next_functions]
        return {each.name() for each in found}

    assert "LSTMLayerBackward0" in names(net(x)[0].grad_fn)
    with step_by_step():
        assert "TanhBackward0" in names(net(x)[0].grad_fn)
    assert "LSTMLayerBackward0" in names(net(x)[0].grad_fn)


def test_a_sequence_without_a_step_is_refused() -> None:
    with pytest.raises(mg.errors.ShapeError, match="at least one step"):
        nn.LSTM(2, 3)(mg.ones(0, 1, 2))

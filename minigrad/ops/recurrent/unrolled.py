"""Recurrent layers step by step, in ordinary tensor operations, so that the graph shows each step.

The ops in this folder compute the same as single nodes. Their second derivatives are computed here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.tensor import Tensor
from ..elementwise.pointwise import relu
from ..linalg.matmul import linear
from ..shape.join import cat
from .spans import spans

State = Any
"""The hidden state (N, H); for LSTM a pair: hidden state and cell."""

Weights = Sequence[Any]
"""W (G H, I), U (G H, H) and the biases b and c (G H), or None, for G gates."""


def tanh_step(x: Tensor, h: State, w: Weights) -> State:
    """h' = tanh(W x + b + U h + c)"""
    return (linear(x, w[0], w[2]) + linear(h, w[1], w[3])).tanh()


def relu_step(x: Tensor, h: State, w: Weights) -> State:
    """h' = relu(W x + b + U h + c)"""
    return relu(linear(x, w[0], w[2]) + linear(h, w[1], w[3]))


def lstm_step(x: Tensor, state: State, w: Weights) -> State:
    """Gates i, f, o and candidate g: c' = f c + i g, h' = o tanh c'."""
    h, c = state
    gates = linear(x, w[0], w[2]) + linear(h, w[1], w[3])
    i, f, g, o = gates.chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def gru_step(x: Tensor, h: State, w: Weights) -> State:
    """Gates r, z and candidate n: n = tanh(n_x + r n_h), h' = (1 - z) n + z h."""
    rx, zx, nx = linear(x, w[0], w[2]).chunk(3, -1)
    rh, zh, nh = linear(h, w[1], w[3]).chunk(3, -1)
    r, z = (rx + rh).sigmoid(), (zx + zh).sigmoid()
    n = (nx + r * nh).tanh()
    return n + z * (h - n)


STEPS: dict[str, tuple[int, Callable[[Tensor, State, Weights], State]]] = {
    "RNN_TANH": (1, tanh_step),
    "RNN_RELU": (1, relu_step),
    "LSTM": (4, lstm_step),
    "GRU": (3, gru_step),
}
"""The number of gates of each kind of layer, and the function of one step."""


def unrolled(
    mode: str, lengths: Sequence[int], reverse: bool, x: Tensor, state: State, weights: Weights, projection: Any = None
) -> tuple[Tensor, State]:
    """Run a layer over sequences, step by step.

    Args:
        x: the rows of all steps, as `spans` describes them.
        state: the initial states of all sequences.

    Returns:
        The hidden state after each step, in the rows of `x`, and the last states of all sequences.
    """
    step = STEPS[mode][1]
    outputs: dict[int, Tensor] = {}
    parts = x.split(list(lengths))
    for (first, rows), part in zip(spans(lengths, reverse), reversed(parts) if reverse else parts, strict=True):
        new = step(part, _mapped(lambda each, rows=rows: _first(each, rows), state), weights)
        if projection is not None:
            new = (linear(new[0], projection), new[1])
        outputs[first] = new[0] if mode == "LSTM" else new
        state = _mapped(_joined, new, state)
    return cat([outputs[first] for first in sorted(outputs)], 0), state


def _first(state: Tensor, rows: int) -> Tensor:
    """Return the states of the first sequences."""
    return state if rows == state.shape[0] else state[:rows]


def _joined(new: Tensor, state: Tensor) -> Tensor:
    """Return the states of all sequences; those that have ended, or not begun, keep theirs."""
    return new if new.shape[0] == state.shape[0] else cat([new, state[new.shape[0] :]], 0)


def _mapped(function: Callable[..., Tensor], *states: State) -> State:
    """Wrap `function` of a state to apply to both parts of a pair."""
    if isinstance(states[0], tuple):
        return tuple(function(*parts) for parts in zip(*states, strict=True))
    return function(*states)

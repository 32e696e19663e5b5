"""A recurrent layer over sequences: as one op, or step by step."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ... import dtypes
from ...core.grad_mode import STATE
from ...core.tensor import Tensor
from .gru import GRULayer
from .lstm import LSTMLayer
from .rnn import RNNLayer
from .unrolled import STEPS, State, Weights, unrolled

FAST = (dtypes.float32, dtypes.float64)

REORDERED = 1 << 16
"""The number of recurrent weights up to which one op is faster for one step of an LSTM: it reorders their rows."""


class _Choice:
    step_by_step = os.environ.get("MINIGRAD_STEP_BY_STEP", "") not in ("", "0")


@contextmanager
def step_by_step(wanted: bool = True) -> Iterator[None]:
    """Inside, `nn.RNN`, `nn.LSTM`, `nn.GRU` and their cells run each step in ordinary ops, which the graph then shows.

    This is about five times slower, and results may differ in the last digit, because sums have another order. Set the
    environment variable ``MINIGRAD_STEP_BY_STEP=1`` to do so in a whole program.

    Example:
        >>> import minigrad as mg
        >>> net = mg.nn.RNN(2, 3)
        >>> with mg.nn.utils.rnn.step_by_step():
        ...     output, _ = net(mg.ones(4, 1, 2))
        >>> output.grad_fn.name()
        'ViewBackward0'
    """
    before = _Choice.step_by_step
    _Choice.step_by_step = wanted
    try:
        yield
    finally:
        _Choice.step_by_step = before


def recurrent_layer(
    mode: str, lengths: Sequence[int], reverse: bool, x: Tensor, state: State, weights: Weights, projection: Any
) -> tuple[Tensor, State]:
    """Return the hidden states after all steps, as rows like `x`, and all last states; see `unrolled`."""
    if not _fits_one_op(x, state, *weights, projection):
        return unrolled(mode, lengths, reverse, x, state, weights, projection)
    return _one_op(mode, lengths, reverse, x, state, weights, projection)


def recurrent_cell(mode: str, x: Tensor, state: State, weights: Weights) -> State:
    """Return the states after one step, given the rows `x` and the states before.

    A row without a batch dimension runs in ordinary ops, and so does a large LSTM.
    """
    large = mode == "LSTM" and weights[1]._array.size > REORDERED
    if large or x._array.ndim != 2 or not _fits_one_op(x, state, *weights):
        return STEPS[mode][1](x, state, weights)
    return _one_op(mode, x._array.shape[:1], False, x, state, weights, None)[1]


def _fits_one_op(x: Tensor, state: State, *others: Any) -> bool:
    """Return whether a layer may run as one op: it is wanted so, outside vmap, and all have the dtype of `x`."""
    if _Choice.step_by_step or STATE.mode.interpreters or x.dtype not in FAST:
        return False
    kind = x._array.dtype
    states = state if isinstance(state, tuple) else (state,)
    return all(each is None or each._array.dtype is kind for each in (*states, *others))


def _one_op(
    mode: str, lengths: Sequence[int], reverse: bool, x: Tensor, state: State, weights: Weights, projection: Any
) -> tuple[Tensor, State]:
    """Run `recurrent_layer` as one op."""
    if mode == "LSTM":
        out, h_n, c_n, _, _ = LSTMLayer(tuple(lengths), reverse)(x, *state, *weights, projection)
        return out, (h_n, c_n)
    if mode == "GRU":
        return GRULayer(tuple(lengths), reverse)(x, state, *weights)[:2]
    return RNNLayer(mode, tuple(lengths), reverse)(x, state, *weights)

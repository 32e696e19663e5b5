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
from .unrolled import State, unrolled

FAST = (dtypes.float32, dtypes.float64)


class _Choice:
    step_by_step = os.environ.get("MINIGRAD_STEP_BY_STEP", "") not in ("", "0")


@contextmanager
def step_by_step(wanted: bool = True) -> Iterator[None]:
    """Inside, `nn.RNN`, `nn.LSTM` and `nn.GRU` run each step in ordinary ops, so that the graph shows every step.

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
    mode: str, lengths: Sequence[int], reverse: bool, x: Tensor, state: State, weights: Sequence[Any], projection: Any
) -> tuple[Tensor, State]:
    """Return the hidden states after all steps, as rows like `x`, and all last states; see `unrolled`."""
    parts = state if isinstance(state, tuple) else (state,)
    given = [each for each in (x, *parts, *weights, projection) if each is not None]
    alike = all(each.dtype is x.dtype for each in given)
    if _Choice.step_by_step or STATE.mode.interpreters or not alike or x.dtype not in FAST:
        return unrolled(mode, lengths, reverse, x, state, weights, projection)
    if mode == "LSTM":
        out, h_n, c_n, _, _ = LSTMLayer(tuple(lengths), reverse)(x, *state, *weights, projection)
        return out, (h_n, c_n)
    if mode == "GRU":
        return GRULayer(tuple(lengths), reverse)(x, state, *weights)[:2]
    return RNNLayer(mode, tuple(lengths), reverse)(x, state, *weights)

"""One step of a recurrent layer as a function of its weights."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...ops.recurrent.unrolled import STEPS

__all__ = ["gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell"]


def lstm_cell(
    input: Tensor, hx: Any, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Any:
    """Return the state (h, c) after `input` (N, I), given the state `hx` before; the weights have 4 H rows.

    >>> import minigrad as mg
    >>> h, c = mg.lstm_cell(mg.ones(1, 2), (mg.zeros(1, 3), mg.zeros(1, 3)), mg.ones(12, 2), mg.ones(12, 3))
    >>> h.shape
    minigrad.Size([1, 3])
    """
    return STEPS["LSTM"][1](input, tuple(hx), [w_ih, w_hh, b_ih, b_hh])


def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Any:
    """Return the state after `input` (N, I), given the state `hx` before; the weights have 3 H rows."""
    return STEPS["GRU"][1](input, hx, [w_ih, w_hh, b_ih, b_hh])


def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Any:
    """Return the state after `input` (N, I), given the state `hx` before: tanh of the sum of both products."""
    return STEPS["RNN_TANH"][1](input, hx, [w_ih, w_hh, b_ih, b_hh])


def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Any:
    """Return the state after `input` (N, I), given the state `hx` before: relu of the sum of both products."""
    return STEPS["RNN_RELU"][1](input, hx, [w_ih, w_hh, b_ih, b_hh])

"""Recurrent cells: one step of `RNN`, `LSTM` and `GRU`.

A step is a single op, a sequence of length 1, except for a large LSTM. Inside `nn.utils.rnn.step_by_step` it runs in
ordinary ops, so that the graph shows the gates.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, ShapeError
from ...ops.create.factories import empty, zeros
from ...ops.recurrent.layer import recurrent_cell
from ...ops.recurrent.unrolled import STEPS, State
from ..init import uniform_all
from ..module import Module
from ..parameter import Parameter, optional


class RNNCellBase(Module):
    """The base class of cells: weight_ih (G H, I), weight_hh (G H, H), and their biases, for G gates."""

    mode = ""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = STEPS[self.mode][0] * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((rows, hidden_size), device=device, dtype=dtype))
        self.register_parameter("bias_ih", optional(bias, rows, device, dtype))
        self.register_parameter("bias_hh", optional(bias, rows, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Reinitialise the parameters, uniform between ±1/√hidden_size."""
        uniform_all(self, 1 / math.sqrt(self.hidden_size) if self.hidden_size else 0.0)

    def forward(self, input: Tensor, hx: State = None) -> State:
        """Return the state after `input` (N, input_size), given the state `hx` before (default: zeros)."""
        if hx is None:
            still = zeros((*input.shape[:-1], self.hidden_size), dtype=input.dtype, device=input.device)
            hx = (still, still) if self.mode == "LSTM" else still
        self._check(input, hx if isinstance(hx, tuple) else (hx,))
        weights = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        return recurrent_cell(self.mode, input, hx, weights)

    def _check(self, input: Tensor, states: tuple[Any, ...]) -> None:
        """Raise for a state that would be broadcast: each example needs its own."""
        if input.ndim not in (1, 2):
            raise ArgumentError(
                f"{type(self).__name__}: Expected input to be 1D or 2D, got {input.ndim}D instead: (input_size) or "
                "(batch, input_size)"
            )
        if input.shape[-1] != self.input_size:
            raise ShapeError(f"input has inconsistent input_size: got {input.shape[-1]} expected {self.input_size}")
        for number, state in enumerate(states):
            if state.ndim not in (1, 2):
                raise ArgumentError(f"{type(self).__name__}: Expected hidden to be 1D or 2D, got {state.ndim}D instead")
            if state.shape[:-1] != input.shape[:-1]:
                found = state.shape[0] if state.ndim else 0
                raise ShapeError(
                    f"Input batch size {input.shape[0]} doesn't match hidden{number} batch size {found}: input "
                    f"{list(input.shape)}, state {list(state.shape)}"
                )
            if state.shape[-1] != self.hidden_size:
                raise ShapeError(
                    f"hidden{number} has inconsistent hidden_size: got {state.shape[-1]}, expected {self.hidden_size}"
                )

    def extra_repr(self) -> str:
        bias = "" if self.bias else ", bias=False"
        relu = ", nonlinearity=relu" if self.mode == "RNN_RELU" else ""
        return f"{self.input_size}, {self.hidden_size}{bias}{relu}"


class RNNCell(RNNCellBase):
    """One step of `RNN`."""

    mode = "RNN_TANH"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        self.__dict__["mode"] = rnn_mode(nonlinearity)
        super().__init__(input_size, hidden_size, bias, device, dtype)
        self.nonlinearity = nonlinearity


class LSTMCell(RNNCellBase):
    """One step of `LSTM`; the state is the pair (h, c)."""

    mode = "LSTM"


class GRUCell(RNNCellBase):
    """One step of `GRU`."""

    mode = "GRU"


def rnn_mode(nonlinearity: str) -> str:
    if nonlinearity not in ("tanh", "relu"):
        raise ArgumentError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    return "RNN_" + nonlinearity.upper()

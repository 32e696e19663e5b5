"""Recurrent layers: a cell is one step, `RNN`, `LSTM` and `GRU` run cells over a sequence.

The loop over time is written in ordinary tensor operations, so that each step can be seen in the graph.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentError, ShapeError
from ..ops.create import empty, zeros
from ..ops.join import cat, stack
from ..ops.pointwise import tanh
from . import functional as F
from .init import uniform_all
from .module import Module
from .parameter import Parameter, optional

State = Any
"""The hidden state (N, H); for LSTM a pair: hidden state and cell."""


def _tanh_step(x: Tensor, h: State, w: list[Any]) -> State:
    """h' = tanh(W x + b + U h + c)"""
    return tanh(F.linear(x, w[0], w[2]) + F.linear(h, w[1], w[3]))


def _relu_step(x: Tensor, h: State, w: list[Any]) -> State:
    """h' = relu(W x + b + U h + c)"""
    return F.relu(F.linear(x, w[0], w[2]) + F.linear(h, w[1], w[3]))


def _lstm_step(x: Tensor, state: State, w: list[Any]) -> State:
    """Gates i, f, o and candidate g: c' = f c + i g, h' = o tanh c'."""
    h, c = state
    gates = F.linear(x, w[0], w[2]) + F.linear(h, w[1], w[3])
    i, f, g, o = gates.chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


def _gru_step(x: Tensor, h: State, w: list[Any]) -> State:
    """Gates r, z and candidate n: n = tanh(n_x + r n_h), h' = (1 - z) n + z h."""
    rx, zx, nx = F.linear(x, w[0], w[2]).chunk(3, -1)
    rh, zh, nh = F.linear(h, w[1], w[3]).chunk(3, -1)
    r, z = (rx + rh).sigmoid(), (zx + zh).sigmoid()
    n = (nx + r * nh).tanh()
    return n + z * (h - n)


STEPS: dict[str, tuple[int, Callable[[Tensor, State, list[Any]], State]]] = {
    "RNN_TANH": (1, _tanh_step),
    "RNN_RELU": (1, _relu_step),
    "LSTM": (4, _lstm_step),
    "GRU": (3, _gru_step),
}
"""How many gates each kind has, and one step of it, with weights [W, U, b, c]."""


class _Cell(Module):
    """One step: weight_ih (G H, I), weight_hh (G H, H), and their biases, for G gates."""

    mode = ""

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        rows = STEPS[self.mode][0] * hidden_size
        self.weight_ih = Parameter(empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(empty((rows, hidden_size), device=device, dtype=dtype))
        self.register_parameter("bias_ih", optional(bias, rows, device, dtype))
        self.register_parameter("bias_hh", optional(bias, rows, device, dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start afresh, uniform between ±1/√hidden_size."""
        uniform_all(self, 1 / math.sqrt(self.hidden_size) if self.hidden_size else 0.0)

    def forward(self, input: Tensor, hx: State = None) -> State:
        """The state after `input` (N, input_size), from state `hx`, which is zero where not given."""
        if hx is None:
            still = zeros((*input.shape[:-1], self.hidden_size), dtype=input.dtype, device=input.device)
            hx = (still, still) if self.mode == "LSTM" else still
        weights = [self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh]
        return STEPS[self.mode][1](input, hx, weights)

    def extra_repr(self) -> str:
        bias = ", bias=False" if self.bias_ih is None else ""
        relu = ", nonlinearity=relu" if self.mode == "RNN_RELU" else ""
        return f"{self.input_size}, {self.hidden_size}{bias}{relu}"


class RNNCell(_Cell):
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
        self.__dict__["mode"] = _rnn_mode(nonlinearity)
        super().__init__(input_size, hidden_size, bias, device, dtype)


class LSTMCell(_Cell):
    """One step of `LSTM`; the state is the pair (h, c)."""

    mode = "LSTM"


class GRUCell(_Cell):
    """One step of `GRU`."""

    mode = "GRU"


def _rnn_mode(nonlinearity: str) -> str:
    if nonlinearity not in ("tanh", "relu"):
        raise ArgumentError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
    return "RNN_" + nonlinearity.upper()


class _Recurrent(Module):
    """Layers of cells over a sequence (L, N, I), or (N, L, I) with `batch_first`, or (L, I) without a batch."""

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if proj_size and mode != "LSTM":
            raise ArgumentError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if not 0 <= proj_size < max(hidden_size, 1):
            raise ArgumentError(f"proj_size has to be at least 0 and smaller than hidden_size, got {proj_size}")
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.proj_size = proj_size
        self.width = proj_size or hidden_size  # of the output of one direction
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        rows = STEPS[mode][0] * hidden_size
        for layer in range(num_layers):
            width = input_size if layer == 0 else self.width * self.directions
            for suffix in self._suffixes(layer):
                shapes: dict[str, Any] = {"weight_ih": (rows, width), "weight_hh": (rows, self.width)}
                if bias:
                    shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                for name, shape in shapes.items():
                    self.register_parameter(name + suffix, Parameter(empty(shape, device=device, dtype=dtype)))
        self.reset_parameters()

    @property
    def directions(self) -> int:
        """2 where the sequence is read from both ends."""
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: self.directions]

    def reset_parameters(self) -> None:
        """Start afresh, uniform between ±1/√hidden_size."""
        uniform_all(self, 1 / math.sqrt(self.hidden_size) if self.hidden_size else 0.0)

    def forward(self, input: Tensor, hx: State = None) -> tuple[Tensor, State]:
        """The output of the last layer at every step, and the last state of every layer and direction."""
        if input.ndim not in (2, 3) or input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__} expected input of shape (..., {self.input_size}) with 2 or 3 dimensions, "
                f"got {list(input.shape)}"
            )
        alone = input.ndim == 2
        time = 1 if self.batch_first and not alone else 0
        steps = [x.unsqueeze(0) if alone else x for x in input.unbind(time)]
        states = self._states(steps[0], hx, alone)
        last: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                steps = [F.dropout(x, self.dropout, self.training) for x in steps]
            steps = self._layer(layer, steps, states, last)
        output = stack([x.squeeze(0) if alone else x for x in steps], time)
        return output, self._gathered(last, alone)

    def _layer(self, layer: int, steps: list[Any], states: list[State], last: list[State]) -> list[Any]:
        """Run one layer over the steps; append its last states to `last`."""
        results = []
        for suffix in self._suffixes(layer):
            backwards = suffix.endswith("reverse")
            state = states[len(last)]
            outputs = []
            step, weights = STEPS[self.mode][1], self._weights(suffix)
            projection: Any = self._parameters.get("weight_hr" + suffix)
            for x in reversed(steps) if backwards else steps:
                state = step(x, state, weights)
                if projection is not None:
                    state = (F.linear(state[0], projection), state[1])
                outputs.append(state[0] if self.mode == "LSTM" else state)
            last.append(state)
            results.append(outputs[::-1] if backwards else outputs)
        return results[0] if len(results) == 1 else [cat(pair, -1) for pair in zip(*results, strict=True)]

    def _weights(self, suffix: str) -> list[Any]:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return [self._parameters.get(name + suffix) for name in names]

    def _states(self, first: Tensor, hx: State, alone: bool) -> list[State]:
        """The state that each layer and direction starts from."""
        count = self.num_layers * self.directions
        if hx is None:
            still = first.new_zeros((first.shape[0], self.width))
            cell = first.new_zeros((first.shape[0], self.hidden_size)) if self.proj_size else still
            return [(still, cell) if self.mode == "LSTM" else still] * count
        parts = hx if self.mode == "LSTM" else (hx,)
        parts = [part.unsqueeze(1) if alone else part for part in parts]
        for part, width in zip(parts, (self.width, self.hidden_size), strict=False):
            wanted = (count, first.shape[0], width)
            if tuple(part.shape) != wanted:
                raise ShapeError(f"Expected hidden size {wanted}, got {list(part.shape)}")
        pieces = [part.unbind(0) for part in parts]
        return list(zip(*pieces, strict=True)) if self.mode == "LSTM" else list(pieces[0])

    def _gathered(self, last: list[State], alone: bool) -> State:
        """The states of all layers in one tensor (two for LSTM)."""
        parts = list(zip(*last, strict=True)) if self.mode == "LSTM" else [last]
        stacked = tuple(stack(list(part), 0) for part in parts)
        if alone:
            stacked = tuple(each.squeeze(1) for each in stacked)
        return stacked if self.mode == "LSTM" else stacked[0]

    def extra_repr(self) -> str:
        parts = [f"{self.input_size}, {self.hidden_size}"]
        parts += [f"proj_size={self.proj_size}"] if self.proj_size else []
        usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False}
        parts += [f"{name}={getattr(self, name)}" for name, value in usual.items() if getattr(self, name) != value]
        return ", ".join(parts)


class RNN(_Recurrent):
    """h' = tanh(W x + b + U h + c), or with relu."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(_rnn_mode(nonlinearity), input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(_Recurrent):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997), with forget gates. The state is the pair (h, c)."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", input_size, hidden_size, num_layers, *args, **kwargs)


class GRU(_Recurrent):
    """Gated recurrent unit (Cho et al., 2014).

    >>> import minigrad as mg
    >>> output, state = mg.nn.GRU(10, 20, num_layers=2)(mg.ones(5, 3, 10))
    >>> output.shape, state.shape
    (minigrad.Size([5, 3, 20]), minigrad.Size([2, 3, 20]))
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", input_size, hidden_size, num_layers, *args, **kwargs)

"""Recurrent layers: `RNN`, `LSTM` and `GRU` run the steps of `cells` over sequences.

A layer is a single op, which is fast. Inside `nn.utils.rnn.step_by_step` it is a loop over time of ordinary ops, so
that the graph shows each step.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError, ShapeError
from ...ops.common.dims import one_int
from ...ops.create.factories import empty
from ...ops.recurrent.layer import recurrent_layer
from ...ops.recurrent.unrolled import STEPS, State
from ...ops.shape.join import cat, stack
from .. import functional as F
from ..init import uniform_all
from ..module import Module
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .cells import rnn_mode


class RNNBase(Module):
    """Layers of cells that run over a sequence: (L, N, I), or (N, L, I) with `batch_first`, or (L, I)."""

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
        input_size, hidden_size = one_int("input_size", input_size), one_int("hidden_size", hidden_size)
        num_layers, proj_size = one_int("num_layers", num_layers), one_int("proj_size", proj_size)
        for name, value in (("input_size", input_size), ("hidden_size", hidden_size), ("num_layers", num_layers)):
            if value <= 0:
                raise ArgumentError(f"{name} must be greater than zero, got {value}")
        for name, flag in (("bias", bias), ("batch_first", batch_first)):
            if not isinstance(flag, bool):
                raise ArgumentTypeError(f"{name} should be of type bool, got: {type(flag).__name__}")
        share: Any = dropout
        if not (isinstance(share, Real) and 0 <= float(share) <= 1):
            raise ArgumentError(
                "dropout should be a number in range [0, 1] representing the probability of an element being zeroed, "
                f"got {dropout!r}"
            )
        if proj_size and mode != "LSTM":
            raise ArgumentError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if not 0 <= proj_size < max(hidden_size, 1):
            raise ArgumentError(f"proj_size has to be at least 0 and smaller than hidden_size, got {proj_size}")
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.proj_size = proj_size
        self.width = proj_size or hidden_size  # the output size of one direction
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
        """2 if the sequence is read from both ends, else 1."""
        return 2 if self.bidirectional else 1

    def _suffixes(self, layer: int) -> list[str]:
        return [f"_l{layer}", f"_l{layer}_reverse"][: self.directions]

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The parameters of each layer and direction: weight_ih, weight_hh, then biases and projection, if any."""
        suffixes = [suffix for layer in range(self.num_layers) for suffix in self._suffixes(layer)]
        found = [[*self._weights(suffix), self._projection(suffix)] for suffix in suffixes]
        return [[each for each in weights if each is not None] for weights in found]

    @property
    def _flat_weights(self) -> list[Parameter]:
        return [each for weights in self.all_weights for each in weights]

    def flatten_parameters(self) -> None:
        """Do nothing: in PyTorch it moves the weights into one block of GPU memory, without changing results."""

    def reset_parameters(self) -> None:
        """Reinitialise the parameters, uniform between ±1/√hidden_size."""
        uniform_all(self, 1 / math.sqrt(self.hidden_size) if self.hidden_size else 0.0)

    def forward(self, input: Any, hx: State = None) -> tuple[Any, State]:
        """Return the output of the last layer at every step, and the last state of every layer and direction.

        For a `PackedSequence` the output is packed; states have the order of the sequences before packing.
        """
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
        if input.ndim not in (2, 3):
            raise ArgumentError(
                f"{type(self).__name__}: Expected input to be 2D or 3D, got {input.ndim}D instead: its shape is "
                f"{list(input.shape)}"
            )
        if input.shape[-1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__}: input.size(-1) must be equal to input_size. Expected {self.input_size}, got "
                f"{input.shape[-1]}: its shape is {list(input.shape)}"
            )
        alone = input.ndim == 2
        if alone:
            input = input.unsqueeze(1)
        elif self.batch_first:
            input = input.transpose(0, 1)
        steps, batch = input.shape[:2]
        if not steps:
            raise ShapeError(
                f"{type(self).__name__} expected at least one step, got input of shape {list(input.shape)}"
            )
        rows = input.reshape(steps * batch, self.input_size)
        output, last = self._layers(rows, (batch,) * steps, self._states(rows, batch, hx, alone))
        output = output.reshape(steps, batch, self.width * self.directions)
        if alone:
            output = output.squeeze(1)
        elif self.batch_first:
            output = output.transpose(0, 1)
        return output, self._gathered(last, alone)

    def _packed(self, input: PackedSequence, hx: State) -> tuple[PackedSequence, State]:
        """Run `forward` on packed sequences."""
        data, sizes, order, back = input
        if data.ndim != 2 or data.shape[1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__} expected a PackedSequence with data of shape (..., {self.input_size}), "
                f"got {list(data.shape)}"
            )
        lengths = tuple(sizes.tolist())
        output, last = self._layers(data, lengths, self._states(data, lengths[0], hx, False, order))
        return PackedSequence(output, sizes, order, back), reordered(self._gathered(last, False), back)

    def _layers(self, rows: Tensor, lengths: tuple[int, ...], states: list[State]) -> tuple[Tensor, list[State]]:
        """Run all layers over `rows`, the steps one after another. Return the output and all last states."""
        last: list[State] = []
        for layer in range(self.num_layers):
            if layer and self.dropout:
                rows = F.dropout(rows, self.dropout, self.training)
            outputs = []
            for suffix in self._suffixes(layer):
                weights, projection = self._weights(suffix), self._projection(suffix)
                reverse = suffix.endswith("reverse")
                output, state = recurrent_layer(
                    self.mode, lengths, reverse, rows, states[len(last)], weights, projection
                )
                outputs.append(output)
                last.append(state)
            rows = outputs[0] if len(outputs) == 1 else cat(outputs, -1)
        return rows, last

    def _weights(self, suffix: str) -> list[Any]:
        weights = [getattr(self, name + suffix) for name in ("weight_ih", "weight_hh")]
        return weights + [getattr(self, name + suffix) if self.bias else None for name in ("bias_ih", "bias_hh")]

    def _projection(self, suffix: str) -> Any:
        return getattr(self, "weight_hr" + suffix) if self.proj_size else None

    def _states(self, rows: Tensor, batch: int, hx: State, alone: bool, order: Any = None) -> list[State]:
        """Return the initial state of each layer and direction, with the sequences in `order`."""
        count = self.num_layers * self.directions
        if hx is None:
            still = rows.new_zeros((batch, self.width))
            cell = rows.new_zeros((batch, self.hidden_size)) if self.proj_size else still
            return [(still, cell) if self.mode == "LSTM" else still] * count
        parts = hx if self.mode == "LSTM" else (hx,)
        parts = [part.unsqueeze(1) if alone else part for part in parts]
        for part, width in zip(parts, (self.width, self.hidden_size), strict=False):
            wanted = (count, batch, width)
            if tuple(part.shape) != wanted:
                raise ShapeError(f"Expected hidden size {wanted}, got {list(part.shape)}")
        unbound = [reordered(part, order).unbind(0) for part in parts]
        return list(zip(*unbound, strict=True)) if self.mode == "LSTM" else list(unbound[0])

    def _gathered(self, last: list[State], alone: bool) -> State:
        """Join the states of all layers in one tensor (two for LSTM)."""
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


def reordered(state: State, order: Any) -> State:
    """Return states (layers, N, H) with the sequences in this order."""
    if order is None:
        return state
    if isinstance(state, tuple):
        return tuple(part.index_select(1, order) for part in state)
    return state.index_select(1, order)


class RNN(RNNBase):
    """A recurrent layer: h' = tanh(W x + b + U h + c), or with relu."""

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        nonlinearity: str = "tanh",
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(rnn_mode(nonlinearity), input_size, hidden_size, num_layers, *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997), with forget gates. The state is the pair (h, c)."""

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", input_size, hidden_size, num_layers, *args, **kwargs)


class GRU(RNNBase):
    """Gated recurrent unit (Cho et al., 2014).

    >>> import minigrad as mg
    >>> output, state = mg.nn.GRU(10, 20, num_layers=2)(mg.ones(5, 3, 10))
    >>> output.shape, state.shape
    (minigrad.Size([5, 3, 20]), minigrad.Size([2, 3, 20]))
    """

    def __init__(self, input_size: int, hidden_size: int, num_layers: int = 1, *args: Any, **kwargs: Any) -> None:
        super().__init__("GRU", input_size, hidden_size, num_layers, *args, **kwargs)

"""Recurrent layers: `RNN`, `LSTM` and `GRU` run the steps of `cells` over sequences.

The loop over time is written in ordinary tensor operations, so that each step can be seen in the graph.
"""

from __future__ import annotations

import math
from typing import Any

from ...core.tensor import Tensor
from ...errors import ArgumentError, ShapeError
from ...ops.create.factories import empty
from ...ops.shape.join import cat, stack
from .. import functional as F
from ..init import uniform_all
from ..module import Module
from ..parameter import Parameter
from ..utils.rnn import PackedSequence
from .cells import STEPS, rnn_mode
from .lengths import State, reordered, running, with_ended


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

    def forward(self, input: Any, hx: State = None) -> tuple[Any, State]:
        """The output of the last layer at every step, and the last state of every layer and direction.

        A `PackedSequence` gives a packed output; states are in the order that its sequences had before packing.
        """
        if isinstance(input, PackedSequence):
            return self._packed(input, hx)
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
        steps = self._layers(steps, states, last)
        output = stack([x.squeeze(0) if alone else x for x in steps], time)
        return output, self._gathered(last, alone)

    def _packed(self, input: PackedSequence, hx: State) -> tuple[PackedSequence, State]:
        """`forward` of sequences of several lengths."""
        data, sizes, order, back = input
        if data.ndim != 2 or data.shape[1] != self.input_size:
            raise ShapeError(
                f"{type(self).__name__} expected a PackedSequence with data of shape (..., {self.input_size}), "
                f"got {list(data.shape)}"
            )
        steps = list(data.split(sizes.tolist()))
        last: list[State] = []
        outputs = self._layers(steps, self._states(steps[0], hx, False, order), last)
        state = reordered(self._gathered(last, False), back)
        return PackedSequence(cat(outputs, 0), sizes, order, back), state

    def _layers(self, steps: list[Any], states: list[State], last: list[State]) -> list[Any]:
        """Run all layers over the steps; append their last states to `last`."""
        for layer in range(self.num_layers):
            if layer and self.dropout:
                steps = [F.dropout(x, self.dropout, self.training) for x in steps]
            steps = self._layer(layer, steps, states, last)
        return steps

    def _layer(self, layer: int, steps: list[Any], states: list[State], last: list[State]) -> list[Any]:
        """Run one layer over the steps; append its last states to `last`."""
        results = []
        for suffix in self._suffixes(layer):
            backwards = suffix.endswith("reverse")
            start, state = states[len(last)], None
            outputs: list[Any] = []
            ended: list[State] = []
            step, weights = STEPS[self.mode][1], self._weights(suffix)
            projection = getattr(self, "weight_hr" + suffix, None)
            for x in reversed(steps) if backwards else steps:
                state = step(x, running(state, x.shape[0], start, ended), weights)
                if projection is not None:
                    state = (F.linear(state[0], projection), state[1])
                outputs.append(state[0] if self.mode == "LSTM" else state)
            last.append(with_ended(state, ended))
            results.append(outputs[::-1] if backwards else outputs)
        return results[0] if len(results) == 1 else [cat(pair, -1) for pair in zip(*results, strict=True)]

    def _weights(self, suffix: str) -> list[Any]:
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        return [getattr(self, name + suffix, None) for name in names]

    def _states(self, first: Tensor, hx: State, alone: bool, order: Any = None) -> list[State]:
        """The state that each layer and direction starts from, with the sequences in `order`."""
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
        pieces = [reordered(part, order).unbind(0) for part in parts]
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
        super().__init__(rnn_mode(nonlinearity), input_size, hidden_size, num_layers, *args, **kwargs)
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

r"""LSTM (Hochreiter and Schmidhuber, 1997) with forget gates (Gers et al., 2000): a layer's whole sequence in one op.

Computations that do not depend on the previous step are one matrix product over all steps: the inputs' part of the
gates, and in backward the gradients of the weights. Internally the gates have the order o, i, f, g, so that the three
sigmoids are adjacent, and so are the three gates of the cell.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ..common.samples import sample
from ..common.second_derivatives import gradients_of
from .spans import spans, states_before, updated
from .unrolled import unrolled

WEIGHTS = ((8, 3), (8, 2), (8,), (8,))


class LSTMLayer(Op):
    """Outputs: the hidden state after each step, the last one, the last cell, and the gates and cells of all steps.

    `lengths` is the number of rows of each step, see `spans`. The gates and cells are saved for backward.
    """

    formula = r"c_t = f_t \odot c_{t-1} + i_t \odot g_t,\quad h_t = o_t \odot \tanh c_t"
    outputs_named: ClassVar[tuple[str, ...]] = ("out", "h_n", "c_n", "gates", "cells")
    tested_apart = "f"  # gates and cells have no gradient
    lacks = (dtypes.float16, dtypes.bfloat16)  # these run step by step
    memory_order = "rows"
    samples = (
        sample((6, 3), (2, 2), (2, 2), *WEIGHTS, None, lengths=(2, 2, 2), reverse=False),
        sample((5, 3), (2, 2), (2, 2), *WEIGHTS, None, lengths=(2, 2, 1), reverse=True),
        sample((5, 3), (2, 1), (2, 2), (8, 3), (8, 1), None, None, (1, 2), lengths=(2, 2, 1), reverse=False),
    )
    lengths: Any
    reverse: bool

    def forward(self, xp, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr):
        size = c.shape[1]
        gates = xp.matmul(x, for_gates(xp, w_ih).T)
        if b_ih is not None:
            gates += for_gates(xp, b_ih + b_hh)
        recurrent = for_gates(xp, w_hh).T
        quick = xp.compiled("lstm", gates, h, c) if w_hr is None else None
        found = None if quick is None else quick(gates, recurrent, h, c, self.lengths, self.reverse)
        if found is not None:
            out, cells, h, c = found
            return out, h, c, gates, cells
        cells = xp.empty((x.shape[0], size), dtype=x.dtype)
        out = xp.empty((x.shape[0], h.shape[1]), dtype=x.dtype)
        for first, rows in spans(self.lengths, self.reverse):
            gate = gates[first : first + rows]
            gate += xp.matmul(h[:rows], recurrent)
            squash(xp, gate, size)
            cell = xp.multiply(gate[:, 2 * size : 3 * size], c[:rows], out=cells[first : first + rows])
            cell += gate[:, size : 2 * size] * gate[:, 3 * size :]
            hidden = xp.tanh(cell)
            hidden *= gate[:, :size]
            out[first : first + rows] = hidden if w_hr is None else xp.matmul(hidden, w_hr.T)
            h, c = updated(xp, h, out[first : first + rows]), updated(xp, c, cell)
        return out, xp.copy(h), xp.copy(c), gates, cells

    def backward(self, grads, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, out, gates, cells):
        r"""\text{backward through time, see LSTMLayerBackward}"""
        op = LSTMLayerBackward(self.lengths, self.reverse)
        found = op(*grads[:3], x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, out, gates, cells)
        dx, dh, dc, dw_ih, dw_hh, db, *dw_hr = found
        return [
            dx,
            dh,
            dc,
            dw_ih,
            dw_hh,
            None if b_ih is None else db,
            None if b_hh is None else db,
            *(dw_hr or [None]),
        ]


class LSTMLayerBackward(Op):
    """The gradients of `LSTMLayer`: of the input, the initial states, the weights, the biases and the projection."""

    formula = (
        r"\bar c_t \mathrel{+}= \bar h_t \odot o_t \odot (1 - \tanh^2 c_t),\;"
        r" \bar c_{t-1} = \bar c_t \odot f_t,\; \bar h_{t-1} = U^{\top} \bar z_t"
    )
    tested_apart = "f"
    lacks = (dtypes.float16, dtypes.bfloat16)  # these run step by step
    samples = (
        sample(
            (4, 2), (2, 2), (2, 2), (4, 3), (2, 2), (2, 2), *WEIGHTS, None, (4, 2), (4, 8), (4, 2),
            lengths=(2, 2), reverse=False,
        ),
    )  # fmt: skip
    lengths: Any
    reverse: bool

    def forward(self, xp, g_out, g_h, g_c, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, out, gates, cells):
        size, rows_in_all = c.shape[1], x.shape[0]
        recurrent = rolled(xp, w_hh)
        before = states_before(xp, self.lengths, self.reverse, h, out)
        dh = xp.zeros_like(h) if g_h is None else g_h
        dc = xp.zeros_like(c) if g_c is None else g_c
        arrived = xp.zeros_like(out) if g_out is None else xp.copy(g_out)
        quick = xp.compiled("lstm_backward", gates, arrived, dh, dc) if w_hr is None else None
        if quick is not None:
            cells_before = states_before(xp, self.lengths, self.reverse, c, cells)
            found = quick(arrived, gates, cells, cells_before, recurrent, dh, dc, self.lengths, self.reverse)
            if found is not None:
                dz, dh, dc = found
                return gradients_of_layer(xp, dz, dh, dc, x, before, w_ih)
        o, i, f, g = (gates[:, k * size : (k + 1) * size] for k in range(4))
        squashed = xp.tanh(cells)
        to_cell = o * (1 - squashed * squashed)
        slopes = gates * (1 - gates)
        slopes[:, :size] *= squashed
        slopes[:, size : 2 * size] *= g
        slopes[:, 2 * size : 3 * size] *= states_before(xp, self.lengths, self.reverse, c, cells)
        slopes[:, 3 * size :] = i * (1 - g * g)
        slopes = slopes.reshape(rows_in_all, 4, size)
        for first, rows in reversed(spans(self.lengths, self.reverse)):
            grad = arrived[first : first + rows]
            grad += dh[:rows]
            hidden = grad if w_hr is None else xp.matmul(grad, w_hr)
            cell = hidden * to_cell[first : first + rows]
            cell += dc[:rows]
            slope = slopes[first : first + rows]
            slope[:, 0] *= hidden
            slope[:, 1:] *= cell[:, None]
            cell *= f[first : first + rows]
            dh = updated(xp, dh, xp.matmul(slope.reshape(rows, 4 * size), recurrent))
            dc = updated(xp, dc, cell)
        dz = slopes.reshape(rows_in_all, 4 * size)
        made = gradients_of_layer(xp, dz, dh, dc, x, before, w_ih)
        if w_hr is not None:
            made += (xp.matmul(arrived.T, o * squashed),)
        return made

    def backward(self, grads, g_out, g_h, g_c, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr, out, gates, cells):
        r"""\text{by differentiating the layer step by step}"""
        inputs = (g_out, g_h, g_c, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr)
        return [*gradients_of(self.plain, inputs, grads), None, None, None]

    def plain(self, g_out, g_h, g_c, x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr):
        """The same gradients, by the layer step by step."""

        def layer(x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr):
            weights = (w_ih, w_hh, b_ih, b_hh)
            out, (h_n, c_n) = unrolled("LSTM", self.lengths, self.reverse, x, (h, c), weights, w_hr)
            return out, h_n, c_n

        found = gradients_of(layer, (x, h, c, w_ih, w_hh, b_ih, b_hh, w_hr), (g_out, g_h, g_c))
        bias = found[5] if b_ih is not None else found[6]
        return (*found[:5], bias) if w_hr is None else (*found[:5], bias, found[7])


def gradients_of_layer(xp: Any, dz: Any, dh: Any, dc: Any, x: Any, before: Any, w_ih: Any) -> tuple[Any, ...]:
    """Return the gradients of input, states, weights and bias, given those of the gates before activation."""
    of_weights = [unrolled_rows(xp, each) for each in (xp.matmul(dz.T, x), xp.matmul(dz.T, before), dz.sum(0))]
    return (xp.matmul(dz, rolled(xp, w_ih)), dh, dc, *of_weights)


def squash(xp: Any, gate: Any, size: int) -> None:
    """Apply the sigmoids, whose arguments are already negated, and the tanh, in place."""
    sigmoids = gate[:, : 3 * size]
    xp.exp(sigmoids, out=sigmoids)
    sigmoids += 1
    xp.reciprocal(sigmoids, out=sigmoids)
    candidate = gate[:, 3 * size :]
    xp.tanh(candidate, out=candidate)


def rolled(xp: Any, weight: Any) -> Any:
    """Reorder the rows of the gates from i, f, g, o to o, i, f, g."""
    last = weight.shape[0] // 4 * 3
    return xp.concatenate([weight[last:], weight[:last]])


def unrolled_rows(xp: Any, weight: Any) -> Any:
    """Reorder the rows of the gates from o, i, f, g to i, f, g, o."""
    first = weight.shape[0] // 4
    return xp.concatenate([weight[first:], weight[:first]])


def for_gates(xp: Any, weight: Any) -> Any:
    """Return `rolled` with the rows of the sigmoids negated: 1 / (1 + exp(-z)) then needs no negation."""
    found = rolled(xp, weight)
    found[: weight.shape[0] // 4 * 3] *= -1
    return found

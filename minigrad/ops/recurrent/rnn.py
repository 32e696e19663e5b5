r"""The plain recurrent layer (Elman, 1990): a layer's whole sequence in one op."""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ..common.samples import sample
from ..common.second_derivatives import gradients_of
from .spans import spans, states_before, updated
from .unrolled import unrolled

WEIGHTS = ((2, 3), (2, 2), (2,), (2,))


class RNNLayer(Op):
    """Outputs: the hidden state after each step, and the last one. `mode` is "RNN_TANH" or "RNN_RELU".

    `lengths` is the number of rows of each step, see `spans`.
    """

    formula = r"h_t = \tanh(W x_t + b + U h_{t-1} + c)"
    outputs_named: ClassVar[tuple[str, ...]] = ("out", "h_n")
    lacks = (dtypes.float16, dtypes.bfloat16)  # these run step by step
    memory_order = "rows"
    samples = (
        sample((6, 3), (2, 2), *WEIGHTS, mode="RNN_TANH", lengths=(2, 2, 2), reverse=False),
        sample((5, 3), (2, 2), (2, 3), (2, 2), None, None, mode="RNN_TANH", lengths=(2, 2, 1), reverse=True),
    )
    mode: str
    lengths: Any
    reverse: bool

    def forward(self, xp, x, h, w_ih, w_hh, b_ih, b_hh):
        out = xp.matmul(x, w_ih.T)
        if b_ih is not None:
            out += b_ih + b_hh
        for first, rows in spans(self.lengths, self.reverse):
            hidden = out[first : first + rows]
            hidden += xp.matmul(h[:rows], w_hh.T)
            if self.mode == "RNN_TANH":
                xp.tanh(hidden, out=hidden)
            else:
                xp.maximum(hidden, 0, out=hidden)
            h = updated(xp, h, hidden)
        return out, xp.copy(h)

    def backward(self, grads, x, h, w_ih, w_hh, b_ih, b_hh, out):
        r"""\text{backward through time, see RNNLayerBackward}"""
        op = RNNLayerBackward(self.mode, self.lengths, self.reverse)
        dx, dh, dw_ih, dw_hh, db = op(*grads, x, h, w_ih, w_hh, b_ih, b_hh, out)
        return [dx, dh, dw_ih, dw_hh, None if b_ih is None else db, None if b_hh is None else db]


class RNNLayerBackward(Op):
    """The gradients of `RNNLayer`: of the input, the initial state, the weights and the biases."""

    formula = r"\bar h_{t-1} = U^{\top} (\bar h_t \odot (1 - h_t^2))"
    tested_apart = "f"
    lacks = (dtypes.float16, dtypes.bfloat16)  # these run step by step
    samples = (
        sample((4, 2), (2, 2), (4, 3), (2, 2), *WEIGHTS, (4, 2), mode="RNN_TANH", lengths=(2, 2), reverse=False),
    )
    mode: str
    lengths: Any
    reverse: bool

    def forward(self, xp, g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh, out):
        slopes = 1 - out * out if self.mode == "RNN_TANH" else (out > 0).astype(out.dtype)
        dh = xp.zeros_like(h) if g_h is None else g_h
        for first, rows in reversed(spans(self.lengths, self.reverse)):
            slope = slopes[first : first + rows]
            slope *= dh[:rows] if g_out is None else g_out[first : first + rows] + dh[:rows]
            dh = updated(xp, dh, xp.matmul(slope, w_hh))
        before = states_before(xp, self.lengths, self.reverse, h, out)
        return xp.matmul(slopes, w_ih), dh, xp.matmul(slopes.T, x), xp.matmul(slopes.T, before), slopes.sum(0)

    def backward(self, grads, g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh, out):
        r"""\text{by differentiating the layer step by step}"""
        return [*gradients_of(self.plain, (g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh), grads), None]

    def plain(self, g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh):
        """The same gradients, by the layer step by step."""

        def layer(x, h, w_ih, w_hh, b_ih, b_hh):
            return unrolled(self.mode, self.lengths, self.reverse, x, h, (w_ih, w_hh, b_ih, b_hh))

        found = gradients_of(layer, (x, h, w_ih, w_hh, b_ih, b_hh), (g_out, g_h))
        return tuple(found[:5])

r"""GRU (Cho et al., 2014): a layer's whole sequence in one op.

As in PyTorch the reset gate acts after the product: n = tanh(W_n x + b_n + r (U_n h + c_n)).
"""

from __future__ import annotations

from typing import Any, ClassVar

from ... import dtypes
from ...core.op import Op
from ..common.samples import sample
from ..common.second_derivatives import gradients_of
from .spans import spans, states_before, updated
from .unrolled import unrolled

WEIGHTS = ((6, 3), (6, 2), (6,), (6,))


class GRULayer(Op):
    """Outputs: the hidden state after each step, the last one, the gates, and the inputs of the reset gate.

    `lengths` is the number of rows of each step, see `spans`. The gates are saved for backward.
    """

    formula = r"h_t = (1 - z_t) \odot n_t + z_t \odot h_{t-1}"
    outputs_named: ClassVar[tuple[str, ...]] = ("out", "h_n", "gates", "reset")
    tested_apart = "f"  # the gates have no gradient
    lacks = (dtypes.float16, dtypes.bfloat16)  # these run step by step
    memory_order = "rows"
    samples = (
        sample((6, 3), (2, 2), *WEIGHTS, lengths=(2, 2, 2), reverse=False),
        sample((5, 3), (2, 2), (6, 3), (6, 2), None, None, lengths=(2, 2, 1), reverse=True),
    )
    lengths: Any
    reverse: bool

    def forward(self, xp, x, h, w_ih, w_hh, b_ih, b_hh):
        size = h.shape[1]
        gates = xp.matmul(x, w_ih.T)
        if b_ih is not None:
            gates += b_ih
        gates[:, : 2 * size] *= -1  # the sigmoid is 1 / (1 + exp(-z))
        reset = xp.empty((x.shape[0], size), dtype=x.dtype)
        out = xp.empty_like(reset)
        for first, rows in spans(self.lengths, self.reverse):
            gate = gates[first : first + rows]
            through = xp.matmul(h[:rows], w_hh.T)
            if b_hh is not None:
                through += b_hh
            reset[first : first + rows] = through[:, 2 * size :]
            sigmoids = gate[:, : 2 * size]
            sigmoids -= through[:, : 2 * size]
            xp.exp(sigmoids, out=sigmoids)
            sigmoids += 1
            xp.reciprocal(sigmoids, out=sigmoids)
            candidate = gate[:, 2 * size :]
            candidate += gate[:, :size] * through[:, 2 * size :]
            xp.tanh(candidate, out=candidate)
            hidden = xp.subtract(h[:rows], candidate, out=out[first : first + rows])
            hidden *= gate[:, size : 2 * size]
            hidden += candidate
            h = updated(xp, h, hidden)
        return out, xp.copy(h), gates, reset

    def backward(self, grads, x, h, w_ih, w_hh, b_ih, b_hh, out, gates, reset):
        r"""\text{backward through time, see GRULayerBackward}"""
        op = GRULayerBackward(self.lengths, self.reverse)
        dx, dh, dw_ih, dw_hh, db_ih, db_hh = op(*grads[:2], x, h, w_ih, w_hh, b_ih, b_hh, out, gates, reset)
        return [dx, dh, dw_ih, dw_hh, None if b_ih is None else db_ih, None if b_hh is None else db_hh]


class GRULayerBackward(Op):
    """The gradients of `GRULayer`: of the input, the initial state, the weights and the biases."""

    formula = r"\bar h_{t-1} = \bar h_t \odot z_t + U^{\top} \bar z_t"
    tested_apart = "f"
    lacks = (dtypes.float16, dtypes.bfloat16)  # these run step by step
    samples = (sample((4, 2), (2, 2), (4, 3), (2, 2), *WEIGHTS, (4, 2), (4, 6), (4, 2), lengths=(2, 2), reverse=False),)
    lengths: Any
    reverse: bool

    def forward(self, xp, g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh, out, gates, reset):
        size, rows_in_all = h.shape[1], x.shape[0]
        r, z, n = (gates[:, k * size : (k + 1) * size] for k in range(3))
        before = states_before(xp, self.lengths, self.reverse, h, out)
        slopes = xp.empty_like(gates).reshape(rows_in_all, 3, size)
        candidate = (1 - z) * (1 - n * n)
        slopes[:, 0] = candidate * reset * r * (1 - r)
        slopes[:, 1] = (before - n) * z * (1 - z)
        slopes[:, 2] = candidate * r
        dh = xp.zeros_like(h) if g_h is None else g_h
        arrived = xp.zeros_like(out) if g_out is None else xp.copy(g_out)
        for first, rows in reversed(spans(self.lengths, self.reverse)):
            grad = arrived[first : first + rows]
            grad += dh[:rows]
            slope = slopes[first : first + rows]
            slope *= grad[:, None]
            new = xp.matmul(slope.reshape(rows, 3 * size), w_hh)
            new += grad * z[first : first + rows]
            dh = updated(xp, dh, new)
        through = slopes.reshape(rows_in_all, 3 * size)
        dz = xp.concatenate([through[:, : 2 * size], candidate * arrived], axis=1)
        return (
            xp.matmul(dz, w_ih), dh, xp.matmul(dz.T, x), xp.matmul(through.T, before), dz.sum(0), through.sum(0)
        )  # fmt: skip

    def backward(self, grads, g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh, out, gates, reset):
        r"""\text{by differentiating the layer step by step}"""
        return [*gradients_of(self.plain, (g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh), grads), None, None, None]

    def plain(self, g_out, g_h, x, h, w_ih, w_hh, b_ih, b_hh):
        """The same gradients, by the layer step by step."""

        def layer(x, h, w_ih, w_hh, b_ih, b_hh):
            return unrolled("GRU", self.lengths, self.reverse, x, h, (w_ih, w_hh, b_ih, b_hh))

        return tuple(gradients_of(layer, (x, h, w_ih, w_hh, b_ih, b_hh), (g_out, g_h)))

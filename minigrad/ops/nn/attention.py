"""Attention: each query gets a mean of the values, weighted by how well their keys match it."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from ...backend.layout import arranged
from ...core.interpreter import converting
from ...core.op import Op
from ...core.tensor import Tensor
from ...errors import DtypeError, ShapeError
from ..common.halves import in_float32
from ..common.memory import order
from ..common.samples import sample
from ..linalg.matmul import matmul, product
from .dropout import dropout
from .softmax import SoftmaxBackward, softmax_of


class Attention(Op):
    r"""Softmax of the scaled products of queries and keys, times the values. `mask` is added to the products.

    Its second output, the weights, is saved for the gradients; if `causal`, only their lower triangle is not zero. A
    query whose keys are all masked gets zeros.
    """

    formula = r"\operatorname{softmax}\left(\tfrac{1}{\sqrt d} Q K^{\top} + M\right) V"
    grad_name = "ScaledDotProductAttentionBackward0"
    outputs_named: ClassVar[tuple[str, ...]] = ("out", "weights")
    broadcasts = True
    samples = (
        sample((2, 3, 4), (2, 5, 4), (2, 5, 3), None, scale=0.5, causal=False),
        sample((3, 4), (3, 4), (3, 2), (3, 3), scale=0.5, causal=False),
        sample((2, 3, 4), (2, 3, 4), (2, 3, 4), None, scale=0.5, causal=True),
    )
    scale: float
    causal: bool

    def forward(self, xp, q, k, v, mask):
        scores = product(xp, q * q.dtype.type(self.scale), xp.swapaxes(k, -1, -2))
        if mask is not None:
            scores = scores + mask
        if self.causal:
            rows, columns = scores.shape[-2:]
            scores += xp.where(xp.arange(columns) > xp.arange(rows)[:, None], -xp.inf, 0).astype(scores.dtype)
        weights = softmax_of(xp, scores, -1)
        if mask is not None:
            weights = xp.where((scores == -xp.inf).all(-1, keepdims=True), weights.dtype.type(0), weights)
        return in_order_of(product(xp, weights, v), q), weights

    def backward(self, grads, q, k, v, weights):
        r"""\bar V = P^{\top} \bar Y,\;
        \bar S = \operatorname{softmax}'(\bar Y V^{\top}),\;
        \bar Q = \tfrac{1}{\sqrt d} \bar S K,\;
        \bar K = \tfrac{1}{\sqrt d} \bar S^{\top} Q"""
        grad, grad_weights = grads
        needs = [node is not None for node in self.links[::2]]
        grad_v = None
        if grad is not None:
            grad_v = matmul(weights.mT, grad) if needs[2] else None
            through = matmul(grad, v.mT)
            grad_weights = through if grad_weights is None else through + grad_weights
        if not (needs[0] or needs[1] or needs[3]):
            return [None, None, grad_v, None]
        scores = SoftmaxBackward(-1)(grad_weights, weights)
        scaled = scores * self.scale
        return [
            matmul(scaled, k) if needs[0] else None,
            matmul(scaled.mT, q) if needs[1] else None,
            grad_v,
            scores if needs[3] else None,
        ]


def in_order_of(out: Any, q: Any) -> Any:
    """`out`, heads and positions in memory as in the queries: (..., L, H, E) if these are a transposed view of that."""
    if out.ndim != 4 or out.shape != q.shape or q.strides[-1] != q.itemsize or q.flags.c_contiguous:
        return out
    axes = order(q)
    return out if axes is None or axes[-1] != 3 else arranged(out, axes)


@in_float32
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """``softmax(query @ key.mT * scale + mask) @ value``: (..., L, E), (..., S, E), (..., S, D) -> (..., L, D).

    `attn_mask` is added to the products; in a mask of bools, True allows attention. With `is_causal`, queries do not
    attend to later positions. `scale` is 1 / sqrt(E) by default. With `enable_gqa`, several heads of queries share a
    head of keys and values.
    """
    if is_causal and attn_mask is not None:
        raise ShapeError("scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if not query.dtype is key.dtype is value.dtype and not converting():
        raise DtypeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead."
        )
    if enable_gqa:
        times = query._array.shape[-3] // key._array.shape[-3]
        key, value = key.repeat_interleave(times, -3), value.repeat_interleave(times, -3)
    factor = 1 / math.sqrt(query._array.shape[-1] or 1) if scale is None else scale
    if attn_mask is not None and not attn_mask.dtype.is_floating_point:
        attn_mask = query.new_zeros(attn_mask.shape).masked_fill(attn_mask.logical_not(), -math.inf)
    if dropout_p > 0:
        scores = matmul(query * factor, key.mT)
        if is_causal:
            attn_mask = query.new_full(scores._array.shape[-2:], -math.inf).triu(1)
        scores = scores if attn_mask is None else scores + attn_mask
        blind = (scores == -math.inf).all(-1, keepdim=True)
        return matmul(dropout(scores.softmax(-1).masked_fill(blind, 0), dropout_p), value)
    return Attention(factor, is_causal)(query, key, value, attn_mask)[0]

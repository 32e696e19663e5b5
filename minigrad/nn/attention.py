"""Attention over several heads (Vaswani et al., 2017)."""

from __future__ import annotations

from typing import Any

from ..core.tensor import Tensor
from ..errors import ArgumentError
from ..ops.create import empty, ones, zeros
from . import functional as F
from . import init
from .linear import Linear
from .module import Module
from .parameter import Parameter, optional


class MultiheadAttention(Module):
    """Each query gathers values, weighted by how well it fits their keys, separately in each head.

    Sequences are (L, N, E), (N, L, E) with `batch_first`, or (L, E) without a batch.

    >>> import minigrad as mg
    >>> x = mg.ones(2, 7, 16)
    >>> output, weights = mg.nn.MultiheadAttention(16, 4, batch_first=True)(x, x, x)
    >>> output.shape, weights.shape
    (minigrad.Size([2, 7, 16]), minigrad.Size([2, 7, 7]))
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise ArgumentError(f"embed_dim ({embed_dim}) must be divisible by num_heads ({num_heads})")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._same_width = self.kdim == embed_dim and self.vdim == embed_dim
        if self._same_width:  # one weight for queries, keys and values, above one another
            self.in_proj_weight = Parameter(empty((3 * embed_dim, embed_dim), device=device, dtype=dtype))
        else:
            for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
                weight = Parameter(empty((embed_dim, width), device=device, dtype=dtype))
                self.register_parameter(f"{name}_proj_weight", weight)
        self.register_parameter("in_proj_bias", optional(bias, 3 * embed_dim, device, dtype))
        self.out_proj = Linear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Start afresh: Glorot's uniform weights, no bias."""
        for parameter in self.parameters(recurse=False):
            if parameter.ndim > 1:
                init.xavier_uniform_(parameter)
        for bias in (self.in_proj_bias, self.out_proj.bias):
            if bias is not None:
                init.zeros_(bias)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """What the queries gathered, and the weights (N, L, S), averaged over the heads, if `need_weights`.

        True in `key_padding_mask` (N, S) or `attn_mask` (L, S) or (N heads, L, S) hides a key; numbers are added to
        the scores.
        """
        alone = query.ndim == 2
        if alone:
            query, key, value = (each.unsqueeze(0) for each in (query, key, value))
            key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
        elif not self.batch_first:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        q, k, v = (self._heads(each) for each in self._projected(query, key, value))
        mask = self._mask(q, k, key_padding_mask, attn_mask, is_causal and need_weights)
        dropout = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            scores = (q * self.head_dim**-0.5) @ k.transpose(-2, -1)
            weights = F.softmax(scores if mask is None else scores + mask, -1)
            gathered = (F.dropout(weights, dropout) if dropout else weights) @ v
            weights = weights.mean(1) if average_attn_weights else weights
        else:
            causal = is_causal and mask is None
            gathered = F.scaled_dot_product_attention(q, k, v, mask, dropout, causal)
        output = self.out_proj(gathered.transpose(1, 2).flatten(2))
        if alone:
            return output.squeeze(0), None if weights is None else weights.squeeze(0)
        return output if self.batch_first else output.transpose(0, 1), weights

    def _projected(self, query: Tensor, key: Tensor, value: Tensor) -> Any:
        if self._same_width and query is key and key is value:
            return F.linear(query, self.in_proj_weight, self.in_proj_bias).chunk(3, -1)
        if self._same_width:
            weights = self.in_proj_weight.chunk(3, 0)
        else:
            weights = (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight)
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3, 0)
        return [F.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]

    def _heads(self, x: Any) -> Any:
        """(N, L, E) -> (N, heads, L, E / heads)"""
        return x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _mask(self, q: Any, k: Any, padding: Any, attn: Any, causal: bool) -> Any:
        """Everything that hides or weighs a key, as numbers to add to scores (N, heads, L, S)."""
        masks = []
        if attn is not None:
            attn = attn.unflatten(0, (-1, self.num_heads)) if attn.ndim == 3 else attn
            masks.append(as_numbers(attn, q.dtype))
        elif causal:
            masks.append(as_numbers(ones((q.shape[-2], k.shape[-2]), device=q.device).tril() == 0, q.dtype))
        if padding is not None:
            masks.append(as_numbers(padding, q.dtype).unsqueeze(1).unsqueeze(1))
        if not masks:
            return None
        return masks[0] if len(masks) == 1 else masks[0] + masks[1]

    def extra_repr(self) -> str:
        return ""


def as_numbers(mask: Any, dtype: Any) -> Any:
    """A mask as what is added to scores: minus infinity where a boolean mask says True."""
    if mask.dtype.kind:
        return mask
    return zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, -float("inf"))

"""Multi-head attention (Vaswani et al., 2017)."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import AssertedArgumentError
from ...ops.common.dims import one_int
from ...ops.create.factories import empty, ones
from .. import functional as F
from .. import init
from ..linear import NonDynamicallyQuantizableLinear
from ..module import Module
from ..parameter import Parameter, optional


class MultiheadAttention(Module):
    """Returns for each query a mean of the values, weighted by how well their keys match it, separately in each head.

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
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        embed_dim, num_heads = one_int("embed_dim", embed_dim), one_int("num_heads", num_heads)
        if embed_dim <= 0 or num_heads <= 0 or embed_dim % num_heads:
            raise AssertedArgumentError(f"embed_dim ({embed_dim}) must be divisible by num_heads ({num_heads})")
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        if self._qkv_same_embed_dim:  # one weight for queries, keys and values, stacked
            self.in_proj_weight = Parameter(empty((3 * embed_dim, embed_dim), device=device, dtype=dtype))
            for name in ("q", "k", "v"):
                self.register_parameter(f"{name}_proj_weight", None)
        else:
            self.register_parameter("in_proj_weight", None)
            for name, width in (("q", embed_dim), ("k", self.kdim), ("v", self.vdim)):
                weight = Parameter(empty((embed_dim, width), device=device, dtype=dtype))
                self.register_parameter(f"{name}_proj_weight", weight)
        self.register_parameter("in_proj_bias", optional(bias, 3 * embed_dim, device, dtype))
        for name in ("bias_k", "bias_v"):
            one_more = Parameter(empty((1, 1, embed_dim), device=device, dtype=dtype)) if add_bias_kv else None
            self.register_parameter(name, one_more)
        self.add_zero_attn = add_zero_attn
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        """Reinitialise the parameters: Glorot's uniform weights, biases 0."""
        for parameter in self.parameters(recurse=False):
            if parameter.ndim == 2:
                init.xavier_uniform_(parameter)
            elif parameter.ndim == 3:
                init.xavier_normal_(parameter)
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
        """Return the attention output, and the weights (N, L, S), averaged over the heads, if `need_weights`.

        True in `key_padding_mask` (N, S) or `attn_mask` (L, S) or (N heads, L, S) hides a key; numbers are added to
        the scores.
        """
        batched = query.ndim == 3
        if self.batch_first and batched:
            if query is key and key is value:
                query = key = value = query.transpose(0, 1)
            else:
                query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        separate = {} if self._qkv_same_embed_dim else {
            "use_separate_proj_weight": True, "q_proj_weight": self.q_proj_weight,
            "k_proj_weight": self.k_proj_weight, "v_proj_weight": self.v_proj_weight,
        }  # fmt: skip
        if is_causal and attn_mask is None:
            hidden = ones((query.shape[0], key.shape[0]), device=query.device).tril() == 0
            attn_mask, is_causal = hidden, False
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight,
            self.out_proj.bias, training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights,
            attn_mask=attn_mask, average_attn_weights=average_attn_weights, is_causal=is_causal, **separate,
        )  # fmt: skip
        return output.transpose(0, 1) if self.batch_first and batched else output, weights

    def extra_repr(self) -> str:
        return ""

"""The transformer's encoder (Vaswani et al., 2017)."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from ...core.grad_mode import is_grad_enabled
from ...core.tensor import Tensor
from ...dtypes import bool_
from ...errors import DomainError
from .. import functional as F
from ..attention.modules import MultiheadAttention
from ..container import ModuleList
from ..dropout import Dropout
from ..linear import Linear
from ..module import Module
from ..normalisation.modules import LayerNorm


def activation_called(wanted: str | Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Return the function with this name, or `wanted` itself if it is a function."""
    known: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}
    if not isinstance(wanted, str):
        return wanted
    if wanted not in known:
        raise DomainError(f"activation should be relu/gelu, not {wanted}")
    return known[wanted]


class TransformerEncoderLayer(Module):
    """Self-attention, then two linear layers, each with a residual connection and a norm after it, or before it with
    `norm_first`.
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = "relu",
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        made: dict[str, Any] = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.activation = activation_called(activation)

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the layer's output, in the shape of `src`."""
        x: Any = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _sa_block(self, x: Tensor, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False) -> Any:
        """Self-attention; a subclass may override it."""
        how = {"attn_mask": attn_mask, "key_padding_mask": key_padding_mask, "is_causal": is_causal}
        return self.dropout1(self.self_attn(x, x, x, need_weights=False, **how)[0])

    def _ff_block(self, x: Tensor) -> Any:
        return self.dropout2(self.linear2(self.dropout(self.activation(self.linear1(x)))))


class TransformerEncoder(Module):
    """`num_layers` copies of an encoder layer, one after another."""

    def __init__(
        self,
        encoder_layer: TransformerEncoderLayer,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check
        self.layers = ModuleList(copy.deepcopy(encoder_layer) for _ in range(num_layers))
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Return the last layer's output, in the shape of `src`."""
        skipped = self._skipped(src, mask, src_key_padding_mask)
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, is_causal)
        if skipped is not None:
            src = src.masked_fill(skipped.unsqueeze(-1), 0.0)
        return src if self.norm is None else self.norm(src)

    def _skipped(self, src: Tensor, mask: Any, padding: Tensor | None) -> Tensor | None:
        """Return the mask of padding that PyTorch skips, so that its result there is zero; None if it skips none.

        PyTorch does so without gradients, for layers with default settings, and for padding at the ends only.
        """
        if padding is None or mask is not None or not self.enable_nested_tensor or self.training or src.ndim != 3:
            return None
        layer: Any = self.layers[0]
        if not isinstance(layer, TransformerEncoderLayer) or layer.norm_first or not layer.self_attn.batch_first:
            return None
        if layer.activation not in (F.relu, F.gelu) or layer.self_attn.num_heads % 2 or layer.linear1.bias is None:
            return None
        if is_grad_enabled() and (src.requires_grad or any(each.requires_grad for each in layer.parameters())):
            return None
        hidden = padding if padding.dtype is bool_ else padding == float("-inf")
        within = (hidden[:, :-1] & hidden[:, 1:].logical_not()).any()
        return None if bool(within) else hidden

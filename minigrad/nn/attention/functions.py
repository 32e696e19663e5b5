"""Multi-head attention (Vaswani et al., 2017), as one function of all its weights."""

from __future__ import annotations

from typing import Any

from ...core.tensor import Tensor
from ...errors import AssertedShapeError, ShapeError
from ...ops.create.factories import ones, zeros
from ...ops.linalg.matmul import linear
from ...ops.nn.attention import scaled_dot_product_attention
from ...ops.nn.dropout import dropout
from ...ops.nn.softmax import softmax
from ...ops.shape.join import cat
from ...ops.shape.padding import pad


def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Return the attention output, (L, N, E), and the weights, (N, L, S), averaged over the heads, if `need_weights`.

    Queries are (L, N, E), keys and values (S, N, E); or all of them without N. True in `key_padding_mask` (N, S) or
    `attn_mask` (L, S) or (N heads, L, S) hides a key; numbers are added to the scores. `bias_k` and `bias_v` are an
    additional key and value, and `add_zero_attn` adds one of zeros; `static_k` and `static_v`, (N heads, S, E / heads),
    replace the projected keys and values.
    """
    alone = query.ndim == 2
    _check(query, key, value, embed_dim_to_check, num_heads, attn_mask, is_causal)
    _check_masks(query, key, num_heads, key_padding_mask, attn_mask)
    if alone:
        query, key, value = (each.unsqueeze(1) for each in (query, key, value))
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(query, key, value, in_proj_weight, in_proj_bias, weights)
    if bias_k is not None:
        k, v = (cat([x, b.expand(1, x.shape[1], x.shape[2])]) for x, b in ((k, bias_k), (v, bias_v)))
    q, k, v = (_heads(each, num_heads) for each in (q, k, v))
    k = k if static_k is None else static_k.unflatten(0, (-1, num_heads))
    v = v if static_v is None else static_v.unflatten(0, (-1, num_heads))
    if add_zero_attn:
        k, v = (cat([each, each.new_zeros((*each.shape[:2], 1, each.shape[3]))], 2) for each in (k, v))
    hidden = is_causal and need_weights
    mask = _mask(q, k, num_heads, key_padding_mask, attn_mask, hidden)
    p = dropout_p if training else 0.0
    found = None
    if need_weights:
        scores = (q * q.shape[-1] ** -0.5) @ k.transpose(-2, -1)
        found = softmax(scores if mask is None else scores + mask, -1)
        found = dropout(found, p) if p else found
        gathered = found @ v
        found = found.mean(1) if average_attn_weights else found
    else:
        gathered = scaled_dot_product_attention(q, k, v, mask, p, is_causal and mask is None)
    output: Any = linear(gathered.permute(2, 0, 1, 3).flatten(2), out_proj_weight, out_proj_bias)
    if alone:
        return output.squeeze(1), None if found is None else found.squeeze(0)
    return output, found


def _check(query: Any, key: Any, value: Any, width: int, heads: int, attn_mask: Any, is_causal: bool) -> None:
    if query.ndim not in (2, 3):
        raise AssertedShapeError(
            f"query should be unbatched 2D or batched 3D tensor but received {query.ndim}-D query tensor"
        )
    if key.ndim != query.ndim or value.ndim != query.ndim:
        raise AssertedShapeError(
            f"For {_kind(query)} `query`, expected `key` and `value` to be {query.ndim}-D "
            f"but found {key.ndim}-D and {value.ndim}-D tensors respectively"
        )
    if query.shape[-1] != width:
        raise AssertedShapeError(f"was expecting embedding dimension of {width}, but got {query.shape[-1]}")
    if width % heads:
        raise AssertedShapeError(f"embed_dim {width} not divisible by num_heads {heads}")
    if key.shape[:-1] != value.shape[:-1]:
        raise AssertedShapeError(
            f"key's sequence and batch dims {tuple(key.shape[:-1])} do not match value's {tuple(value.shape[:-1])}"
        )
    if is_causal and attn_mask is None:
        raise ShapeError("Need attn_mask if specifying the is_causal hint.")


def _kind(query: Any) -> str:
    return f"{'batched' if query.ndim == 3 else 'unbatched'} ({query.ndim}-D)"


def _check_masks(query: Any, key: Any, heads: int, padding: Any, attn: Any) -> None:
    """Raise unless the masks have an element for each query and key."""
    if padding is not None and padding.ndim != query.ndim - 1:
        raise AssertedShapeError(
            f"For {_kind(query)} `query`, expected `key_padding_mask` to be `None` or {query.ndim - 1}-D "
            f"but found {padding.ndim}-D tensor instead"
        )
    rows = (query.shape[1], key.shape[0]) if query.ndim == 3 else (key.shape[0],)
    if padding is not None and tuple(padding.shape) != rows:
        raise AssertedShapeError(f"expecting key_padding_mask shape of {rows}, but got {list(padding.shape)}")
    if attn is None:
        return
    if attn.ndim not in (2, 3):
        raise AssertedShapeError(
            f"For {_kind(query)} `query`, expected `attn_mask` to be `None`, 2-D or 3-D "
            f"but found {attn.ndim}-D tensor instead"
        )
    wanted: tuple[int, ...] = (query.shape[0], key.shape[0])
    if attn.ndim == 3:
        wanted = (heads * (query.shape[1] if query.ndim == 3 else 1), *wanted)
    if tuple(attn.shape) != wanted:
        kind = AssertedShapeError if query.ndim == 2 and attn.ndim == 3 else ShapeError
        raise kind(f"The shape of the {attn.ndim}D attn_mask is {list(attn.shape)}, but should be {wanted}.")


def _projected(query: Any, key: Any, value: Any, weight: Any, bias: Any, separate: Any) -> Any:
    """Project queries, keys and values, in one product if they are the same tensor."""
    if separate is None and query is key and key is value:
        return linear(query, weight, bias).chunk(3, -1)
    weights = weight.chunk(3, 0) if separate is None else separate
    biases = (None,) * 3 if bias is None else bias.chunk(3, 0)
    return [linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases, strict=True)]


def _heads(x: Any, heads: int) -> Any:
    """(L, N, E) -> (N, heads, L, E / heads)"""
    return x.unflatten(-1, (heads, -1)).permute(1, 2, 0, 3)


def _mask(q: Any, k: Any, heads: int, padding: Any, attn: Any, causal: bool) -> Any:
    """Combine all masks into numbers to add to the scores (N, heads, L, S)."""
    masks = []
    if attn is not None:
        attn = attn.unflatten(0, (-1, heads)) if attn.ndim == 3 else attn
        masks.append(_all_keys(as_numbers(attn, q.dtype), k))
    elif causal:
        masks.append(as_numbers(ones((q.shape[-2], k.shape[-2]), device=q.device).tril() == 0, q.dtype))
    if padding is not None:
        masks.append(_all_keys(as_numbers(padding, q.dtype), k).unsqueeze(1).unsqueeze(1))
    return sum(masks[1:], masks[0]) if masks else None


def _all_keys(mask: Any, k: Any) -> Any:
    """Extend `mask` with zeros for the additional keys."""
    return pad(mask, (0, k.shape[-2] - mask.shape[-1])) if mask.shape[-1] < k.shape[-2] else mask


def as_numbers(mask: Any, dtype: Any) -> Any:
    """Convert a mask to numbers that are added to the scores: minus infinity for True in a boolean mask."""
    if mask.dtype.kind:
        return mask
    return zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill(mask, -float("inf"))

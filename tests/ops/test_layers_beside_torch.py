"""Functions that layers are made of, beside PyTorch's: unpooling, adaptive pools, margins, attention, and chance."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .beside import Call, agree, complex_numbers, numbers, table

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

IMAGE = numbers(2, 3, 6, 5)
VOLUME = numbers(2, 2, 4, 5, 6)
SCORES = numbers(4, 5)
CLASSES = np.array([1, 0, 4, 2])
LISTS = np.array([[1, 3, -1, 0, 0], [0, 1, 2, 3, 4], [-1, 2, 0, 0, 0], [4, -1, -1, -1, -1]])
WEIGHT = np.array([0.5, 1.0, 2.0, 1.5, 0.25])
Q, K, V = numbers(3, 2, 4), numbers(5, 2, 4, seed=1), numbers(5, 2, 4, seed=2)
IN, OUT = numbers(12, 4, seed=3), numbers(4, 4, seed=4)
IN_BIAS, OUT_BIAS = numbers(12), numbers(4)


def unpooled(m: Any, x: Any) -> Any:
    found, where = m.nn.functional.max_pool2d(x, 2, 2, return_indices=True)
    return m.nn.functional.max_unpool2d(found, where, 2, 2, output_size=x.shape)


def attended(m: Any, *inputs: Any, **how: Any) -> Any:
    q, k, v, w, b, out, out_bias = inputs
    more = {"bias_k": None, "bias_v": None, "add_zero_attn": False, **how}
    names = ("bias_k", "bias_v", "add_zero_attn")
    return m.nn.functional.multi_head_attention_forward(
        q, k, v, 4, 2, w, b, *[more.pop(name) for name in names], 0.0, out, out_bias, **more
    )


ATTENTION = (Q, K, V, IN, IN_BIAS, OUT, OUT_BIAS)
CALLS = {
    "max_unpool1d": Call(
        lambda m, x: m.nn.functional.max_unpool1d(*m.nn.functional.max_pool1d(x, 2, return_indices=True), 2),
        (numbers(2, 3, 6),),
    ),
    "max_unpool2d": Call(unpooled, (IMAGE,)),
    "max_unpool2d of no images": Call(unpooled, (IMAGE[:0],)),
    "max_unpool2d to a size that cannot be": Call(
        lambda m, x: m.nn.functional.max_unpool2d(x, (x * 0).long(), 2, output_size=(50, 50)), (IMAGE,)
    ),
    "max_unpool3d": Call(
        lambda m, x: m.nn.functional.max_unpool3d(*m.nn.functional.max_pool3d(x, 2, return_indices=True), 2),
        (numbers(1, 2, 4, 4, 4),),
    ),
    "adaptive_avg_pool3d": Call(lambda m, x: m.nn.functional.adaptive_avg_pool3d(x, (2, None, 4)), (VOLUME,)),
    "adaptive_max_pool3d": Call(
        lambda m, x: m.nn.functional.adaptive_max_pool3d(x, (3, 2, 4), return_indices=True), (VOLUME,)
    ),
    "lp_pool3d": Call(lambda m, x: m.nn.functional.lp_pool3d(x, 2, 2), (VOLUME,), tolerance=1e-7),
    "channel_shuffle": Call(lambda m, x: m.nn.functional.channel_shuffle(x, 3), (IMAGE,)),
    "channel_shuffle of what does not divide": Call(lambda m, x: m.nn.functional.channel_shuffle(x, 2), (IMAGE,)),
    **{
        f"multi_margin_loss {p} {how}": Call(
            lambda m, x, t, w, p=p, how=how: m.nn.functional.multi_margin_loss(
                x, t, p, 0.7, w.detach(), reduction=how
            ),
            (SCORES, CLASSES, WEIGHT),
            second=False,
        )
        for p in (1, 2)
        for how in ("mean", "none", "sum")
    },
    **{
        f"multilabel_margin_loss {how}": Call(
            lambda m, x, t, how=how: m.nn.functional.multilabel_margin_loss(x, t, reduction=how),
            (SCORES, LISTS),
            second=False,
        )
        for how in ("mean", "none")
    },
    "multilabel_soft_margin_loss": Call(
        lambda m, x, t: m.nn.functional.multilabel_soft_margin_loss(x, t.sigmoid()), (SCORES, numbers(4, 5, seed=1))
    ),
    "triplet_margin_with_distance_loss": Call(
        lambda m, a, b, c: m.nn.functional.triplet_margin_with_distance_loss(a, b, c, swap=True, margin=2.0),
        (SCORES, numbers(4, 5, seed=1), numbers(4, 5, seed=2)),
    ),
    "rrelu at rest": Call(lambda m, x: m.nn.functional.rrelu(x, 0.1, 0.3), (SCORES,)),
    "hardshrink of nan": Call(lambda m, x: m.nn.functional.hardshrink(x), (np.array([np.nan, 0.2, -1.0, 0.5]),)),
    "softshrink of nan": Call(lambda m, x: m.nn.functional.softshrink(x), (np.array([np.nan, 0.2, -1.0, 0.5]),)),
    "hinge_embedding_loss of other targets": Call(
        lambda m, x, t: m.nn.functional.hinge_embedding_loss(x, t.detach()), (SCORES, np.sign(numbers(4, 5)) * 0.5)
    ),
    "attention": Call(attended, ATTENTION),
    "attention without weights": Call(lambda m, *x: attended(m, *x, need_weights=False)[0], ATTENTION, second=False),
    "attention of each head": Call(lambda m, *x: attended(m, *x, average_attn_weights=False), ATTENTION),
    "attention with one more key": Call(
        lambda m, k, v, *x: attended(m, *x, bias_k=k, bias_v=v, add_zero_attn=True),
        (numbers(1, 1, 4), numbers(1, 1, 4, seed=1), *ATTENTION),
    ),
    "attention with a padding mask": Call(
        lambda m, mask, *x: attended(m, *x, key_padding_mask=mask, attn_mask=m.zeros(3, 5, dtype=m.float64)),
        (np.array([[False] * 4 + [True], [True] + [False] * 4]), *ATTENTION),
    ),
    "attention of no batch": Call(lambda m, q, k, v, *x: attended(m, q[:, 0], k[:, 0], v[:, 0], *x), ATTENTION),
    "attention with separate weights": Call(
        lambda m, q, k, v, w, b, o, c: attended(
            m, q, k, v, None, b, o, c, use_separate_proj_weight=True,
            q_proj_weight=w[:4], k_proj_weight=w[4:8], v_proj_weight=w[8:],
        ),
        ATTENTION,
    ),
    "logsumexp of complex numbers": Call(lambda m, x: m.logsumexp(x, 1), (complex_numbers(3, 4),)),
    "logcumsumexp of complex numbers": Call(lambda m, x: m.logcumsumexp(x, 1), (complex_numbers(3, 4),), second=False),
    "logaddexp of complex numbers": Call(
        lambda m, x, y: m.logaddexp(x, y), (complex_numbers(3), complex_numbers(3, seed=4))
    ),
    "sinc of complex numbers": Call(lambda m, x: m.sinc(x), (complex_numbers(3, 4),), tolerance=1e-7),
    "cov of integers": Call(lambda m, x: m.cov(x), (np.array([[1, 2, 4], [3, 1, 0]]),), tolerance=1e-6),
    "cov with weights": Call(
        lambda m, x, f, a: m.cov(x, fweights=f, aweights=a.abs().detach()), (SCORES, np.array([1, 2, 1, 3, 1]), WEIGHT)
    ),
    "cov with weights that do not fit": Call(lambda m, x, f: m.cov(x, fweights=f), (SCORES, np.array([1, 2]))),
    "corrcoef of one row": Call(lambda m, x: m.corrcoef(x), (numbers(1, 4),)),
    "lstsq": Call(lambda m, a, b: m.linalg.lstsq(a, b)[0], (numbers(5, 3), numbers(5, 2)), tolerance=1e-7),
    "tensordot of a size of 1": Call(
        lambda m, a, b: m.tensordot(a, b, ([1], [0])), (numbers(3, 1), numbers(4, 2)), tolerance=1e-7
    ),
    "index_fill twice in one place": Call(
        lambda m, x, v: x.index_fill(0, m.tensor([1, 1, 0]), v), (numbers(3, 2), np.array(2.0))
    ),
    "masked_scatter to a larger mask": Call(
        lambda m, x, s: x.masked_scatter(m.tensor([[True, False], [True, True]]), s), (numbers(2), numbers(4))
    ),
}  # fmt: skip


@table(CALLS)
def test_the_call_agrees(call: Call) -> None:
    agree(call)


def test_gumbel_softmax_draws_one_class_and_passes_a_soft_gradient() -> None:
    mg.manual_seed(0)
    scores = mg.zeros(50, 4, requires_grad=True)
    sample = mg.nn.functional.gumbel_softmax(scores, hard=True)
    assert mg.allclose(sample.sum(1), mg.ones(50)) and bool(((sample == 0) | (sample - 1).abs().lt(1e-6)).all())
    (sample * mg.arange(4.0)).sum().backward()
    assert scores.grad is not None and bool(scores.grad.abs().sum(1).gt(0).all())


def test_rrelu_draws_slopes_between_its_bounds() -> None:
    mg.manual_seed(0)
    x = -mg.ones(200)
    found = mg.nn.functional.rrelu(x, 0.2, 0.4, training=True)
    assert float(found.min()) >= -0.4 and float(found.max()) <= -0.2 and float(found.std()) > 0.03
    with pytest.raises(mg.MinigradError, match="Lower bound"):
        mg.nn.functional.rrelu(x, 0.5, 0.1)

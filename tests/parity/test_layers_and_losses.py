"""Layers and losses where they are easily got wrong."""

from __future__ import annotations

import math
from typing import Any

import pytest

from .same import same

pytestmark = pytest.mark.parity


def size_average_says_how_losses_are_reduced(lib: Any) -> Any:
    a = lib.arange(4.0)
    b = lib.ones(4)
    out = [
        lib.nn.functional.mse_loss(a, b, size_average=False),
        lib.nn.functional.mse_loss(a, b, reduce=False),
        lib.nn.functional.mse_loss(a, b, size_average=True),
        lib.nn.functional.l1_loss(a, b, size_average=False),
        lib.nn.functional.binary_cross_entropy(lib.full((4,), 0.3), b, size_average=False),
        lib.nn.functional.smooth_l1_loss(a, b, size_average=False),
        lib.nn.functional.binary_cross_entropy_with_logits(a, b, size_average=False),
        lib.nn.functional.kl_div(a, b, size_average=False),
        lib.nn.functional.poisson_nll_loss(a, b, size_average=False),
        lib.nn.functional.soft_margin_loss(a, b, size_average=False),
    ]
    return out


def size_average_says_how_losses_of_classes_are_reduced(lib: Any) -> Any:
    a = lib.arange(6.0).reshape(2, 3)
    t = lib.tensor([0, 2])
    out = [
        lib.nn.functional.cross_entropy(a, t, size_average=False),
        lib.nn.functional.nll_loss(a, t, size_average=False),
        lib.nn.functional.nll_loss(a, t, None, False, -100, False),
        lib.nn.functional.multi_margin_loss(a, t, size_average=False),
        lib.nn.functional.multilabel_margin_loss(a, lib.tensor([[0, -1, 0], [1, 2, -1]]), size_average=False),
        lib.nn.functional.multilabel_soft_margin_loss(a, lib.ones(2, 3), size_average=False),
    ]
    return out


def size_average_says_how_losses_of_pairs_are_reduced(lib: Any) -> Any:
    a = lib.arange(6.0).reshape(2, 3)
    t = lib.tensor([1.0, -1.0])
    out = [
        lib.nn.functional.cosine_embedding_loss(a, a + 1, t, size_average=False),
        lib.nn.functional.hinge_embedding_loss(a, lib.ones(2, 3), size_average=False),
        lib.nn.functional.margin_ranking_loss(a[0], a[1], lib.ones(3), size_average=False),
        lib.nn.functional.triplet_margin_loss(a, a + 1, a - 1, size_average=False),
    ]
    return out


def size_average_says_how_modules_reduce(lib: Any) -> Any:
    a = lib.arange(4.0)
    b = lib.ones(4)
    return [
        getattr(lib.nn, n)(size_average=False)(lib.full((4,), 0.3) if n == "BCELoss" else a, b)
        for n in "MSELoss L1Loss BCELoss BCEWithLogitsLoss SmoothL1Loss KLDivLoss PoissonNLLLoss SoftMarginLoss HingeEmbeddingLoss".split()
    ] + [
        getattr(lib.nn, n)(reduce=False)(lib.full((4,), 0.3) if n == "BCELoss" else a, b)
        for n in "MSELoss L1Loss BCELoss BCEWithLogitsLoss SmoothL1Loss KLDivLoss PoissonNLLLoss SoftMarginLoss HingeEmbeddingLoss".split()
    ]


def size_average_is_read_in_its_old_place(lib: Any) -> Any:
    return [
        lib.nn.CrossEntropyLoss(None, False)(lib.arange(6.0).reshape(2, 3), lib.tensor([0, 1])),
        lib.nn.MSELoss(False)(lib.arange(3.0), lib.ones(3)),
        lib.nn.MSELoss(None, None, "sum")(lib.arange(3.0), lib.ones(3)),
        lib.nn.MSELoss(False).reduction,
        lib.nn.BCELoss(None, None, False).reduction,
    ]


def a_linear_layer_and_its_cross_entropy_are_one_module(lib: Any) -> Any:
    def run(loss: Any, *target: Any) -> Any:
        x = lib.randn(2, 5, requires_grad=True)
        value = loss(x, *target)
        value.sum().backward()
        return value, x.grad, loss.linear.weight.grad, repr(loss), list(loss.state_dict())

    classes = lib.randint(0, 10, (2,))
    many = lib.nn.LinearCrossEntropyLoss(5, 10, out_features=(4, 3), bias=True, label_smoothing=0.1)
    weighted = lib.nn.LinearCrossEntropyLoss(5, 10, weight=lib.rand(10), ignore_index=2, reduction="none")
    return (
        run(lib.nn.LinearCrossEntropyLoss(5, 10), classes),
        run(many, lib.randint(0, 10, (2, 4, 3))),
        run(many, lib.randn(2, 10, 4, 3).softmax(1)),
        run(weighted, classes),
    )


def an_unflatten_prints_its_size_as_it_was_given(lib: Any) -> Any:
    made = [lib.nn.Unflatten(1, size) for size in ((2, 3), [2, 3], lib.Size([2, 3]))]
    return [repr(each).replace(lib.__name__, "") for each in made[::2]]


def ctc_of_no_time_and_no_labels_is_zero(lib: Any) -> Any:
    lp = (
        lib.randn(5, 2, 4, dtype=lib.float64)
        if False
        else (lib.arange(40, dtype=lib.float64).reshape(5, 2, 4) * 0.37).sin().log_softmax(2)
    )
    lp = lp.detach().requires_grad_()
    l = lib.nn.functional.ctc_loss(
        lp, lib.tensor([[1, 2], [2, 3]]), lib.tensor([5, 0]), lib.tensor([2, 0]), reduction="none"
    )
    l.sum().backward()
    out = [l, lp.grad]
    return out


def ctc_of_no_labels_is_all_blanks(lib: Any) -> Any:
    lp = (lib.arange(40, dtype=lib.float64).reshape(5, 2, 4) * 0.37).sin().log_softmax(2).requires_grad_()
    l = lib.nn.functional.ctc_loss(
        lp, lib.tensor([[1, 2], [2, 3]]), lib.tensor([5, 5]), lib.tensor([0, 2]), reduction="mean"
    )
    l.backward()
    out = [l, lp.grad]
    return out


def ctc_of_labels_that_do_not_fit_is_infinite(lib: Any) -> Any:
    lp = (lib.arange(40, dtype=lib.float64).reshape(5, 2, 4) * 0.37).sin().log_softmax(2).requires_grad_()
    l = lib.nn.functional.ctc_loss(
        lp, lib.tensor([[1, 1, 1], [2, 3, 1]]), lib.tensor([4, 2]), lib.tensor([3, 3]), reduction="none"
    )
    l.sum().backward()
    out = [l, lp.grad]
    return out


def ctc_of_labels_that_do_not_fit_counts_nothing_if_asked(lib: Any) -> Any:
    lp = (lib.arange(40, dtype=lib.float64).reshape(5, 2, 4) * 0.37).sin().log_softmax(2).requires_grad_()
    l = lib.nn.functional.ctc_loss(
        lp,
        lib.tensor([[1, 1, 1], [2, 3, 1]]),
        lib.tensor([4, 5]),
        lib.tensor([3, 3]),
        reduction="none",
        zero_infinity=True,
    )
    l.sum().backward()
    out = [l, lp.grad]
    return out


def ctc_of_no_time_is_infinite(lib: Any) -> Any:
    lp = (lib.arange(40, dtype=lib.float64).reshape(5, 2, 4) * 0.37).sin().log_softmax(2).requires_grad_()
    l = lib.nn.functional.ctc_loss(
        lp, lib.tensor([[1, 1, 1], [2, 3, 1]]), lib.tensor([4, 0]), lib.tensor([1, 2]), reduction="none"
    )
    l.sum().backward()
    out = [l, lp.grad]
    return out


def a_linear_layer_resets_only_its_own_parameters(lib: Any) -> Any:
    class L(lib.nn.Linear):
        def __init__(s):
            super().__init__(2, 2)
            s.extra = lib.nn.Parameter(lib.full((3,), 7.0))
            s.reset_parameters()

    return L().extra


def a_layer_norm_calls_an_overridden_reset(lib: Any) -> Any:
    class L(lib.nn.LayerNorm):
        def reset_parameters(s):
            lib.nn.init.constant_(s.weight, 3.0)
            lib.nn.init.constant_(s.bias, 2.0)

    return [L(3).weight, L(3).bias]


def every_layer_calls_reset_parameters_as_often(lib: Any) -> Any:
    res = []

    def mk(base, *a, **k):
        called = []

        class C(base):  # type: ignore[valid-type]
            def reset_parameters(s):
                called.append(1)
                super().reset_parameters()

        try:
            C(*a, **k)
        except Exception as e:
            return base.__name__ + repr(type(e))
        return (base.__name__, len(called))

    for n, a in dict(
        Linear=(2, 2),
        Bilinear=(2, 2, 2),
        Conv1d=(2, 2, 3),
        Conv2d=(2, 2, 3),
        Conv3d=(2, 2, 3),
        ConvTranspose1d=(2, 2, 3),
        ConvTranspose2d=(2, 2, 3),
        LayerNorm=(2,),
        GroupNorm=(1, 2),
        BatchNorm1d=(2,),
        BatchNorm2d=(2,),
        InstanceNorm1d=(2,),
        RMSNorm=(2,),
        Embedding=(3, 2),
        EmbeddingBag=(3, 2),
        RNN=(2, 2),
        LSTM=(2, 2),
        GRU=(2, 2),
        RNNCell=(2, 2),
        LSTMCell=(2, 2),
        GRUCell=(2, 2),
        AdaptiveLogSoftmaxWithLoss=(4, 10, [2, 5]),
    ).items():
        res.append(mk(getattr(lib.nn, n), *a))
    res.append(mk(lib.nn.InstanceNorm2d, 3, affine=True))
    res.append(mk(lib.nn.InstanceNorm2d, 3, track_running_stats=True))
    return [str(res)]


def attention_and_transformers_call_their_resets(lib: Any) -> Any:
    called = []

    class M(lib.nn.MultiheadAttention):
        def _reset_parameters(s):
            called.append(1)
            super()._reset_parameters()

    M(4, 2)

    class TT(lib.nn.Transformer):
        def _reset_parameters(s):
            called.append(2)
            super()._reset_parameters()

    TT(4, 2, 1, 1, 4)

    class B(lib.nn.BatchNorm1d):
        def reset_running_stats(s):
            called.append(3)
            super().reset_running_stats()

    B(3)
    return called


def batch_norm_stops_tracking_when_told_later(lib: Any) -> Any:
    bn = lib.nn.BatchNorm1d(3)
    bn.track_running_stats = False
    x = lib.arange(12.0).reshape(4, 3)
    y = bn(x)
    out = [bn.running_mean, bn.running_var, bn.num_batches_tracked, y]
    bn.eval()
    out.append(bn(x))
    return out


def batch_norm_works_without_statistics(lib: Any) -> Any:
    bn = lib.nn.BatchNorm1d(3, track_running_stats=False)
    x = lib.arange(12.0).reshape(4, 3)
    bn.eval()
    out = [bn(x)]
    bn = lib.nn.BatchNorm1d(3)
    bn.running_mean = None
    bn.running_var = None
    bn.eval()
    out.append(bn(x))
    bn = lib.nn.BatchNorm1d(3, momentum=None)
    bn(x)
    bn(x * 2)
    out += [bn.running_mean, bn.running_var]
    i = lib.nn.InstanceNorm1d(2, track_running_stats=True)
    z = lib.arange(12.0).reshape(2, 2, 3)
    i.track_running_stats = False
    i(z)
    out += [i.running_mean]
    i.eval()
    out += [i(z)]
    return out


def interpolate_smooths_before_it_shrinks(lib: Any) -> Any:
    x = lib.arange(64.0).reshape(1, 1, 8, 8).sin().requires_grad_()
    out = [
        lib.nn.functional.interpolate(x, size=(3, 3), mode="bilinear", antialias=True),
        lib.nn.functional.interpolate(x, size=(3, 5), mode="bicubic", antialias=True),
        lib.nn.functional.interpolate(x, size=(3, 3), mode="bilinear", antialias=True, align_corners=True),
        lib.nn.functional.interpolate(x, scale_factor=0.4, mode="bilinear", antialias=True),
        lib.nn.functional.interpolate(x, size=(12, 11), mode="bicubic", antialias=True),
    ]
    s = sum((o * o).sum() for o in out)
    s.backward()
    out.append(x.grad)
    return out


def lp_pool_scales_windows_that_reach_over_the_edge(lib: Any) -> Any:
    x = lib.arange(1.0, 11.0).reshape(1, 1, 10).requires_grad_()
    o = lib.nn.functional.lp_pool1d(x, 2, 3, 2, ceil_mode=True)
    o.sum().backward()
    y = lib.arange(1.0, 26.0).reshape(1, 1, 5, 5)
    out = [
        o,
        x.grad,
        lib.nn.functional.lp_pool2d(y, 2, 2, ceil_mode=True),
        lib.nn.functional.lp_pool2d(y, 3, (2, 3), 2, ceil_mode=True),
        lib.nn.functional.lp_pool3d(lib.ones(1, 1, 5, 5, 5), 2, 2, ceil_mode=True),
        lib.nn.functional.lp_pool1d(x - 5, 1, 3, ceil_mode=True),
    ]
    return out


def average_pools_count_windows_that_reach_over_the_edge(lib: Any) -> Any:
    x = lib.arange(1.0, 11.0).reshape(1, 1, 10)
    y = lib.arange(1.0, 26.0).reshape(1, 1, 5, 5)
    out = [
        lib.nn.functional.avg_pool1d(x, 3, 2, ceil_mode=True),
        lib.nn.functional.avg_pool1d(x, 3, 2, 1, True, False),
        lib.nn.functional.avg_pool2d(y, 2, 2, ceil_mode=True),
        lib.nn.functional.avg_pool2d(y, 3, 2, 1, ceil_mode=True),
        lib.nn.functional.avg_pool2d(y, 3, 2, 1, ceil_mode=True, divisor_override=2),
        lib.nn.functional.max_pool2d(y, 2, 2, ceil_mode=True),
        lib.nn.functional.max_pool2d(y, 3, 2, 1, ceil_mode=True),
    ]
    return out


def attention_of_hidden_keys_is_zero(lib: Any) -> Any:
    q = (lib.arange(12.0).reshape(1, 3, 4) * 0.3).sin().requires_grad_()
    m = lib.tensor([[True, True, False], [False, False, False], [True, False, True]])
    o = lib.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=m)
    o.sum().backward()
    out = [o, q.grad]
    return out


def attention_of_keys_weighed_minus_infinity_is_zero(lib: Any) -> Any:
    q = (lib.arange(12.0).reshape(1, 3, 4) * 0.3).sin().requires_grad_()
    m = lib.tensor([[True, True, False], [False, False, False], [True, False, True]])
    fm = lib.zeros(3, 3).masked_fill(~m, -math.inf)
    o = lib.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=fm)
    o.sum().backward()
    out = [o, q.grad]
    return out


def multi_head_attention_of_hidden_keys_has_gradients(lib: Any) -> Any:
    lib.manual_seed(0)
    m = lib.nn.MultiheadAttention(4, 2, batch_first=True)
    for p in m.parameters():
        lib.nn.init.constant_(p, 0.1)
    x = (lib.arange(24.0).reshape(2, 3, 4) * 0.3).sin().requires_grad_()
    o, w = m(x, x, x, key_padding_mask=lib.tensor([[True, True, True], [False, True, False]]), need_weights=False)
    o.sum().backward()
    out = [o, x.grad]
    return out


def multi_head_attention_of_hidden_keys_has_weights(lib: Any) -> Any:
    m = lib.nn.MultiheadAttention(4, 2, batch_first=True)
    for p in m.parameters():
        lib.nn.init.constant_(p, 0.1)
    x = (lib.arange(24.0).reshape(2, 3, 4) * 0.3).sin().requires_grad_()
    o, w = m(x, x, x, key_padding_mask=lib.tensor([[True, True, True], [False, True, False]]), need_weights=True)
    o.sum().backward()
    out = [o, w, x.grad]
    return out


def multi_head_attention_with_a_mask_of_rows_has_gradients(lib: Any) -> Any:
    m = lib.nn.MultiheadAttention(4, 2, batch_first=True)
    for p in m.parameters():
        lib.nn.init.constant_(p, 0.1)
    x = (lib.arange(24.0).reshape(2, 3, 4) * 0.3).sin().requires_grad_()
    am = lib.tensor([[False, True, True], [True, True, True], [False, False, True]])
    o, w = m(x, x, x, attn_mask=am, need_weights=False)
    o.sum().backward()
    out = [o, x.grad]
    return out


PROGRAMS = [
    size_average_says_how_losses_are_reduced,
    size_average_says_how_losses_of_classes_are_reduced,
    size_average_says_how_losses_of_pairs_are_reduced,
    size_average_says_how_modules_reduce,
    size_average_is_read_in_its_old_place,
    a_linear_layer_and_its_cross_entropy_are_one_module,
    an_unflatten_prints_its_size_as_it_was_given,
    ctc_of_no_time_and_no_labels_is_zero,
    ctc_of_no_labels_is_all_blanks,
    ctc_of_labels_that_do_not_fit_is_infinite,
    ctc_of_labels_that_do_not_fit_counts_nothing_if_asked,
    ctc_of_no_time_is_infinite,
    a_linear_layer_resets_only_its_own_parameters,
    a_layer_norm_calls_an_overridden_reset,
    every_layer_calls_reset_parameters_as_often,
    attention_and_transformers_call_their_resets,
    batch_norm_stops_tracking_when_told_later,
    batch_norm_works_without_statistics,
    interpolate_smooths_before_it_shrinks,
    lp_pool_scales_windows_that_reach_over_the_edge,
    average_pools_count_windows_that_reach_over_the_edge,
    attention_of_hidden_keys_is_zero,
    attention_of_keys_weighed_minus_infinity_is_zero,
    multi_head_attention_of_hidden_keys_has_gradients,
    multi_head_attention_of_hidden_keys_has_weights,
    multi_head_attention_with_a_mask_of_rows_has_gradients,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_the_same_on_both(program: Any) -> None:
    same(program)

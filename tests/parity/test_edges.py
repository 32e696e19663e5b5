"""Gradients where functions have corners: at ties, bounds, infinities and NaN."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from .same import same

pytestmark = pytest.mark.parity


def functions_at_corners_infinities_and_nan(lib: Any) -> Any:
    x = lib.tensor([math.nan, 0.0, -0.0, 1.0, -1.0, 3.0, -3.0, 6.0, math.inf, -math.inf, 0.5, -0.5], requires_grad=True)
    finite = [0, 1, 2, 3, 4, 5, 6, 7, 10, 11]
    out = []
    fs = dict(
        relu=lib.nn.functional.relu,
        relu6=lib.nn.functional.relu6,
        clamp=lambda x: x.clamp(-1, 1),
        clampmin=lambda x: x.clamp(min=0),
        clampmax=lambda x: x.clamp(max=0),
        hardtanh=lib.nn.functional.hardtanh,
        elu=lib.nn.functional.elu,
        celu=lib.nn.functional.celu,
        selu=lib.nn.functional.selu,
        hardswish=lib.nn.functional.hardswish,
        hardsigmoid=lib.nn.functional.hardsigmoid,
        leaky=lib.nn.functional.leaky_relu,
        silu=lib.nn.functional.silu,
        gelu=lambda x: lib.nn.functional.gelu(x[finite]),  # PyTorch's depends on the processor at infinities
        gelut=lambda x: lib.nn.functional.gelu(x[finite], approximate="tanh"),
        mish=lib.nn.functional.mish,
        softplus=lib.nn.functional.softplus,
        softplus2=lambda x: lib.nn.functional.softplus(x, 2.0, 3.0),
        softshrink=lib.nn.functional.softshrink,
        hardshrink=lib.nn.functional.hardshrink,
        tanhshrink=lib.nn.functional.tanhshrink,
        threshold=lambda x: lib.nn.functional.threshold(x, 0.5, 2.0),
        softsign=lib.nn.functional.softsign,
        logsig=lib.nn.functional.logsigmoid,
        prelu=lambda x: lib.nn.functional.prelu(x, lib.tensor([0.25])),
        abs=lib.abs,
        sign=lib.sign,
        sgn=lib.sgn,
        sigmoid=lib.sigmoid,
        tanh=lib.tanh,
        sqrt=lib.sqrt,
        rsqrt=lib.rsqrt,
        log=lib.log,
        log1p=lib.log1p,
        exp=lib.exp,
        expm1=lib.expm1,
        rrelu=lambda x: lib.nn.functional.rrelu(x, 0.1, 0.3, False),
        nan_to_num=lib.nan_to_num,
        frac=lib.frac,
        sinc=lib.sinc,
        asin=lib.asin,
        acos=lib.acos,
        atanh=lib.atanh,
        acosh=lib.acosh,
        asinh=lib.asinh,
        logit=lib.logit,
        logiteps=lambda x: lib.logit(x, 0.1),
        erfinv=lib.erfinv,
        reciprocal=lib.reciprocal,
        pow0=lambda x: x**0,
        pow1=lambda x: x**1,
        pow2=lambda x: x**2,
        powm=lambda x: x**-1,
        pow3=lambda x: x**3.0,
        bpow=lambda x: 2.0**x,
        bpow0=lambda x: 0.0**x,
        bpow1=lambda x: 1**x,
        max0=lambda x: lib.maximum(x, lib.zeros(12)),
        min0=lambda x: lib.minimum(x, lib.zeros(12)),
        fmax=lambda x: lib.fmax(x, lib.zeros(12)),
        fmin=lambda x: lib.fmin(x, lib.zeros(12)),
        clampT=lambda x: x.clamp(lib.full((12,), -1.0), lib.ones(12)),
        hypot=lambda x: lib.hypot(x, lib.zeros(12)),
        atan2=lambda x: lib.atan2(x, lib.zeros(12)),
        atan2b=lambda x: lib.atan2(lib.zeros(12), x),
        copysign=lambda x: lib.copysign(x, -lib.ones(12)),
        rem=lambda x: x % 2.0,
        fmod=lambda x: lib.fmod(x, 2.0),
        glu=lambda x: lib.nn.functional.glu(x),
        square=lib.square,
        xlogyx=lambda x: lib.xlogy(x, x),
        erf=lib.erf,
        erfc=lib.erfc,
        i0=lib.i0,
        entr=lib.special.entr,
        ndtri=lib.special.ndtri,
        log_ndtr=lib.special.log_ndtr,
        ndtr=lib.special.ndtr,
        cosh=lib.cosh,
        sinh=lib.sinh,
        tan=lib.tan,
        atan=lib.atan,
        log2=lib.log2,
        log10=lib.log10,
        exp2=lib.exp2,
        trunc=lib.trunc,
        round=lib.round,
        heaviside=None,
        normalize=lambda x: lib.nn.functional.normalize(x, dim=0),
        cumsum=lambda x: x.cumsum(0),
        cumprod=lambda x: x.cumprod(0),
        cummax=lambda x: x.cummax(0)[0],
        cummin=lambda x: x.cummin(0)[0],
        amax=lambda x: x.amax(0),
        amin=lambda x: x.amin(0),
        max=lambda x: x.max(),
        min=lambda x: x.min(),
        maxd=lambda x: x.max(0)[0],
        mind=lambda x: x.min(0)[0],
        median=lambda x: x.median(),
        nanmedian=lambda x: x.nanmedian(),
        nansum=lambda x: x.nansum(),
        nanmean=lambda x: x.nanmean(),
        sort=lambda x: x.sort()[0],
        topk=lambda x: x.topk(4)[0],
        kth=lambda x: x.kthvalue(3)[0],
        kthN=lambda x: x.kthvalue(12)[0],
        prod=lambda x: x.prod(),
        softmax=lambda x: x.softmax(0),
        std=lambda x: x.std(),
        norm=lambda x: x.norm(),
        norminf=lambda x: x.norm(math.inf),
        aminmax=lambda x: lib.aminmax(x)[0],
        logsumexp=lambda x: x.logsumexp(0),
        dist=lambda x: lib.dist(x, lib.zeros(12)),
        quantile=lambda x: lib.quantile(x, 0.4),
        nanq=lambda x: lib.nanquantile(x, 0.4),
        bce=lambda x: lib.nn.functional.binary_cross_entropy_with_logits(x, lib.ones(12), reduction="none"),
        l1=lambda x: lib.nn.functional.l1_loss(x, lib.zeros(12)),
        huber=lambda x: lib.nn.functional.huber_loss(x, lib.zeros(12), reduction="none"),
        sml1=lambda x: lib.nn.functional.smooth_l1_loss(x, lib.zeros(12), reduction="none"),
        margin=lambda x: lib.nn.functional.margin_ranking_loss(x, lib.zeros(12), lib.ones(12), reduction="none"),
    )
    w = lib.arange(1.0, 13.0)
    for n, f in fs.items():
        if f is None:
            continue
        o = f(x)
        (g,) = lib.autograd.grad((o * w[: o.numel()].reshape(o.shape)).sum(), x, create_graph=True)
        out += [n, o, g]
    return out


def grid_sample_at_the_centres_of_pixels_and_at_borders(lib: Any) -> Any:
    x = lib.arange(16.0).reshape(1, 1, 4, 4).sin().requires_grad_()
    res = []
    for mode in ("bilinear", "nearest", "bicubic"):
        for pad in ("zeros", "border", "reflection"):
            for ac in (True, False):
                g = lib.tensor(
                    [
                        [
                            [
                                [-1.0, -1.0],
                                [0.0, 0.0],
                                [1.0, 1.0],
                                [-0.25, 0.25],
                                [0.25, -0.75],
                                [1 / 3, -1 / 3],
                                [1.25, -1.5],
                                [0.5, 0.5],
                            ]
                        ]
                    ],
                    requires_grad=True,
                )
                o = lib.nn.functional.grid_sample(x, g, mode=mode, padding_mode=pad, align_corners=ac)
                gx, gg = lib.autograd.grad((o * lib.arange(1.0, 9.0)).sum(), (x, g))
                res += [(mode, pad, ac), o, gx, gg]
    return res


def huber_and_smooth_l1_bend_to_second_order(lib: Any) -> Any:
    x = lib.tensor([0.0, 1.0, -1.0, 0.5, 2.0, -0.3, 0.7], requires_grad=True, dtype=lib.float64)
    z = lib.zeros(7, dtype=lib.float64)
    out = []
    for f in (
        lambda x: lib.nn.functional.huber_loss(x, z, reduction="sum"),
        lambda x: lib.nn.functional.smooth_l1_loss(x, z, reduction="sum"),
        lambda x: lib.nn.functional.huber_loss(x, z, reduction="sum", delta=0.5),
        lambda x: lib.nn.functional.smooth_l1_loss(x, z, reduction="sum", beta=0.5),
        lambda x: lib.nn.functional.smooth_l1_loss(x, z, reduction="sum", beta=0.0),
    ):
        (g,) = lib.autograd.grad(f(x), x, create_graph=True)
        h = lib.autograd.grad(g.sum(), x, allow_unused=True)[0] if g.requires_grad else None
        h = h + lib.zeros(7, dtype=lib.float64) if h is not None else h
        out += [g, h]
    return out


def xlogy_of_zeros(lib: Any) -> Any:
    x = lib.tensor([0.0, 1.0, -1.0, 2.0, math.nan, math.inf])
    out = [
        lib.xlogy(x, 0.0),
        lib.xlogy(x, lib.zeros(6)),
        lib.xlogy(0.0, x),
        lib.xlogy(1.0, x),
        lib.special.xlog1py(x, -1.0),
        lib.special.xlog1py(0.0, x),
        lib.xlogy(x, math.nan),
        lib.xlogy(x, 1),
        lib.xlogy(lib.tensor([0, 1, 2]), 0),
    ]
    return out


def xlogy_of_zeros_has_gradients(lib: Any) -> Any:
    x = lib.tensor([0.0, 1.0, -1.0, 2.0], requires_grad=True)
    y = lib.tensor([0.0, 0.0, 1.0, 3.0], requires_grad=True)
    out = [
        *lib.autograd.grad(lib.xlogy(x, y).sum(), (x, y)),
        lib.autograd.grad(lib.xlogy(x, 0.0).sum(), x)[0],
        lib.autograd.grad(lib.xlogy(0.0, y).sum(), y)[0],
        lib.autograd.grad(lib.xlogy(x, 2.0).sum(), x)[0],
    ]
    return out


def logaddexp_of_infinities(lib: Any) -> Any:
    inf = math.inf
    a = lib.tensor([inf, -inf, inf, -inf, 0.0, inf, math.nan], requires_grad=True)
    b = lib.tensor([inf, -inf, -inf, inf, -inf, 1.0, inf], requires_grad=True)
    out = []
    for f in (lib.logaddexp, lib.logaddexp2):
        o = f(a, b)
        out += [o, *lib.autograd.grad(o.sum(), (a, b))]
    return out


def distances_between_two_sets_at_ties(lib: Any) -> Any:
    a = lib.tensor([[1.0, 2.0], [0.0, 0.0]], requires_grad=True)
    b = lib.tensor([[0.0, 1.0], [2.0, 3.0], [0.0, 0.0]], requires_grad=True)
    out = []
    for p in (math.inf, 1.0, 2.0, 0.0, 3.0, 0.5):
        o = lib.cdist(a, b, p)
        out += [(p,), o, *lib.autograd.grad((o * lib.arange(1.0, 7.0).reshape(2, 3)).sum(), (a, b))]
    return out


def distances_within_a_set_at_ties(lib: Any) -> Any:
    a = lib.tensor([[1.0, 2.0], [0.0, 1.0], [0.0, 1.0], [2.0, 2.0]], requires_grad=True)
    out = []
    for p in (math.inf, 1.0, 2.0, 0.0, 3.0):
        o = lib.nn.functional.pdist(a, p)
        out += [(p,), o, *lib.autograd.grad((o * lib.arange(1.0, 7.0)).sum(), (a,))]
    return out


def the_gradient_of_relu_can_be_differentiated(lib: Any) -> Any:
    x = lib.tensor([1.0, -2.0], requires_grad=True)
    w = lib.ones(2, requires_grad=True)
    y = lib.nn.functional.relu(x) * w
    (g,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    out = [g.requires_grad, *lib.autograd.grad(g.sum(), (x, w), allow_unused=True)]
    return out


def the_gradient_of_relu_has_a_gradient_of_zeros(lib: Any) -> Any:
    x = lib.tensor([1.0, -2.0], requires_grad=True)
    y = lib.nn.functional.relu(x)
    (g,) = lib.autograd.grad(y.sum(), x, create_graph=True)
    out = [g.requires_grad, *lib.autograd.grad(g.sum(), x, allow_unused=True)]
    return out


def gradients_are_clipped_in_their_own_type(lib: Any) -> Any:
    p = lib.nn.Parameter(lib.ones(3, dtype=lib.float64))
    p.grad = lib.full((3,), 2.0, dtype=lib.float64)
    out = [
        lib.nn.utils.clip_grad_norm_([p], 1.0),
        p.grad.clone(),
        lib.nn.utils.clip_grad_norm_([p], 1.0, math.inf),
        lib.nn.utils.get_total_norm([p.grad]),
    ]
    q = lib.nn.Parameter(lib.ones(3))
    q.grad = lib.ones(3)
    out += [lib.nn.utils.clip_grad_norm_([p, q], 1.0).dtype, q.grad.clone(), lib.nn.utils.clip_grad_norm_([], 1.0)]
    h = lib.nn.Parameter(lib.ones(3, dtype=lib.float16))
    h.grad = lib.ones(3, dtype=lib.float16)
    out += [lib.nn.utils.clip_grad_norm_([h], 1.0), h.grad.clone(), lib.nn.utils.clip_grad_norm_([h, q], 1.0).dtype]
    return out


def deepcopy_keeps_memory_shared(lib: Any) -> Any:
    import copy

    a = lib.arange(6.0)
    b = a[2:]
    c = a.view(2, 3)
    x, y, z = copy.deepcopy([a, b, c])
    y[0] = 99
    z[0, 0] = 77
    out = [x, y, z, a]
    return out


def save_keeps_memory_shared(lib: Any) -> Any:
    import io

    a = lib.arange(6.0)
    b = a[2:]
    c = a.view(2, 3).t()
    f = io.BytesIO()
    lib.save([a, b, c], f)
    f.seek(0)
    x, y, z = lib.load(f)
    y[0] = 99
    z[0, 0] = 77
    out = [x, y, z, z.stride()]
    return out


def numpys_functions_return_tensors(lib: Any) -> Any:
    x = lib.tensor([1.0, 2.0])
    out = [
        r
        for r in (
            np.log(x),
            np.add(x, x),
            np.add(x, np.ones(2)),
            np.multiply(x, 2),
            np.maximum(x, 1.5),
            np.less(x, 1.5),
            np.isnan(x),
            np.sqrt(x),
        )
    ]
    return out


def embedding_bag_shortens_its_padding_too(lib: Any) -> Any:
    w = (lib.arange(12.0).reshape(6, 2)).clone()
    o = lib.nn.functional.embedding_bag(lib.tensor([[0, 1, 2], [3, 4, 5]]), w, max_norm=1.0, padding_idx=4, mode="sum")
    out = [o, w]
    for mode in ("mean", "max", "sum"):
        e = lib.nn.EmbeddingBag(6, 2, max_norm=1.0, padding_idx=2, mode=mode)
        with lib.no_grad():
            e.weight.copy_(lib.arange(12.0).reshape(6, 2))
        o = e(lib.tensor([[0, 1, 2], [2, 4, 5], [2, 2, 2]]))
        o.sum().backward()
        out += [o, e.weight, e.weight.grad]
    return out


def embedding_shortens_rows(lib: Any) -> Any:
    w = (lib.arange(12.0).reshape(6, 2)).clone()
    o = lib.nn.functional.embedding(lib.tensor([[0, 1, 2], [3, 4, 1]]), w, max_norm=1.0, padding_idx=4)
    out = [o, w]
    return out


PROGRAMS = [
    functions_at_corners_infinities_and_nan,
    grid_sample_at_the_centres_of_pixels_and_at_borders,
    huber_and_smooth_l1_bend_to_second_order,
    xlogy_of_zeros,
    xlogy_of_zeros_has_gradients,
    logaddexp_of_infinities,
    distances_between_two_sets_at_ties,
    distances_within_a_set_at_ties,
    the_gradient_of_relu_can_be_differentiated,
    the_gradient_of_relu_has_a_gradient_of_zeros,
    gradients_are_clipped_in_their_own_type,
    deepcopy_keeps_memory_shared,
    save_keeps_memory_shared,
    numpys_functions_return_tensors,
    embedding_bag_shortens_its_padding_too,
    embedding_shortens_rows,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_program_gives_the_same_on_both(program: Any) -> None:
    same(program)

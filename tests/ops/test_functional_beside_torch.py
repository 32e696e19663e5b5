"""What is in nn.functional, as PyTorch computes it: from activations to attention."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg

from .beside import Call, agree, complex_numbers, numbers, table, torch

pytestmark = pytest.mark.parity

X = numbers(3, 4) * 3
KINKS = np.array([-3.0, -1.0, 0.0, 1.0, 3.0, 20.0])
CLASSES, CHANCES = np.array([1, 0, 3]), np.abs(numbers(3, 4, seed=4)) / 4 + 0.01
SHARES = CHANCES / CHANCES.sum(1, keepdims=True)
WEIGHTS = np.array([0.5, 1.0, 2.0, 1.5])
SIGNS = np.array([1.0, -1.0, 1.0])

ACTIVATIONS = (
    "relu", "leaky_relu", "elu", "selu", "celu", "gelu", "silu", "mish", "softplus", "logsigmoid", "hardtanh", "relu6",
    "hardswish", "glu", "softsign", "tanhshrink", "hardshrink", "softshrink", "sigmoid", "tanh",
)  # fmt: skip


def of(name: str, *arguments: Any, **options: Any) -> Any:
    """A call of ``F.<name>`` with the tensors first."""
    return lambda m, *tensors: getattr(m.nn.functional, name)(*tensors, *arguments, **options)


@table({name: Call(of(name), (X,)) for name in ACTIVATIONS})
def test_activations(call: Call) -> None:
    agree(call)


@table({name: Call(of(name), (KINKS,), second=False) for name in ACTIVATIONS})
def test_activations_at_their_kinks(call: Call) -> None:
    agree(call)


LOSSES: dict[str, Call] = {
    "class out of range": Call(of("cross_entropy"), (X, np.array([0, 1, 9]))),
    "classes of another number": Call(of("cross_entropy"), (X, np.array([0, 1]))),
    "all classes ignored": Call(of("cross_entropy"), (X, np.array([-100, -100, -100])), second=False),
    "no such reduction": Call(of("mse_loss", reduction="middle"), (X, numbers(3, 4))),
    "kl batchmean": Call(
        lambda m, x, t: m.nn.functional.kl_div(x.log_softmax(1), t, reduction="batchmean"), (X, SHARES)
    ),
    "cosine": Call(of("cosine_similarity"), (X, numbers(3, 4))),
    "bilinear": Call(of("bilinear"), (numbers(2, 3), numbers(2, 4), numbers(5, 3, 4), numbers(5))),
    "gaussian_nll_loss, a variance for each row": Call(
        lambda m, x, y, v: m.nn.functional.gaussian_nll_loss(x, y, v), (X, X + 1, np.array([0.5, 1.0, 2.0]))
    ),
    "gaussian_nll_loss, variances below eps": Call(
        lambda m, x, y, v: m.nn.functional.gaussian_nll_loss(x, y, v, full=True, eps=0.7),
        (X, X + 1, np.full((3, 1), 0.5)),
    ),
    "gaussian_nll_loss, one variance": Call(lambda m, x, y: m.nn.functional.gaussian_nll_loss(x, y, 0.5), (X, X + 1)),
    "gaussian_nll_loss, wrong variances": Call(of("gaussian_nll_loss"), (X, X, np.ones(4))),
    "gaussian_nll_loss, negative variances": Call(of("gaussian_nll_loss"), (X, X, -np.ones(3))),
}
for _r in ("mean", "sum", "none"):
    LOSSES |= {
        f"cross_entropy {_r}": Call(of("cross_entropy", reduction=_r, ignore_index=3), (X, CLASSES)),
        f"cross_entropy smoothed {_r}": Call(of("cross_entropy", reduction=_r, label_smoothing=0.2), (X, CLASSES)),
        f"cross_entropy weighted {_r}": Call(
            lambda m, x, t, w, r=_r: m.nn.functional.cross_entropy(x, t, w.detach(), reduction=r, label_smoothing=0.1),
            (numbers(2, 4, 3, 2), np.arange(12).reshape(2, 3, 2) % 4, WEIGHTS),
        ),
        f"cross_entropy of chances {_r}": Call(of("cross_entropy", reduction=_r, label_smoothing=0.1), (X, SHARES)),
        f"nll {_r}": Call(of("nll_loss", reduction=_r, ignore_index=1), (X, CLASSES)),
        f"mse {_r}": Call(of("mse_loss", reduction=_r), (X, numbers(3, 4))),
        f"mse broadcast {_r}": Call(of("mse_loss", reduction=_r), (X, numbers(4))),
        f"l1 {_r}": Call(of("l1_loss", reduction=_r), (X, numbers(3, 4))),
        f"smooth_l1 {_r}": Call(of("smooth_l1_loss", reduction=_r, beta=0.7), (X, numbers(3, 4))),
        f"huber {_r}": Call(of("huber_loss", reduction=_r, delta=1.3), (X, numbers(3, 4))),
        f"bce with logits {_r}": Call(
            lambda m, x, t, w, r=_r: m.nn.functional.binary_cross_entropy_with_logits(
                x, t, pos_weight=w.detach(), reduction=r
            ),
            (X, CHANCES, WEIGHTS),
        ),
        f"bce {_r}": Call(
            lambda m, x, t, r=_r: m.nn.functional.binary_cross_entropy(x.sigmoid(), t, reduction=r), (X, CHANCES)
        ),
        f"triplet {_r}": Call(
            of("triplet_margin_loss", swap=True, reduction=_r), (X, numbers(3, 4), numbers(3, 4, seed=1))
        ),
        f"hinge {_r}": Call(
            lambda m, x, t, r=_r: m.nn.functional.hinge_embedding_loss(x, t.detach(), reduction=r), (numbers(3), SIGNS)
        ),
        f"ranking {_r}": Call(
            lambda m, x, y, t, r=_r: m.nn.functional.margin_ranking_loss(x, y, t.detach(), 0.3, reduction=r),
            (numbers(3), numbers(3, seed=1), SIGNS),
        ),
        f"ctc {_r}": Call(
            lambda m, x, t, n, s, r=_r: m.nn.functional.ctc_loss(x.log_softmax(-1), t, n, s, reduction=r),
            (numbers(6, 2, 4), np.array([[1, 2, 2], [3, 1, 0]]), np.array([6, 5]), np.array([3, 2])),
            second=False,
            tolerance=1e-7,
        ),
    }


@table(LOSSES)
def test_losses(call: Call) -> None:
    agree(call)


GEOMETRIES: dict[str, Any] = {
    "plain": {},
    "strided": {"stride": 2},
    "everything": {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)},
    "same": {"padding": "same", "dilation": 3},
    "grouped": {"groups": 3, "padding": 1},
}
IMAGE, KERNELS = numbers(2, 3, 7, 6), numbers(6, 3, 3, 2, seed=1)
CONVOLUTIONS: dict[str, Call] = {
    name: Call(of("conv2d", **options), (IMAGE, KERNELS[:, : 3 // options.get("groups", 1)], numbers(6)))
    for name, options in GEOMETRIES.items()
}
CONVOLUTIONS |= {
    "complex": Call(of("conv2d"), (complex_numbers(1, 2, 4, 4), complex_numbers(3, 2, 2, 2, seed=4))),
    "one dimension": Call(of("conv1d", stride=2, padding=2), (numbers(2, 3, 9), numbers(4, 3, 3))),
    "three dimensions": Call(of("conv3d", padding=1), (numbers(1, 2, 4, 4, 3), numbers(3, 2, 2, 3, 2))),
    "without a batch": Call(of("conv2d"), (IMAGE[0], KERNELS)),
    "an empty batch": Call(of("conv2d"), (IMAGE[:0], KERNELS)),
    "other channels": Call(of("conv2d"), (IMAGE, KERNELS[:, :2])),
    "too large a kernel": Call(of("conv2d"), (IMAGE[:, :, :2], KERNELS)),
    "transposed": Call(
        of("conv_transpose2d", stride=2, padding=1, output_padding=1), (numbers(2, 3, 4, 5), numbers(3, 2, 3, 2))
    ),
    "transposed, grouped": Call(
        of("conv_transpose2d", stride=3, dilation=2, groups=2), (numbers(2, 4, 4, 5), numbers(4, 3, 3, 2))
    ),
    "unfold": Call(of("unfold", (3, 2), dilation=(1, 2), padding=1, stride=2), (IMAGE,)),
    "fold": Call(of("fold", (5, 4), (3, 2), dilation=(1, 2), padding=1, stride=2), (numbers(2, 12, 6),)),
    "pixel_shuffle": Call(of("pixel_shuffle", 2), (numbers(2, 8, 3, 2),)),
    "grid_sample": Call(of("grid_sample", align_corners=False), (IMAGE, numbers(2, 3, 5, 2)), second=False),
    "affine_grid": Call(of("affine_grid", (2, 3, 4, 5), align_corners=True), (numbers(2, 2, 3),)),
}
for _mode in ("constant", "reflect", "replicate", "circular"):
    CONVOLUTIONS[f"pad {_mode}"] = Call(of("pad", (1, 2, 0, 1), mode=_mode), (IMAGE,))
for _mode in ("nearest", "bilinear", "bicubic", "area"):
    CONVOLUTIONS[f"interpolate {_mode}"] = Call(of("interpolate", size=(9, 4), mode=_mode), (IMAGE,))


@table(CONVOLUTIONS)
def test_convolutions_and_images(call: Call) -> None:
    agree(call)


WINDOWS: dict[str, Any] = {
    "plain": {},
    "overlapping": {"stride": 1},
    "padded": {"padding": 1, "stride": 2},
    "rounded up": {"ceil_mode": True, "padding": 1, "stride": 2},
}
POOLS: dict[str, Call] = {}
for _name, _options in WINDOWS.items():
    POOLS |= {
        f"max {_name}": Call(of("max_pool2d", 3, **_options), (IMAGE,)),
        f"max with places {_name}": Call(of("max_pool2d", (2, 3), return_indices=True, **_options), (IMAGE,)),
        f"mean {_name}": Call(of("avg_pool2d", 3, count_include_pad=False, **_options), (IMAGE,)),
        f"mean of a line {_name}": Call(of("avg_pool1d", 2, **_options), (IMAGE[0],)),
    }
POOLS |= {
    "dilated": Call(of("max_pool2d", 2, stride=1, dilation=2), (IMAGE,)),
    "equal numbers": Call(of("max_pool2d", 2), (np.ones((1, 1, 4, 4)),)),
    "too large": Call(of("max_pool2d", 9), (IMAGE,)),
    "adaptive mean": Call(of("adaptive_avg_pool2d", (4, None)), (IMAGE,)),
    "adaptive max": Call(of("adaptive_max_pool2d", (4, 5), return_indices=True), (IMAGE,)),
    "norm": Call(of("lp_pool2d", 2, 2), (IMAGE,), tolerance=1e-7),
}


@table(POOLS)
def test_pools(call: Call) -> None:
    agree(call)


def batch_norm(training: bool) -> Any:
    def run(m: Any, x: Any, w: Any, b: Any) -> Any:
        mean, variance = m.zeros(4, dtype=m.float64), m.ones(4, dtype=m.float64)
        return m.nn.functional.batch_norm(x, mean, variance, w, b, training), mean, variance

    return run


Y = numbers(3, 4, 5)
Q, K, W = numbers(2, 3, 4, 5), numbers(2, 3, 6, 5, seed=1), numbers(2, 3, 6, 7)
TOKENS = np.array([[0, 2, 2], [1, 0, 2]])
LAYERS: dict[str, Call] = {
    "layer_norm": Call(
        lambda m, x, w, b: m.nn.functional.layer_norm(x, (5,), w, b), (Y, numbers(5), numbers(5, seed=1))
    ),
    "layer_norm of two": Call(lambda m, x, w: m.nn.functional.layer_norm(x, (4, 5), w), (Y, numbers(4, 5))),
    "layer_norm of another shape": Call(of("layer_norm", (4,)), (Y,)),
    "rms_norm": Call(lambda m, x, w: m.nn.functional.rms_norm(x, (5,), w), (Y, numbers(5))),
    "batch_norm in training": Call(batch_norm(True), (Y, numbers(4), numbers(4, seed=1))),
    "batch_norm": Call(batch_norm(False), (Y, numbers(4), numbers(4, seed=1))),
    "batch_norm of one": Call(batch_norm(True), (Y[:1, :, 0], numbers(4), numbers(4))),
    "instance_norm": Call(of("instance_norm"), (Y,)),
    "group_norm": Call(lambda m, x, w, b: m.nn.functional.group_norm(x, 2, w, b), (Y, numbers(4), numbers(4, seed=1))),
    "local_response_norm": Call(of("local_response_norm", 3), (Y,), tolerance=1e-8),
    "normalize": Call(of("normalize"), (Y,)),
    "attention": Call(of("scaled_dot_product_attention"), (Q, K, W)),
    "causal attention": Call(of("scaled_dot_product_attention", is_causal=True), (Q, K, W)),
    "masked attention": Call(of("scaled_dot_product_attention"), (Q, K, W, numbers(4, 6))),
    "attention under a mask of bools": Call(
        of("scaled_dot_product_attention", scale=0.3), (Q, K, W, np.tril(np.ones((4, 6), bool)))
    ),
    "shared heads": Call(of("scaled_dot_product_attention", enable_gqa=True), (numbers(2, 6, 4, 5), K, W)),
    "embedding": Call(lambda m, w, i: m.nn.functional.embedding(i, w, padding_idx=2), (numbers(3, 4), TOKENS)),
    "embedding out of range": Call(lambda m, w, i: m.nn.functional.embedding(i, w), (numbers(2, 4), TOKENS)),
    "one_hot": Call(of("one_hot", 5), (TOKENS,)),
    "linear": Call(of("linear"), (numbers(2, 5, 3), numbers(4, 3), numbers(4))),
    "softmax": Call(of("softmax", 1), (Y,)),
    "log_softmax": Call(of("log_softmax", -1), (Y,)),
} | {
    f"embedding_bag {mode}": Call(
        lambda m, w, i, mode=mode: m.nn.functional.embedding_bag(i, w, mode=mode), (numbers(3, 4), TOKENS), second=False
    )
    for mode in ("sum", "mean", "max")
}


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize("name", ["huber_loss", "smooth_l1_loss", "soft_margin_loss", "mse_loss", "l1_loss"])
def test_a_loss_is_one_node_with_pytorchs_name(name: str, reduction: str) -> None:
    def node(m: Any) -> str:
        x = m.tensor([0.5, -2.0], requires_grad=True)
        return str(getattr(m.nn.functional, name)(x, m.tensor([1.0, -1.0]), reduction=reduction).grad_fn.name())

    assert node(mg) == node(torch)


@table(LAYERS)
def test_what_layers_do(call: Call) -> None:
    agree(call)

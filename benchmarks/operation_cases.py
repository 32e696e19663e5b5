"""The cases that `operations` compares: ops, modules and cells in a loop, at the sizes of tutorials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Case = Callable[[Any], Callable[[], Any]]
"""Given a library, makes the step that is timed."""


def on(function: Callable[..., Any], *shapes: tuple[int, ...], low: float = -1.0, high: float = 1.0) -> Case:
    """``function(library, *tensors)`` on random tensors of these shapes, and the gradients of all of them."""

    def make(library: Any) -> Callable[[], Any]:
        random = np.random.default_rng(0)
        inputs = [
            library.tensor(random.uniform(low, high, shape).astype("float32"), requires_grad=True) for shape in shapes
        ]
        return with_gradients(lambda: function(library, *inputs), inputs)

    return make


def module(build: Callable[[Any], Any], *shape: int) -> Case:
    """A module on a random input, and the gradients of both."""

    def make(library: Any) -> Callable[[], Any]:
        net = build(library.nn)
        values = np.random.default_rng(0).standard_normal(shape).astype("float32")
        x = library.tensor(values, requires_grad=True)
        return with_gradients(lambda: net(x), [x, *net.parameters()])

    return make


def looped(build: Callable[[Any], Any], steps: int, batch: int, size: int) -> Case:
    """A recurrent cell called in a loop."""

    def make(library: Any) -> Callable[[], Any]:
        cell = build(library.nn)
        values = np.random.default_rng(0).standard_normal((steps, batch, size)).astype("float32")
        x = library.tensor(values, requires_grad=True)

        def run() -> Any:
            state = None
            for each in x:
                state = cell(each, state)
            return state

        return with_gradients(run, [x, *cell.parameters()])

    return make


def with_gradients(run: Callable[[], Any], leaves: list[Any]) -> Callable[[], Any]:
    """A step: `run`, and backward from the sum of what it returns."""

    def step() -> Any:
        for leaf in leaves:
            leaf.grad = None
        value = run()
        while isinstance(value, tuple):
            value = value[0]
        if value.dtype.is_complex:
            value = value.abs()
        total = value.sum() if value.dim() else value
        total.backward()
        return total

    return step


def indices(library: Any, high: int, *shape: int) -> Any:
    """Random whole numbers below `high`."""
    return library.tensor(np.random.default_rng(2).integers(0, high, shape))


IMAGE = (16, 16, 28, 28)
WIDE = (256, 1024)


def functional(name: str, *shapes: tuple[int, ...], **settings: Any) -> Case:
    """A function of `nn.functional`, or of the library itself."""

    def call(library: Any, *inputs: Any) -> Any:
        found = getattr(library.nn.functional, name, None) or getattr(library, name)
        return found(*inputs, **settings)

    low, high = (0.05, 0.95) if name in ("log", "sqrt", "rsqrt", "log1p", "pow") else (-1.0, 1.0)
    return on(call, *(shapes or (WIDE,)), low=low, high=high)


ELEMENTWISE = (
    "relu", "gelu", "silu", "mish", "softplus", "elu", "selu", "leaky_relu", "hardswish", "hardtanh", "relu6",
    "sigmoid", "tanh", "logsigmoid", "softsign", "exp", "log", "sqrt", "rsqrt", "log1p", "sin", "cos", "atan", "erf",
    "abs", "square", "reciprocal", "expm1", "sinh", "floor", "sign", "neg",
)  # fmt: skip


CASES: dict[str, Case] = {
    **{f"{name} {WIDE[0]}x{WIDE[1]}": functional(name) for name in ELEMENTWISE},
    "where": on(lambda m, a, b: m.where(a > 0, a, b), WIDE, WIDE),
    "clamp": on(lambda m, a: a.clamp(-0.5, 0.5), WIDE),
    "pow 3": on(lambda m, a: a**3, WIDE),
    "pow 0.5": on(lambda m, a: a**0.5, WIDE, low=0.1),
    "add broadcast": on(lambda m, a, b: a + b, WIDE, (1024,)),
    "mul broadcast rows": on(lambda m, a, b: a * b, WIDE, (256, 1)),
    "div": on(lambda m, a, b: a / b, WIDE, WIDE, low=0.5),
    "addcmul": on(lambda m, a, b, c: m.addcmul(a, b, c), WIDE, WIDE, WIDE),
    "lerp": on(lambda m, a, b: m.lerp(a, b, 0.3), WIDE, WIDE),
    "maximum": on(lambda m, a, b: m.maximum(a, b), WIDE, WIDE),
    "softmax": functional("softmax", WIDE, dim=-1),
    "softmax short rows": functional("softmax", (4096, 32), dim=-1),
    "softmax dim 1 of 3": functional("softmax", (32, 64, 64), dim=1),
    "log_softmax": functional("log_softmax", WIDE, dim=-1),
    "logsumexp": functional("logsumexp", WIDE, dim=-1),
    "sum rows": on(lambda m, a: a.sum(-1), WIDE),
    "sum columns": on(lambda m, a: a.sum(0), WIDE),
    "mean images": on(lambda m, a: a.mean((2, 3)), IMAGE),
    "var": on(lambda m, a: a.var(-1), WIDE),
    "std": on(lambda m, a: a.std(0), WIDE),
    "norm": on(lambda m, a: a.norm(), WIDE),
    "norm rows": on(lambda m, a: a.norm(dim=-1), WIDE),
    "max rows": on(lambda m, a: a.max(-1)[0], WIDE),
    "max dim 1 of 3": on(lambda m, a: a.max(1)[0], (32, 64, 64)),
    "amax": on(lambda m, a: a.amax(-1), WIDE),
    "prod": on(lambda m, a: a.prod(-1), (256, 64)),
    "cumsum rows": on(lambda m, a: a.cumsum(-1), WIDE),
    "cumsum columns": on(lambda m, a: a.cumsum(0), WIDE),
    "cumprod": on(lambda m, a: a.cumprod(-1), (256, 64), low=0.5),
    "cummax": on(lambda m, a: a.cummax(-1)[0], (256, 256)),
    "sort": on(lambda m, a: a.sort(-1)[0], (256, 256)),
    "topk": on(lambda m, a: a.topk(5, -1)[0], WIDE),
    "median": on(lambda m, a: a.median(-1)[0], WIDE),
    "matmul": on(lambda m, a, b: a @ b, (256, 256), (256, 256)),
    "matmul batched": on(lambda m, a, b: a @ b, (64, 32, 32), (64, 32, 32)),
    "matmul batched by one": on(lambda m, a, b: a @ b, (64, 32, 128), (128, 64)),
    "vector dot": on(lambda m, a, b: a @ b, (4096,), (4096,)),
    "einsum bij,bjk": on(lambda m, a, b: m.einsum("bij,bjk->bik", a, b), (16, 64, 64), (16, 64, 64)),
    "einsum bqhd,bkhd": on(lambda m, a, b: m.einsum("bqhd,bkhd->bhqk", a, b), (8, 64, 4, 32), (8, 64, 4, 32)),
    "einsum bi,bj,ij": on(lambda m, a, b, w: m.einsum("bi,bj,ij->b", a, b, w), (128, 32), (128, 32), (32, 32)),
    "outer": on(lambda m, a, b: m.outer(a, b), (512,), (512,)),
    "linear": module(lambda nn: nn.Linear(256, 256), 128, 256),
    "linear small": module(lambda nn: nn.Linear(16, 16), 32, 16),
    "bilinear": module(lambda nn: _Pair(nn.Bilinear(32, 32, 32), nn), 64, 32),
    "conv2d 3x3 16-32": module(lambda nn: nn.Conv2d(16, 32, 3, padding=1), *IMAGE),
    "conv2d 3x3 64-64": module(lambda nn: nn.Conv2d(64, 64, 3, padding=1), 8, 64, 16, 16),
    "conv2d 5x5 1-8": module(lambda nn: nn.Conv2d(1, 8, 5), 64, 1, 28, 28),
    "conv2d 1x1": module(lambda nn: nn.Conv2d(16, 64, 1), *IMAGE),
    "conv2d stride 2": module(lambda nn: nn.Conv2d(16, 32, 3, stride=2, padding=1), *IMAGE),
    "conv2d 7x7 stride 2": module(lambda nn: nn.Conv2d(3, 32, 7, stride=2, padding=3), 8, 3, 64, 64),
    "conv2d patch 4x4": module(lambda nn: nn.Conv2d(3, 64, 4, stride=4), 32, 3, 32, 32),
    "conv2d dilated": module(lambda nn: nn.Conv2d(16, 16, 3, dilation=2, padding=2), *IMAGE),
    "conv2d depthwise": module(lambda nn: nn.Conv2d(16, 16, 3, padding=1, groups=16), *IMAGE),
    "conv2d depthwise 64": module(lambda nn: nn.Conv2d(64, 64, 5, padding=2, groups=64), 8, 64, 16, 16),
    "conv2d groups 4": module(lambda nn: nn.Conv2d(16, 32, 3, padding=1, groups=4), *IMAGE),
    "conv1d": module(lambda nn: nn.Conv1d(32, 32, 5, padding=2), 16, 32, 128),
    "conv1d causal dilated": module(lambda nn: nn.Conv1d(32, 32, 2, dilation=8), 16, 32, 128),
    "conv3d": module(lambda nn: nn.Conv3d(4, 8, 3, padding=1), 4, 4, 12, 12, 12),
    "conv_transpose2d": module(lambda nn: nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1), 16, 32, 14, 14),
    "conv_transpose1d": module(lambda nn: nn.ConvTranspose1d(32, 16, 4, stride=2, padding=1), 16, 32, 64),
    "max_pool2d": functional("max_pool2d", IMAGE, kernel_size=2),
    "max_pool2d 3 stride 2": functional("max_pool2d", IMAGE, kernel_size=3, stride=2, padding=1),
    "max_pool1d": functional("max_pool1d", (16, 32, 256), kernel_size=2),
    "avg_pool2d": functional("avg_pool2d", IMAGE, kernel_size=2),
    "avg_pool2d 3 stride 1": functional("avg_pool2d", IMAGE, kernel_size=3, stride=1, padding=1),
    "adaptive_avg_pool2d 1": functional("adaptive_avg_pool2d", IMAGE, output_size=1),
    "adaptive_avg_pool2d 7": functional("adaptive_avg_pool2d", IMAGE, output_size=7),
    "adaptive_max_pool2d 5": functional("adaptive_max_pool2d", IMAGE, output_size=5),
    "interpolate nearest": functional("interpolate", IMAGE, scale_factor=2),
    "interpolate bilinear": functional("interpolate", IMAGE, scale_factor=2, mode="bilinear"),
    "interpolate bicubic": functional("interpolate", (4, 3, 28, 28), scale_factor=2, mode="bicubic"),
    "grid_sample": on(
        lambda m, x, g: m.nn.functional.grid_sample(x, g, align_corners=False), (8, 8, 28, 28), (8, 28, 28, 2)
    ),
    "unfold": functional("unfold", IMAGE, kernel_size=3, padding=1),
    "fold": functional("fold", (16, 144, 196), output_size=(14, 14), kernel_size=3, padding=1),
    "pixel_shuffle": functional("pixel_shuffle", (16, 16, 28, 28), upscale_factor=2),
    "pad": functional("pad", IMAGE, pad=(1, 1, 1, 1)),
    "pad reflect": functional("pad", IMAGE, pad=(1, 1, 1, 1), mode="reflect"),
    "batch_norm2d": module(lambda nn: nn.BatchNorm2d(16), *IMAGE),
    "batch_norm2d eval": module(lambda nn: nn.BatchNorm2d(16).eval(), *IMAGE),
    "batch_norm1d": module(lambda nn: nn.BatchNorm1d(128), 128, 128),
    "layer_norm": module(lambda nn: nn.LayerNorm(128), 1024, 128),
    "rms_norm": module(lambda nn: nn.RMSNorm(128), 1024, 128),
    "group_norm": module(lambda nn: nn.GroupNorm(4, 16), *IMAGE),
    "instance_norm2d": module(lambda nn: nn.InstanceNorm2d(16), *IMAGE),
    "normalize": functional("normalize", (1024, 128)),
    "dropout": module(lambda nn: nn.Dropout(0.5), *WIDE),
    "dropout2d": module(lambda nn: nn.Dropout2d(0.5), *IMAGE),
    "embedding": on(lambda m, w: m.nn.functional.embedding(indices(m, 1000, 16, 64), w), (1000, 128)),
    "embedding small": on(lambda m, w: m.nn.functional.embedding(indices(m, 27, 32, 8), w), (27, 10)),
    "embedding_bag": on(lambda m, w: m.nn.functional.embedding_bag(indices(m, 1000, 64, 16), w), (1000, 64)),
    "gather": on(lambda m, a: a.gather(1, indices(m, 1024, 256, 64)), WIDE),
    "gather wide": on(lambda m, a: a.gather(1, indices(m, 1024, 256, 1024)), WIDE),
    "take_along_dim": on(lambda m, a: m.take_along_dim(a, indices(m, 256, 256, 1024), 0), WIDE),
    "index_select": on(lambda m, a: a.index_select(0, indices(m, 256, 512)), WIDE),
    "index rows": on(lambda m, a: a[indices(m, 256, 512)], WIDE),
    "index pairs": on(lambda m, a: a[indices(m, 256, 512), indices(m, 1024, 512)], WIDE),
    "boolean mask": on(lambda m, a: a[a > 0], WIDE),
    "scatter_add": on(lambda m, a, b: a.scatter_add(1, indices(m, 1024, 256, 64), b), WIDE, (256, 64)),
    "scatter_add rows": on(
        lambda m, a, b: a.scatter_add(0, indices(m, 64, 512, 1).expand(512, 128), b), (64, 128), (512, 128)
    ),
    "scatter": on(lambda m, a, b: a.scatter(1, indices(m, 1024, 256, 64), b), WIDE, (256, 64)),
    "index_add": on(lambda m, a, b: a.index_add(0, indices(m, 64, 512), b), (64, 128), (512, 128)),
    "index_copy": on(lambda m, a, b: a.index_copy(0, m.arange(64), b), (128, 128), (64, 128)),
    "masked_fill": on(lambda m, a: a.masked_fill(a > 0, 0.0), WIDE),
    "tril": on(lambda m, a: a.tril(), (512, 512)),
    "cat": on(lambda m, a, b: m.cat([a, b], 1), WIDE, WIDE),
    "stack": on(lambda m, *a: m.stack(a), *[(64, 64)] * 16),
    "split": on(lambda m, a: m.stack(a.split(64, 1)), WIDE),
    "chunk and product": on(lambda m, a: a.chunk(2, -1)[0] * a.chunk(2, -1)[1], WIDE),
    "transpose and copy": on(lambda m, a: a.transpose(0, 1).contiguous(), WIDE),
    "permute and copy": on(lambda m, a: a.permute(0, 2, 3, 1).contiguous(), IMAGE),
    "flip": on(lambda m, a: a.flip(1), WIDE),
    "roll": on(lambda m, a: a.roll(3, 1), WIDE),
    "repeat": on(lambda m, a: a.repeat(4, 1), (256, 256)),
    "repeat_interleave": on(lambda m, a: a.repeat_interleave(4, 1), (256, 256)),
    "expand and sum": on(lambda m, a: a.expand(64, 256, 64) * 2.0, (256, 64)),
    "Tensor.unfold": on(lambda m, a: a.unfold(1, 16, 8), WIDE),
    "diagonal": on(lambda m, a: a.diagonal(), (512, 512)),
    "slice": on(lambda m, a: a[:, 1:] - a[:, :-1], WIDE),
    "cross_entropy": on(lambda m, a: m.nn.functional.cross_entropy(a, indices(m, 1024, 256)), WIDE),
    "cross_entropy 10": on(lambda m, a: m.nn.functional.cross_entropy(a, indices(m, 10, 128)), (128, 10)),
    "cross_entropy images": on(lambda m, a: m.nn.functional.cross_entropy(a, indices(m, 8, 8, 32, 32)), (8, 8, 32, 32)),
    "cross_entropy soft": on(lambda m, a, b: m.nn.functional.cross_entropy(a, b.detach()), WIDE, WIDE),
    "nll_loss": on(lambda m, a: m.nn.functional.nll_loss(a, indices(m, 1024, 256)), WIDE),
    "mse_loss": functional("mse_loss", WIDE, WIDE),
    "l1_loss": functional("l1_loss", WIDE, WIDE),
    "smooth_l1_loss": functional("smooth_l1_loss", WIDE, WIDE),
    "huber_loss": functional("huber_loss", WIDE, WIDE),
    "bce": on(lambda m, a, b: m.nn.functional.binary_cross_entropy(a, b.detach()), WIDE, WIDE, low=0.05, high=0.95),
    "bce with logits": on(
        lambda m, a, b: m.nn.functional.binary_cross_entropy_with_logits(a, b.detach()), WIDE, WIDE, low=0.0
    ),
    "kl_div": on(lambda m, a, b: m.nn.functional.kl_div(a, b.detach(), reduction="sum"), WIDE, WIDE, low=0.05),
    "cosine_similarity": functional("cosine_similarity", WIDE, WIDE),
    "triplet_margin_loss": functional("triplet_margin_loss", WIDE, WIDE, WIDE),
    "ctc_loss": on(
        lambda m, a: m.nn.functional.ctc_loss(
            a.log_softmax(-1), indices(m, 19, 16, 10) + 1, m.tensor([50] * 16), m.tensor([10] * 16)
        ),
        (50, 16, 20),
    ),
    "cdist": functional("cdist", (256, 32), (256, 32)),
    "pairwise_distance": functional("pairwise_distance", WIDE, WIDE),
    "attention": functional("scaled_dot_product_attention", *[(8, 4, 64, 32)] * 3),
    "attention causal": functional("scaled_dot_product_attention", *[(8, 4, 64, 32)] * 3, is_causal=True),
    "MultiheadAttention": module(
        lambda nn: _SelfAttention(nn.MultiheadAttention(128, 4, batch_first=True), nn), 16, 64, 128
    ),
    "TransformerEncoderLayer": module(
        lambda nn: nn.TransformerEncoderLayer(128, 4, 256, 0.0, batch_first=True), 16, 32, 128
    ),
    "fft": on(lambda m, a: m.fft.fft(a), (64, 1024)),
    "rfft": on(lambda m, a: m.fft.rfft(a), (64, 1024)),
    "fft2": on(lambda m, a: m.fft.fft2(a), (16, 32, 32)),
    "stft": on(lambda m, a: m.stft(a, 256, return_complex=True), (8, 4096)),
    "inverse": on(lambda m, a: m.linalg.inv(a + 3 * m.eye(64)), (4, 64, 64)),
    "solve": on(lambda m, a, b: m.linalg.solve(a + 3 * m.eye(64), b), (4, 64, 64), (4, 64, 8)),
    "det": on(lambda m, a: m.linalg.det(a), (64, 8, 8)),
    "slogdet": on(lambda m, a: m.linalg.slogdet(a)[1], (64, 8, 8)),
    "cholesky": on(lambda m, a: m.linalg.cholesky(a @ a.mT + m.eye(64)), (4, 64, 64)),
    "qr": on(lambda m, a: m.linalg.qr(a)[1], (4, 64, 64)),
    "svd": on(lambda m, a: m.linalg.svdvals(a), (4, 32, 32)),
    "eigh": on(lambda m, a: m.linalg.eigvalsh(a + a.mT), (4, 32, 32)),
    "matrix_exp": on(lambda m, a: m.linalg.matrix_exp(a), (4, 32, 32)),
    "LSTM 35x8x64": module(lambda nn: nn.LSTM(64, 64, 2), 35, 8, 64),
    "LSTM 100x32x128": module(lambda nn: nn.LSTM(128, 128), 100, 32, 128),
    "LSTM small": module(lambda nn: nn.LSTM(10, 16), 20, 4, 10),
    "LSTM bidirectional": module(lambda nn: nn.LSTM(64, 64, bidirectional=True), 35, 8, 64),
    "GRU 35x8x64": module(lambda nn: nn.GRU(64, 64, 2), 35, 8, 64),
    "RNN 35x8x64": module(lambda nn: nn.RNN(64, 64, 2), 35, 8, 64),
    "RNNCell in a loop": looped(lambda nn: nn.RNNCell(64, 64), 35, 8, 64),
    "GRUCell in a loop": looped(lambda nn: nn.GRUCell(64, 64), 35, 8, 64),
    "LSTMCell in a loop": looped(lambda nn: nn.LSTMCell(64, 64), 35, 8, 64),
}


class _Pair:
    """A module of two inputs, given the same twice."""

    def __init__(self, inner: Any, nn: Any) -> None:
        self.inner = inner

    def __call__(self, x: Any) -> Any:
        return self.inner(x, x)

    def parameters(self) -> Any:
        """The parameters of the wrapped module."""
        return self.inner.parameters()


class _SelfAttention(_Pair):
    """A module of three inputs, given the same three times."""

    def __call__(self, x: Any) -> Any:
        return self.inner(x, x, x, need_weights=False)

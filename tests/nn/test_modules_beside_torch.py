"""Modules made alike in both libraries: how they print, what they compute, and what they keep."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity


def numbers(*shape: int, seed: int = 0) -> Any:
    return np.random.default_rng((seed, *shape)).standard_normal(shape)


LINE, IMAGE, VOLUME = numbers(2, 4, 9), numbers(2, 4, 6, 6), numbers(2, 4, 5, 6, 7)
SHAPES = {1: LINE, 2: IMAGE, 3: VOLUME}


def draws(nn: Any, dims: int) -> Any:
    """What a fractional pool would draw at random, as a tensor of the library whose `nn` this is."""
    drawn = np.abs(numbers(2, 4, dims)) % 1
    return mg.tensor(drawn) if nn is mg.nn else torch.tensor(drawn)


# name: (module, inputs); the module is made by a function of the library's `nn`.
MODULES: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    **{
        f"{kind}Pad{d}d": (lambda nn, kind=kind, d=d: getattr(nn, f"{kind}Pad{d}d")(2), (SHAPES[d],))
        for kind in ("Reflection", "Replication", "Circular", "Zero")
        for d in (1, 2, 3)
    },
    **{f"{kind}{d}d": (lambda nn, kind=kind, d=d: getattr(nn, f"{kind}{d}d")(2), (SHAPES[d],))
       for kind in ("AdaptiveAvgPool", "AdaptiveMaxPool", "AvgPool", "MaxPool") for d in (1, 2, 3)},
    **{f"LPPool{d}d": (lambda nn, d=d: getattr(nn, f"LPPool{d}d")(2, 3), (np.abs(SHAPES[d]),)) for d in (1, 2, 3)},
    **{f"InstanceNorm{d}d": (lambda nn, d=d: getattr(nn, f"InstanceNorm{d}d")(4, affine=True), (SHAPES[d],))
       for d in (1, 2, 3)},
    "ConstantPad2d": (lambda nn: nn.ConstantPad2d((1, 2, 0, 1), 3.5), (IMAGE,)),
    "ConvTranspose3d": (lambda nn: nn.ConvTranspose3d(4, 2, 3, stride=2, output_padding=1), (VOLUME,)),
    "CELU": (lambda nn: nn.CELU(0.7), (LINE,)),
    "Hardsigmoid": (lambda nn: nn.Hardsigmoid(), (LINE * 3,)),
    "Hardshrink": (lambda nn: nn.Hardshrink(0.3), (LINE,)),
    "Softshrink": (lambda nn: nn.Softshrink(0.3), (LINE,)),
    "Softsign": (lambda nn: nn.Softsign(), (LINE,)),
    "Softmax2d": (lambda nn: nn.Softmax2d(), (IMAGE,)),
    "Threshold": (lambda nn: nn.Threshold(0.1, 2.0), (LINE,)),
    "RReLU at rest": (lambda nn: nn.RReLU().eval(), (LINE,)),
    "Dropout2d at rest": (lambda nn: nn.Dropout2d(0.3).eval(), (IMAGE,)),
    **{
        f"FractionalMaxPool{d}d": (
            lambda nn, d=d: getattr(nn, f"FractionalMaxPool{d}d")(
                2, output_size=3, return_indices=True, _random_samples=draws(nn, d)
            ),
            (SHAPES[d],),
        )
        for d in (2, 3)
    },
    "PixelUnshuffle": (lambda nn: nn.PixelUnshuffle(2), (IMAGE,)),
    "ChannelShuffle": (lambda nn: nn.ChannelShuffle(2), (IMAGE,)),
    "Unfold": (lambda nn: nn.Unfold(2, stride=2), (IMAGE,)),
    "Fold": (lambda nn: nn.Fold(4, 2, stride=2), (IMAGE.reshape(2, 16, 9)[:, :, :4],)),
    "UpsamplingNearest2d": (lambda nn: nn.UpsamplingNearest2d(scale_factor=2), (IMAGE,)),
    "UpsamplingBilinear2d": (lambda nn: nn.UpsamplingBilinear2d(size=9), (IMAGE,)),
    "CosineSimilarity": (lambda nn: nn.CosineSimilarity(), (LINE, LINE[::-1].copy())),
    "PairwiseDistance": (lambda nn: nn.PairwiseDistance(3.0), (LINE, LINE[::-1].copy())),
    "EmbeddingBag": (lambda nn: nn.EmbeddingBag(6, 3, mode="sum", padding_idx=2), (np.array([[0, 2, 5], [1, 1, 4]]),)),
    "MultiMarginLoss": (lambda nn: nn.MultiMarginLoss(p=2), (numbers(3, 5), np.array([1, 0, 4]))),
    "MultiLabelSoftMarginLoss": (lambda nn: nn.MultiLabelSoftMarginLoss(), (numbers(3, 5), np.ones((3, 5)))),
    "PoissonNLLLoss": (lambda nn: nn.PoissonNLLLoss(full=True), (numbers(3, 5), np.full((3, 5), 2.0))),
    "GaussianNLLLoss": (lambda nn: nn.GaussianNLLLoss(), (numbers(3), numbers(3, seed=1), np.array([0.5, 1.0, 2.0]))),
    "TripletMarginWithDistanceLoss": (
        lambda nn: nn.TripletMarginWithDistanceLoss(swap=True),
        (numbers(3, 5), numbers(3, 5, seed=1), numbers(3, 5, seed=2)),
    ),
    "LSTM with a projection": (lambda nn: nn.LSTM(4, 6, 2, proj_size=3, bidirectional=True), (numbers(5, 2, 4),)),
    "attention with one more key": (
        lambda nn: nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True),
        (numbers(3, 2, 4), numbers(5, 2, 4), numbers(5, 2, 4, seed=1)),
    ),
    "TransformerDecoderLayer": (
        lambda nn: nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), (numbers(3, 2, 4), numbers(5, 2, 4)),
    ),
    "TransformerDecoder": (
        lambda nn: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0, norm_first=True), 2),
        (numbers(3, 2, 4), numbers(5, 2, 4)),
    ),
    "Transformer": (
        lambda nn: nn.Transformer(4, 2, 1, 1, 8, dropout=0.0), (numbers(5, 2, 4), numbers(3, 2, 4)),
    ),
}  # fmt: skip


def made(make: Callable[[Any], Any]) -> tuple[Any, Any]:
    """The module in both libraries, with PyTorch's parameters."""
    torch.manual_seed(0)
    theirs, ours = make(torch.nn).double(), make(mg.nn).double()
    ours.load_state_dict({name: mg.from_numpy(value.cpu().numpy()) for name, value in theirs.state_dict().items()})
    return ours, theirs


def run(lib: Any, module: Any, arrays: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """Results, and the gradients of the sum of their squares."""
    inputs = [lib.tensor(each) for each in arrays]
    moving = [each.requires_grad_() for each in inputs if each.is_floating_point()]
    found = module(*inputs)
    results = [each for each in (found if isinstance(found, tuple) else (found,)) if hasattr(each, "detach")]
    loss = sum((each * each).sum() for each in results if each.requires_grad)
    wanted = [*moving, *module.parameters()]
    slopes = lib.autograd.grad(loss, wanted, allow_unused=True) if hasattr(loss, "backward") else []
    grads = [None if each is None else each.cpu().numpy() for each in slopes]
    return [each.detach().cpu().numpy() for each in results], grads


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("name", MODULES)
def test_a_module_computes_what_pytorchs_does(name: str) -> None:
    make, arrays = MODULES[name]
    ours, theirs = made(make)
    for mine, other in zip(run(mg, ours, arrays), run(torch, theirs, arrays), strict=True):
        for a, b in zip(mine, other, strict=True):
            if a is None or b is None:
                assert (a is None or not a.any()) and (b is None or not b.any())
            else:
                np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", [each for each in MODULES if "ransformer" not in each and "attention" not in each])
def test_a_module_prints_as_pytorchs_does(name: str) -> None:
    ours, theirs = made(MODULES[name][0])
    assert repr(ours) == repr(theirs)
    assert list(ours.state_dict()) == list(theirs.state_dict())


def test_unpooling_undoes_a_pool() -> None:
    for lib in (mg, torch):
        pool, back = lib.nn.MaxPool2d(2, return_indices=True), lib.nn.MaxUnpool2d(2)
        found, where = pool(lib.tensor(IMAGE))
        again, _ = pool(back(found, where))
        assert again.tolist() == found.clamp(min=0).tolist()

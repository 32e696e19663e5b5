"""Layers give what PyTorch's give, forward and backward, from the same parameters; and print as they do."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

random = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return random.standard_normal(shape).astype("float32")


X23, X234, X2345 = floats(2, 3), floats(2, 3, 4), floats(2, 3, 4, 5)
IMAGES, SIGNALS = floats(2, 4, 9, 8), floats(2, 4, 11)
INTEGERS = np.array([[1, 0, 4], [3, 3, 2]])
SEQUENCE = floats(5, 2, 3)
SELF = floats(2, 5, 8)

# name: (module, inputs)
LAYERS: dict[str, tuple[Callable[[Any], Any], tuple[Any, ...]]] = {
    "Identity": (lambda nn: nn.Identity(3, unused=4), (X23,)),
    "Linear": (lambda nn: nn.Linear(3, 5), (X23,)),
    "Linear without bias": (lambda nn: nn.Linear(4, 2, bias=False), (X234,)),
    "Bilinear": (lambda nn: nn.Bilinear(3, 4, 2), (X23, floats(2, 4))),
    "Flatten": (lambda nn: nn.Flatten(), (X2345,)),
    "Flatten some": (lambda nn: nn.Flatten(1, 2), (X2345,)),
    "Unflatten": (lambda nn: nn.Unflatten(1, (3, 1)), (X23,)),
    "PixelShuffle": (lambda nn: nn.PixelShuffle(2), (IMAGES,)),
    "Dropout of nothing": (lambda nn: nn.Dropout(0.0), (X23,)),
    "Embedding": (lambda nn: nn.Embedding(5, 3), (INTEGERS,)),
    "Embedding with padding": (lambda nn: nn.Embedding(5, 3, padding_idx=-2), (INTEGERS,)),
    "Conv1d": (lambda nn: nn.Conv1d(4, 6, 3, stride=2, padding=1, groups=2), (SIGNALS,)),
    "Conv2d": (lambda nn: nn.Conv2d(4, 6, (3, 2), stride=(2, 1), padding=1, dilation=(1, 2)), (IMAGES,)),
    "Conv2d same": (lambda nn: nn.Conv2d(4, 2, 3, padding="same", bias=False), (IMAGES,)),
    "Conv2d circular": (lambda nn: nn.Conv2d(4, 2, 3, padding=1, padding_mode="circular"), (IMAGES,)),
    "Conv2d reflect same": (lambda nn: nn.Conv2d(4, 2, 3, padding="same", padding_mode="reflect"), (IMAGES,)),
    "Conv3d": (lambda nn: nn.Conv3d(2, 3, 2), (floats(1, 2, 3, 4, 3),)),
    "ConvTranspose1d": (lambda nn: nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1, output_padding=1), (SIGNALS,)),
    "ConvTranspose2d": (lambda nn: nn.ConvTranspose2d(4, 2, 3, stride=2, groups=2, dilation=2), (IMAGES,)),
    "MaxPool1d": (lambda nn: nn.MaxPool1d(2), (SIGNALS,)),
    "MaxPool2d": (lambda nn: nn.MaxPool2d(3, stride=2, padding=1), (IMAGES,)),
    "MaxPool2d ceil": (lambda nn: nn.MaxPool2d((2, 3), ceil_mode=True), (IMAGES,)),
    "AvgPool1d": (lambda nn: nn.AvgPool1d(3, 2, 1), (SIGNALS,)),
    "AvgPool2d": (lambda nn: nn.AvgPool2d(2, padding=1, count_include_pad=False), (IMAGES,)),
    "LPPool2d": (lambda nn: nn.LPPool2d(2, 2), (np.abs(IMAGES),)),
    "AdaptiveAvgPool2d": (lambda nn: nn.AdaptiveAvgPool2d((4, 3)), (IMAGES,)),
    "AdaptiveMaxPool2d": (lambda nn: nn.AdaptiveMaxPool2d(3), (IMAGES,)),
    "Upsample": (lambda nn: nn.Upsample(scale_factor=2), (IMAGES,)),
    "Upsample bilinear": (lambda nn: nn.Upsample(size=(5, 5), mode="bilinear", align_corners=True), (IMAGES,)),
    "BatchNorm1d": (lambda nn: nn.BatchNorm1d(3), (X23,)),
    "BatchNorm1d over time": (lambda nn: nn.BatchNorm1d(3, eps=1e-3, momentum=None), (X234,)),
    "BatchNorm2d": (lambda nn: nn.BatchNorm2d(4, momentum=0.3), (IMAGES,)),
    "BatchNorm2d without memory": (lambda nn: nn.BatchNorm2d(4, track_running_stats=False, affine=False), (IMAGES,)),
    "BatchNorm2d in use": (lambda nn: nn.BatchNorm2d(4).eval(), (IMAGES,)),
    "InstanceNorm2d": (lambda nn: nn.InstanceNorm2d(4, affine=True), (IMAGES,)),
    "LayerNorm": (lambda nn: nn.LayerNorm(4), (X234,)),
    "LayerNorm over two": (lambda nn: nn.LayerNorm((3, 4), eps=1e-3, bias=False), (X234,)),
    "GroupNorm": (lambda nn: nn.GroupNorm(2, 4), (IMAGES,)),
    "RMSNorm": (lambda nn: nn.RMSNorm(4), (X234,)),
    "LocalResponseNorm": (lambda nn: nn.LocalResponseNorm(2), (IMAGES,)),
    "RNNCell": (lambda nn: nn.RNNCell(3, 4, nonlinearity="relu"), (X23, floats(2, 4))),
    "LSTMCell": (lambda nn: nn.LSTMCell(3, 4), (X23,)),
    "GRUCell": (lambda nn: nn.GRUCell(3, 4, bias=False), (X23, floats(2, 4))),
    "RNN": (lambda nn: nn.RNN(3, 4), (SEQUENCE,)),
    "RNN relu": (lambda nn: nn.RNN(3, 4, nonlinearity="relu", bias=False), (SEQUENCE, floats(1, 2, 4))),
    "LSTM": (lambda nn: nn.LSTM(3, 4, 2, bidirectional=True), (SEQUENCE,)),
    "LSTM batch first": (lambda nn: nn.LSTM(3, 4, batch_first=True), (SEQUENCE,)),
    "GRU": (lambda nn: nn.GRU(3, 4, num_layers=2), (SEQUENCE, floats(2, 2, 4))),
    "GRU without batch": (lambda nn: nn.GRU(3, 4, bidirectional=True), (floats(5, 3),)),
    "MultiheadAttention": (lambda nn: nn.MultiheadAttention(8, 2), (SELF, SELF, SELF)),
    "MultiheadAttention batch first": (
        lambda nn: nn.MultiheadAttention(8, 4, batch_first=True, kdim=3, vdim=6),
        (SELF, floats(2, 7, 3), floats(2, 7, 6)),
    ),
    "MultiheadAttention without batch": (
        lambda nn: nn.MultiheadAttention(8, 2, bias=False),
        (SELF[0], SELF[1], SELF[1]),
    ),
    "TransformerEncoderLayer": (lambda nn: nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), (SELF,)),
    "TransformerEncoderLayer norm first": (
        lambda nn: nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True, norm_first=True, bias=False),
        (SELF,),
    ),
    "TransformerEncoder": (
        lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0), 2, norm=nn.LayerNorm(8)),
        (SELF,),
    ),
    "ReLU": (lambda nn: nn.ReLU(), (X23,)),
    "ReLU6": (lambda nn: nn.ReLU6(), (X23 * 5,)),
    "LeakyReLU": (lambda nn: nn.LeakyReLU(0.2), (X23,)),
    "PReLU": (lambda nn: nn.PReLU(3, init=0.1), (X234,)),
    "ELU": (lambda nn: nn.ELU(0.7), (X23,)),
    "SELU": (lambda nn: nn.SELU(), (X23,)),
    "GELU": (lambda nn: nn.GELU(), (X23,)),
    "GELU tanh": (lambda nn: nn.GELU(approximate="tanh"), (X23,)),
    "SiLU": (lambda nn: nn.SiLU(), (X23,)),
    "Mish": (lambda nn: nn.Mish(), (X23,)),
    "Softplus": (lambda nn: nn.Softplus(beta=2), (X23,)),
    "Tanh": (lambda nn: nn.Tanh(), (X23,)),
    "Tanhshrink": (lambda nn: nn.Tanhshrink(), (X23,)),
    "Hardtanh": (lambda nn: nn.Hardtanh(-0.5, 0.5), (X23,)),
    "Hardswish": (lambda nn: nn.Hardswish(), (X23 * 3,)),
    "Sigmoid": (lambda nn: nn.Sigmoid(), (X23,)),
    "LogSigmoid": (lambda nn: nn.LogSigmoid(), (X23,)),
    "Softmax": (lambda nn: nn.Softmax(dim=1), (X234,)),
    "LogSoftmax": (lambda nn: nn.LogSoftmax(dim=-1), (X234,)),
    "Softmin": (lambda nn: nn.Softmin(dim=1), (X23,)),
    "GLU": (lambda nn: nn.GLU(-1), (X234,)),
}
PRINTED_DIFFERENTLY = {"MultiheadAttention", "TransformerEncoder", "PReLU", "LPPool2d"}


def both(name: str) -> tuple[Any, Any]:
    """The layer of either library, with the same parameters."""
    make, _ = LAYERS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what PyTorch has to say of its own fast paths
        ours, theirs = make(mg.nn), make(torch.nn)
    ours.load_state_dict(theirs.state_dict())
    return ours, theirs


def leaves(outputs: Any) -> list[Any]:
    """The tensors of an output, however it is packed."""
    if isinstance(outputs, (tuple, list)):
        return [leaf for each in outputs for leaf in leaves(each)]
    return [] if outputs is None else [outputs]


def run(lib: Any, layer: Any, arrays: tuple[Any, ...]) -> tuple[list[Any], list[Any]]:
    """Outputs, and the gradients of inputs and parameters."""
    same: dict[int, Any] = {}  # one array is one tensor: self-attention is recognised by it
    inputs = [same.setdefault(id(a), lib.tensor(a, requires_grad=a.dtype.kind == "f")) for a in arrays]
    outputs = leaves(layer(*inputs))
    loss = sum((out * lib.linspace(-1, 1, out.numel()).reshape(out.shape)).sum() for out in outputs)
    loss.backward()  # type: ignore[union-attr]
    grads = [each.grad for each in (*inputs, *layer.parameters())]
    return [out.detach() for out in outputs], grads


@pytest.mark.parametrize("name", LAYERS)
def test_it_computes_what_pytorchs_does(name: str) -> None:
    ours, theirs = both(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # and of even kernels
        expected_outputs, expected_grads = run(torch, theirs, LAYERS[name][1])
    outputs, grads = run(mg, ours, LAYERS[name][1])
    for one, other in zip(outputs, expected_outputs, strict=True):
        np.testing.assert_allclose(one.cpu().numpy(), other.cpu().numpy(), rtol=1e-4, atol=2e-5)
    for one, other in zip(grads, expected_grads, strict=True):
        assert (one is None) == (other is None)
        if one is not None:
            np.testing.assert_allclose(one.cpu().numpy(), other.cpu().numpy(), rtol=1e-4, atol=5e-5)


@pytest.mark.parametrize("name", LAYERS)
def test_it_keeps_the_same_state(name: str) -> None:
    ours, theirs = both(name)
    run(mg, ours, LAYERS[name][1])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run(torch, theirs, LAYERS[name][1])
    state, expected = ours.state_dict(), theirs.state_dict()
    assert list(state) == list(expected)
    for key, value in state.items():
        np.testing.assert_allclose(value.cpu().numpy(), expected[key].cpu().numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", LAYERS)
def test_it_has_the_same_places_for_parameters(name: str) -> None:
    ours, theirs = (vars(each)["_parameters"] for each in both(name))
    plain = {"bias_k", "bias_v"}  # PyTorch sets these two to None without a place
    assert set(ours) - plain == set(theirs) - plain


@pytest.mark.parametrize("name", [name for name in LAYERS if name.split()[0] not in PRINTED_DIFFERENTLY])
def test_it_prints_the_same(name: str) -> None:
    ours, theirs = both(name)
    if name.startswith("TransformerEncoderLayer"):
        assert repr(ours).startswith("TransformerEncoderLayer(\n  (self_attn): MultiheadAttention(")
    else:
        assert repr(ours) == repr(theirs)

"""What layers do beyond their formulas: modes, masks, starting values, refusals."""

from __future__ import annotations

import math
from typing import Any

import pytest

Lib = Any


def test_dropout_drops_in_training_only(lib: Lib) -> None:
    lib.manual_seed(0)
    layer = lib.nn.Dropout(0.25)
    x = lib.ones(10_000)
    dropped = layer(x)
    share = (dropped == 0).float().mean().item()
    assert 0.22 < share < 0.28 and dropped.max().item() == pytest.approx(4 / 3)
    assert layer.eval()(x).tolist() == x.tolist()
    with pytest.raises(ValueError, match="has to be between 0 and 1"):
        lib.nn.Dropout(1.5)


def test_batch_norm_uses_what_it_remembers(lib: Lib) -> None:
    layer = lib.nn.BatchNorm1d(2)
    x = lib.tensor([[1.0, 10.0], [3.0, 30.0]])
    layer(x)
    assert layer.running_mean.tolist() == pytest.approx([0.2, 2.0])
    assert layer.num_batches_tracked.item() == 1
    layer.eval()
    before = layer.running_mean.tolist()
    layer(x)
    assert layer.running_mean.tolist() == before
    layer.reset_running_stats()
    assert layer.running_mean.tolist() == [0.0, 0.0] and layer.num_batches_tracked.item() == 0
    with pytest.raises(ValueError, match="expected 2D or 3D input"):
        layer(lib.ones(1, 2, 3, 4))


def test_the_vector_at_the_padding_index_is_never_learnt(lib: Lib) -> None:
    table = lib.nn.Embedding(4, 2, padding_idx=1)
    assert table.weight[1].tolist() == [0.0, 0.0]
    table(lib.tensor([1, 2, 2])).sum().backward()
    assert table.weight.grad.tolist() == [[0.0, 0.0], [0.0, 0.0], [2.0, 2.0], [0.0, 0.0]]


def test_an_embedding_can_be_given(lib: Lib) -> None:
    weight = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    table = lib.nn.Embedding.from_pretrained(weight)
    assert table(lib.tensor([1])).tolist() == [[3.0, 4.0]] and not table.weight.requires_grad


def test_a_causal_mask_hides_what_comes_later(lib: Lib) -> None:
    lib.manual_seed(0)
    attention = lib.nn.MultiheadAttention(8, 2, batch_first=True).eval()
    x = lib.randn(2, 5, 8)
    mask = lib.triu(lib.ones(5, 5), diagonal=1).bool()
    output, weights = attention(x, x, x, attn_mask=mask)
    assert (weights * mask.float()).abs().max().item() == 0.0
    changed = x.clone()
    changed[:, -1] = 0.0
    other, _ = attention(changed, changed, changed, attn_mask=mask, need_weights=False)
    assert (output[:, :-1] - other[:, :-1]).abs().max().item() < 1e-6


def test_padding_is_hidden_from_every_query(lib: Lib) -> None:
    lib.manual_seed(0)
    attention = lib.nn.MultiheadAttention(8, 2, batch_first=True)
    x = lib.randn(2, 3, 8)
    padding = lib.tensor([[False, False, True], [False, False, False]])
    _, weights = attention(x, x, x, key_padding_mask=padding)
    assert weights[0, :, 2].tolist() == [0.0] * 3 and weights[1, :, 2].min().item() > 0
    _, heads = attention(x, x, x, average_attn_weights=False)
    assert tuple(heads.shape) == (2, 2, 3, 3)


def test_an_encoder_layer_takes_masks(lib: Lib) -> None:
    lib.manual_seed(0)
    layer = lib.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
    x = lib.randn(1, 4, 8)
    mask = lib.triu(lib.full((4, 4), -math.inf), diagonal=1)
    changed = x.clone()
    changed[:, -1] = 0.0
    difference = layer(x, src_mask=mask) - layer(changed, src_mask=mask)
    assert difference[:, :-1].abs().max().item() < 1e-6


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda nn: nn.MultiheadAttention(6, 4), (ValueError, AssertionError), "divisible by num_heads"),
        (lambda nn: nn.GroupNorm(3, 4), ValueError, "divisible by num_groups"),
        (lambda nn: nn.Conv2d(3, 4, 3, groups=2), ValueError, "divisible by groups"),
        (lambda nn: nn.Conv2d(3, 4, 3, padding_mode="mirror"), ValueError, "padding_mode must be one of"),
        (lambda nn: nn.RNN(2, 3, nonlinearity="sin"), ValueError, "[Uu]nknown nonlinearity"),
        (lambda nn: nn.Embedding(3, 2, padding_idx=5), (ValueError, AssertionError), "within num_embeddings"),
    ],
)
def test_what_cannot_be_is_refused(lib: Lib, make: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        make(lib.nn)


def test_a_recurrent_layer_refuses_other_widths(lib: Lib) -> None:
    layer = lib.nn.LSTM(3, 4)
    with pytest.raises((RuntimeError, ValueError)):
        layer(lib.ones(5, 2, 7))
    with pytest.raises(RuntimeError, match="Expected hidden"):
        layer(lib.ones(5, 2, 3), (lib.zeros(2, 2, 4), lib.zeros(2, 2, 4)))


def test_a_transposed_convolution_reaches_a_wanted_size(lib: Lib) -> None:
    layer = lib.nn.ConvTranspose2d(1, 1, 3, stride=2, padding=1)
    x = lib.ones(1, 1, 4, 4)
    assert tuple(layer(x).shape[-2:]) == (7, 7)
    assert tuple(layer(x, output_size=(8, 8)).shape[-2:]) == (8, 8)
    with pytest.raises(ValueError, match="requested an output size"):
        layer(x, output_size=(12, 12))


@pytest.mark.parametrize(
    ("name", "bound"),
    [("Linear", 1 / math.sqrt(64)), ("Conv1d", 1 / math.sqrt(64 * 3)), ("GRUCell", 1 / math.sqrt(64))],
)
def test_layers_start_uniform_within_their_bound(lib: Lib, name: str, bound: float) -> None:
    lib.manual_seed(0)
    layer = lib.nn.Conv1d(64, 64, 3) if name == "Conv1d" else getattr(lib.nn, name)(64, 64)
    for parameter in layer.parameters():
        assert parameter.abs().max().item() <= bound
        assert parameter.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.2)


def test_losses_are_those_of_the_functions(lib: Lib) -> None:
    nn, F = lib.nn, lib.nn.functional
    scores, classes = lib.tensor([[1.0, 2.0, 0.5], [0.1, -1.0, 3.0]]), lib.tensor([1, 2])
    target = lib.tensor([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    weight = lib.tensor([1.0, 2.0, 0.5])
    pairs = [
        (nn.MSELoss(), F.mse_loss(scores, target)),
        (nn.L1Loss(reduction="sum"), F.l1_loss(scores, target, reduction="sum")),
        (nn.SmoothL1Loss(beta=0.5), F.smooth_l1_loss(scores, target, beta=0.5)),
        (nn.HuberLoss(delta=0.5), F.huber_loss(scores, target, delta=0.5)),
        (nn.BCEWithLogitsLoss(weight), F.binary_cross_entropy_with_logits(scores, target, weight)),
        (nn.KLDivLoss(reduction="batchmean"), F.kl_div(scores, target, reduction="batchmean")),
    ]
    for module, expected in pairs:
        assert module(scores, target).item() == pytest.approx(expected.item())
    loss = nn.CrossEntropyLoss(weight=weight, label_smoothing=0.1)
    assert loss(scores, classes).item() == pytest.approx(
        F.cross_entropy(scores, classes, weight, label_smoothing=0.1).item()
    )
    assert nn.NLLLoss()(scores.log_softmax(1), classes).item() == pytest.approx(F.cross_entropy(scores, classes).item())
    assert nn.BCELoss()(scores.sigmoid(), target).item() == pytest.approx(
        nn.BCEWithLogitsLoss()(scores, target).item(), rel=1e-5
    )


def test_embedding_losses_are_those_of_the_functions(lib: Lib) -> None:
    nn, F = lib.nn, lib.nn.functional
    a, b, c = lib.tensor([[1.0, 2.0], [0.5, -1.0]]), lib.tensor([[0.5, 1.0], [1.0, 1.0]]), lib.tensor([[2.0, 0.0]] * 2)
    sign = lib.tensor([1.0, -1.0])
    assert nn.CosineEmbeddingLoss(0.2)(a, b, sign).item() == pytest.approx(
        F.cosine_embedding_loss(a, b, sign, 0.2).item()
    )
    assert nn.HingeEmbeddingLoss()(a[0], sign).item() == pytest.approx(F.hinge_embedding_loss(a[0], sign).item())
    assert nn.MarginRankingLoss(0.1)(a[0], b[0], sign).item() == pytest.approx(
        F.margin_ranking_loss(a[0], b[0], sign, 0.1).item()
    )
    assert nn.TripletMarginLoss(0.5)(a, b, c).item() == pytest.approx(F.triplet_margin_loss(a, b, c, 0.5).item())
    logs = lib.zeros(4, 1, 3).log_softmax(2)
    lengths = (lib.tensor([4]), lib.tensor([2]))
    target = lib.tensor([[1, 2]])
    assert nn.CTCLoss()(logs, target, *lengths).item() == pytest.approx(F.ctc_loss(logs, target, *lengths).item())


def test_in_place_activations_overwrite_their_input(lib: Lib) -> None:
    for layer in (lib.nn.ReLU(inplace=True), lib.nn.LeakyReLU(0.1, inplace=True), lib.nn.ELU(inplace=True)):
        x = lib.tensor([-1.0, 2.0])
        assert layer(x) is x and x[0].item() > -1.0
        assert "inplace=True" in repr(layer)


@pytest.mark.parametrize(("name", "shape"), [("dropout1d", (40, 3)), ("dropout3d", (40, 3, 2, 2))])
def test_channels_are_dropped_whole_where_there_is_no_batch(lib: Any, name: str, shape: tuple[int, ...]) -> None:
    """The first dimension is that of the channels then; single elements were dropped before."""
    rows = getattr(lib.nn.functional, name)(lib.ones(shape)).reshape(shape[0], -1)
    assert (rows == rows[:, :1]).all()
    assert 0 < (rows[:, 0] == 0).sum() < shape[0]


def test_channels_want_the_dimensions_of_their_name(lib: Any) -> None:
    functional = lib.nn.functional
    for ndim in (1, 4):
        with pytest.raises(RuntimeError, match=f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input"):
            functional.dropout1d(lib.ones([2] * ndim))
    for name, ndim in (("dropout2d", 2), ("dropout2d", 5), ("dropout3d", 3)):
        with pytest.warns(UserWarning, match=f"{name}: Received a {ndim}-D input to {name}, which is deprecated"):
            getattr(functional, name)(lib.ones([2] * ndim))
    with pytest.warns(
        UserWarning, match="dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D"
    ):
        lib.nn.Dropout2d()(lib.ones(2, 2, 2))


@pytest.mark.parametrize("name", ["float", "double", "half", "bfloat16"])
def test_complex_parameters_keep_their_imaginary_part(lib: Any, name: str) -> None:
    module = lib.nn.Linear(2, 2, dtype=lib.complex64)
    module.register_buffer("scale", lib.ones(2))
    getattr(module, name)()
    assert module.weight.dtype is lib.complex64
    assert module.scale.dtype is getattr(lib, {"half": "float16"}.get(name, name))

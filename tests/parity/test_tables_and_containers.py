"""Embedding tables with every setting, modules in a row several times, encoders that skip padding."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from .same import refused, same

pytestmark = pytest.mark.parity


@pytest.mark.parametrize(
    "settings",
    [
        {"scale_grad_by_freq": True},
        {"max_norm": 1.0},
        {"max_norm": 1.0, "norm_type": 1.0, "padding_idx": 2, "scale_grad_by_freq": True},
        {"sparse": True},
    ],
)
def test_a_table_of_vectors(settings: dict[str, Any]) -> None:
    def program(lib: Any) -> Any:
        table = lib.nn.Embedding(5, 3, **settings)
        (table(lib.tensor([[1, 1, 2], [4, 1, 0]])) ** 2).sum().backward()
        grad = table.weight.grad.to_dense() if settings.get("sparse") else table.weight.grad
        bag = lib.nn.EmbeddingBag(5, 3, mode="sum", **settings)
        (bag(lib.tensor([[1, 1, 2], [4, 1, 0]])) ** 2).sum().backward()
        bags = bag.weight.grad.to_dense() if settings.get("sparse") else bag.weight.grad
        if settings.get("scale_grad_by_freq"):  # PyTorch's bags divide by the count of another row
            return str(table), str(bag), table.weight, grad, bag.weight
        return str(table), str(bag), table.weight, grad, bag.weight, bags

    same(program)


def test_scaled_gradients_have_slopes() -> None:
    def program(lib: Any) -> Any:
        weight = lib.randn(4, 2, dtype=lib.float64, requires_grad=True)
        words = lib.tensor([1, 1, 2, 0, 0, 0])

        def picked(weight: Any) -> Any:
            return lib.nn.functional.embedding(words, weight, scale_grad_by_freq=True) ** 2

        return lib.autograd.grad(picked(weight).sum(), weight, create_graph=True)[0].sum()

    same(program)


def test_tables_that_are_known_already() -> None:
    def program(lib: Any) -> Any:
        table = lib.nn.Embedding.from_pretrained(lib.eye(3), False, 0, 2.0)
        frozen = lib.nn.Embedding.from_pretrained(lib.eye(3))
        bag = lib.nn.EmbeddingBag.from_pretrained(lib.eye(3), mode="max")
        return str(table), table.weight, frozen.weight, str(bag), bag(lib.tensor([[1, 2]]))

    same(program)
    refused(lambda lib: lib.nn.Embedding.from_pretrained(lib.ones(3)))
    refused(lambda lib: lib.nn.EmbeddingBag(3, 2, mode="max", sparse=True)(lib.tensor([[1]])))


@pytest.mark.parametrize("name", ["SparseAdam", "SGD", "Adagrad"])
def test_rows_that_are_not_used_stay_as_they_are(name: str) -> None:
    def program(lib: Any) -> Any:
        table = lib.nn.Embedding(5, 3, sparse=True)
        optimiser = getattr(lib.optim, name)(table.parameters(), lr=0.1)
        for word in range(4):
            optimiser.zero_grad()
            (table(lib.tensor([1, word, 2])) ** 2).sum().backward()
            optimiser.step()
        return table.weight

    same(program)


def test_modules_several_times_in_a_row() -> None:
    def program(lib: Any) -> Any:
        nn = lib.nn
        row = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
        twice, thrice = row * 2, 3 * row
        shared = twice[0] is twice[2]
        row *= 2
        return str(twice), len(thrice), shared, len(row), row[0] is row[2]

    same(program)
    refused(lambda lib: lib.nn.Sequential(lib.nn.ReLU()) * 0)
    refused(lambda lib: lib.nn.Sequential(lib.nn.ReLU()) * 1.5)


def test_an_instance_norm_without_momentum_keeps_its_memory() -> None:
    def program(lib: Any) -> Any:
        norm = lib.nn.InstanceNorm1d(3, momentum=None, track_running_stats=True)
        return norm(lib.randn(2, 3, 4)), norm.running_mean, norm.running_var

    same(program)


@pytest.mark.parametrize("settings", [{}, {"nhead": 1}, {"norm_first": True}, {"activation": "gelu"}, {"bias": False}])
@pytest.mark.parametrize("hidden", ["ends", "middle", "all", "numbers"])
@pytest.mark.parametrize("nested", [True, False])
def test_an_encoder_in_use_leaves_padding_out(settings: dict[str, Any], hidden: str, nested: bool) -> None:
    masks: dict[str, Any] = {
        "ends": [[False, True, True], [False, False, True], [False, False, True]],
        "middle": [[False, True, False], [False, False, True], [False, False, True]],
        "all": [[False, False, False], [False, False, True], [False, False, True]],
        "numbers": [[0.0, float("-inf"), float("-inf")], [0.0, 0.0, 0.0], [0.0, 0.0, float("-inf")]],
    }

    def program(lib: Any) -> Any:
        layer = lib.nn.TransformerEncoderLayer(4, **{"nhead": 2, **settings}, dim_feedforward=8, batch_first=True)
        encoder = lib.nn.TransformerEncoder(layer, 2, lib.nn.LayerNorm(4), enable_nested_tensor=nested).eval()
        x, padding = lib.randn(3, 3, 4), lib.tensor(masks[hidden])
        with warnings.catch_warnings(), lib.no_grad():
            warnings.simplefilter("ignore")
            return encoder(x, src_key_padding_mask=padding), encoder.enable_nested_tensor

    same(program)


def test_modules_are_emptied_replaced_and_shared() -> None:
    def program(lib: Any) -> Any:
        nn = lib.nn
        net = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 3)))
        net.set_submodule("1.0", nn.Linear(2, 4))
        with pytest.raises(AttributeError):
            net.set_submodule("1.none", nn.ReLU(), strict=True)
        weight = net[0].weight
        net.to_empty(device="cpu")
        return str(net), net[0].weight is weight, net.compile(), isinstance(nn.LSTM(1, 1), nn.RNNBase)

    same(program)

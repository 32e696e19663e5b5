"""What the library does on its own: it makes, fills and copies layers, checks, loads. With minigrad and PyTorch."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.framework import MINIGRAD


def recorded(lib: Any, framework: Any, values: Any) -> tuple[list[dict[str, Any]], Recorder]:
    """The records of three steps of a net of lazy layers, one of which it never calls."""
    records: list[dict[str, Any]] = []
    with Recorder(records.append, values=values, framework=framework) as recorder:
        net = lib.nn.Sequential(lib.nn.LazyLinear(3), lib.nn.LazyBatchNorm1d(), lib.nn.ReLU(), lib.nn.LazyLinear(1))
        net.load_state_dict(net.double().state_dict())
        spare = lib.nn.LazyConv2d(4, 3)
        optimizer = lib.optim.SGD([*net.parameters(), *spare.parameters()], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            (net(lib.ones(4, 5, dtype=lib.float64)) - 1).pow(2).mean().backward()
            optimizer.step()
    return records, recorder


@pytest.fixture(params=["minigrad", "torch"])
def watched(request: pytest.FixtureRequest) -> Any:
    """A library, and how the recorder reads it."""
    if request.param == "minigrad":
        return mg, MINIGRAD
    return pytest.importorskip("torch"), pytest.importorskip("minigrad.observe.torch").TORCH


@pytest.mark.parametrize("values", ["all", "auto", "none"])
def test_parameters_of_lazy_layers_are_told_of_once_they_have_a_shape(watched: Any, values: str) -> None:
    lib, framework = watched
    records, recorder = recorded(lib, framework, values)
    assert recorder.failure is None
    assert sum(each["type"] == "step_taken" for each in records) == 3
    parameters = {each["name"]: each["shape"] for each in records if each.get("parameter")}
    assert parameters == {
        "0.weight": [3, 5], "0.bias": [3], "1.weight": [3], "1.bias": [3],
        "3.weight": [1, 3], "3.bias": [1],
    }  # fmt: skip


def test_the_checks_of_a_distribution_are_no_ops_of_the_program(watched: Any) -> None:
    lib, framework = watched
    records: list[dict[str, Any]] = []
    with Recorder(records.append, values="all", framework=framework):
        scale = lib.ones(3, requires_grad=True)
        normal = lib.distributions.Normal(lib.zeros(3), scale)
        normal.log_prob(lib.ones(3)).sum().backward()
        lib.distributions.Poisson(scale).log_prob(lib.ones(3)).sum().backward()
    ops = {each["op"] for each in records if each["type"] == "node"}
    assert {"Log", "Pow", "Lgamma", "Xlogy"} <= ops
    assert not ops & {"All", "IsAllTrue", "Eq", "Ge", "Remainder"}, ops


def test_what_makes_copies_and_loads_modules_is_no_op_of_the_program(watched: Any) -> None:
    lib, framework = watched
    records: list[dict[str, Any]] = []
    with Recorder(records.append, values="all", framework=framework):
        layer = lib.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
        copies = lib.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        norm = lib.nn.BatchNorm1d(4)
        words = lib.nn.Embedding(3, 4, padding_idx=0)
        net = lib.nn.Sequential(lib.nn.utils.parametrizations.weight_norm(lib.nn.Linear(4, 4)), norm).double()
        net.load_state_dict(copy.deepcopy(net).state_dict())
        optimizer = copy.deepcopy(lib.optim.Adam(net.parameters()))
    assert copies and words and optimizer
    assert [each["op"] for each in records if each["type"] == "node"] == []


def test_the_check_of_a_new_parametrization_is_no_op_of_the_program() -> None:
    records: list[dict[str, Any]] = []
    with Recorder(records.append, values="all"):
        mg.nn.utils.parametrizations.spectral_norm(mg.nn.Linear(4, 4))
    assert [each["op"] for each in records if each["type"] == "node"] == []


def test_a_loader_hides_what_its_data_set_computes_and_the_program_s_own_ops_are_shown(watched: Any) -> None:
    lib, framework = watched

    class Squares:
        def __getitem__(self, index: int) -> Any:
            return lib.ones(2) * index**2

        def __len__(self) -> int:
            return 4

    records: list[dict[str, Any]] = []
    with Recorder(records.append, values="all", framework=framework):
        for batch in lib.utils.data.DataLoader(Squares(), batch_size=2):
            batch.exp()
    assert [each["op"] for each in records if each["type"] == "node"] == ["Exp", "Exp"]


def test_losses_and_draws_whose_numbers_are_finite_raise_no_alarm() -> None:
    records: list[dict[str, Any]] = []
    rate = mg.ones(3, requires_grad=True)
    with Recorder(records.append, values="all"):
        loss = mg.nn.functional.poisson_nll_loss(rate, mg.tensor([0.0, 1.0, 4.0]), full=True)
        loss.backward()
        mg.distributions.LKJCholesky(3).sample()
    assert [each["message"] for each in records if each["type"] == "anomaly_found"] == []

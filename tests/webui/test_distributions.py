"""How the elements of a tensor are distributed over the steps: from the records to whoever asks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient

import minigrad as mg
from minigrad import nn, optim
from minigrad.observe import Recorder
from minigrad.observe.record.values import measure
from minigrad_webui.app import create_app
from minigrad_webui.protocol import Distributions
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard
from tests.webui.synthetic import Record, lines, record, started


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store()
    opened.begin("r1", "demo.py", "2026-01-01T12:00:00+00:00")
    yield opened
    opened.close()


def trained(records: list[Record]) -> list[tuple[Any, Any]]:
    """Record a small net as it is trained. Its first weight before each step, and the clipped gradient of that."""
    mg.manual_seed(0)
    net = nn.Sequential(nn.Linear(6, 30), nn.Tanh(), nn.Linear(30, 1))
    optimizer = optim.SGD(net.parameters(), lr=0.5)
    had = []
    with Recorder(records.append, id="r1", values="all"):
        for _ in range(12):
            optimizer.zero_grad()
            (net(mg.randn(20, 6)) ** 2).mean().backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.1)
            weight = net[0].weight
            had.append((weight.detach().numpy().copy(), weight.grad.numpy().copy()))
            optimizer.step()
    return had


def test_distributions_are_those_of_the_numbers_themselves(store: Store) -> None:
    records: list[Record] = []
    had = trained(records)
    store.append("r1", lines(records))
    (tensor,) = {each["id"] for each in records if each["type"] == "tensor" and each["name"] == "0.weight"}
    found = store.distributions("r1", tensor)
    assert (found.every, [each.step for each in found.steps]) == (1, list(range(12)))
    for each, (weight, grad) in zip(found.steps, had, strict=True):
        for found_here, array in ((each.value, weight), (each.grad, grad)):
            assert found_here == pytest.approx(np.quantile(array, (0.05, 0.25, 0.5, 0.75, 0.95)), rel=1e-6, abs=1e-9)


def test_numbers_that_are_not_finite_are_left_out(store: Store) -> None:
    some, none = (measure(np.array(each)) for each in ([np.nan, 1.0, np.inf, 3.0], [np.nan, np.nan]))
    facts = {"name": "w", "shape": [4], "dtype": "float32", "requires_grad": True, "leaf": True, "version": 0}
    at = [record(seq + 2, seq, "tensor", id=5, value=value, **facts) for seq, value in enumerate((some, none))]
    store.append("r1", lines([started(), *at]))
    (found,) = store.distributions("r1", 5).steps
    assert found.step == 0 and found.value == pytest.approx([1.1, 1.5, 2.0, 2.5, 2.9])


def test_a_long_run_has_some_of_its_distributions_and_the_newest(store: Store) -> None:
    value = measure(np.array([0.0, 1.0]))
    facts = {"name": "w", "shape": [7], "dtype": "float32", "requires_grad": True, "leaf": True, "version": 0}
    many = [record(seq + 2, seq, "tensor", id=5, value=value, **facts) for seq in range(1000)]
    store.append("r1", lines([started(), *many]))
    found = store.distributions("r1", 5)
    assert found.every == 16 and [each.step for each in found.steps] == [*range(0, 1000, 16), 999]
    assert store.distributions("r1", 6).steps == []


def test_distributions_are_asked_for_over_http(store: Store) -> None:
    records: list[Record] = []
    trained(records)
    store.append("r1", lines(records))
    with TestClient(create_app(store, Guard("secret")), base_url="http://localhost") as client:
        client.headers["Authorization"] = "Bearer secret"
        tensor = next(each["id"] for each in records if each["type"] == "tensor" and each["name"] == "0.bias")
        found = Distributions.model_validate(client.get(f"/api/runs/r1/distributions/{tensor}").json())
        assert found == store.distributions("r1", tensor) and len(found.steps) == 12
        assert client.get("/api/runs/nobody/distributions/3").status_code == 404
        assert client.get("/api/runs/r1/distributions/-3").status_code == 422

"""A recorded step computed again over HTTP, with one element changed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient

import minigrad as mg
from minigrad.observe import Recorder
from minigrad_webui.app import create_app
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard


@pytest.fixture
def client() -> Iterator[TestClient]:
    records: list[dict[str, Any]] = []
    with Recorder(records.append, values="all", id="learning"):
        w = mg.tensor([0.5, -1.0], requires_grad=True)
        sgd = mg.optim.SGD([w], lr=0.1)
        for _ in range(3):
            loss = (w**2).sum()
            sgd.zero_grad()
            loss.backward()
            sgd.step()
    app = create_app(Store(), Guard("secret"))
    with TestClient(app, base_url="http://localhost", headers={"authorization": "Bearer secret"}) as client:
        trace = "".join(json.dumps(record) + "\n" for record in records)
        headers = {"content-type": "application/x-ndjson"}
        assert client.post("/api/runs/import", content=trace.encode(), headers=headers).status_code == 201
        yield client


def touch(client: TestClient, **asked: Any) -> dict[str, Any]:
    run = client.get("/api/runs").json()[0]["id"]
    answer = client.post(f"/api/runs/{run}/touch", json=asked)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def weight(client: TestClient, step: int) -> dict[str, Any]:
    run = client.get("/api/runs").json()[0]["id"]
    graph = client.get(f"/api/runs/{run}/graph?step={step}").json()
    found: dict[str, Any] = next(each for each in graph["tensors"] if each["name"] == "w")
    return found


def test_loss_and_gradients_stand_beside_what_the_slope_predicted(client: TestClient) -> None:
    for step, (first, second) in enumerate([(0.5, -1.0), (0.4, -0.8)]):
        answer = touch(client, step=step, tensor=weight(client, step)["id"], element=1, value=-2.0)
        assert answer["problem"] is None
        assert answer["old"] == pytest.approx(second)
        assert answer["before"] == pytest.approx(first**2 + second**2)
        assert answer["after"] == pytest.approx(first**2 + 4)
        assert answer["slope"] == pytest.approx(2 * second)
        (leaf,) = answer["leaves"]
        assert leaf["gradient"]["min"] == pytest.approx(-4)
        assert {each["node"] for each in answer["values"]}


def test_the_run_stays_as_it_was(client: TestClient) -> None:
    before = weight(client, 0)
    touch(client, step=0, tensor=before["id"], element=0, value=9.0)
    assert weight(client, 0) == before


def test_what_cannot_be_computed_is_said_in_a_sentence(client: TestClient) -> None:
    assert touch(client, step=0, tensor=999, value=1.0)["problem"] == (
        "Not every element of a tensor was kept, so it cannot be moved here."
    )
    assert (
        "has 2 elements; there is none 7."
        in touch(client, step=0, tensor=weight(client, 0)["id"], element=7, value=1)["problem"]
    )
    assert "No op of this step was recorded" in touch(client, step=77, tensor=1, value=1.0)["problem"]


def test_a_run_that_is_not_there_and_a_value_that_is_no_number_are_refused(client: TestClient) -> None:
    assert client.post("/api/runs/nothing/touch", json={"step": 0, "tensor": 1, "value": 1.0}).status_code == 404
    run = client.get("/api/runs").json()[0]["id"]
    assert client.post(f"/api/runs/{run}/touch", json={"step": 0, "tensor": 1, "value": "x"}).status_code == 422

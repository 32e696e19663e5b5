"""The reference of ops over HTTP: every op is there, a check answers in words and in time."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from minigrad.observe.explain.op_reference import checked, every_op
from minigrad_webui import op_reference
from minigrad_webui.app import create_app
from minigrad_webui.runs.store import Store
from minigrad_webui.security import Guard


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = create_app(Store(), Guard("secret"))
    with TestClient(app, base_url="http://localhost", headers={"authorization": "Bearer secret"}) as client:
        yield client


def test_every_op_is_listed_with_its_formulas_and_samples(client: TestClient) -> None:
    listed = {entry["name"]: entry for entry in client.get("/api/ops").json()}
    assert list(listed) == list(every_op())
    assert listed["MatMul"]["gradients"] == {"a": r"\bar Y B^{\top}", "b": r"A^{\top} \bar Y"}
    assert listed["MatMul"]["samples"][0] == "(5, 2, 3), (5, 3, 4)"


def test_no_op_is_missing_until_its_module_is_imported() -> None:
    program = """
import importlib, minigrad as mg
from minigrad.observe.explain.op_reference import every_op
first = set(every_op())
for name in ("amp", "distributions", "fft", "func", "linalg", "nn.utils", "optim", "signal", "special", "utils.data"):
    importlib.import_module(f"minigrad.{name}")
mg.special.ndtr(mg.ones(1))
print(sorted(set(every_op()) - first))
"""
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_a_check_runs_and_says_what_it_found(client: TestClient) -> None:
    answer = client.post("/api/ops/Tanh/check").json()
    assert answer["passed"] is True
    assert answer["words"].endswith(f"agree with differences in all {answer['compared']} places.")


def test_an_op_without_gradient_says_so() -> None:
    still = next(name for name, op in every_op().items() if op.samples and len(op.constant) == len(op.inputs_named))
    assert checked(still)["checkable"] is False


def test_an_unknown_op_is_named(client: TestClient) -> None:
    answer = client.post("/api/ops/Tan2/check")
    assert (answer.status_code, answer.json()["message"][:24]) == (404, "There is no sample 0 of ")


def test_a_check_that_takes_too_long_is_ended(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(op_reference, "LIMIT", 0.01)
    answer = client.post("/api/ops/Tanh/check").json()
    assert "ended" in answer["words"]
    assert answer["passed"] is False

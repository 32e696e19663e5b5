"""The five examples, with ``import torch`` and with ``import minigrad as torch``, are the same picture.

Both libraries compute the same in other steps here and there, and these differences are named below:

- ops that only change how elements lie are not the same ones (`multi_head_attention_forward` splits heads with
  ``unflatten`` and ``select``, ours with ``split``), so they are left out of both;
- an LSTM of two layers is one call of PyTorch's, and two ops of ours;
- PyTorch's losses and norms keep other results of theirs for backward than ours do.
"""

from __future__ import annotations

import importlib
from collections import Counter
from typing import Any

import pytest

import minigrad as mg
from tests.examples.test_on_both_libraries import NAMES, on_torch

from ..helpers import of_type
from .helpers import Record, ours, torch, watched

pytestmark = pytest.mark.parity

LAYOUT = {
    "Reshape", "Transpose", "MatrixTranspose", "Permute", "Squeeze", "Unsqueeze", "Select", "Contiguous", "Split",
    "Stack", "Slice",
}  # fmt: skip
"""Ops that only change how elements lie."""

KEPT_OTHERWISE = {"CrossEntropy", "Normalise", "MaxPool", "Attention", "LSTMLayer"}
"""Ops that keep other results of their own in one library than in the other."""

_records: dict[str, tuple[list[Record], list[Record]]] = {}


def both(name: str) -> tuple[list[Record], list[Record]]:
    """The records of two steps of the example, with minigrad and with PyTorch."""
    if name not in _records:
        mine, theirs = importlib.import_module(f"minigrad.examples.{name}"), on_torch(name)
        mg.manual_seed(0)
        torch.manual_seed(0)
        _records[name] = ours(lambda _: mine.train(mine.make(), 2)), watched(lambda _: theirs.train(theirs.make(), 2))
    return _records[name]


def nodes_of(records: list[Record]) -> list[Record]:
    """The ops of the second step's graph."""
    return [each for each in of_type(records, "node") if each["step"] == 1 and each["recorded"]]


def skeleton(records: list[Record]) -> list[tuple[Any, ...]]:
    """Op by op: where each of its inputs comes from, past all that only changes the layout; its size; its modules."""
    names = {each["id"]: each["name"] for each in of_type(records, "tensor")}
    nodes = nodes_of(records)
    known = {node["id"]: node for node in nodes}
    kept = [node for node in nodes if node["op"] not in LAYOUT]
    number = {node["id"]: place for place, node in enumerate(kept)}

    def source(given: Record) -> Any:
        while (node := known.get(given.get("node", 0))) is not None and node["op"] in LAYOUT:
            given = node["inputs"][0]
        return number.get(given.get("node"), names.get(given.get("tensor")))

    return [
        (
            node["op"],
            [(each["name"], source(each)) for each in node["inputs"] if "tensor" in each or "node" in each],
            size(node["outputs"][0]["shape"]),
            node["scope"],
        )
        for node in kept
    ]


def size(shape: list[int]) -> int:
    count = 1
    for each in shape:
        count *= each
    return count


@pytest.mark.parametrize("name", [name for name in NAMES if name != "lstm"])
def test_the_same_ops_hang_together_in_the_same_modules(name: str) -> None:
    mine, theirs = map(skeleton, both(name))
    assert [each[0] for each in theirs] == [each[0] for each in mine]
    assert theirs == mine


def test_an_lstm_is_one_call_of_pytorchs_and_an_op_for_each_layer_of_ours() -> None:
    mine, theirs = ([each[0] for each in skeleton(records)] for records in both("lstm"))
    assert mine == ["Embedding", "LSTMLayer", "LSTMLayer", "Affine", "CrossEntropy"]
    assert theirs == ["Embedding", "LSTMLayer", "Affine", "CrossEntropy"]


@pytest.mark.parametrize("name", NAMES)
def test_the_same_arguments_and_results_are_kept_for_backward(name: str) -> None:
    found = []
    for records in both(name):
        ops = {node["id"]: node["op"] for node in nodes_of(records) if node["op"] not in KEPT_OTHERWISE}
        saved = [each for each in of_type(records, "saved") if each["node"] in ops]
        kept = [(ops[each["node"]], item["bytes"]) for each in saved for item in each["saved"]]
        found.append(Counter((op, bytes) for op, bytes in kept if bytes > 64))
    mine, theirs = found
    assert theirs == mine


@pytest.mark.parametrize("name", NAMES)
def test_the_same_leaves_have_the_same_versions_and_get_as_many_contributions(name: str) -> None:
    found = []
    for records in both(name):
        names = {each["id"]: each["name"] for each in of_type(records, "tensor")}
        versions = {
            each["name"]: each["version"]
            for each in of_type(records, "tensor")
            if each["step"] == 1 and each.get("parameter")
        }
        arrived = Counter(
            names[each["leaf"]]
            for each in of_type(records, "grad_accumulated")
            if each["step"] == 1 and each.get("leaf") and not each.get("replaces")
        )
        found.append((versions.keys(), len(set(versions.values())), arrived))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", NAMES)
def test_memory_by_kind_is_the_same_where_both_count_it(name: str) -> None:
    held = []
    for records in both(name):
        told = [each["memory"] for each in records if each["step"] == 1 and each.get("memory")]
        most = {kind: max(each.get(kind, 0) for each in told) for kind in ("parameters", "gradients", "optimizer")}
        held.append(most)
        total = max(sum(each.values()) for each in told)
        held[-1]["total"] = total
    mine, theirs = held
    for kind in ("parameters", "gradients"):
        assert theirs[kind] == pytest.approx(mine[kind], rel=0.02)
    assert theirs["optimizer"] == pytest.approx(mine["optimizer"], rel=0.02), "but for the counts of steps"
    assert 0.7 < theirs["total"] / mine["total"] < 1.6, "an LSTM of PyTorch's 2.4 holds 1.51 of ours"


@pytest.mark.parametrize("name", NAMES)
def test_losses_and_norms_agree(name: str) -> None:
    told = [[(each["loss"], each["grad_norm"]) for each in of_type(records, "step_taken")] for records in both(name)]
    for mine, theirs in zip(*told, strict=True):
        assert theirs == pytest.approx(mine, rel=1e-3)

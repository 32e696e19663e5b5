"""Helpers for these tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad_webui.protocol import RECORD

torch: Any = pytest.importorskip("torch", reason="PyTorch is not installed, which these tests watch")

Record = dict[str, Any]


def watched(program: Callable[[Any], Any], values: Any = "all") -> list[Record]:
    """The records of a PyTorch program, each checked against the protocol."""
    from minigrad.observe.torch import TORCH

    return _recorded(lambda: program(torch), values, framework=TORCH)


def ours(program: Callable[[Any], Any], values: Any = "all") -> list[Record]:
    """The records of the same program with minigrad."""
    return _recorded(lambda: program(mg), values)


def _recorded(program: Callable[[], Any], values: Any, **options: Any) -> list[Record]:
    records: list[Record] = []
    recorder = Recorder(records.append, values=values, **options)
    with recorder:
        program()
    if recorder.failure is not None:
        raise recorder.failure
    for record in records:
        RECORD.validate_python(record)
        assert record["type"] != "dropped", record["reason"]
    return records


def graph(records: list[Record], step: int = 0) -> list[tuple[Any, ...]]:
    """The nodes of records: op, source of each input, shapes of outputs, modules."""
    nodes = [each for each in records if each["type"] == "node" and each["step"] == step and each["recorded"]]
    place = {node["id"]: number for number, node in enumerate(nodes)}
    named = {each["id"]: each["name"] for each in records if each["type"] == "tensor"}
    return [
        (
            node["op"],
            [
                (each["name"], place[each["node"]] if each.get("node") in place else named.get(each.get("tensor")))
                for each in node["inputs"]
                if "tensor" in each
            ],
            [each["shape"] for each in node["outputs"]],
            node["scope"],
        )
        for node in nodes
    ]


def kinds(records: list[Record], step: int = 0) -> list[str]:
    """The events in order."""
    return [each["type"] for each in records if each["step"] == step]

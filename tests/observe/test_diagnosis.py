"""Faults that are planted are found, in both frameworks; programs without a fault are told nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.diagnosis import Diagnosis, Finding

from .everyday_faults import EVERYDAY_CORRECT, EVERYDAY_FAULTS
from .faults import CORRECT, FAULTS

FRAMEWORKS = ["minigrad", pytest.param("torch", marks=pytest.mark.parity)]


def found(program: Callable[[Any], None], name: str) -> list[Finding]:
    """What is said of a program, with the tensors of that framework."""
    options: dict[str, Any] = {}
    lib: Any = mg
    if name == "torch":
        lib = pytest.importorskip("torch", reason="PyTorch is not installed")
        options["framework"] = importlib.import_module("minigrad.observe.torch").TORCH
    diagnosis = Diagnosis()
    with suppress(RuntimeError, IndexError, ValueError), Recorder(diagnosis, values="all", **options) as recorder:
        program(lib)
    if recorder.failure is not None:
        raise recorder.failure
    return diagnosis.findings()


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize(
    ("kind", "program"), [*FAULTS, *EVERYDAY_FAULTS], ids=lambda each: getattr(each, "__name__", each)
)
def test_a_planted_fault_is_found(kind: str, program: Callable[[Any], None], name: str) -> None:
    findings = found(program, name)
    kinds = kind.split("|")  # the ops of minigrad's that count and choose are not recorded
    assert set(kinds) & {each.kind for each in findings}, [str(each) for each in findings]
    first = next(each for each in findings if each.kind in kinds)
    assert first.message.endswith(".")


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("program", [*CORRECT, *EVERYDAY_CORRECT], ids=lambda each: each.__name__)
def test_a_program_without_a_fault_is_told_nothing(program: Callable[[Any], None], name: str) -> None:
    assert [str(each) for each in found(program, name)] == []

"""Faults that are planted are found, in both frameworks; programs without a fault are told nothing."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from contextlib import suppress
from itertools import cycle
from typing import Any

import pytest

import minigrad as mg
from minigrad.observe import Recorder
from minigrad.observe.diagnosis import Diagnosis, Finding
from minigrad.observe.record.sampling import Mode

from .helpers import sample
from .training.correct import CORRECT
from .training.everyday_correct import EVERYDAY_CORRECT
from .training.everyday_faults import EVERYDAY_FAULTS
from .training.faults import FAULTS

FRAMEWORKS = ["minigrad", pytest.param("torch", marks=pytest.mark.parity)]


def found(program: Callable[[Any], None], name: str, values: Mode = "all") -> list[Finding]:
    """What is said of a program, with the tensors of that framework."""
    options: dict[str, Any] = {}
    lib: Any = mg
    if name == "torch":
        lib = pytest.importorskip("torch", reason="PyTorch is not installed")
        options["framework"] = importlib.import_module("minigrad.observe.torch").TORCH
    diagnosis = Diagnosis()
    with suppress(RuntimeError, IndexError, ValueError), Recorder(diagnosis, values=values, **options) as recorder:
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


@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad:UserWarning")  # in LBFGS of PyTorch 2.8
@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("program", [*CORRECT, *EVERYDAY_CORRECT], ids=lambda each: each.__name__)
def test_a_program_without_a_fault_is_told_nothing(program: Callable[[Any], None], name: str) -> None:
    assert [str(each) for each in found(program, name)] == []


@pytest.fixture
def one_step_in_three_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a program that runs fast is watched: of the other steps the numbers are known, or the loss alone."""

    ways = cycle(["numbers", "loss", "whole"])
    sample(monkeypatch, lambda: next(ways))


@pytest.mark.usefixtures("one_step_in_three_whole")
@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize("program", [*CORRECT, *EVERYDAY_CORRECT], ids=lambda each: each.__name__)
def test_steps_of_which_little_is_known_raise_no_alarm(program: Callable[[Any], None], name: str) -> None:
    assert [str(each) for each in found(program, name, "auto")] == []


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_finding_names_the_step_and_the_op_that_it_is_about(name: str) -> None:
    detached = {each.__name__: each for _, each in FAULTS}["detached_in_the_middle"]
    (first, *_) = found(detached, name)
    assert first.step is not None
    assert first.node is not None


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_where_the_gradient_vanishes_the_layer_with_the_least_is_named(name: str) -> None:
    vanishing = {each.__name__: each for _, each in FAULTS}["many_sigmoids"]
    (told,) = [each.message for each in found(vanishing, name) if each.kind == "vanishing"]
    assert "way back: 0.weight's is" in told


def a_layer_that_does_not_fit(lib: Any) -> None:
    net = lib.nn.Sequential(lib.nn.Linear(4, 8), lib.nn.ReLU(), lib.nn.Linear(9, 2))
    net(lib.randn(5, 4)).sum().backward()


def a_product_that_does_not_fit(lib: Any) -> None:
    hidden = lib.nn.Linear(4, 8)(lib.randn(5, 4))
    (hidden @ lib.randn(9, 2)).sum().backward()


@pytest.mark.parametrize("name", FRAMEWORKS)
@pytest.mark.parametrize(
    ("program", "advice"),
    [
        (a_layer_that_does_not_fit, "net.2 takes 9 features, and was given 8."),
        (a_product_that_does_not_fit, "The second size of the first must be the first of the second."),
    ],
)
def test_a_crash_names_the_layer_that_was_given_too_much_or_too_little(
    program: Callable[[Any], None], advice: str, name: str
) -> None:
    (crash,) = found(program, name)
    assert (crash.kind, crash.advice) == ("crash", advice)

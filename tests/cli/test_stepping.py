"""The walk through backward: numbers in formulas, and who says when to go on."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

import pytest

import minigrad as mg
from minigrad.cli.step import Walk, walking
from minigrad.cli.substitution import ARRIVED, put_in
from minigrad.observe import Recorder


@pytest.mark.parametrize(
    ("formula", "known", "filled"),
    [
        (r"\bar y \odot b", {ARRIVED: 2.0, "b": -3.0}, "2 × (-3)"),
        (r"-\bar y", {ARRIVED: -1.0}, "-(-1)"),
        (r"\alpha\, \bar y", {ARRIVED: 2.0, "alpha": 3.0}, "3 × 2"),
        (r"a \oslash b^2", {"a": 1.0, "b": 2.0}, "1 / 2²"),
        (r"\tanh x", {"x": -0.5}, "tanh (-0.5)"),
        (r"e^x", {"x": 2.0}, None),
        (r"\bar y \odot b", {ARRIVED: 2.0}, None),
    ],
)
def test_a_formula_is_filled_with_all_its_numbers_or_not_at_all(
    formula: str, known: dict[str, float], filled: str | None
) -> None:
    assert put_in(formula, known) == filled


@contextlib.contextmanager
def walked(ask: Callable[[str], str] | None) -> Iterator[Walk]:
    walk = Walk(ask)
    with Recorder(walk, values="all") as recorder, walking(walk, recorder.flush):
        yield walk


def neuron() -> None:
    x = mg.tensor(0.5, requires_grad=True)
    y = mg.tanh(x * x)
    y.backward()


def test_it_waits_at_every_node_until_enter(capsys: pytest.CaptureFixture[str]) -> None:
    shown: list[str] = []

    def ask(prompt: str) -> str:
        shown.append(capsys.readouterr().out)
        return ""

    with walked(ask):
        neuron()
    assert len(shown) == 2, "there are two nodes"
    assert "Tanh" not in shown[0]
    assert "Tanh" in shown[1]
    assert "Mul" not in shown[1].replace("to Mul", "")


@pytest.mark.parametrize("typed", ["c", "Continue ", EOFError])
def test_c_or_the_end_of_the_input_goes_on_to_the_end(
    typed: str | type[Exception], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        if not isinstance(typed, str):
            raise typed
        return typed

    with walked(ask):
        neuron()
    assert len(asked) == 1
    assert "x.grad = 0.47001 + 0.47001 = 0.94001" in capsys.readouterr().out


def test_tensors_are_told_by_their_norm(capsys: pytest.CaptureFixture[str]) -> None:
    with walked(None):
        w = mg.tensor([[3.0, 4.0]], requires_grad=True)
        (w * 2).sum().backward()
    told = capsys.readouterr().out
    assert "a tensor [1, 2] of norm 1.4142" in told
    assert "w.grad took contribution 1" in told

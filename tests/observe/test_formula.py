"""Formulas in the terminal's letters."""

from __future__ import annotations

import re

import pytest

from minigrad.observe.explain import formula
from minigrad.observe.explain.formula import plain
from minigrad.observe.explain.op_reference import every_op
from minigrad.observe.framework.op_facts import op_facts


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\bar Y B^{\top}", "Ȳ Bᵀ"),
        (r"\bar{Y}^\top", "Ȳᵀ"),
        (r"\frac{\bar y}{2 \sqrt{x}}", "ȳ/(2 √x)"),
        (r"\bar y \odot (1 - y^2)", "ȳ ⊙ (1 - y²)"),
        (r"\sum_{i=1}^{n} x_i", "Σᵢ₌₁ⁿ xᵢ"),
        (r"\operatorname{softmax}(x)", "softmax(x)"),
        (r"\begin{cases} x & x > 0 \\ 0 & \text{otherwise} \end{cases}", "{ x, x > 0; 0, otherwise }"),
        (r"e^{x_i}", "e^(xᵢ)"),
        (r"x^{-1}", "x⁻¹"),
    ],
)
def test_a_formula_is_written_in_one_line_of_unicode(latex: str, text: str) -> None:
    assert plain(latex) == text


@pytest.mark.parametrize("latex", ["", "{", "}", "^", r"\frac", r"\frac{a", "\\", r"\bar", r"\unknowncommand{x}"])
def test_a_broken_formula_is_still_shown(latex: str) -> None:
    assert isinstance(plain(latex), str)


SPOKEN = {
    *("sin", "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "log", "ln", "exp", "max", "min"),
    *("arg", "det", "tr", "sup", "inf", "lim", "Re", "Im"),
}
"""Commands of LaTeX that are written as they are spoken."""

HANDLED = {*formula.ACCENTS, *formula.BARE, *formula.DROPPED, *formula.SPACES, *formula.SYMBOLS, "sqrt", "begin", "end"}


def test_every_command_in_a_formula_of_the_framework_is_known() -> None:
    for name, op in every_op().items():
        facts = op_facts(op)
        for text in (facts["formula"], *facts["gradients"].values()):
            commands = {each for each in re.findall(r"\\([A-Za-z]+)", text) if not each.endswith("frac")}
            assert commands <= SPOKEN | HANDLED, f"{name}: {text}: add what is new to minigrad.observe.formula"
            assert "\\" not in plain(text)

"""Put numbers in place of the letters of a formula, as a learner would by hand."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..observe.explain.formula import plain

SYMBOL = re.compile(
    r"\\bar\s*\{?\s*([A-Za-z])\s*\}?|\\(?:mathrm|operatorname|text)\s*\{[^}]*\}|\\([A-Za-z]+)|([A-Za-z]+)"
)
"""Parts of a LaTeX formula: a gradient, an upright word (which is no symbol), a command, a letter."""

ARRIVED = "\\bar y"


def put_in(formula: str, known: Mapping[str, float]) -> str | None:
    r"""The LaTeX formula with numbers in place of letters; None if a letter's number is not known.

    >>> put_in(r"\bar y \odot (1 - y^2)", {"\\bar y": 0.5, "y": -0.25})
    '0.5 × (1 - (-0.25)²)'
    >>> put_in(r"p\, \bar y \odot x^{p - 1}", {"\\bar y": 1, "x": -0.45, "p": 2})
    '2 × 1 × (-0.45)²⁻¹'
    """
    missing = False

    def number_for(match: re.Match[str]) -> str:
        nonlocal missing
        barred, command, letter = match.groups()
        value = known.get(ARRIVED if barred in ("y", "Y") else command or letter or "")
        missing |= value is None and (barred or letter) is not None
        if value is None:
            return match[0]
        alone = match.start() == 0 and not formula[match.end() :].lstrip().startswith("^")
        return f" ({short(value)}) " if value < 0 and not alone else f" {short(value)} "

    filled = SYMBOL.sub(number_for, formula)
    if missing:
        return None
    text = re.sub(r"(?<=\d) +(?=[\d(])|(?<=[\d)]) +(?=\d)", " × ", plain(filled))
    text = re.sub(r" +(?=[⁰¹²³⁴⁵⁶⁷⁸⁹⁻])|(?<=^-) +", "", text)
    return text.replace("⊙", "×").replace("⊘", "/")


def short(value: float) -> str:
    """A number with five digits."""
    return f"{value:.5g}"

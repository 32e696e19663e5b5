"""Explain why an op made a NaN or an infinity from finite numbers, as far as its inputs prove it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

SLOPES = {
    "Sqrt": "The slope of the square root is infinite at 0; add a small number before it.",
    "Rsqrt": "The slope of 1/√x is infinite at 0; add a small number before it.",
    "Norm": "The slope of a norm of nothing but zeros is not a number; add a small number before it.",
    "Asin": "The slope of the arc sine is infinite at -1 and 1; clamp its input a little further in.",
    "Acos": "The slope of the arc cosine is infinite at -1 and 1; clamp its input a little further in.",
    "Log": "The slope of the logarithm is infinite at 0; add a small number before it.",
    "Pow": "The slope of a power below 1 is infinite at 0; add a small number before it.",
}
"""Conditions under which the backward of an op makes an infinity of a finite gradient."""

LOGARITHMS = {"Log": 0.0, "Log2": 0.0, "Log10": 0.0, "Log1p": -1.0}
"""The logarithm of a number below this one is NaN, and of this one minus infinity."""


def reason(op: str, inputs: Sequence[Any], kind: str = "nan") -> str:
    """The reason as a sentence that begins with a space; empty if none is known. `kind` is "nan" or "inf".

    >>> reason("Log", [np.array([1.0, -0.5, -0.25])])
    ' 2 of its 3 inputs are negative, down to -0.5; the logarithm of a negative number is not a number.'
    >>> reason("Tanh", [np.array([1.0])])
    ''
    """
    if not inputs or inputs[0].dtype.kind != "f":
        return ""
    if infinite := sum(int(np.isinf(each).sum()) for each in inputs if each.dtype.kind == "f"):
        many = sum(each.size for each in inputs)
        of = f"{infinite:,} of its {many:,} inputs are" if many > 1 else "Its input is"
        return f" {of} infinite; ∞ - ∞ and 0 · ∞ are not numbers."
    if op in LOGARITHMS:
        edge = LOGARITHMS[op]
        what = "negative" if edge == 0.0 else f"below {edge:g}"
        return _below(inputs[0], edge, what, "the logarithm of a negative number") or _equal(
            inputs[0], edge, "the logarithm of 0 is minus infinity"
        )
    if op in ("Sqrt", "Rsqrt"):
        return _below(inputs[0], 0.0, "negative", "the square root of a negative number")
    if op == "Div" and len(inputs) > 1:
        return _equal(inputs[1], 0.0, "nothing can be divided by 0", "divisors")
    if op in ("Asin", "Acos"):
        outside = int((np.abs(inputs[0]) > 1).sum())
        return f" {outside:,} of its {inputs[0].size:,} inputs lie outside of -1 to 1." if outside else ""
    if op in ("Exp", "Expm1", "Cosh", "Sinh"):
        return f" Its inputs reach {float(inputs[0].max()):.4g}, and {inputs[0].dtype} ends before that of it."
    if op in ("Std", "Var") and kind == "nan" and 1 in (inputs[0].size, *inputs[0].shape):
        of = "It has one input" if inputs[0].size == 1 else "Along a dimension it has one input"
        return f" {of}; the spread of a single number is not a number, unless with correction=0."
    if op == "Pow" and kind == "nan":
        return _below(inputs[0], 0.0, "negative", "a negative number to a power that is not whole")
    if op in ("Mul", "Square", "Pow", "Sum", "MatMul", "Affine", "Convolve") and inputs[0].dtype == np.float16:
        return " float16 ends at 65,504."
    return ""


def _below(array: Any, edge: float, what: str, whose: str) -> str:
    count = int((array < edge).sum())
    if not count:
        return ""
    of = f"{count:,} of its {array.size:,} inputs are {what}" if array.size > 1 else f"Its input is {what}"
    return f" {of}, down to {float(array.min()):.4g}; {whose} is not a number."


def _equal(array: Any, number: float, why: str, called: str = "inputs") -> str:
    count = int((array == number).sum())
    if not count:
        return ""
    of = f"{count:,} of its {array.size:,} {called} are" if array.size > 1 else f"Its {called.rstrip('s')} is"
    return f" {of} {number:g}; {why}."

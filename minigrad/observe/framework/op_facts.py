"""Read names, formulas, gradients and inputs from minigrad's op classes."""

from __future__ import annotations

import re
from typing import Any

from ...core.entry import Entry
from ...core.op import Op

_facts: dict[type, dict[str, Any]] = {}
_names: dict[type, str] = {}
_input_names: dict[tuple[type, int], tuple[str, ...]] = {}


def op_facts(kind: type) -> dict[str, Any]:
    """Name, formula and gradients of an op's class."""
    known = _facts.get(kind)
    if known is None:
        known = _facts[kind] = _read_function(kind) if hasattr(kind, "user_function") else _read_class(kind)
    return known


def op_name(kind: type) -> str:
    """The name of a node of this class: MatMul; for nodes that are no ops, their name without "Backward".

    The node at which a tensor enters a function that `grad`, `vjp` or `jacobian` differentiates is called Input.
    """
    name = _names.get(kind)
    if name is None:
        bare = re.sub(r"(Backward\d*|_)$", "", kind.__name__) or kind.__name__
        name = _names[kind] = "Input" if kind is Entry else bare
    return name


def input_names(kind: type, count: int) -> tuple[str, ...]:
    """The op's names for its inputs, such as a, b or tensors[0], tensors[1]; a Function's from ``forward``."""
    key = (kind, count)
    known = _input_names.get(key)
    if known is None:
        known = _input_names[key] = _read_input_names(kind, count)
    return known


def _read_class(kind: type) -> dict[str, Any]:
    names = [name.lstrip("*") for name in getattr(kind, "inputs_named", ())]
    gradients = {name: _formula(getattr(kind, "grad_" + name, None)) for name in names}
    joint = _formula(getattr(kind, "backward", None)) if issubclass(kind, Op) else ""
    if joint:
        gradients = {name: gradients[name] or joint for name in names}
    return {
        "op": op_name(kind),
        "formula": getattr(kind, "formula", "") or "",
        "gradients": {name: text for name, text in gradients.items() if text},
        "elementwise": bool(getattr(kind, "elementwise", False)),
    }


def _read_function(kind: Any) -> dict[str, Any]:
    """The facts of a user's Function. Its backward's docstring may have one line for each input, with the formula."""
    function = kind.user_function
    lines = (function.backward.__doc__ or "").strip().splitlines()
    gradients = {
        name: line.strip() for name, line in zip(_parameters(function), lines, strict=False) if r"\bar" in line
    }
    return {
        "op": op_name(kind),
        "formula": function.formula,
        "gradients": gradients,
        "elementwise": function.elementwise,
    }


def _formula(rule: Any) -> str:
    """The docstring of a gradient rule if it is a formula, which is one paragraph and no sentence; else empty."""
    text = (getattr(rule, "__doc__", None) or "").strip().strip('"').strip()
    return "" if "\n\n" in text or text.endswith(".") else " ".join(text.split())


def _read_input_names(kind: type, count: int) -> tuple[str, ...]:
    names = list(getattr(kind, "inputs_named", ()))
    if not names and hasattr(kind, "user_function"):
        names = _parameters(kind.user_function)
    if len(names) >= count and not any(name.startswith("*") for name in names):
        return tuple(names[:count])
    last = names.pop() if names else "x"
    return (*names, *(f"{last}[{i}]" for i in range(count - len(names))))


def _parameters(function: Any) -> list[str]:
    code = getattr(function.forward, "__code__", None)
    if code is None:
        return []
    names = list(code.co_varnames[: code.co_argcount])
    return names if function.separate() else names[1:]

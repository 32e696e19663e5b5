"""The user's notation of an op: ``@``, ``+``, ``tanh``."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

from .callsites import Site

_WRITTEN = {
    "+": ("add",), "-": ("sub", "neg"), "*": ("mul",), "/": ("div", "reciprocal"), "**": ("pow", "square", "exp"),
    "@": ("mm", "mv", "dot", "matmul"), "//": ("floor", "div"), "%": ("remainder", "mod"), "~": ("not", "invert"),
    "&": ("and",), "|": ("or",), "^": ("xor",), "<": ("lt", "less"), ">": ("gt", "greater"), "<=": ("le", "less"),
    ">=": ("ge", "greater"), "==": ("eq",), "!=": ("ne",),
}  # fmt: skip


def symbol(kind: Hashable, name: str, site: Site | None) -> str:
    """The notation of an op of this kind, called `name`, at `site`.

    If the line does not show it, the op's name in snake case.
    """
    if site is None:
        return snake(name)
    known = site.symbols.get(kind)
    if known is None:
        known = site.symbols[kind] = _as_written(snake(name), *site.written)
    return known


def _as_written(name: str, how: str, text: str) -> str:
    bare = name.replace("_", "")
    if how == "operator" and any(word in bare for word in _WRITTEN.get(text.removesuffix("=") or text, ())):
        return text
    if how == "index" and any(word in bare for word in ("index", "slice", "select", "item", "take")):
        return text
    if how == "call" and bare.startswith(text.rstrip("_").replace("_", "").lower() or "?"):
        return text
    return name


def snake(name: str) -> str:
    """The name of an op in snake case.

    >>> snake("LogSoftmax"), snake("ReLU")
    ('log_softmax', 'relu')
    """
    return re.sub(r"(?<=[a-z0-9A-Z])(?=[A-Z][a-z])", "_", name).lower()


def short(value: Any) -> str:
    """A constant as text, at most 80 characters."""
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."

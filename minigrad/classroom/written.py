"""Write two plain values one below the other, their elements aligned, with a caret under the first that differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .difference import Difference, Wanted, kind_of, short, told_apart
from .plain import Array, Record, Thing, close

WIDEST = 84
"""The most characters of a line; longer values are shown around the difference."""

LONG = 48
"""A part of at most this many characters is shown; of a longer one only its type is."""

AROUND = 2
"""How many elements to show before and after the one that differs."""


class Pair:
    """The two lines, and the position of the difference in them."""

    def __init__(self, found: Any, wanted: Any, difference: Difference) -> None:
        self.found, self.wanted = "", ""
        self.start = self.end = -1
        self._path = difference.path
        self._tight = False
        self._write(found, wanted, self._path)
        if max(len(self.found), len(self.wanted)) > WIDEST:
            self.found = self.wanted = ""
            self.start = self.end = -1
            self._tight = True
            self._write(found, wanted, self._path)

    @property
    def caret(self) -> str:
        """The line below a value: blanks, and carets under the difference; empty if the difference has no position."""
        if not self._path or self.start < 0 or "\n" in self.found + self.wanted:
            return ""
        return " " * self.start + "^" * max(1, self.end - self.start)

    def _write(self, found: Any, wanted: Any, path: Sequence[Any] | None) -> None:
        at = len(self.found)
        if not self._structure(found, wanted, path):
            self._leaf(found, wanted)
        if path is not None and not path:
            self.start, self.end = at, max(at + 1, len(self.found.rstrip()))

    def _leaf(self, found: Any, wanted: Any) -> None:
        one, other = text(found), text(wanted)
        if isinstance(found, float) and isinstance(wanted, float) and not close(found, wanted, 1e-5):
            one, other = told_apart(found, wanted)
        if self._tight:
            one, other = (
                each if len(each) <= LONG else kind_of(value) for each, value in ((one, found), (other, wanted))
            )
        width = 0 if "\n" in one + other else max(len(one), len(other))
        self.found += one.ljust(width)
        self.wanted += other.ljust(width)

    def _structure(self, found: Any, wanted: Any, path: Sequence[Any] | None) -> bool:
        """Write both element by element, if they are of the same kind and length."""
        if isinstance(found, Array) and isinstance(wanted, Array) and found.shape == wanted.shape and found.shape:
            found, wanted = found.nested(), wanted.nested()
        if isinstance(found, Record) and isinstance(wanted, Record) and found.fields.keys() == wanted.fields.keys():
            pairs = [(f"{name}=", found.fields[name], wanted.fields[name]) for name in wanted.fields]
            self._elements(f"{wanted.name}(", pairs, ")", list(wanted.fields), path)
            return True
        if isinstance(found, dict) and isinstance(wanted, dict) and found.keys() == wanted.keys():
            pairs = [(f"{short(key)}: ", found[key], wanted[key]) for key in wanted]
            self._elements("{", pairs, "}", list(wanted), path)
            return True
        if not (isinstance(found, (tuple, list)) and isinstance(wanted, (tuple, list)) and len(found) == len(wanted)):
            return False
        opened, closed = "()" if isinstance(wanted, tuple) else "[]"
        pairs = [("", one, other) for one, other in zip(found, wanted, strict=True)]
        self._elements(opened, pairs, ",)" if opened == "(" and len(pairs) == 1 else closed, range(len(pairs)), path)
        return True

    def _elements(
        self, opened: str, pairs: list[tuple[str, Any, Any]], closed: str, keys: Any, path: Sequence[Any] | None
    ) -> None:
        keys = list(keys)
        target = keys.index(path[0][1]) if path and path[0][1] in keys else None
        shown = range(len(pairs))
        if self._tight and len(pairs) > 2 * AROUND + 1:
            middle = target or 0
            shown = range(max(0, middle - AROUND), min(len(pairs), middle + AROUND + 1))
        self._both(opened + ("... " if shown and shown[0] > 0 else ""))
        for at in shown:
            if at != shown[0]:
                self._both(", ")
            name, one, other = pairs[at]
            self._both(name)
            self._write(one, other, path[1:] if path and at == target else None)
        self._both((" ..." if shown and shown[-1] < len(pairs) - 1 else "") + closed)

    def _both(self, piece: str) -> None:
        self.found += piece
        self.wanted += piece


def text(value: Any) -> str:
    """One value as text: rounded numbers, tensors as their elements, with the shape if it adds information."""
    if isinstance(value, Wanted):
        return repr(value)
    if isinstance(value, Array):
        told = "tensor" if value.kind == "tensor" else value.kind
        return f"{told}({_cut(text(value.nested()))})" + (f" of shape {value.shape}" if len(value.shape) != 1 else "")
    if isinstance(value, Record):
        return f"{value.name}({', '.join(f'{name}={text(each)}' for name, each in value.fields.items())})"
    if isinstance(value, (tuple, list)):
        inner = ", ".join(map(text, value))
        if isinstance(value, list):
            return _cut(f"[{inner}]")
        return _cut(f"({inner}{',' if len(value) == 1 else ''})")
    if isinstance(value, frozenset):
        return _cut("{" + ", ".join(sorted(map(text, value))) + "}") if value else "set()"
    if isinstance(value, dict):
        return _cut("{" + ", ".join(f"{text(key)}: {text(each)}" for key, each in value.items()) + "}")
    if isinstance(value, Thing):
        return value.text or kind_of(value)
    return _cut(short(value))


def _cut(told: str, most: int = 300) -> str:
    return told if len(told) <= most else f"{told[: most - 4]} ..."

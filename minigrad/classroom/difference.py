"""Describe the first difference between two plain values in words."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from .plain import Array, Record, Thing, close, is_number

Step = tuple[str, Any]
"""One step into a value: ("at", 2), ("field", "tangent") or ("key", "a")."""


@dataclass(frozen=True)
class Difference:
    """The first difference. `words` is a clause without a full stop; `path` leads to the place."""

    words: str
    path: tuple[Step, ...] = ()
    whole: bool = False
    """Whether the words are about the whole value rather than the place."""


class Wanted(ABC):
    """An expectation that many values meet, such as `at_most(20)`. A check may define others."""

    @abstractmethod
    def wrong(self, found: Any) -> str | None:
        """What is wrong with a plain value, in words; None if it is right."""


@dataclass(frozen=True)
class Bound(Wanted):
    """A number not above a limit, or not below it."""

    limit: float
    upper: bool

    def wrong(self, found: Any) -> str | None:
        """What is wrong, if the value is no number or on the wrong side of the limit; else None."""
        if not is_number(found):
            return f"this is {kind_of(found)}, not a number"
        good = found <= self.limit if self.upper else found >= self.limit
        return None if good else f"{short(found)} is too {'much' if self.upper else 'little'}"

    def __repr__(self) -> str:
        return f"at {'most' if self.upper else 'least'} {short(self.limit)}"


def at_most(limit: float) -> Wanted:
    """A number that is not above the limit.

    >>> at_most(20.0)
    at most 20.0
    """
    return Bound(limit, upper=True)


def at_least(limit: float) -> Wanted:
    """A number that is not below the limit."""
    return Bound(limit, upper=False)


@dataclass(frozen=True)
class Mostly(Wanted):
    """A list in which at least a share of the elements is right."""

    right: list[Any]
    share: float

    def wrong(self, found: Any) -> str | None:
        """What is wrong, if the value is no list of the right length or too few elements are right; else None."""
        if not isinstance(found, (list, tuple)) or len(found) != len(self.right):
            return f"this is {kind_of(found)}, not a list of {len(self.right)}"
        agree = sum(one == other for one, other in zip(found, self.right, strict=True)) / len(found)
        return None if agree >= self.share else f"{agree:.1%} of them are right"

    def __repr__(self) -> str:
        return f"at least {self.share:.0%} of {len(self.right)} right"


def mostly(right: list[Any], share: float) -> Wanted:
    """Expect a list in which at least a `share` of the elements equals those of `right`."""
    return Mostly(right, share)


def difference(found: Any, wanted: Any, within: float) -> Difference | None:
    """The first difference between two plain values; None if they are equal apart from rounding.

    >>> difference((1.0, [2.0, 5.0]), (1.0, [2.0, 3.0]), 1e-6)
    Difference(words='5.0 instead of 3.0', path=(('at', 1), ('at', 1)), whole=False)
    """
    if isinstance(wanted, Wanted):
        words = wanted.wrong(found)
        return None if words is None else Difference(words)
    first = next(_differences(_unwrapped(found, wanted), wanted, within, ()), None)
    if first is None:
        return None
    whole = _as_a_whole(found, wanted, within)
    return first if whole is None else Difference(whole, first.path, whole=True)


def _unwrapped(found: Any, wanted: Any) -> Any:
    """The number of a tensor with one element, if a number or truth value is wanted; else the value itself."""
    single = isinstance(found, Array) and len(found.values) == 1 and isinstance(wanted, (bool, int, float))
    return found.values[0] if single else found


def _differences(found: Any, wanted: Any, within: float, path: tuple[Step, ...]) -> Iterator[Difference]:
    found = _unwrapped(found, wanted)
    if isinstance(wanted, Array):
        yield from _of_arrays(found, wanted, within, path)
    elif isinstance(wanted, Record):
        if not isinstance(found, Record) or found.name != wanted.name:
            yield Difference(f"this is {kind_of(found)}, not {kind_of(wanted)}", path)
            return
        for name, value in wanted.fields.items():
            yield from _differences(found.fields.get(name), value, within, (*path, ("field", name)))
    elif isinstance(wanted, (tuple, list)):
        yield from _of_sequences(found, wanted, within, path)
    elif isinstance(wanted, Mapping):
        yield from _of_mappings(found, wanted, within, path)
    elif not _same_leaf(found, wanted, within):
        yield Difference(_leaf_words(found, wanted), path)


def _of_arrays(found: Any, wanted: Array, within: float, path: tuple[Step, ...]) -> Iterator[Difference]:
    if not isinstance(found, Array) or found.kind != wanted.kind:
        yield Difference(f"this is {kind_of(found)}, not {kind_of(wanted)}", path)
    elif found.shape != wanted.shape:
        yield Difference(f"the shape is {found.shape} and should be {wanted.shape}", path)
    else:
        wrong = [
            at
            for at, (one, other) in enumerate(zip(found.values, wanted.values, strict=True))
            if one is not other and not close(one, other, within)
        ]
        if wrong:
            words = _leaf_words(found.values[wrong[0]], wanted.values[wrong[0]])
            more = f"; {len(wrong)} of {len(wanted.values)} elements differ" if len(wrong) > 1 else ""
            yield Difference(words + more, (*path, *(("at", each) for each in wanted.place(wrong[0]))))


def _of_sequences(found: Any, wanted: Any, within: float, path: tuple[Step, ...]) -> Iterator[Difference]:
    if not isinstance(found, (tuple, list)):
        yield Difference(f"this is {kind_of(found)}, not {kind_of(wanted)}", path)
    elif len(found) != len(wanted):
        counted = "is 1 value" if len(found) == 1 else f"are {len(found)} values"
        yield Difference(f"there {counted} and there should be {len(wanted)}", path)
    else:
        for at, (one, other) in enumerate(zip(found, wanted, strict=True)):
            yield from _differences(one, other, within, (*path, ("at", at)))


def _of_mappings(found: Any, wanted: Mapping[Any, Any], within: float, path: tuple[Step, ...]) -> Iterator[Difference]:
    if not isinstance(found, Mapping):
        yield Difference(f"this is {kind_of(found)}, not a dictionary", path)
        return
    for key in wanted.keys() - found.keys():
        yield Difference(f"the key {short(key)} is missing", path)
    for key in found.keys() - wanted.keys():
        yield Difference(f"the key {short(key)} should not be there", path)
    for key, value in wanted.items():
        yield from _differences(found[key], value, within, (*path, ("key", key)))


def _same_leaf(found: Any, wanted: Any, within: float) -> bool:
    if is_number(wanted) and is_number(found):
        return close(found, wanted, within)
    if isinstance(wanted, complex) and isinstance(found, (complex, float, int)):
        return abs(found - wanted) <= within * max(1.0, abs(wanted))
    return type(found) is type(wanted) and bool(found == wanted)


def _leaf_words(found: Any, wanted: Any) -> str:
    if found is None:
        return "there is nothing (None)"
    if is_number(found) != is_number(wanted) or (type(found) is not type(wanted) and not is_number(wanted)):
        return f"this is {kind_of(found)}, not {kind_of(wanted)}"
    one, other = told_apart(found, wanted)
    if is_number(wanted) and wanted != 0 and close(found, -wanted, 1e-6):
        return f"{one} differs from {other} by its sign"
    return f"{one} instead of {other}"


# The whole value


def _as_a_whole(found: Any, wanted: Any, within: float) -> str | None:
    """A relation between all numbers of the two: opposite sign, a factor, swapped; None if there is none."""
    if found is None:
        return None
    ones, others = list(_numbers(found)), list(_numbers(wanted))
    if len(ones) == len(others) > 1:
        if all(close(a, b, within) for a, b in zip(ones, others, strict=True)):
            return None
        relation = _factor(ones, others)
        if relation:
            return relation
        swapped = sorted(ones) != ones or sorted(others) != others
        if swapped and all(close(a, b, within) for a, b in zip(sorted(ones), sorted(others), strict=True)):
            return "the values are right, but they stand in another order"
    return None


def _factor(ones: list[float], others: list[float]) -> str | None:
    pairs = [(a, b) for a, b in zip_longest(ones, others) if b]
    if len(pairs) < 2 or any(a for a, b in zip(ones, others, strict=True) if not b):
        return None
    ratio = pairs[0][0] / pairs[0][1]
    if not all(close(a / b, ratio, 1e-5) for a, b in pairs) or ratio == 0:
        return None
    if close(ratio, -1.0, 1e-6):
        return "all of it differs by its sign"
    for large in range(2, 101):
        if close(ratio, large, 1e-5):
            return f"all of it is {large} times as large as it should be"
        if close(ratio, 1 / large, 1e-5):
            return f"all of it is {large} times as small as it should be"
    return None


def _numbers(value: Any) -> Iterator[float]:
    if isinstance(value, Array):
        yield from (float(each) for each in value.values[:10_000] if is_number(each))
    elif isinstance(value, Record):
        for each in value.fields.values():
            yield from _numbers(each)
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _numbers(each)
    elif is_number(value):
        yield float(value)


# Names of kinds -----------------------------------------------------------------------------------------------------


def kind_of(value: Any) -> str:
    """The kind of a value, with an article.

    >>> kind_of([1, 2]), kind_of(None), kind_of(set())
    ('a list of 2', 'nothing (None)', 'an empty set')
    """
    if value is None:
        return "nothing (None)"
    if isinstance(value, Array):
        return f"a {value.kind} of shape {value.shape}"
    if isinstance(value, Record):
        return f"a {value.name}"
    if isinstance(value, Thing):
        return f"the {value.name} {value.text}".strip() if value.name == "function" else f"a {value.name}"
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}" if value else "an empty tuple"
    if isinstance(value, list):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, (set, frozenset)):
        return f"a set of {len(value)}" if value else "an empty set"
    names = {bool: "True or False", int: "a number", float: "a number", str: "a text", dict: "a dictionary"}
    return names.get(type(value), f"a {type(value).__name__}")


def short(value: Any) -> str:
    """A value in few characters; numbers are rounded.

    >>> short(0.1 + 0.2), short(2.0), short("ab")
    ('0.3', '2.0', "'ab'")
    """
    return rounded(value, 6) if isinstance(value, float) else repr(value)


def rounded(value: float, digits: int) -> str:
    """A number rounded to `digits` significant digits; a float keeps its decimal point."""
    text = f"{value:.{digits}g}"
    return text if any(sign in text for sign in ".en") else f"{text}.0"


def told_apart(one: Any, other: Any) -> tuple[str, str]:
    """Two values as short texts, with enough digits to show that they differ."""
    if isinstance(one, float) and isinstance(other, float):
        for digits in (6, 9, 12, 17):
            texts = rounded(one, digits), rounded(other, digits)
            if texts[0] != texts[1]:
                return texts
    return short(one), short(other)

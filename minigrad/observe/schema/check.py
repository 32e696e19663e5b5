"""Check whether plain data is a record, and if not, say what is wrong with it.

All data from outside is checked here: a trace file that is read, drawn or imported, and what
a program publishes. It needs only the standard library, so that traces can be read without other packages.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from .parts import LARGEST, Limits
from .quick import Compiler, Test
from .records import KINDS, RECORDS

DEEPEST = 32
"""The most levels of lists and objects inside a field that may hold anything."""


class Wrong(NamedTuple):
    """A problem: the field, what was expected, and what was found."""

    field: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.field}: expected {self.expected}, found {self.found}"


Check = Callable[[Any], Wrong | None]


def check(record: Any) -> Wrong | None:
    """The problem with a record, or None if it is valid.

    >>> check({"seq": 2, "t": 0.5, "step": 0, "type": "released", "node": 1})
    >>> print(check({"seq": 2, "t": 0.5, "type": "step_taken", "loss": "abc"}))
    loss: expected a number or null, found 'abc'
    """
    if type(record) is not dict:
        return Wrong("record", "an object", shown(record))
    kind = record.get("type")
    sure = QUICK.get(kind) if type(kind) is str else None
    if sure is not None and sure(record):
        return None
    checked = THOROUGH.get(kind) if type(kind) is str else None
    if checked is None:
        return Wrong("type", "a kind that this minigrad knows; a newer one may have written it", shown(kind))
    return checked(record)


def mended(value: Any) -> Any:
    """The value with a question mark for each lone surrogate (half a character), which UTF-8 cannot encode.

    >>> mended({"error": "caf\\udce9"})
    {'error': 'caf?'}
    """
    return json.loads(json.dumps(value, ensure_ascii=False).encode(errors="replace"))


def shown(value: Any) -> str:
    """A short description of a value of any type and size."""
    if isinstance(value, dict):
        return f"an object of {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = ascii(value) if not isinstance(value, int) or value.bit_length() < 100 else "a very large number"
    return text if len(text) <= 60 else text[:57] + "..."


def _of_class(cls: type) -> Check:
    """A check for an object with the fields of this class."""
    hints = get_type_hints(cls, include_extras=True)
    known = [each for each in fields(cls) if each.init]
    checks = {each.name: _of_type(hints[each.name]) for each in known}
    required = [each.name for each in known if each.default is MISSING and each.default_factory is MISSING]
    find = checks.get

    def checked(value: Any) -> Wrong | None:
        if type(value) is not dict:
            return Wrong("", "an object", shown(value))
        for name in required:
            if name not in value:
                return Wrong(name, "this field", "nothing")
        for name, inner in value.items():
            one = find(name)
            if one is None:
                wrong = _anything(inner)
            else:
                wrong = one(inner)
            if wrong is not None:
                return _inside(name if one is not None else shown(name), wrong)
        return None

    return checked


def _inside(outer: str, wrong: Wrong) -> Wrong:
    between = "." if wrong.field and not wrong.field.startswith("[") else ""
    return wrong._replace(field=f"{outer}{between}{wrong.field}")


def _of_type(hint: Any) -> Check:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        limits = next((each for each in inner[1:] if isinstance(each, Limits)), None)
        return _of_type(inner[0]) if limits is None else _limited(_of_type(inner[0]), limits)
    if origin in (Union, UnionType):
        (other,) = (each for each in inner if each is not type(None))
        return _or_null(_of_type(other))
    if origin is Literal:
        return _one_of(inner)
    if origin is list:
        return _list_of(_of_type(inner[0]))
    if origin is dict:
        return _object_of(_of_type(inner[1]))
    if is_dataclass(hint) and isinstance(hint, type):
        return _lazily(hint)
    return {int: _whole, float: _number, str: _text, bool: _truth, Any: _anything}[hint]


def _whole(value: Any) -> Wrong | None:
    if type(value) is int and -LARGEST <= value <= LARGEST:
        return None
    return Wrong("", "a whole number", shown(value))


def _number(value: Any) -> Wrong | None:
    if type(value) is float and math.isfinite(value):
        return None
    if type(value) is int and -LARGEST <= value <= LARGEST:
        return None
    return Wrong("", "a number", shown(value))


def _text(value: Any) -> Wrong | None:
    if type(value) is str and (value.isascii() or _encodable(value)):
        return None
    return Wrong("", "a text", shown(value))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _truth(value: Any) -> Wrong | None:
    return None if value is True or value is False else Wrong("", "true or false", shown(value))


def _anything(value: Any) -> Wrong | None:
    """A check for any JSON that is not nested too deeply."""
    level = [value]
    for _ in range(DEEPEST):
        below: list[Any] = []
        for each in level:
            if type(each) is dict:
                below += each.values()
                below += each.keys()
            elif type(each) is list:
                below += each
            elif type(each) is str and not (each.isascii() or _encodable(each)):
                return Wrong("", "text", shown(each))
            elif type(each) is float and not math.isfinite(each):
                return Wrong("", "a number that JSON knows", shown(each))
        if not below:
            return None
        level = below
    return Wrong("", f"at most {DEEPEST} levels of lists and objects", "more")


def _limited(one: Check, limits: Limits) -> Check:
    least, most = limits

    def checked(value: Any) -> Wrong | None:
        wrong = one(value)
        if wrong is None and value is not None and not least <= value <= most:
            return Wrong("", f"a number from {least:g} to {most:g}", shown(value))
        return wrong

    return checked


def _or_null(one: Check) -> Check:
    def checked(value: Any) -> Wrong | None:
        if value is None:
            return None
        wrong = one(value)
        return wrong if wrong is None or wrong.field else wrong._replace(expected=f"{wrong.expected} or null")

    return checked


def _one_of(values: tuple[Any, ...]) -> Check:
    known = frozenset(values)

    def checked(value: Any) -> Wrong | None:
        if type(value) is str and value in known:
            return None
        return Wrong("", " or ".join(map(str, values)), shown(value))

    return checked


def _list_of(one: Check) -> Check:
    def checked(value: Any) -> Wrong | None:
        if type(value) is not list:
            return Wrong("", "a list", shown(value))
        for index, each in enumerate(value):
            wrong = one(each)
            if wrong is not None:
                return _inside(f"[{index}]", wrong)
        return None

    return checked


def _object_of(one: Check) -> Check:
    def checked(value: Any) -> Wrong | None:
        if type(value) is not dict:
            return Wrong("", "an object", shown(value))
        for name, each in value.items():
            wrong = _text(name) or one(each)
            if wrong is not None:
                return _inside(shown(name), wrong)
        return None

    return checked


_parts: dict[type, Check] = {}


def _lazily(cls: type) -> Check:
    """The check for a part, created once."""
    if cls not in _parts:
        _parts[cls] = _of_class(cls)
    return _parts[cls]


THOROUGH: dict[str, Check] = {kind: _of_class(RECORDS[kind]) for kind in KINDS}

_compiler = Compiler(lambda value: _anything(value) is None)
QUICK: dict[str, Test] = {kind: _compiler.of_class(RECORDS[kind]) for kind in KINDS}
"""A fast test for each kind, tried first since most records are valid."""

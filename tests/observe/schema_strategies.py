"""Records generated from the schema: valid ones of every kind, and invalid ones that are wrong in one place."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from minigrad.observe.schema import KINDS, RECORDS
from minigrad.observe.schema.parts import LARGEST, Limits

Record = dict[str, Any]

NASTY = (
    "", "\x00", "\x1b[2J", "<script>alert(1)</script>", "</TABLE>>", "]}", '"', "\\", "\u2028", "[bold]", "🌀", "é",
    "javascript:alert(1)", '"]; evil [URL="javascript:1"', "../../etc/passwd", "%s", "{x}", "a" * 5_000,
)  # fmt: skip

texts = st.sampled_from(NASTY) | st.text(max_size=8)
numbers = st.floats(allow_nan=False, allow_infinity=False)
plain = st.recursive(
    st.none() | st.booleans() | st.integers(-LARGEST, LARGEST) | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


def _of(hint: Any) -> st.SearchStrategy[Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        limits = next((each for each in inner[1:] if isinstance(each, Limits)), None)
        if limits is None:
            return _of(inner[0])
        if inner[0] is int:
            small = st.integers(int(limits.least), 50)
            return small | st.integers(int(limits.least), int(limits.most))
        return st.floats(limits.least, limits.most)
    if origin in (Union, UnionType):
        return st.one_of(*(st.none() if each is type(None) else _of(each) for each in inner))
    if origin is Literal:
        return st.sampled_from(inner)
    if origin is list:
        return st.lists(_of(inner[0]), max_size=3)
    if origin is dict:
        return st.dictionaries(texts, _of(inner[1]), max_size=3)
    if is_dataclass(hint) and isinstance(hint, type):
        return objects(hint)
    small = st.integers(-2, 6)
    return {
        int: small | st.integers(-LARGEST, LARGEST), float: numbers, str: texts, bool: st.booleans(), Any: plain,
    }[hint]  # fmt: skip


def objects(cls: type) -> st.SearchStrategy[Record]:
    """Plain data with the fields of this class, some optional ones left out."""

    def made() -> st.SearchStrategy[Record]:
        hints = get_type_hints(cls, include_extras=True)
        required: dict[str, st.SearchStrategy[Any]] = {}
        optional: dict[str, st.SearchStrategy[Any]] = {}
        for each in fields(cls):
            must = each.name == "type" or (each.default is MISSING and each.default_factory is MISSING)
            (required if must else optional)[each.name] = _of(hints[each.name])
        return st.fixed_dictionaries(required, optional=optional)

    return st.deferred(made)


records = st.one_of(*(objects(RECORDS[kind]) for kind in KINDS))
"""Valid records of all kinds."""

junk = plain | st.sampled_from([2**63, -(2**70), 1e300, float("nan"), float("inf"), "\ud800", [[[[]]]], {"a": {}}])
"""Values of wrong types."""


@st.composite
def hostile(draw: st.DrawFn) -> Any:
    """A record with one field left out, or with junk in its place."""
    record = dict(draw(records))
    name = draw(st.sampled_from(sorted(record)))
    if draw(st.booleans()):
        del record[name]
    else:
        record[name] = draw(junk)
    return record


@st.composite
def traces(draw: st.DrawFn) -> list[Record]:
    """A run: its first record, and valid records in order, which may name missing tensors and nodes."""
    found = draw(st.lists(records.filter(lambda each: each["type"] != "run_started"), max_size=12))
    first = {
        "seq": 1,
        "t": 0.0,
        "step": 0,
        "type": "run_started",
        "id": "r",
        "name": draw(texts),
        "started": draw(texts),
    }
    return [first, *({**each, "seq": number} for number, each in enumerate(found, 2))]

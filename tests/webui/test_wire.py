"""Messages as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minigrad.observe.publish import wire
from minigrad.observe.publish.wire import BadMessage, encode, line_of, read_batch, write_batch
from minigrad_webui import protocol

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
records = st.fixed_dictionaries(
    {
        "seq": st.integers(1, 2**53),
        "t": st.floats(0, 1e9),
        "step": st.integers(0, 2**53),
        "type": st.from_regex(r"\A[a-z_]+\Z"),
        "more": plain,
    }
)


def test_the_version_of_the_protocol_is_said_twice_but_the_same() -> None:
    assert wire.PROTOCOL_VERSION == protocol.PROTOCOL_VERSION


@given(st.lists(records))
def test_a_batch_read_back_holds_the_very_texts_it_was_written_of(some: list[dict[str, object]]) -> None:
    texts = [encode(one) for one in some]
    batch = write_batch(1, 9, texts)
    assert [line.text for line in read_batch(batch)] == texts
    assert json.loads(batch) == {"type": "batch", "first": 1, "last": 9, "records": [json.loads(one) for one in texts]}


@given(st.lists(records), st.sampled_from([None, 2]))
def test_a_batch_in_any_other_form_is_read_as_well(some: list[dict[str, object]], indent: int | None) -> None:
    batch = json.dumps({"records": some, "type": "batch", "first": 1, "last": 9}, indent=indent, sort_keys=True)
    read = read_batch(batch)
    assert [(line.seq, line.step, line.kind) for line in read] == [(o["seq"], o["step"], o["type"]) for o in some]
    assert [line.record for line in read] == some


def test_a_line_break_inside_a_text_does_not_cut_a_record() -> None:
    text = encode({"seq": 1, "step": 0, "type": "source", "text": 'a = 1\n{"seq":2},\n]}\n'})
    (line,) = read_batch(write_batch(1, 1, [text]))
    assert line.record["text"] == 'a = 1\n{"seq":2},\n]}\n'


def test_numbers_that_json_does_not_have_become_null() -> None:
    (line,) = read_batch(write_batch(1, 1, ['{"seq":1,"t":0,"step":0,"type":"scalar","value":NaN,"more":[-Infinity]}']))
    assert json.loads(line.text) == {"seq": 1, "t": 0, "step": 0, "type": "scalar", "value": None, "more": [None]}


@pytest.mark.parametrize(
    "text",
    ["[]", "1", '{"seq":0,"type":"node"}', '{"seq":true,"type":"node"}', '{"seq":1}', '{"seq":1,"step":-1,"type":"x"}'],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(BadMessage, match="a record"):
        line_of(text)


@pytest.mark.parametrize("text", ["", "hello", "{}", '{"records":3}', '{"records":[3]}', "]}", "[\n]}", "x[\n{}\n]}"])
def test_what_is_no_batch_is_refused(text: str) -> None:
    with pytest.raises(BadMessage):
        read_batch(text)

"""Messages as text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minigrad.observe.publish.wire import encode, write_batch
from minigrad_webui.runs.incoming import BadMessage, line_of, read_batch
from tests.observe.schema_strategies import records


@settings(deadline=None)
@given(st.lists(records))
def test_a_batch_read_back_holds_the_very_texts_it_was_written_of(some: list[dict[str, object]]) -> None:
    texts = [encode(one) for one in some]
    batch = write_batch(1, 9, texts)
    assert [line.text for line in read_batch(batch)] == texts
    assert json.loads(batch) == {"type": "batch", "first": 1, "last": 9, "records": [json.loads(one) for one in texts]}


@settings(deadline=None)
@given(st.lists(records), st.sampled_from([None, 2]))
def test_a_batch_in_any_other_form_is_read_as_well(some: list[dict[str, object]], indent: int | None) -> None:
    batch = json.dumps({"records": some, "type": "batch", "first": 1, "last": 9}, indent=indent, sort_keys=True)
    read = read_batch(batch)
    assert [(line.seq, line.step, line.kind) for line in read] == [
        (o["seq"], o.get("step", 0), o["type"]) for o in some
    ]
    assert [line.record for line in read] == [{"step": 0, **one} for one in some]


def test_a_line_break_inside_a_text_does_not_cut_a_record() -> None:
    text = encode({"seq": 1, "step": 0, "type": "source", "file": "a.py", "text": 'a = 1\n{"seq":2},\n]}\n'})
    (line,) = read_batch(write_batch(1, 1, [text]))
    assert line.record["text"] == 'a = 1\n{"seq":2},\n]}\n'


def test_numbers_that_json_does_not_have_become_null() -> None:
    text = '{"seq":1,"t":0,"step":0,"type":"scalar","name":"a","value":NaN,"more":[-Infinity]}'
    (line,) = read_batch(write_batch(1, 1, [text]))
    assert (line.record["value"], line.record["more"]) == (None, [None])
    assert "NaN" not in line.text


@pytest.mark.parametrize(
    "text",
    ["[]", "1", '{"seq":0,"type":"node"}', '{"seq":true,"type":"node"}', '{"seq":1}', '{"seq":1,"step":-1,"type":"x"}'],
)
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(BadMessage, match="expected"):
        line_of(text)


@pytest.mark.parametrize("text", ["", "hello", "{}", '{"records":3}', '{"records":[3]}', "]}", "[\n]}", "x[\n{}\n]}"])
def test_what_is_no_batch_is_refused(text: str) -> None:
    with pytest.raises(BadMessage):
        read_batch(text)

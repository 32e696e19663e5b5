"""Where records go, and how they are written."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

from minigrad.observe.record import sinks
from minigrad.observe.record.sinks import encode, encode_all, hand_over

ODD = [
    {"value": math.nan, "extremes": [math.inf, -math.inf, 0.0]},
    {"value": np.float32(0.1), "size": np.int64(3), "loss": np.float64("nan")},
    {"text": "\n \u2028 \x1e \x00 \u00e9 \U0001f600", "path": []},
    {"text": "half a character: \ud800"},
    {"number": 2**70, "small": 1e-7, "large": 1e22},
    {"thing": slice(1, 2), "array": np.zeros(2), "names": ("a", "b"), 3: "a key that is no text"},
]


@pytest.mark.parametrize("odd", ODD)
def test_records_that_are_written_together_are_written_as_each_alone(odd: dict[str, Any]) -> None:
    records = [{"seq": 1, "outputs": [{"seq": 1}, {"seq": 1}]}, {"seq": 2, **odd}, {"seq": 3}]
    lines = encode_all(records).splitlines()  # Python's notion of a line, which is wider than JSON's
    assert lines == [encode(record) for record in records]
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3]


@pytest.mark.parametrize("odd", ODD)
def test_without_the_fast_encoder_the_same_is_written(odd: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    fast = json.loads(encode(odd))
    monkeypatch.setattr(sinks, "_fast", lambda: None)
    slow = json.loads(encode(odd))
    assert fast == slow


def test_numbers_that_json_lacks_become_null() -> None:
    assert json.loads(encode(ODD[0])) == {"value": None, "extremes": [None, None, 0.0]}


def test_one_record_is_written_alone() -> None:
    assert encode_all([{"seq": 1}]) == '{"seq":1}'


def test_a_sink_that_takes_several_gets_them_at_once_and_another_one_by_one() -> None:
    class Several:
        def __init__(self) -> None:
            self.taken: list[Any] = []

        def send(self, record: dict[str, Any]) -> None:
            self.taken.append(record)

        def send_all(self, records: Any) -> None:
            self.taken.append(list(records))

        def close(self) -> None: ...

    class OneByOne(Several):
        send_all = None  # type: ignore[assignment]

    records = [{"seq": 1}, {"seq": 2}]
    several, single = Several(), OneByOne()
    hand_over(several, records)
    hand_over(single, records)
    assert several.taken == [records]
    assert single.taken == records

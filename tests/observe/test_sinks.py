"""Where records go, and how they are written."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from minigrad.observe.record.sinks import encode, encode_all, hand_over


@pytest.mark.parametrize(
    "odd",
    [
        {"path": ["\x1e", "\x1e"]},
        {"text": ',"\\u001e",', "path": ["a", "\x1e"]},
        {"text": ',"\\u001e",'},
        {"value": math.nan},
        {"text": "\n", "path": []},
    ],
)
def test_records_that_are_written_together_are_written_as_each_alone(odd: dict[str, Any]) -> None:
    records = [{"seq": 1, "outputs": [{"seq": 1}, {"seq": 1}]}, {"seq": 2, **odd}, {"seq": 3}]
    lines = encode_all(records).split("\n")
    assert lines == [encode(record) for record in records]
    assert [json.loads(line)["seq"] for line in lines] == [1, 2, 3]


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

"""A trace file is read back, and a broken one as far as can be."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import minigrad as mg
from minigrad.errors import ArgumentError
from minigrad.observe import read


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "run.jsonl"
    with mg.observe.record(path, name="a run"):
        x = mg.tensor([1.0, 2.0], requires_grad=True)
        (x * x).sum().backward()
    return path


def change(path: Path, line: int, text: str) -> None:
    lines = path.read_text().splitlines()
    lines[line - 1] = text
    path.write_text("\n".join(lines) + "\n")


def test_a_whole_file_has_no_problems(trace: Path) -> None:
    reading = read(trace)
    assert reading.complete
    assert reading.run["name"] == "a run"
    assert list(reading.steps()) == [0]


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ('{"seq": 5, "t', '\'{"seq": 5, "t\'', "a record as JSON"),
        ("[1, 2]", "a list of 2 as record", "an object"),
        ('{"seq": "five", "t": 0.1, "type": "released", "node": 1}', "'five' as seq", "a whole number"),
        ('{"seq": 2, "t": 0.1, "type": "released", "node": 1}', "seq 2 after 4", "a larger one"),
        ('{"seq": 5, "t": 0.1, "type": "thought", "node": 1}', "'thought' as type", "a newer one may have written it"),
        ('{"seq": 5, "t": 0.1, "type": "saved"}', "nothing as node of a saved record", "this field"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(trace: Path, text: str, found: str, expected: str) -> None:
    count = len(read(trace).records)
    change(trace, 5, text)
    reading = read(trace)
    assert len(reading.records) == count - 1
    problem = reading.problems[0]
    assert problem.line == 5
    assert found in problem.found
    assert expected in problem.expected
    assert str(problem).startswith("line 5: found ")
    assert str(problem) in str(reading)


OLDER = Path(__file__).parent / "traces" / "version-1.jsonl.gz"
"""Three steps of a small net, as minigrad 0.1.0 recorded them."""


def test_a_file_of_schema_version_1_is_read_and_drawn() -> None:
    reading = read(OLDER)
    assert reading.complete
    assert reading.run["schema_version"] == 1
    assert list(reading.steps()) == [0, 1, 2]
    drawn = mg.observe.draw(OLDER, step=1).text
    assert "loss = MseLoss" in drawn
    assert "0.weight  4×3  requires grad  value ‖0.918‖  grad ‖0.704‖" in drawn


def test_a_file_of_a_newer_minigrad_is_read_as_far_as_it_is_known(trace: Path) -> None:
    first = json.loads(trace.read_text().splitlines()[0])
    change(trace, 1, json.dumps({**first, "schema_version": 99, "moods": []}))
    reading = read(trace)
    assert len(reading.problems) == 1
    assert "schema version 99" in reading.problems[0].found
    assert "Upgrade" in reading.problems[0].expected
    assert len(reading.records) > 10


def test_a_file_that_was_cut_says_where(trace: Path) -> None:
    text = trace.read_text()
    trace.write_text(text[: len(text) // 2])
    reading = read(trace)
    assert not reading.complete
    assert "cut off at its end" in reading.problems[-1].found


def test_compressed_data_that_was_cut_is_read_up_to_the_cut(trace: Path) -> None:
    packed = gzip.compress(trace.read_bytes())
    trace.write_bytes(packed[: len(packed) * 3 // 4])
    reading = read(trace)
    assert reading.records
    assert "cut compressed data" in reading.problems[-1].found


def test_missing_records_are_noticed(trace: Path) -> None:
    lines = trace.read_text().splitlines()
    trace.write_text("\n".join(lines[:5] + lines[7:]) + "\n")
    assert str(read(trace).problems[0]) == "line 6: found seq 8 after 5, expected 6: 2 records are missing"


def test_a_file_without_its_beginning_is_read(trace: Path) -> None:
    trace.write_text("\n".join(trace.read_text().splitlines()[2:]))
    assert "the beginning of the file is missing" in read(trace).problems[0].expected


@pytest.mark.parametrize("content", [b"", b"hello\n", b"\x1f\x8b broken", b"\x00\xff\x00"])
def test_what_is_no_trace_at_all_is_an_error(tmp_path: Path, content: Any) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(content)
    with pytest.raises(ArgumentError, match="is not a trace.*Record one with"):
        read(path)

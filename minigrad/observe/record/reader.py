"""Read trace files.

All readable records are kept. An unreadable line (cut off when its program was killed, or a record of a newer minigrad)
is reported with its number, what was found there, and what was expected.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ...errors import ArgumentError
from ..schema import KINDS, SCHEMA_VERSION, check, mended

Record = dict[str, Any]


LONGEST_LINE = 64 * 1024 * 1024
"""Bytes. A packed file can be a thousand times as long when unpacked: at most this much of a line is held in memory."""

MOST_PROBLEMS = 1_000
"""Reading stops after this many unreadable lines."""


@dataclass(frozen=True)
class Problem:
    """A line that could not be read, or only in part: what was found there, and what was expected."""

    line: int
    found: str
    expected: str

    def __str__(self) -> str:
        return f"line {self.line}: found {self.found}, expected {self.expected}"


@dataclass
class Reading:
    """The content of a trace file."""

    path: str
    records: list[Record] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def run(self) -> Record:
        """The record with which the run begins; empty if it is missing."""
        return next((record for record in self.records if record["type"] == "run_started"), {})

    @property
    def complete(self) -> bool:
        """Whether the trace ends with the record of the run's end, and every line could be read."""
        return not self.problems and bool(self.records) and self.records[-1]["type"] == "run_finished"

    def steps(self) -> dict[int, list[Record]]:
        """The records of each step."""
        found: dict[int, list[Record]] = {}
        for record in self.records:
            found.setdefault(record["step"], []).append(record)
        return found

    def __str__(self) -> str:
        head = f"{self.path}: {len(self.records):,} records, {len(self.steps())} steps"
        return "\n".join([head, *(f"  {problem}" for problem in self.problems)])


def read(path: str | os.PathLike[str]) -> Reading:
    """Read a whole trace file, gzipped or not. Raises ArgumentError if the file is no trace."""
    reading = Reading(os.fspath(path))
    before = 0
    for number, text in _lines(reading):
        if not text.strip():
            continue
        record, problem = _record(number, text, before)
        if problem is not None:
            reading.problems.append(problem)
            if len(reading.problems) >= MOST_PROBLEMS:
                reading.problems.append(Problem(number + 1, "too many lines that cannot be read", "a trace"))
                break
        if record is not None:
            before = record["seq"]
            reading.records.append(record)
    if not reading.records:
        first = reading.problems[0] if reading.problems else "it is empty"
        raise ArgumentError(f"{reading.path} is not a trace: {first}. Record one with mg.observe.record(path).")
    if reading.records[0]["type"] != "run_started":
        found = f"a {reading.records[0]['type']} record"
        reading.problems.insert(0, Problem(1, found, "a run_started record: the beginning of the file is missing"))
    return reading


def _lines(reading: Reading) -> Iterator[tuple[int, str]]:
    with open(reading.path, "rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
    number = 0
    try:
        with gzip.open(reading.path) if packed else open(reading.path, "rb") as file:
            while line := file.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    found = f"more than {LONGEST_LINE >> 20} MB in one line"
                    reading.problems.append(Problem(number, found, "a trace: the rest of the file is not read"))
                    return
                yield number, line.decode(errors="replace")
    except (EOFError, OSError, zlib.error) as error:
        found = f"damaged or cut compressed data ({error})"
        reading.problems.append(Problem(number + 1, found, "the rest of the file"))


def _record(number: int, text: str, before: int) -> tuple[Record | None, Problem | None]:
    """The record on a line, or None, and the problem with the line, or None."""
    try:
        record = json.loads(text, parse_constant=lambda name: None)
    except RecursionError:
        return None, Problem(number, "lists or objects nested too deeply", "a record")
    except ValueError as error:
        cut = "" if text.endswith("\n") else ", cut off at its end"
        return None, Problem(number, f"{_shown(text)}{cut}", f"a record as JSON ({error})")
    wrong = check(record)
    if wrong is not None:
        record = mended(record)
        wrong = check(record)
    if wrong is not None:
        kind = record.get("type") if isinstance(record, dict) else None
        found = f"{wrong.found} as {wrong.field}" + (f" of a {kind} record" if kind in KINDS else "")
        return None, Problem(number, found, wrong.expected)
    seq, kind = record["seq"], record["type"]
    if seq <= before:
        return None, Problem(number, f"seq {seq} after {before}", "a larger one: records stand in order")
    record.setdefault("step", 0)
    version = record.get("schema_version", SCHEMA_VERSION) if kind == "run_started" else SCHEMA_VERSION
    if version > SCHEMA_VERSION:
        expected = f"at most {SCHEMA_VERSION}: what this minigrad knows of the file is kept. Upgrade to read all of it"
        return record, Problem(number, f"schema version {version}", expected)
    if before and seq != before + 1:
        between = seq - before - 1
        noted = kind == "dropped"
        gap = Problem(number, f"seq {seq} after {before}", f"{before + 1}: {between} records are missing")
        return record, None if noted else gap
    return record, None


def _shown(text: str) -> str:
    text = text.strip()
    return repr(text if len(text) <= 60 else text[:57] + "...")

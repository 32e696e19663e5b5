"""Import a trace file as a run.

Readable records are kept. An unreadable line (cut off when its program was killed, or a record of a newer minigrad) is
reported by its number in the file, with what was found there and what was expected.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterable, AsyncIterator, Iterator
from dataclasses import dataclass, field

from pydantic import BaseModel, Field

from minigrad_webui.protocol import SCHEMA_VERSION, Run
from minigrad_webui.runs.incoming import BadMessage, Line, line_of
from minigrad_webui.runs.store import Store, UnknownRun

BATCH = 1_000
CUT = "The trace ends before its run: the program was stopped, or the file cut."

RECORD_ONE = "Record one with: minigrad run --record FILE SCRIPT"

MOST_PROBLEMS = 20
LONGEST_LINE = 64 * 1024 * 1024
LONGEST_NAME = 10_000
LONGEST_ID = 100

PIECE = 1 << 20
"""How many bytes to unpack at a time."""


class BadTrace(ValueError):
    """The file has nothing that can be read as a trace."""


class LineProblem(BaseModel):
    """A line that was left out."""

    line: int = Field(description="its number in the file, from 1")
    message: str


class Imported(BaseModel):
    """The result of an import."""

    run: Run
    records: int = Field(description="how many were kept")
    left_out: int = Field(0, description="how many lines were not")
    problems: list[LineProblem] = Field([], description=f"the first {MOST_PROBLEMS} of them")


@dataclass
class Importer:
    """Takes a trace line by line; `finish` returns the result."""

    store: Store
    run: Run | None = None
    left_out: int = 0
    problems: list[LineProblem] = field(default_factory=list)
    _number: int = 0
    _waiting: list[Line] = field(default_factory=list)
    _last: int = 0

    def feed(self, text: str) -> None:
        """Take one line of the trace."""
        self._number += 1
        if not text.strip():
            return
        try:
            line = line_of(text)
            if self.run is None:
                self._begin(line)
            elif line.seq <= self._last:
                raise BadMessage(f"`seq` is {line.seq}, but {self._last} came before it")
        except BadMessage as error:
            if self.run is None:
                raise BadTrace(f"Line {self._number} does not begin a trace: {error}. {RECORD_ONE}") from error
            self.report(str(error))
            return
        self._last = line.seq
        self._waiting.append(line)
        if len(self._waiting) >= BATCH:
            self._flush()

    def report(self, message: str) -> None:
        """Note that the current line was left out."""
        self.left_out += 1
        if len(self.problems) < MOST_PROBLEMS:
            self.problems.append(LineProblem(line=self._number, message=message))

    def finish(self) -> Imported:
        """End the import and return its result. Raises BadTrace if there was no run."""
        if self.run is None:
            raise BadTrace(f"The file is empty; a trace begins with a run_started record. {RECORD_ONE}")
        self._flush()
        self.store.lose(self.run.id, CUT)
        run = self.store.run(self.run.id)
        return Imported(run=run, records=run.records, left_out=self.left_out, problems=self.problems)

    def _begin(self, line: Line) -> None:
        if line.kind != "run_started":
            raise BadMessage(f"expected a run_started record, found {line.kind!r}")
        record = line.record
        version = record.get("schema_version", SCHEMA_VERSION)
        if version > SCHEMA_VERSION:
            message = f"the trace has schema {version}, this minigrad reads up to {SCHEMA_VERSION}; upgrade minigrad"
            self.report(f"{message}. What is known of it was kept.")
        self.run = self.store.begin(
            _free(self.store, _addressable(record["id"])), record["name"][:LONGEST_NAME], record["started"][:100]
        )

    def _flush(self) -> None:
        assert self.run is not None
        if self._waiting:
            self.store.append(self.run.id, self._waiting)
            self._waiting = []


def _addressable(run: str) -> str:
    """The id changed as little as needed to be valid in an address (`protocol.RunId`)."""
    fit = re.sub(r"[/\\\x00-\x1f]", "-", run)[:LONGEST_ID]
    return fit if fit.strip(".") else f"run{fit}"


def _free(store: Store, run: str) -> str:
    """An id like `run` that is not taken, so that a trace can be imported twice."""
    number, free = 1, run
    while True:
        try:
            store.run(free)
        except UnknownRun:
            return free
        number += 1
        free = f"{run}-{number}"


class Cut(ValueError):
    """The compressed file ends too early or is damaged."""


async def lines_of(chunks: AsyncIterable[bytes]) -> AsyncIterator[list[str]]:
    """The lines of a file that arrives in pieces, gzipped or not.

    Raises Cut after the last line that could be unpacked.
    """
    unpack: zlib._Decompress | None = None
    rest, begun = b"", False
    async for chunk in chunks:
        if not chunk:
            continue
        if not begun and (rest + chunk)[:2] == b"\x1f\x8b":
            unpack = zlib.decompressobj(wbits=31)
            chunk, rest = rest + chunk, b""
        begun = begun or len(rest + chunk) >= 2
        for piece in _unpacked(chunk, unpack):
            *whole, rest = (rest + piece).split(b"\n")
            if len(rest) > LONGEST_LINE:
                raise BadTrace(f"A line is longer than {LONGEST_LINE >> 20} MB; this is no trace.")
            yield [line.decode(errors="replace") for line in whole]
    if rest:
        yield [rest.decode(errors="replace")]
    if unpack is not None and not unpack.eof:
        raise Cut("the compressed file ends too early")


def _unpacked(chunk: bytes, unpack: zlib._Decompress | None) -> Iterator[bytes]:
    """Unpack a piece of the file, in pieces: a small one may unpack to very much."""
    if unpack is None:
        yield chunk
        return
    while chunk and not unpack.eof:
        try:
            yield unpack.decompress(chunk, PIECE)
        except zlib.error as error:
            raise Cut(f"the compressed data is damaged: {error}") from error
        chunk = unpack.unconsumed_tail


async def take(chunks: AsyncIterable[bytes], store: Store) -> Imported:
    """Import a whole trace file into the store. Raises BadTrace if it is none."""
    importer = Importer(store)
    try:
        async for lines in lines_of(chunks):
            await asyncio.to_thread(_feed_all, importer, lines)
    except Cut as error:
        if importer.run is None:
            raise BadTrace(f"Nothing can be read: {error}.") from error
        importer.report(f"{error}; what came before is kept")
    return await asyncio.to_thread(importer.finish)


def _feed_all(importer: Importer, lines: list[str]) -> None:
    for line in lines:
        importer.feed(line)

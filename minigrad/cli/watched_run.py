"""One watched run: its recorder, and where its records go.

program ── Recorder ── every sink: the explorer, a trace file, the tally for the last line
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TextIO

from . import explorer
from .console import BLUE, ORANGE, RED, Problem, escape, number, say, sparkline

if TYPE_CHECKING:
    from minigrad.observe import Debugger, Recorder
    from minigrad.observe.publish.data_folder import Note


def warning_of(found: Sequence[Mapping[str, Any]]) -> str:
    """The first of these findings in a line. Of an error only what the traceback above it does not say.

    >>> crash = {"kind": "crash", "message": "The program ended with ValueError: no.", "advice": ""}
    >>> warning_of([crash | {"at": {"file": "/home/me/train.py", "line": 12, "code": "f(x)"}}])
    'The program failed at train.py:12  `f(x)`.'
    """
    from minigrad.observe.diagnosis.finding import place

    first, more = found[0], len(found) - 1
    where = place(first["at"]) if first.get("at") else ""
    if first["kind"] == "crash":
        words = f"The program failed at {where}" if where else "The program failed"
    else:
        words = first["message"].rstrip(".") + (f" ({where})" if where else "")
    also = f"And {more:,} more." if more else ""
    return " ".join(filter(None, (f"{words}.", first["advice"], also)))


@dataclass(frozen=True)
class Wishes:
    """The options of the command line."""

    browser: bool = True
    port: int | None = None
    headless: bool = False
    record: Path | None = None
    values: Literal["auto", "all", "none"] = "auto"
    breakpoints: Sequence[str] = ()


class WatchedRun:
    """A program's run, watched from before its first event until after its last. `sinks` get the records too."""

    def __init__(self, name: str, argv: Sequence[str], wishes: Wishes, *sinks: Any) -> None:
        self.name = name
        self.argv = argv
        self.wishes = wishes
        self.tally = Tally()
        self._sinks = [self.tally, *sinks]
        self._trace = None if wishes.record is None else _of_rank(wishes.record)
        self._file: Any = None
        self._page: str | None = None
        self._note: Note | None = None
        """The note of this machine's explorer, if it shows the run."""
        self._recorder: Recorder | None = None
        self._debugger: Debugger | None = None

    @property
    def recorder(self) -> Recorder:
        """The recorder, after `open`."""
        assert self._recorder is not None, "open the session first"
        return self._recorder

    def open(self) -> None:
        """Find or start the explorer, begin to record, open the browser. Raises Problem if one of these fails."""
        from minigrad.errors import ArgumentError
        from minigrad.observe import Breakpoint, Recorder
        from minigrad.observe.debug import debug
        from minigrad.observe.debug.terminal import Terminal

        try:
            breakpoints = [Breakpoint.parse(each) for each in self.wishes.breakpoints]
        except ArgumentError as error:
            raise Problem(str(error)) from error
        if self._trace is not None:
            self._file = _file(self._trace)
            self._sinks.append(self._file)
        note = None if self.wishes.headless else explorer.find_or_start(self.wishes.port)
        if note is not None:
            from minigrad.observe.publish.publisher import Publisher

            publisher = Publisher(note.url, note.token)
            self._sinks.append(publisher)
        self._recorder = Recorder(*self._sinks, name=self.name, values=self.wishes.values)
        argv, sys.argv = sys.argv, list(self.argv)
        self._recorder.start()
        sys.argv = argv
        self._debugger = debug(self._recorder, breakpoints, Terminal(unheard))
        if note is not None:
            self._debugger.connect(publisher)
            self._show(note)

    def turn_to_torch(self) -> None:
        """Watch PyTorch's tensors, which the program has imported, unless minigrad's have been recorded already."""
        from minigrad.observe.framework import framework_of_module

        if self.recorder.turn_to(framework_of_module(sys.modules["torch"])) and self._debugger is not None:
            self._debugger.turn()

    def _show(self, note: Note) -> None:
        self._page = explorer.page_of(note, self.recorder.id)
        self._note = note if explorer.is_of_this_machine(note) else None
        explorer.wait_for(note, self.recorder.id)
        opened = explorer.open_page(self._page, self.wishes.browser)
        say(f"{'Watch it in the browser' if opened else 'Watch it at'} [{BLUE}]{self._page}[/]")

    @contextlib.contextmanager
    def hearing(self) -> Iterator[None]:
        """Record what the program prints."""
        out, err = sys.stdout, sys.stderr
        heard = [Heard(out, "stdout", self.recorder), Heard(err, "stderr", self.recorder)]
        sys.stdout, sys.stderr = heard
        try:
            yield
        finally:
            sys.stdout, sys.stderr = out, err
            for each in heard:
                each.finish()

    def note(self, name: str, value: float) -> None:
        """Record a number that the program reports. Its loss is recorded already."""
        if name != "loss":
            self.recorder.log(name, value)

    def close(self, error: BaseException | None = None) -> None:
        """End the run, with this error if there is one, and deliver all records."""
        if self._debugger is not None:
            self._debugger.close()
        self._revive()
        self.recorder.stop(error)

    def _revive(self) -> None:
        """Restart an explorer that was killed: it gets the missing records and shows the run."""
        if self._note is None:
            return
        try:
            self._note = explorer.find_or_start(store=self._note.store)
            self._page = explorer.page_of(self._note, self.recorder.id)
        except Problem as problem:
            self._note = self._page = None
            say(f"[{RED}]![/] {problem}")

    def warning(self) -> str:
        """A line about the first problem of the program; empty if none was found."""
        found = [] if self._note is None else explorer.findings(self._note, self.recorder.id)
        return escape(warning_of(found)) if found else self.tally.warning()

    def farewell(self) -> int:
        """Print what can be seen now, and where. Returns the exit status: 1 if the trace is incomplete."""
        status = 0
        failure = None if self._file is None else self.recorder.lost.get(id(self._file))
        if failure is not None:
            why = getattr(failure, "strerror", None) or repr(failure)
            file = escape(str(self._trace))
            say(f"[{RED}]![/] The trace {file} is not whole: {escape(why)}. Make room, and run again.")
            status = 1
        elif self._trace is not None:
            file = escape(str(self._trace))
            say(f"{self.tally.records:,} records in {file}. Open them again: minigrad replay {file}")
        if self._page is not None:
            say(f"Explore it at [{BLUE}]{self._page}[/]")
            say("The explorer ends when it has been unused for an hour, or now: minigrad serve --stop", style="dim")
        return status


class Tally:
    """Counts records, for the last line."""

    def __init__(self) -> None:
        self.records = 0
        self.steps = 0
        self.nodes = 0
        self.losses: list[float] = []
        self.findings: list[Mapping[str, Any]] = []
        """The anomalies found."""

    def send(self, record: Mapping[str, Any]) -> None:
        """Take a record."""
        self.records += 1
        if record["type"] == "node":
            self.nodes += 1
        elif record["type"] == "anomaly_found":
            self.findings.append(record)
        elif record["type"] == "step_taken":
            self.steps += 1
            loss = record.get("loss") if record.get("not_finite") is None else float(record["not_finite"])
            if loss is not None:
                self.losses.append(loss)

    def close(self) -> None:
        """Nothing to do."""

    def words(self) -> str:
        """A line about the whole run."""
        count, what = (self.steps, "step") if self.steps else (self.nodes, "op")
        words = f"{count:,} {what}{'' if count == 1 else 's'} recorded"
        return words + (f"  [{BLUE}]{sparkline(self.losses)}[/]  loss {number(self.losses[-1])}" if self.losses else "")

    def warning(self) -> str:
        """A line about the first anomaly; empty if there was none."""
        if not self.findings:
            return ""
        first, more = self.findings[0], len(self.findings) - 1
        at = first.get("at")
        place = f"{Path(at['file']).name}:{at['line']}: " if at else ""
        also = f" And {more:,} more." if more else ""
        return f"Step {first['step']}, {escape(place + first['message'])}{also}"


class Heard:
    """A stream that also records each line that is written to it."""

    def __init__(self, stream: TextIO, name: Literal["stdout", "stderr"], recorder: Recorder) -> None:
        self._stream = stream
        self._name = name
        self._recorder = recorder
        self._line = ""

    def write(self, text: str) -> int:
        """Pass the text on, and record each line once it is complete."""
        written = self._stream.write(text)
        whole, newline, self._line = (self._line + text).rpartition("\n")
        if newline:
            self._recorder.output(self._name, whole + newline)
        return written

    def writelines(self, lines: Sequence[str]) -> None:
        """Write lines one by one."""
        for line in lines:
            self.write(line)

    def finish(self) -> None:
        """Record the last line if it has no line end."""
        if self._line:
            self._recorder.output(self._name, self._line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def unheard() -> TextIO:
    """Standard error without recording, for messages that are not the program's."""
    return sys.stderr._stream if isinstance(sys.stderr, Heard) else sys.stderr


def _of_rank(file: Path) -> Path:
    """The trace file of this rank. All ranks get the same command line, in which `{rank}` makes the names differ."""
    from minigrad.observe.record.ranks import rank_here

    here = rank_here()
    rank = str(here.get("rank", 0))
    if here and "{rank}" not in str(file) and rank not in file.name:
        name, dot, ending = file.name.partition(".")
        words = (
            f"{here['world_size']} ranks were started together; where each writes {escape(str(file))}, none is whole"
        )
        say(f"[{ORANGE}]![/] {words}. To give each its own: --record {escape(name)}-{{rank}}{dot}{escape(ending)}")
    return Path(str(file).replace("{rank}", rank))


def _file(path: Path) -> Any:
    from minigrad.observe.record.sinks import File

    try:
        return File(path)
    except OSError as error:
        raise Problem(
            f"Cannot write the trace to {path}: {error.strerror}. Choose another file with --record."
        ) from error

"""The process that learners' cells run in. Its parent is `process.Child`.

It gets three pipes: requests on its standard input, its output on its standard output, its replies on its standard
error. Before anything else it moves the first and the last away, to descriptors of its own, and puts in their place
nothing to read and, for errors too, the output. So whatever a cell prints, it prints no reply.

    {"do": "begin", "limits": {...}, "watch": {...}}                            once
    {"do": "run", "number": 3, "file": "cell 4", "source": "...", "mark": "..."}   each with one reply
    {"do": "try", "number": 4, "cells": [{"file": ..., "source": ...}, ...], "mark": "..."}
    {"do": "end"}

To try cells is to run them in a copy of the process, so that whatever they do leaves nothing behind. Where there can be
no copy, they are run in the process itself, and the reply says that it is `spoilt`.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time
import warnings
from types import FrameType, ModuleType
from typing import Any, NoReturn

from .execute import Cells, NoKeyboardError, failure
from .limits import Limits, ProcessGuard, confine, grant_processor_time

ORPHANED = 3.0
"""Seconds in which the process has ended when its parent is gone, whatever its cell does."""


def main(key: str) -> None:
    """Serve requests until the parent has no more. Each reply begins with `key`."""
    requests, replies = os.dup(0), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(1, 2)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    sys.stdin = NoKeyboard()
    Runner(requests, replies, key).serve()


class NoKeyboard:
    """In place of the standard input."""

    encoding = "utf-8"

    def readline(self, *_: Any) -> str:
        """What `input()` calls."""
        raise NoKeyboardError("nobody can type into a lesson's cell")

    read = readlines = __iter__ = readline

    def isatty(self) -> bool:
        """It is no terminal."""
        return False

    def fileno(self) -> int:
        """The empty one that lies below."""
        return 0


class Runner:
    """Runs one request after the other, in the main thread, which an interrupt reaches."""

    def __init__(self, requests: int, replies: int, key: str) -> None:
        self._requests, self._replies, self._key = requests, replies, key
        self._process = os.getpid()
        self._waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._running = False
        self._copy = 0
        """The process that tries cells, if one does."""
        self._recorder: Any = None
        self._limits = Limits()
        self._guard: ProcessGuard | None = None
        main = sys.modules["__main__"] = ModuleType("__main__")
        self._cells = Cells(main.__dict__)

    def serve(self) -> None:
        """Until the end; it does not return."""
        self._listen_for_interrupts()
        threading.Thread(target=self._read, name="minigrad lesson requests", daemon=True).start()
        while True:
            request = self._waiting.get()
            if request["do"] == "end":
                break
            getattr(self, f"_{request['do']}")(request)
        if self._recorder is not None:
            self._recorder.stop()
        _flush()
        os._exit(0)  # whatever threads and exit handlers a cell has left

    def _read(self) -> None:
        """In a thread of its own, so that the parent's death is noticed while a cell runs."""
        with os.fdopen(self._requests, encoding="utf-8") as lines:
            for line in lines:
                self._waiting.put(json.loads(line))
        self._waiting.put({"do": "end"})
        time.sleep(ORPHANED)
        os._exit(1)

    def _listen_for_interrupts(self) -> None:
        """Before each cell again, for a cell may have turned them off."""
        signal.signal(signal.SIGINT, self._interrupted)
        if sys.platform == "win32":
            signal.signal(signal.SIGBREAK, self._interrupted)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Ends the cell, but never the process between two cells."""
        if self._copy:
            os.kill(self._copy, signal.SIGINT)
        elif self._running:
            self._running = False
            raise KeyboardInterrupt

    # Requests

    def _begin(self, request: dict[str, Any]) -> None:
        self._limits = Limits(**request["limits"])
        watch = request.get("watch")
        if watch:
            self._watch(**watch)
        confine(self._limits)
        self._guard = ProcessGuard(self._limits.processes)
        self._reply(status="ready")

    def _watch(self, url: str, token: str, run: str, name: str) -> None:
        """Publish what runs to the explorer."""
        from minigrad.observe import Recorder
        from minigrad.observe.publish.publisher import Publisher

        sys.argv = [name]
        self._recorder = Recorder(Publisher(url, token), name=name, id=run).start()

    def _try(self, request: dict[str, Any]) -> None:
        if not copyable():
            self._answer(request, {**self._run_until_one_fails(request), "spoilt": True})
            return
        self._listen_for_interrupts()
        inward, outward = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", DeprecationWarning
            )  # the other thread waits for requests, and holds no lock
            self._copy = os.fork()
        if self._copy == 0:
            self._become_the_copy(request, outward)
        os.close(outward)
        with os.fdopen(inward, encoding="utf-8") as replies:
            line = replies.readline()
        code = os.waitstatus_to_exitcode(os.waitpid(self._copy, 0)[1])
        self._copy = 0
        self._answer(request, json.loads(line) if line else {"status": "died", "exit": code})

    def _become_the_copy(self, request: dict[str, Any], outward: int) -> NoReturn:
        """Run the cells, tell the original, and end."""
        self._process = os.getpid()
        if self._guard is not None:
            self._guard.adopt()
        if "torch" in sys.modules:  # the threads of its library are not in the copy, and it would wait for them
            sys.modules["torch"].set_num_threads(1)
        outcome = self._run_until_one_fails(request)
        _flush()
        if os.getpid() == self._process:
            os.write(outward, json.dumps(outcome).encode() + b"\n")
        os._exit(0)

    def _run_until_one_fails(self, request: dict[str, Any]) -> dict[str, Any]:
        outcome: dict[str, Any] = {"status": "done"}
        for cell in request["cells"]:
            if outcome["status"] == "done":
                outcome = self._outcome(cell)
        return outcome

    def _run(self, request: dict[str, Any]) -> None:
        began = time.monotonic()
        outcome = self._outcome(request)
        if os.getpid() != self._process:  # a process that the cell forked, and that came to the cell's end as well
            os._exit(0)
        self._answer(request, {**outcome, "seconds": time.monotonic() - began})

    def _answer(self, request: dict[str, Any], outcome: dict[str, Any]) -> None:
        self._reply(number=request["number"], marked=_mark(request["mark"]), **outcome)

    def _outcome(self, cell: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._run_cell(cell)
        except KeyboardInterrupt:  # it came when the cell had just ended
            return {"status": "interrupted"}
        finally:
            self._running = False

    def _run_cell(self, request: dict[str, Any]) -> dict[str, Any]:
        self._listen_for_interrupts()
        grant_processor_time(self._limits)
        if self._guard is not None:
            self._guard.reset()
        if self._recorder is not None:
            self._recorder.mark()
        try:
            self._running = True
            self._cells.run(request["source"], request["file"], request.get("only"))
            self._running = False
        except KeyboardInterrupt:
            return {"status": "interrupted"}
        except BaseException as error:
            self._running = False
            return {"status": "failed", "error": failure(error, self._limits)}
        return {"status": "done"}

    def _reply(self, **fields: Any) -> None:
        line = f"{self._key}{json.dumps(fields)}\n".encode()
        while line:
            line = line[os.write(self._replies, line) :]


def copyable() -> bool:
    """Whether this process may be copied; macOS's numerical library and a GPU's driver do not survive it."""
    return hasattr(os, "fork") and sys.platform != "darwin" and not {"cupy", "mpi4py"} & set(sys.modules)


def _mark(mark: str) -> bool:
    """Write the end of the cell's output after it; False where the cell has closed its output."""
    _flush()
    try:
        os.write(1, mark.encode())
    except OSError:
        return False
    return True


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a cell may have put anything in their place
            stream.flush()

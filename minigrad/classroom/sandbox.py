"""Walls around the process of a learner's code: none, or bubblewrap on Linux.

    box = best()                     what works here: tried once, by a process that must fail to read and to connect
    Child(limits, sandbox=box)       its cells see an empty home, Python and minigrad, and no solved lesson

Without walls a cell can do what its user can. Within them it cannot read or write the user's files, reach a network,
see or end another process, or leave anything behind.
"""

from __future__ import annotations

import functools
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

HOME = "/home/learner"

ROOM = 512 * 1024 * 1024
"""Bytes of files that a learner's code may write, all together."""

TRIAL = """
import os, socket, sys
try:
    open(sys.argv[1]).close()
    print("open")
except OSError:
    try:
        socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2)
        print("open")
    except OSError:
        print("closed")
"""
"""A program that must find everything closed."""

PATIENCE = 20.0
"""Seconds for that trial on a busy computer."""


class Sandbox(Protocol):
    """A way to start a process."""

    name: str
    """What a teacher calls it."""
    walls: bool
    """Whether it keeps its process from harming anything."""
    signals: bool
    """Whether a signal to what was started reaches the process."""

    def command(self, python: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """The command that runs this one inside."""
        ...


class NoWalls:
    """The process runs as any program of its user does."""

    name, walls, signals = "no sandbox", False, True

    def command(self, python: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """The same."""
        return list(python)


OPEN: Sandbox = NoWalls()


class Bubblewrap:
    """Linux's namespaces: an own file system, network, and processes, no capabilities."""

    name, walls, signals = "bubblewrap", True, False

    def __init__(self, program: str) -> None:
        self.program = program

    def command(self, python: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """Python in a file system of its own."""
        return [
            self.program, "--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns",
            "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "lesson",
            *_clean(environment), "--proc", "/proc", "--dev", "/dev",
            "--size", str(ROOM), "--tmpfs", "/tmp", "--size", str(ROOM), "--tmpfs", HOME,
            *_folders(), "--chdir", HOME, "--remount-ro", "/", *python,
        ]  # fmt: skip


def _clean(environment: Mapping[str, str]) -> Iterator[str]:
    yield "--clearenv"
    kept = {name: value for name, value in environment.items() if name.endswith("_NUM_THREADS") or name[:3] == "LC_"}
    for name, value in {**kept, "PATH": "/usr/bin:/bin", "HOME": HOME, "LANG": "C.UTF-8"}.items():
        yield from ("--setenv", name, value)


def _folders() -> Iterator[str]:
    """Python and minigrad to read, and nothing of the lessons."""
    seen = ["/usr"]
    yield from ("--ro-bind", "/usr", "/usr")
    for name in ("bin", "lib", "lib64", "sbin"):
        path = Path("/", name)
        if path.is_symlink():
            yield from ("--symlink", os.readlink(path), str(path))
        elif path.is_dir():
            seen.append(str(path))
            yield from ("--ro-bind", str(path), str(path))
    for folder in _needed():
        if not any(Path(folder).is_relative_to(each) for each in seen):
            seen.append(folder)
            yield from ("--ro-bind", folder, folder)
    yield from ("--ro-bind-try", "/etc/ld.so.cache", "/etc/ld.so.cache")
    package = Path(__file__).resolve().parents[1]
    if (package / "lessons").is_dir():
        yield from ("--tmpfs", str(package / "lessons"))


def _needed() -> Iterator[str]:
    """The folders Python's own and the packages' code lies in; of a source checkout only the package."""
    package = Path(__file__).resolve().parents[1]
    for prefix in (sys.base_prefix, sys.prefix):
        yield prefix
        yield os.path.realpath(prefix)
    for entry in filter(os.path.isdir, sys.path):
        if Path(entry).name in ("site-packages", "dist-packages") or Path(entry).is_relative_to(sys.base_prefix):
            yield entry
    yield str(package)


@functools.cache
def best() -> Sandbox:
    """The one that works here: bubblewrap where a trial shows that its walls hold, else none."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    if program is None:
        return OPEN
    box = Bubblewrap(program)
    return box if _holds(box) else OPEN


def _holds(box: Sandbox) -> bool:
    """Whether a process inside fails to read a file and to reach this computer's network."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.NamedTemporaryFile() as secret:
        python = [sys.executable, "-I", "-c", TRIAL, secret.name, str(server.getsockname()[1])]
        try:
            ran = subprocess.run(
                box.command(python, os.environ), capture_output=True, text=True, timeout=PATIENCE, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return False
    return ran.returncode == 0 and ran.stdout.strip() == "closed"


def why_none() -> str:
    """What to do where `best` is none."""
    if sys.platform != "linux":
        return "There is a sandbox on Linux only (bubblewrap)."
    if shutil.which("bwrap") is None:
        return "Install bubblewrap (apt install bubblewrap, dnf install bubblewrap)."
    return "bubblewrap is here, but this system does not let it make a sandbox (a container, or AppArmor's limits)."

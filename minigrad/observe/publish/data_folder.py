"""The user's files: the data folder, the store in it, and the note about the running server.

The note (`server.json`) is how a program finds the explorer: its address, its token and its process. It is readable
by its owner only, because the token in it opens the explorer.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

DATA_DIR_VARIABLE = "MINIGRAD_DATA_DIR"
URL_VARIABLE = "MINIGRAD_URL"
TOKEN_VARIABLE = "MINIGRAD_TOKEN"
GRACE_VARIABLE = "MINIGRAD_GRACE"
"""The environment variable with the seconds that a program may be disconnected before its run counts as lost."""


def data_dir() -> Path:
    """The folder in which minigrad keeps its data; created if it is missing.

    MINIGRAD_DATA_DIR overrides the system's usual place. If that is not writable (a read-only home), a folder of
    this user's in the folder for temporary files is used.
    """
    asked = os.environ.get(DATA_DIR_VARIABLE)
    folder = Path(asked).expanduser() if asked else _custom() / "minigrad"
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"the data folder {folder} cannot be written to")
    except OSError as error:
        if asked:
            raise PermissionError(f"{error}. {DATA_DIR_VARIABLE} names it: name another") from error
        folder = Path(tempfile.gettempdir()) / f"minigrad-{_user()}"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _require_own(folder)
    return folder


def _require_own(folder: Path) -> None:
    """Raise PermissionError if another user may own or read this folder, and so the token in it."""
    found = folder.lstat()
    if not hasattr(os, "getuid"):
        return
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise PermissionError(
            f"{folder} is not a folder that only you can open, so the explorer's token is not safe in it. "
            f"Remove it, or set {DATA_DIR_VARIABLE} to a folder of yours"
        )


def _custom() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


def damaged_stores() -> list[Path]:
    """Stores that could not be read and were renamed when a new one was created."""
    return sorted(data_dir().glob("runs.damaged-*.sqlite"))


def default_store() -> Path:
    """The file that keeps the runs, unless ``--store`` names another."""
    return data_dir() / "runs.sqlite"


@dataclass(frozen=True)
class Note:
    """The note by which programs find a running server."""

    url: str
    token: str
    pid: int
    store: str
    minigrad: str

    @property
    def page(self) -> str:
        """The address to open in a browser."""
        return f"{self.url}/?token={self.token}"


def note_path() -> Path:
    """The note's file."""
    return data_dir() / "server.json"


def write_note(note: Note) -> None:
    """Replace the note atomically, readable by its owner only."""
    target = note_path()
    fresh = target.with_name(f"{target.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        json.dump(asdict(note), file)
    os.replace(fresh, target)


def read_note() -> Note | None:
    """The note, or None if there is none that can be read. Its server may have ended."""
    try:
        return Note(**json.loads(note_path().read_text()))
    except (OSError, ValueError, TypeError):
        return None


def remove_note(pid: int) -> None:
    """Remove the note of the server `pid`, unless another server has written its own note since."""
    note = read_note()
    if note is not None and note.pid == pid:
        note_path().unlink(missing_ok=True)

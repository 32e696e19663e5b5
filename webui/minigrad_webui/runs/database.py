"""The SQLite file under the store: its tables, one connection to write with, and some to read with."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = ":memory:"

VERSION = 1
"""The version of the tables. An older store is migrated when it is opened; a newer one is refused."""

_MIGRATIONS = {
    1: """
    CREATE TABLE runs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, have INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE TABLE steps (run INTEGER NOT NULL, step INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (run, step));
    CREATE TABLE records (run INTEGER NOT NULL, seq INTEGER NOT NULL, step INTEGER NOT NULL, json TEXT NOT NULL,
                          PRIMARY KEY (run, seq));
    CREATE TABLE sources (run INTEGER NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (run, seq));
    """
}

CHECKED = 1 << 27
"""A store of at most this many bytes is checked when it is opened, which takes less than a second."""

_PIECE = 1_000
"""How many pages to free on the disk at a time, so that a publishing program gets its turn."""

PATIENCE = 60
"""Seconds that a write waits for a slow disk, or for another process that locks the file, such as a backup."""

_READERS = 4
"""The number of idle connections kept for reading."""


class StoreError(RuntimeError):
    """The store cannot be used; the message says what to do."""


class DamagedStore(StoreError):
    """The file exists, but is no store, or a damaged one."""


def set_aside(path: Path) -> Path:
    """Rename a damaged store, so that a new one can be created in its place. Returns the new path of the file."""
    kept = path.with_name(f"{path.stem}.damaged-{time.strftime('%Y%m%d-%H%M%S')}{path.suffix}")
    for ending in ("-wal", "-shm", ""):
        with contextlib.suppress(FileNotFoundError):
            os.replace(f"{path}{ending}", f"{kept}{ending}")
    return kept


class Database:
    """One writer, guarded by `lock`. Readers see the last commit and never wait for the writer."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        if str(path) == MEMORY:
            # A temporary file: readers need connections of their own, and a long run must not fill the memory.
            self._folder = tempfile.TemporaryDirectory(prefix="minigrad-", ignore_cleanup_errors=True)
            path = Path(self._folder.name) / "runs.sqlite"
        self.path = Path(path)
        self.lock = threading.RLock()
        self._idle: list[sqlite3.Connection] = []
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.writer = self._connect()
            self._open()
        except (OSError, sqlite3.Error) as error:
            raise _told(self.path, error, "cannot be used") from error

    def _open(self) -> None:
        try:
            self._migrate()
            self._check()
            self.writer.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE}")
        except BaseException:
            self.writer.close()
            raise

    def close(self) -> None:
        """Close every connection. A store in memory is deleted."""
        with self.lock:
            for connection in (*self._idle, self.writer):
                connection.close()
            self._idle.clear()
        if self._folder is not None:
            self._folder.cleanup()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is written, or nothing."""
        with self.lock:
            try:
                self.writer.execute("BEGIN IMMEDIATE")
                yield self.writer
                self.writer.execute("COMMIT")
            except BaseException as error:
                if self.writer.in_transaction:
                    self.writer.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise _told(self.path, error, "could not be written") from error
                raise

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A view of one moment: later commits are not visible in it."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connect()
        try:
            connection.execute("BEGIN")
            yield connection
            connection.execute("COMMIT")
        except BaseException as error:
            connection.close()
            if isinstance(error, sqlite3.DatabaseError):
                raise _told(self.path, error, "could not be read") from error
            raise
        if len(self._idle) < _READERS:
            self._idle.append(connection)
        else:
            connection.close()

    def reclaim(self) -> None:
        """Free the disk space of deleted runs, as far as that is possible now.

        If it is not (a full disk, another process at work), nothing is lost: later runs use the space.
        """
        with contextlib.suppress(sqlite3.Error):
            while self._give_back():
                pass

    def _give_back(self) -> bool:
        """Free a piece of the unused space. Returns whether there is more."""
        with self.lock:
            if self._asked("freelist_count") == 0:
                self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # only now does the file become shorter
                return False
            if self._asked("auto_vacuum") == 0:  # an older minigrad made the file: rewrite it once
                self.writer.execute("VACUUM")
            else:
                self.writer.executescript(f"PRAGMA incremental_vacuum({_PIECE})")  # `execute` would free one page
            return True

    def _asked(self, pragma: str) -> int:
        (value,) = self.writer.execute(f"PRAGMA {pragma}").fetchone()
        return int(value)

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=10, isolation_level=None, check_same_thread=False)
        try:
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA cache_size = -8000")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def _migrate(self) -> None:
        with self.writing() as db:
            (found,) = db.execute("PRAGMA user_version").fetchone()
            if found > VERSION:
                raise StoreError(
                    f"The store {self.path} has version {found}, and this minigrad knows {VERSION} at most. "
                    "Upgrade minigrad, or choose another store with --store PATH."
                )
            for version in range(found + 1, VERSION + 1):
                for statement in _MIGRATIONS[version].split(";"):
                    db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")

    def _check(self) -> None:
        """Check the store: one that is damaged in its middle can be opened, but would fail later and lose a run."""
        if self.path.stat().st_size <= CHECKED:
            (found,) = self.writer.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(found.splitlines()[-1])


def _told(path: Path, error: Exception, how: str) -> StoreError:
    """The message of SQLite or the system, with what to do."""
    if type(error) is sqlite3.DatabaseError:  # errors about locked or full files are of subclasses
        said = f"The store {path} is damaged and cannot be used: {error}."
        return DamagedStore(f"{said} Move it away, or choose another with --store PATH.")
    if "full" in str(error):
        return StoreError(f"The store {path} {how}: {error}. Make room there, and run the program again.")
    return StoreError(f"The store {path} {how}: {error}. Choose another with --store PATH.")

"""The register of a class, in one SQLite file.

It is written before a request is answered, so a killed server loses nothing.
"""

from __future__ import annotations

import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS pupils (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE COLLATE NOCASE, secret TEXT NOT NULL, joined REAL NOT NULL,
    seen REAL NOT NULL, may_return REAL NOT NULL DEFAULT 0, asks TEXT NOT NULL DEFAULT '', asked REAL,
    handed_in REAL, points REAL, comment TEXT NOT NULL DEFAULT '');
CREATE TABLE IF NOT EXISTS drafts (
    pupil INTEGER, slug TEXT, cell TEXT, code TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (pupil, slug, cell));
CREATE TABLE IF NOT EXISTS hints (
    pupil INTEGER, slug TEXT, exercise TEXT, count INTEGER NOT NULL, PRIMARY KEY (pupil, slug, exercise));
CREATE TABLE IF NOT EXISTS guesses (
    pupil INTEGER, slug TEXT, question TEXT, guess REAL, PRIMARY KEY (pupil, slug, question));
CREATE TABLE IF NOT EXISTS passed (pupil INTEGER, slug TEXT, exercise TEXT, PRIMARY KEY (pupil, slug, exercise));
CREATE TABLE IF NOT EXISTS results (pupil INTEGER, slug TEXT, text TEXT NOT NULL, PRIMARY KEY (pupil, slug));
CREATE TABLE IF NOT EXISTS attempts (
    number INTEGER PRIMARY KEY, pupil INTEGER NOT NULL, slug TEXT NOT NULL, exercise TEXT NOT NULL, at REAL NOT NULL,
    result TEXT NOT NULL, mistake TEXT NOT NULL, message TEXT NOT NULL, code TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS attempts_of ON attempts (pupil, slug, exercise);
CREATE TABLE IF NOT EXISTS words (
    number INTEGER PRIMARY KEY, pupil INTEGER NOT NULL, at REAL NOT NULL, exercise TEXT NOT NULL, text TEXT NOT NULL);
"""

KEPT_ATTEMPTS = 200
"""How many attempts of one pupil at one exercise are kept, so that endless checking does not fill the disk."""


FORGET = """
DELETE FROM attempts WHERE pupil = ?1 AND slug = ?2 AND exercise = ?3 AND number NOT IN
    (SELECT number FROM attempts WHERE pupil = ?1 AND slug = ?2 AND exercise = ?3 ORDER BY number DESC LIMIT ?4)
"""


class NameTaken(ValueError):
    """Another pupil already has this name."""


class Pupil(NamedTuple):
    """A pupil: one row of the table."""

    id: int
    name: str
    secret: str
    joined: float
    seen: float
    may_return: float
    asks: str
    asked: float | None
    handed_in: float | None
    points: float | None
    comment: str


class Attempt(NamedTuple):
    """A checked answer."""

    number: int
    pupil: int
    slug: str
    exercise: str
    at: float
    result: str
    mistake: str
    message: str
    code: str


class Word(NamedTuple):
    """A message of the teacher's to a pupil."""

    number: int
    pupil: int
    at: float
    exercise: str
    text: str


class Register:
    """The register of a class. Thread-safe. It calls `changed` after every change."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path = path
        self.changed: Callable[[], None] = lambda: None
        self._lock = threading.RLock()
        self._db = sqlite3.connect(path, timeout=10, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.executescript(TABLES)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is written, or nothing."""
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
        self.changed()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._lock:
            return self._db.execute(query, values).fetchall()

    # The class ----------------------------------------------------------------------------------------------------

    def fact(self, name: str) -> str:
        """The note of that name; empty if there is none."""
        return next((str(value) for (value,) in self.rows("SELECT value FROM facts WHERE name = ?", (name,))), "")

    def note(self, name: str, value: str) -> None:
        """Write a note, replacing the one before."""
        with self.writing() as db:
            db.execute("INSERT OR REPLACE INTO facts VALUES (?, ?)", (name, value))

    def kept(self, name: str, make: Callable[[], str]) -> str:
        """The note of that name; made and stored the first time."""
        if not self.fact(name):
            self.note(name, make())
        return self.fact(name)

    # Pupils -------------------------------------------------------------------------------------------------------

    def join(self, name: str) -> Pupil:
        """Register a pupil, new or let back in by the teacher. Raises NameTaken if a present pupil has that name."""
        now, secret = time.time(), secrets.token_urlsafe(18)
        with self.writing() as db:
            found = db.execute("SELECT id, may_return FROM pupils WHERE name = ?", (name,)).fetchone()
            if found is None:
                db.execute(
                    "INSERT INTO pupils (name, secret, joined, seen) VALUES (?, ?, ?, ?)", (name, secret, now, now)
                )
            elif found[1] > now:
                db.execute(
                    "UPDATE pupils SET secret = ?, may_return = 0, seen = ? WHERE id = ?", (secret, now, found[0])
                )
            else:
                raise NameTaken(name)
        return next(pupil for pupil in self.pupils() if pupil.secret == secret)

    def pupils(self) -> list[Pupil]:
        """All pupils, by name."""
        return [Pupil(*row) for row in self.rows(f"SELECT {', '.join(Pupil._fields)} FROM pupils ORDER BY name")]

    def pupil(self, id: int) -> Pupil | None:
        """The pupil with this id, or None."""
        rows = self.rows(f"SELECT {', '.join(Pupil._fields)} FROM pupils WHERE id = ?", (id,))
        return Pupil(*rows[0]) if rows else None

    def change(self, id: int, **fields: Any) -> None:
        """Write some fields of a pupil."""
        assert set(fields) < set(Pupil._fields)
        with self.writing() as db:
            names = ", ".join(f"{name} = ?" for name in fields)
            db.execute(f"UPDATE pupils SET {names} WHERE id = ?", (*fields.values(), id))

    # What they do -------------------------------------------------------------------------------------------------

    def attempt(self, pupil: int, slug: str, exercise: str, result: str, mistake: str, message: str, code: str) -> None:
        """Store a checked answer."""
        with self.writing() as db:
            db.execute(
                "INSERT INTO attempts (pupil, slug, exercise, at, result, mistake, message, code) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (pupil, slug, exercise, time.time(), result, mistake, message[:10_000], code),
            )
            db.execute(FORGET, (pupil, slug, exercise, KEPT_ATTEMPTS))

    def attempts(self, pupil: int | None = None) -> list[Attempt]:
        """The attempts in order: of one pupil, or of all pupils without texts and messages."""
        if pupil is not None:
            names = ", ".join(Attempt._fields)
            return [Attempt(*row) for row in self.rows(f"SELECT {names} FROM attempts WHERE pupil = ?", (pupil,))]
        names = "number, pupil, slug, exercise, at, result, mistake, '', ''"
        return [Attempt(*row) for row in self.rows(f"SELECT {names} FROM attempts ORDER BY number")]

    def say(self, pupils: Sequence[int], exercise: str, text: str) -> None:
        """Store a message of the teacher to some pupils."""
        with self.writing() as db:
            values = [(pupil, time.time(), exercise, text) for pupil in pupils]
            db.executemany("INSERT INTO words (pupil, at, exercise, text) VALUES (?, ?, ?, ?)", values)

    def words(self, pupil: int) -> list[Word]:
        """The teacher's messages to a pupil."""
        names = ", ".join(Word._fields)
        return [Word(*row) for row in self.rows(f"SELECT {names} FROM words WHERE pupil = ? ORDER BY number", (pupil,))]

"""A pupil's progress in the lessons, kept in the class's register (a single learner's is kept in files)."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from minigrad.classroom import Lesson, Verdict
from minigrad.classroom.translation import fingerprint
from minigrad_webui.classroom.register import Register
from minigrad_webui.lessons.pages import Standing, originals


class PupilProgress:
    """The progress of one pupil. Thread-safe."""

    folder: Path | None = None

    def __init__(self, register: Register, pupil: int) -> None:
        self._register, self.pupil = register, pupil
        self.stopped = False
        """Whether the last answer had to be stopped."""

    def standing(self, slug: str, lesson: Lesson) -> Standing:
        """The pupil's progress."""
        kept = dict(self._of("cell, code FROM drafts", slug))
        names = {at: self._name(lesson, at, original) for at, original in originals(lesson).items()}
        ids = set(lesson.exercises)
        return Standing(
            drafts={at: kept[name] for at, name in names.items() if name in kept},
            hints={id: count for id, count in self._of("exercise, count FROM hints", slug) if id in ids},
            passed=frozenset(id for (id,) in self._of("exercise FROM passed", slug)) & ids,
            guesses={
                id: guess for id, guess in self._of("question, guess FROM guesses", slug) if id in lesson.predictions
            },
        )

    def keep(self, slug: str, lesson: Lesson, at: int, code: str) -> None:
        """Keep a cell's text."""
        name = self._name(lesson, at, originals(lesson)[at])
        with self._register.writing() as db:
            db.execute(
                "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?, ?, ?)", (self.pupil, slug, name, code, time.time())
            )
            db.execute("UPDATE pupils SET seen = ? WHERE id = ?", (time.time(), self.pupil))

    def hint(self, slug: str, id: str) -> None:
        """Count one more hint."""
        with self._register.writing() as db:
            db.execute(
                "INSERT INTO hints VALUES (?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
                (self.pupil, slug, id),
            )

    def judged(self, slug: str, id: str, code: str, verdict: Verdict) -> None:
        """Note a checked answer. A passed exercise stays passed, whatever is written later."""
        self.stopped = verdict.result not in ("passed", "not yet", "error")
        self._register.attempt(self.pupil, slug, id, verdict.result, verdict.mistake, verdict.message, code)
        with self._register.writing() as db:
            if verdict.passed:
                db.execute("INSERT OR IGNORE INTO passed VALUES (?, ?, ?)", (self.pupil, slug, id))
            db.execute("UPDATE pupils SET seen = ? WHERE id = ?", (time.time(), self.pupil))

    def guess(self, slug: str, id: str, guess: float | None) -> None:
        """Note the answer to a question, or None if the pupil gave up. Only the first answer counts."""
        with self._register.writing() as db:
            db.execute("INSERT OR IGNORE INTO guesses VALUES (?, ?, ?, ?)", (self.pupil, slug, id, guess))

    def forget_cell(self, slug: str, lesson: Lesson, at: int) -> None:
        """Reset a cell to the lesson's text."""
        name = self._name(lesson, at, originals(lesson)[at])
        with self._register.writing() as db:
            db.execute("DELETE FROM drafts WHERE pupil = ? AND slug = ? AND cell = ?", (self.pupil, slug, name))

    def forget(self, slug: str) -> None:
        """Reset all cells to the lesson's texts. Checked and passed answers stay: the teacher has seen them."""
        with self._register.writing() as db:
            db.execute("DELETE FROM drafts WHERE pupil = ? AND slug = ?", (self.pupil, slug))
            db.execute("DELETE FROM results WHERE pupil = ? AND slug = ?", (self.pupil, slug))

    def results(self, slug: str) -> str:
        """The stored results of the lesson's cells and checks; empty if there are none."""
        return next((str(text) for (text,) in self._of("text FROM results", slug)), "")

    def keep_results(self, slug: str, text: str) -> None:
        """Store the results of cells and checks."""
        with self._register.writing() as db:
            db.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", (self.pupil, slug, text))

    def _name(self, lesson: Lesson, at: int, original: str) -> str:
        return lesson.cells[at].id or f"cell-{fingerprint(original)}"

    def _of(self, what: str, slug: str) -> list[tuple[Any, ...]]:
        return self._register.rows(f"SELECT {what} WHERE pupil = ? AND slug = ?", (self.pupil, slug))

"""A learner's progress, in plain files that outlive the server and can be read, copied and handed in.

FOLDER/02-gradients-add-up/two-ways.py        the answer to an exercise
FOLDER/02-gradients-add-up/cell-3fa29c.py     another cell that was changed, by the fingerprint of the original
FOLDER/02-gradients-add-up/progress.json      which exercises are passed, the hints taken, the guesses made
FOLDER/02-gradients-add-up/results.json       what cells printed and what checks said last
"""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

from minigrad.classroom import Lesson, Verdict
from minigrad.classroom.translation import fingerprint
from minigrad_webui.lessons.pages import Standing, originals

PROGRESS = "progress.json"
RESULTS = "results.json"


class Progress(Protocol):
    """Where a learner's progress is stored. `folder` is None if it is not in files."""

    @property
    def folder(self) -> Path | None: ...
    def standing(self, slug: str, lesson: Lesson) -> Standing: ...
    def keep(self, slug: str, lesson: Lesson, at: int, code: str) -> None: ...
    def hint(self, slug: str, id: str) -> None: ...
    def judged(self, slug: str, id: str, code: str, verdict: Verdict) -> None: ...
    def guess(self, slug: str, id: str, guess: float | None) -> None: ...
    def forget_cell(self, slug: str, lesson: Lesson, at: int) -> None: ...
    def forget(self, slug: str) -> None: ...
    def results(self, slug: str) -> str: ...
    def keep_results(self, slug: str, text: str) -> None: ...


class LearnerProgress:
    """The progress of one learner, stored in `folder`. Thread-safe.

    A file that the learner has deleted counts as never written; an unreadable one is not touched.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()

    def standing(self, slug: str, lesson: Lesson) -> Standing:
        """The learner's progress."""
        told = self._progress(slug)
        drafts = {}
        for at, original in originals(lesson).items():
            with suppress(OSError, UnicodeDecodeError):
                drafts[at] = self._file(slug, lesson, at, original).read_text(encoding="utf-8")
        ids = set(lesson.exercises)
        return Standing(
            drafts=drafts,
            hints={id: int(count) for id, count in told["hints"].items() if id in ids},
            passed=frozenset(told["passed"]) & ids,
            guesses={id: guess for id, guess in told["guesses"].items() if id in lesson.predictions},
        )

    def keep(self, slug: str, lesson: Lesson, at: int, code: str) -> None:
        """Store a cell's text. If it equals the original, its file is removed."""
        original = originals(lesson)[at]
        file = self._file(slug, lesson, at, original)
        with self._lock:
            if code == original:
                file.unlink(missing_ok=True)
            else:
                _write(file, code)

    def hint(self, slug: str, id: str) -> None:
        """Count one more hint."""
        self._change(slug, lambda told: told["hints"].update({id: told["hints"].get(id, 0) + 1}))

    def judged(self, slug: str, id: str, code: str, verdict: Verdict) -> None:
        """Note a checked answer."""
        if verdict.passed:
            self.passed(slug, id)

    def passed(self, slug: str, id: str) -> None:
        """Note a passed exercise. It stays passed, whatever is written later."""
        self._change(slug, lambda told: told.update(passed=sorted({*told["passed"], id})))

    def guess(self, slug: str, id: str, guess: float | None) -> None:
        """Note the answer to a question, or None if the learner gave up. Only the first answer counts."""
        self._change(slug, lambda told: told["guesses"].setdefault(id, guess))

    def forget_cell(self, slug: str, lesson: Lesson, at: int) -> None:
        """Reset the cell to the lesson's text. Passed exercises stay passed."""
        with self._lock:
            self._file(slug, lesson, at, originals(lesson)[at]).unlink(missing_ok=True)

    def forget(self, slug: str) -> None:
        """Forget all that the learner did in the lesson."""
        with self._lock:
            shutil.rmtree(self.folder / slug, ignore_errors=True)

    def results(self, slug: str) -> str:
        """The stored results of the lesson's cells and checks; empty if there are none."""
        with suppress(OSError, UnicodeDecodeError):
            return (self.folder / slug / RESULTS).read_text(encoding="utf-8")
        return ""

    def keep_results(self, slug: str, text: str) -> None:
        """Store the results of cells and checks. A full disk is ignored, so that the lesson goes on."""
        with self._lock, suppress(OSError):
            _write(self.folder / slug / RESULTS, text)

    # Files --------------------------------------------------------------------------------------------------------

    def _file(self, slug: str, lesson: Lesson, at: int, original: str) -> Path:
        id = re.sub(r"[^\w.-]", "_", lesson.cells[at].id)
        return self.folder / slug / (f"{id}.py" if id else f"cell-{fingerprint(original)}.py")

    def _progress(self, slug: str) -> dict[str, Any]:
        told: dict[str, Any] = {"passed": [], "hints": {}, "guesses": {}}
        with suppress(OSError, ValueError):
            found = json.loads((self.folder / slug / PROGRESS).read_text(encoding="utf-8"))
            if isinstance(found, Mapping):
                told.update(
                    {name: found[name] for name, empty in told.items() if isinstance(found.get(name), type(empty))}
                )
        return told

    def _change(self, slug: str, change: Any) -> None:
        with self._lock:
            told = self._progress(slug)
            change(told)
            _write(self.folder / slug / PROGRESS, json.dumps(told, indent=1, sort_keys=True) + "\n")


def _write(file: Path, text: str) -> None:
    """Write a file completely or not at all, so that a crash leaves the old text."""
    file.parent.mkdir(parents=True, exist_ok=True)
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.write_text(text, encoding="utf-8", newline="\n")
    os.replace(fresh, file)

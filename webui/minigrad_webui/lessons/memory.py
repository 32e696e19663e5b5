"""The results of a lesson's cells and checks, stored for when its page is opened again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress

from pydantic import BaseModel

from minigrad_webui.lessons.protocol import Before, Checked, Finished, Judged, Output, Result

LONGEST = 50_000
"""How many characters of a cell's output to store, from its end."""


class Memory:
    """The last result of each cell and the last verdict on each exercise. Thread-safe.

    `text` is what an earlier `Memory` passed to `keep`; an unreadable text counts as none.
    """

    def __init__(self, text: str, keep: Callable[[str], None]) -> None:
        self._keep = keep
        self._lock = threading.Lock()
        self._before = Before()
        with suppress(ValueError):
            self._before = Before.model_validate_json(text or "{}")

    def told(self, run: str | None, but: Collection[str] = ()) -> Before | None:
        """The stored results for a page that has just connected, except those of the cells in `but`."""
        with self._lock:
            results = [each for each in self._before.results if each.key not in but]
            verdicts = list(self._before.verdicts)
        return Before(run=run, results=results, verdicts=verdicts) if results or verdicts or run else None

    @property
    def run(self) -> str | None:
        """The run that recorded the last results."""
        return self._before.run

    def ran(self, code: str, run: str | None, messages: Sequence[BaseModel]) -> None:
        """Store a cell's result; `messages` are those that the page got about it."""
        end = messages[-1] if messages else None
        if not isinstance(end, Finished) or end.status == "skipped":
            return
        text = "".join(each.text for each in messages if isinstance(each, Output))[-LONGEST:]
        more = {"key": end.key, "status": end.status, "seconds": end.seconds, "trouble": end.trouble, "note": end.note}
        with self._lock:
            others = [each for each in self._before.results if each.key != end.key]
            self._before.results = [*others, Result(code=code, text=text, **more)]
            self._before.run = run or self._before.run
        self._save()

    def judged(self, code: str, checked: Checked) -> None:
        """Store a verdict."""
        judged = Judged(id=checked.id, code=code, passed=checked.passed, message=checked.message, output=checked.output)
        with self._lock:
            others = [each for each in self._before.verdicts if each.id != checked.id]
            self._before.verdicts = [*others, judged]
        self._save()

    def clear(self) -> None:
        """Forget all results; the caller has deleted the stored text already."""
        with self._lock:
            self._before = Before()

    def _save(self) -> None:
        with self._lock:
            self._keep(self._before.model_dump_json())

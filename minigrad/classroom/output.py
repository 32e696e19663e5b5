"""A cell's output: keep it up to a limit, pass it on as it comes, and know when it is complete."""

from __future__ import annotations

from collections.abc import Callable


class Output:
    """A cell's output up to the mark that the child writes at its end. Keeps at most `most` characters."""

    def __init__(self, mark: str, most: int, heard: Callable[[str], None]) -> None:
        self.mark = mark
        self.whole = False
        """Whether the mark has come."""
        self.flooded = False
        """Whether the output was longer than what is kept."""
        self._most, self._heard = most, heard
        self._waiting = ""
        self._kept: list[str] = []

    def take(self, text: str) -> None:
        """Take more text."""
        text, marked, rest = (self._waiting + text).partition(self.mark)
        if marked:
            self.whole, self._waiting = True, ""
            self._keep(text + rest)
            return
        at = text.rfind("\0")
        cut = at if at >= 0 and self.mark.startswith(text[at:]) else len(text)
        self._waiting = text[cut:]
        self._keep(text[:cut])

    def _keep(self, text: str) -> None:
        self.flooded = self.flooded or len(text) > self._most
        text = text[: self._most]
        self._most -= len(text)
        if text:
            self._kept.append(text)
            self._heard(text)

    def finish(self) -> str:
        """End the output and return what was kept."""
        self._keep(self._waiting)
        self._waiting = ""
        return "".join(self._kept)

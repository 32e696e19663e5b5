"""Compute a recorded step again on the server, with one element changed. The program is not involved."""

from __future__ import annotations

import json
import threading
from typing import Any

from minigrad.observe.rerun import NotRerun, RecordedStep, Touch, touched
from minigrad_webui.protocol import Touched, TouchRequest

from .store import Store

MOST_RECORDS = 100_000
"""A step with more records than this is not read."""


class Reruns:
    """Keeps the step in which a viewer drags an element, so that it is read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: tuple[Any, RecordedStep] | None = None

    def touched(self, run: str, asked: TouchRequest) -> Touched:
        """The result, or in ``problem`` why it cannot be computed."""
        touch = Touch(asked.value, asked.tensor, asked.element, asked.node, asked.input)
        with self._lock:
            try:
                return Touched(**touched(self._step(run, asked.step), touch))
            except NotRerun as error:
                return Touched(problem=str(error))

    def _step(self, run: str, step: int) -> RecordedStep:
        row = self._store.step(run, step)
        last = 0 if row is None else row.last
        key = (run, step, last)
        if self._known is None or self._known[0] != key:
            texts = self._store.records(run, step=step, limit=MOST_RECORDS)
            self._known = (key, RecordedStep(map(json.loads, texts)))
        return self._known[1]

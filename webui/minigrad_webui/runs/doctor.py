"""Diagnose a run as `minigrad explain` does, from its records as they arrive.

Nothing is read until a page asks. Then the diagnosis continues where it was, with at most `MOST` records at a time, so
that an answer takes no longer for a long run; the answer says whether there is more to read. A rule that fails on a
record, perhaps one that another program has written, ends the diagnosis of that run only.
"""

from __future__ import annotations

import json
import logging
import threading
from collections import OrderedDict
from typing import Any

from minigrad.observe.diagnosis import Diagnosis
from minigrad_webui.protocol import Finding, Findings
from minigrad_webui.runs.store import Store

MOST = 20_000
"""How many records to read for one answer."""

MOST_ROUNDS = 10
"""The findings in an exported file come from at most this many times as many records."""

RUNS = 8
"""The number of runs whose diagnosis is kept."""

log = logging.getLogger("minigrad_webui")


class Doctor:
    """Applies `Diagnosis` to the runs of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[Diagnosis | None, int]] = OrderedDict()
        """For each run, its diagnosis (None after a failure), and the number of the last record that it has read."""

    def findings(self, run: str) -> Findings:
        """The findings about a run so far. Raises UnknownRun if there is no such run."""
        total = self._store.run(run).records
        with self._lock:
            diagnosis, seen = self._known.pop(run) if run in self._known else (Diagnosis(), 0)
            found: list[Finding] = []
            try:
                for text in self._store.records(run, after=seen, limit=MOST):
                    record = json.loads(text)
                    seen = record["seq"]
                    if diagnosis is not None:
                        diagnosis.send(record)
                found = [] if diagnosis is None else [Finding(**_plain(each)) for each in diagnosis.findings()]
            except Exception:
                log.exception("The diagnosis of run %r failed at record %d.", run, seen)
                diagnosis = None
            self._known[run] = diagnosis, seen
            if len(self._known) > RUNS:
                self._known.popitem(last=False)
        return Findings(read=seen, complete=seen >= total, findings=found)


def carried(store: Store, run: str) -> Findings:
    """The findings for an exported run; for a very long one, those about its first part."""
    doctor = Doctor(store)
    for _ in range(MOST_ROUNDS):
        found = doctor.findings(run)
        if found.complete:
            break
    return found


def _plain(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in ("kind", "message", "advice", "at", "step", "node")}

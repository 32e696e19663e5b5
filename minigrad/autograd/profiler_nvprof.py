"""Read the ranges that NVIDIA's nvprof wrote to a file while `emit_nvtx` named them."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from typing import Any
from urllib.parse import quote

from .profiler_events import EventList, FunctionEvent


def load_nvprof(path: Any) -> EventList:
    """Return the ranges of `emit_nvtx` in a file that NVIDIA's nvprof wrote (an SQLite database), in order."""
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path: Any) -> list[FunctionEvent]:
    """Return the ranges in an nvprof file as events, nested by thread and time."""
    with contextlib.closing(sqlite3.connect(f"file:{quote(os.fspath(path))}?mode=ro", uri=True)) as database:
        rows = database.execute(
            "SELECT names.value, starts.timestamp, ends.timestamp FROM CUPTI_ACTIVITY_KIND_MARKER AS starts "
            "JOIN CUPTI_ACTIVITY_KIND_MARKER AS ends ON starts.id = ends.id AND ends.name = 0 "
            "JOIN StringTable AS names ON names._id_ = starts.name WHERE starts.name != 0 ORDER BY starts.timestamp"
        ).fetchall()
    found: list[FunctionEvent] = []
    open_ranges: list[FunctionEvent] = []
    for name, start, end in rows:
        event = FunctionEvent(len(found), name, 0, start / 1000, kind="nvtx")  # times in the file are nanoseconds
        event.end = end / 1000
        while open_ranges and open_ranges[-1].end < event.end:
            open_ranges.pop()
        if open_ranges:
            event.cpu_parent = open_ranges[-1]
            open_ranges[-1].cpu_children.append(event)
        open_ranges.append(event)
        found.append(event)
    return found

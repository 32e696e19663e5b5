"""Export marks and work as schools use them: a table, nbgrader's folders, scores for a learning platform."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from minigrad.classroom.batch import harmless
from minigrad.classroom.notebook import notebook
from minigrad_webui.classroom.protocol import Column
from minigrad_webui.classroom.register import Pupil
from minigrad_webui.classroom.room import Room
from minigrad_webui.classroom.wall import answer, columns, opened


def marks(room: Room) -> str:
    """A CSV row for each pupil: points, and for every exercise the result, the tries and the last message."""
    file = io.StringIO()
    writer = csv.writer(file)
    places = columns(room)
    heads = [f"{at.id}{what}" for at in places for what in ("", " tries", " message")]
    writer.writerow(["name", "points", "of", "handed in", *heads, "comment"])
    for pupil in room.register.pupils():
        told = opened(room, pupil, None)
        cells: list[object] = []
        for work in told.work:
            last = work.tried[0] if work.tried else None
            message = "" if last is None or work.passed else last.message
            cells += ["passed" if work.passed else last.result if last else "", len(work.tried), message]
        row = [pupil.name, told.points, len(places), stamp(pupil.handed_in), *cells, pupil.comment]
        writer.writerow([harmless(each) for each in row])
    return file.getvalue()


def scores(room: Room) -> list[dict[str, Any]]:
    """A score for each pupil, in the form of LTI's Assignment and Grade Services; `userId` is the pupil's name."""
    places = columns(room)
    return [
        {
            "userId": pupil.name,
            "timestamp": stamp(pupil.handed_in or pupil.seen),
            "scoreGiven": opened(room, pupil, None).points,
            "scoreMaximum": len(places),
            "comment": pupil.comment,
            "activityProgress": "InProgress" if pupil.handed_in is None else "Submitted",
            "gradingProgress": "FullyGraded",
        }
        for pupil in room.register.pupils()
    ]


def handed_in(room: Room) -> bytes:
    """A zip with nbgrader's folders: `submitted/NAME/LESSON/LESSON.ipynb`, with each pupil's answers filled in."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for pupil in room.register.pupils():
            for entry in room.course:
                folder = f"submitted/{folder_name(pupil)}/{entry.slug}"
                made = json.dumps(_notebook(room, pupil, entry.slug), indent=1, ensure_ascii=False)
                archive.writestr(f"{folder}/{entry.slug}.ipynb", made + "\n")
                archive.writestr(f"{folder}/timestamp.txt", stamp(pupil.handed_in or pupil.seen))
    return file.getvalue()


def _notebook(room: Room, pupil: Pupil, slug: str) -> dict[str, Any]:
    entry = room.course.find(slug)
    lesson = entry.read()

    def written(id: str) -> str:
        return answer(room, pupil, Column(slug=slug, id=id, lesson=""))

    cells = [
        replace(cell, text=written(cell.id)) if cell.tag == "exercise" and written(cell.id) else cell
        for cell in lesson.cells
    ]
    return notebook(replace(lesson, cells=cells), solved=False, number=entry.number)


def folder_name(pupil: Pupil) -> str:
    """A folder name that is valid in every file system, and unique to this pupil."""
    return f"{re.sub(r'[^A-Za-z0-9_-]+', '-', pupil.name).strip('-') or 'pupil'}-{pupil.id}"


def stamp(at: float | None) -> str:
    """A time in ISO 8601, UTC; empty if None."""
    return "" if at is None else datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

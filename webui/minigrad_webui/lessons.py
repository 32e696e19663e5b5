"""The lessons' addresses.

GET  /api/lessons                           the course, and how far the learner is
GET  /api/lessons/{slug}                    one lesson, as far as its learner may see it
"""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, HTTPException, Path

from minigrad.classroom import Course as Files
from minigrad.classroom import Entry, LessonError, NoSuchLessonError, load_course
from minigrad_webui import lesson_pages as pages
from minigrad_webui.lesson_protocol import Course, Lesson

Slug = Annotated[str, Path(description="the lesson's name, that of its file", examples=["01-one-number-one-slope"])]


def mount(app: FastAPI) -> None:
    """Add the lessons' addresses."""

    @app.get("/api/lessons", tags=["lessons"], summary="The course")
    def course() -> Course:
        """All lessons in their order, and how far the learner is in each."""
        files = _files()
        cards = [pages.card(entry, entry.read(), pages.Standing()) for entry in files]
        return Course(title=files.title, language=files.language, folder="", lessons=cards)

    @app.get("/api/lessons/{slug}", tags=["lessons"], summary="One lesson")
    def lesson(slug: Slug) -> Lesson:
        """Its texts and cells. Solutions, checks and answers are there once they are earned."""
        files = _files()
        entry = _entry(files, slug)
        around = {
            name: None if each is None else pages.card(each, each.read(), pages.Standing())
            for name, each in pages.neighbours(files, entry).items()
        }
        return pages.page(entry, entry.read(), pages.Standing(), around)


def _files() -> Files:
    try:
        return load_course()
    except LessonError as error:
        raise HTTPException(404, str(error)) from error


def _entry(files: Files, slug: str) -> Entry:
    try:
        return files.find(slug)
    except NoSuchLessonError as error:
        raise HTTPException(404, str(error)) from error

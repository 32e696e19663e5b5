"""A class with the small course of `lesson_room`, and its people."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from minigrad.classroom import load_course
from minigrad.classroom.sandbox import OPEN, Sandbox
from minigrad_webui.classroom.app import create_class_app, open_room
from minigrad_webui.classroom.room import Room, fixed
from minigrad_webui.security import Guard
from tests.webui.lesson_room import SLUG, Page, course

RIGHT = "def double(x):\n    return x + x"
SQUARE = "def double(x):\n    return x * x"
HALF = "def double(x):\n    return x / 2"

WRONG = """\
# ---
# lesson: Twice
# ---

# %% tags=["wrong"] id="double"
# You square it.
def double(x):
    return x * x
"""


class Person:
    """A person with a browser, with or without keys."""

    def __init__(self, server: TestClient, room: Room) -> None:
        self.room = room
        self.client = TestClient(server.app, base_url="http://localhost", follow_redirects=False)
        self.client.portal = server.portal  # all use one server, in one event loop
        self.id = 0

    def join(self, name: str) -> Person:
        answer = self.client.post("/api/class/join", json={"name": name, "code": self.room.keys.code.lower()})
        assert answer.status_code == 200, answer.text
        self.id = int(answer.json()["page"].split("/")[1])
        return self

    def open(self, page: str, token: str) -> Person:
        assert self.client.get(f"/{page}?token={token}").status_code == 303
        return self

    def get(self, path: str) -> Any:
        return self.client.get(path)

    def post(self, path: str, told: Any = None) -> Any:
        return self.client.post(path, json=told)

    def of_mine(self, path: str) -> str:
        return f"/pupil/{self.id}/{path}"

    @contextmanager
    def lesson(self, slug: str = SLUG) -> Iterator[Page]:
        with self.client.websocket_connect(f"ws://localhost/pupil/{self.id}/api/lessons/{slug}/bench") as socket:
            yield Page(socket)

    def check(self, code: str, id: str = "double") -> dict[str, Any]:
        """Send an answer to the judge, as the page does."""
        with self.lesson() as page:
            return checked(page, code, id)

    def live(self, path: str) -> Any:
        return self.client.websocket_connect(f"ws://localhost{path}")


def checked(page: Page, code: str, id: str = "double") -> dict[str, Any]:
    page.ask("check", id=id, code=code)
    found: dict[str, Any] = page.hear()
    while found["type"] not in ("checked", "refused"):
        found = page.hear()
    return found


class Class:
    """A running class: its room, its teacher, and the people who join."""

    def __init__(self, server: TestClient, room: Room) -> None:
        self.server, self.room = server, room
        self.teacher = self.stranger().open("wall", room.keys.presenter)

    def stranger(self) -> Person:
        return Person(self.server, self.room)

    def pupil(self, name: str) -> Person:
        return self.stranger().join(name)

    def wall(self) -> dict[str, Any]:
        found: dict[str, Any] = self.teacher.get("/api/class/wall").json()
        return found


@contextmanager
def held(folder: Path, sandbox: Sandbox = OPEN) -> Iterator[Class]:
    """A class stored in that folder; started there again, it continues."""
    lessons = course(folder / "course")
    (lessons / "mistakes").mkdir(exist_ok=True)
    (lessons / "mistakes" / "01-twice.py").write_text(WRONG)
    files = load_course(lessons)
    room = open_room(folder / "class", fixed(files, files.entries[:1]), sandbox)
    room.address = "http://localhost"
    app = create_class_app(room, Guard(room.keys.presenter))
    with TestClient(app, base_url="http://localhost") as server:
        yield Class(server, room)


def hear(socket: Any) -> dict[str, Any]:
    message: dict[str, Any] = json.loads(socket.receive_text())
    return message

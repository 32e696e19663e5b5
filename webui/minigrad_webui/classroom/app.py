"""The class as an application, and as a server."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from minigrad import __version__
from minigrad.classroom import Course
from minigrad.classroom.sandbox import Sandbox
from minigrad_webui import errors, frontend
from minigrad_webui.classroom import routes
from minigrad_webui.classroom.gate import Gate
from minigrad_webui.classroom.register import Register
from minigrad_webui.classroom.room import Keys, Room
from minigrad_webui.security import Guard, new_token

LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
"""The letters of a code, without similar ones such as I and 1."""


def new_code() -> str:
    """A code for joining the class, short enough for a projector.

    >>> len(new_code())
    7
    """
    drawn = [secrets.choice(LETTERS) for _ in range(6)]
    return f"{''.join(drawn[:3])}-{''.join(drawn[3:])}"


def open_room(folder: Path, course: Course, sandbox: Sandbox) -> Room:
    """The room of the class stored in a folder; a new one if there is none."""
    register = Register(folder / "class.sqlite")
    keys = Keys(
        register.kept("presenter", new_token), register.kept("viewer", new_token), register.kept("code", new_code)
    )
    register.kept("started", lambda: str(time.time()))
    return Room(course, register, folder, sandbox, keys)


def create_class_app(room: Room, guard: Guard) -> FastAPI:
    """The application of a class; it closes the room when it ends."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        room.bell.start()
        yield
        await room.close()
        await asyncio.to_thread(room.register.close)

    app = FastAPI(title="minigrad class", version=__version__, openapi_url=None, lifespan=lifespan)
    app.state.room = room

    app.add_middleware(Gate, guard=guard, room=room)
    errors.mount(app)

    @app.get("/api/health")
    def health() -> dict[str, str]:
        return {"minigrad": __version__}

    routes.mount(app, room, guard.cookie)
    frontend.mount(app)
    return app

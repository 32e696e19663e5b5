"""The addresses of a class.

GET  /api/class/door                   facts for visitors                                          (for everybody)
POST /api/class/join                   join with a name and the code                            (for everybody)
GET  /api/class/screen, WS .../live    the projector                                               (for viewers too)
GET  /api/class/wall, WS .../live      the wall                                                    (for the presenter)
GET  /api/class/pupils/{id}            one pupil's work, and POST: points and a comment
POST /api/class/pupils/{id}/return     let the pupil join again from another computer
POST /api/class/pupils/{id}/give-back  let the pupil continue after handing in
POST /api/class/hint, rule, project    a message to some; stop work, a deadline; what the projector shows
GET  /api/class/marks.csv, scores.json, handed-in.zip
...  /pupil/{id}/class/...             the class as this pupil sees it
...  /pupil/{id}/...                   the pupil's own explorer
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import io
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import segno
from fastapi import FastAPI, HTTPException, Response, WebSocket, WebSocketDisconnect
from pydantic import BaseModel
from starlette.routing import Mount
from starlette.types import Receive, Scope, Send

from minigrad_webui.classroom import export
from minigrad_webui.classroom import wall as walls
from minigrad_webui.classroom.protocol import (
    Ask,
    Door,
    Feedback,
    Hint,
    Join,
    Joined,
    Mark,
    Me,
    Projected,
    Rule,
    Screen,
    Wall,
)
from minigrad_webui.classroom.protocol import Pupil as Opened
from minigrad_webui.classroom.register import NameTaken, Pupil
from minigrad_webui.classroom.room import Room
from minigrad_webui.websocket import say

INTERVAL = 0.5
"""The least seconds between two messages of a live address."""

LONGEST = 5.0
"""The most seconds between two messages of a live address: ages and clocks change by themselves."""

GUESSES, WHILE = 20, 60.0
"""At most `GUESSES` wrong codes are checked in `WHILE` seconds. Further ones are refused unchecked."""

EMPTY = 2
"""The number of records of a run in which nothing was computed yet: its beginning and its end."""

BACK = 600.0
"""Seconds in which a pupil who may join again must do so."""


def mount(app: FastAPI, room: Room, cookie: str) -> None:
    """Add the addresses of the class. A pupil's key is in a cookie whose name begins with `cookie`."""
    _at_the_door(app, room, cookie)
    _of_the_presenter(app, room)
    _downloads(app, room)
    _of_a_pupil(app, room)
    _live(app, room)
    app.router.routes.append(Mount("/pupil/{id:int}", Seats(room)))


def _at_the_door(app: FastAPI, room: Room, cookie: str) -> None:
    wrong = deque[float](maxlen=GUESSES)

    @app.get("/api/class/door")
    def door() -> Door:
        return Door(title=room.title)

    @app.get("/api/class/qr.svg")
    def qr() -> Response:
        drawn = io.BytesIO()
        address = f"{room.address}/join#{room.keys.code}"
        segno.make(address, error="m").save(drawn, kind="svg", scale=8, border=2, light="#fff")
        return Response(drawn.getvalue(), media_type="image/svg+xml")

    @app.post("/api/class/join")
    def join(asked: Join, response: Response) -> Joined:
        now = time.monotonic()
        if len(wrong) == GUESSES and now - wrong[0] < WHILE:
            raise HTTPException(429, "Too many wrong codes were tried. Wait a minute, then try again.")
        if not hmac.compare_digest(plain(asked.code).encode(), plain(room.keys.code).encode()):
            wrong.append(now)
            raise HTTPException(403, "That is not the code of this class. It is on the projector.")
        name = " ".join("".join(sign if sign.isprintable() else " " for sign in asked.name).split())
        if not name:
            raise HTTPException(422, "Write your name.")
        try:
            pupil = room.register.join(name)
        except NameTaken:
            message = f"{name} is here already. Add a letter to your name, or ask your teacher to let you back in."
            raise HTTPException(409, message) from None
        value = f"{pupil.id}.{pupil.secret}"
        response.set_cookie(f"{cookie}_pupil", value, path="/", httponly=True, samesite="strict", max_age=86_400 * 60)
        return Joined(page=room.page_of(pupil.id))


def plain(code: str) -> str:
    """A code in the form in which codes are compared: without spaces and dashes, in capitals."""
    return "".join(sign for sign in code.upper() if sign.isalnum())


def _of_the_presenter(app: FastAPI, room: Room) -> None:
    def known(id: int) -> Pupil:
        pupil = room.register.pupil(id)
        if pupil is None:
            raise HTTPException(404, f"There is no pupil {id} in this class.")
        return pupil

    @app.get("/api/class/wall")
    def wall() -> Wall:
        return walls.wall(room)

    @app.get("/api/class/screen")
    def screen() -> Screen:
        return walls.screen(room)

    @app.get("/api/class/pupils/{id}")
    async def pupil(id: int) -> Opened:
        seat = await room.seat(known(id).id)
        runs = [] if seat is None else await asyncio.to_thread(seat.store.runs)
        telling = next((run.id for run in runs if run.records > EMPTY), None)
        return await asyncio.to_thread(walls.opened, room, known(id), telling)

    @app.post("/api/class/pupils/{id}", status_code=204)
    def mark(id: int, mark: Mark) -> None:
        room.register.change(known(id).id, points=mark.points, comment=mark.comment)

    @app.post("/api/class/pupils/{id}/return", status_code=204)
    def let_back(id: int) -> None:
        room.register.change(known(id).id, may_return=time.time() + BACK)

    @app.post("/api/class/pupils/{id}/give-back", status_code=204)
    def give_back(id: int) -> None:
        room.register.change(known(id).id, handed_in=None)

    @app.post("/api/class/pupils/{id}/heard", status_code=204)
    def heard(id: int) -> None:
        room.register.change(known(id).id, asks="", asked=None)

    @app.post("/api/class/hint", status_code=204)
    def hint(hint: Hint) -> None:
        room.register.say([known(id).id for id in hint.pupils], hint.exercise, hint.text)

    @app.post("/api/class/rule", status_code=204)
    def rule(rule: Rule) -> None:
        if rule.frozen is not None:
            room.register.note("frozen", "yes" if rule.frozen else "")
        if rule.endless:
            room.register.note("deadline", "")
        elif rule.minutes is not None:
            room.register.note("deadline", str(time.time() + 60 * rule.minutes))

    @app.post("/api/class/project", status_code=204)
    def project(shown: Projected | None = None) -> None:
        room.register.note("shown", "" if shown is None else shown.model_dump_json())


def _downloads(app: FastAPI, room: Room) -> None:
    def named(file: str) -> dict[str, str]:
        return {"Content-Disposition": f'attachment; filename="{file}"'}

    @app.get("/api/class/marks.csv")
    def marks() -> Response:
        return Response(export.marks(room), media_type="text/csv", headers=named("marks.csv"))

    @app.get("/api/class/scores.json")
    def scores() -> list[dict[str, Any]]:
        return export.scores(room)

    @app.get("/api/class/handed-in.zip")
    def handed_in() -> Response:
        return Response(export.handed_in(room), media_type="application/zip", headers=named("handed-in.zip"))


def _of_a_pupil(app: FastAPI, room: Room) -> None:
    def known(id: int) -> Pupil:
        pupil = room.register.pupil(id)
        if pupil is None:
            raise HTTPException(404, "This pupil is not in the class any more.")
        return pupil

    @app.get("/pupil/{id}/class/me")
    def me(id: int) -> Me:
        return walls.me(room, known(id))

    @app.get("/pupil/{id}/class/feedback")
    def feedback(id: int) -> Feedback:
        return walls.feedback(room, known(id))

    @app.post("/pupil/{id}/class/ask", status_code=204)
    def ask(id: int, asked: Ask) -> None:
        room.register.change(known(id).id, asks=asked.text, asked=time.time(), seen=time.time())

    @app.post("/pupil/{id}/class/hand-in", status_code=204)
    def hand_in(id: int) -> None:
        room.register.change(known(id).id, handed_in=time.time(), seen=time.time())


def _live(app: FastAPI, room: Room) -> None:
    @app.websocket("/api/class/live")
    async def wall(socket: WebSocket) -> None:
        await follow(socket, room, lambda: walls.wall(room))

    @app.websocket("/api/class/screen/live")
    async def screen(socket: WebSocket) -> None:
        await follow(socket, room, lambda: walls.screen(room))

    @app.websocket("/pupil/{id}/class/live")
    async def me(socket: WebSocket, id: int) -> None:
        def now() -> Me | None:
            pupil = room.register.pupil(id)
            return None if pupil is None else walls.me(room, pupil)

        await follow(socket, room, now)


async def follow(socket: WebSocket, room: Room, now: Callable[[], BaseModel | None]) -> None:
    """Send the current state, and again whenever it has changed."""
    await socket.accept()
    gone = asyncio.create_task(_until_gone(socket))
    told = ""
    with contextlib.suppress(WebSocketDisconnect), room.bell.heard() as news:
        while not gone.done():
            news.clear()
            found = await asyncio.to_thread(now)
            text = "" if found is None else found.model_dump_json()
            if text and text != told:
                await say(socket, text)
                told = text
            waiting = asyncio.create_task(news.wait())
            await asyncio.wait({waiting, gone}, timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)
            waiting.cancel()
            await asyncio.sleep(INTERVAL)
    gone.cancel()


async def _until_gone(socket: WebSocket) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            await socket.receive_text()


class Seats:
    """Passes a request on to the application of the pupil whose id is in the path."""

    def __init__(self, room: Room) -> None:
        self._room = room

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on the request; the application sees only the rest of the path."""
        seat = await self._room.seat(int(scope["path_params"]["id"]))
        if seat is not None:
            await seat.app(scope, receive, send)
        elif scope["type"] == "http":
            await Response("There is no such pupil.", 404)(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

"""The rights in a class. There are three kinds of people besides visitors:

- The **presenter** has the presenter's token and leads the class. They can read a pupil's pages, but not write there.
- A **pupil** has a cookie from joining, with a secret. It gives access to their own seat and the projector.
- A **viewer** has the viewer's token: it only shows the projector, and the graph on it.

A token in an address becomes a cookie at the first page, and is removed from the address. Host and Origin are checked
as in `security`.
"""

from __future__ import annotations

import hmac
import re
from typing import NamedTuple

from starlette.requests import HTTPConnection
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Scope

from minigrad_webui.classroom.room import Room
from minigrad_webui.security import Guard, Refusal, SecurityMiddleware, refused

OPEN = re.compile(r"/(join|assets/.*|api/health|api/class/(door|join))")
OF_A_PUPIL = re.compile(r"/pupil/(\d+)/(.*)")
TO_FOLLOW = re.compile(
    r"(assets/.*|api/runs(/[\w-]+(/(steps|gradients|records|graph|live|tensors/\d+/tile))?)?|api/health|)"
)
"""The addresses of a seat that others may GET while the projector shows it."""
TO_READ = re.compile(rf"({TO_FOLLOW.pattern}|feedback|class/feedback)")
"""The addresses of a pupil's that the presenter may read."""
OF_VIEWERS = re.compile(r"/(projector|api/class/(qr\.svg|screen(/live)?))")


class Person(NamedTuple):
    """Who makes a request."""

    presenter: bool = False
    viewer: bool = False
    pupil: int | None = None


class Gate(SecurityMiddleware):
    """Checks the rights of each request first."""

    def __init__(self, app: ASGIApp, guard: Guard, room: Room) -> None:
        super().__init__(app, guard)
        self.room = room

    def answer(self, scope: Scope) -> Response | None:
        """The answer to a request that is refused or redirected; None lets it through."""
        connection = HTTPConnection(scope)
        refusal = self.guard.refuse_address(connection.headers)
        if refusal is not None:
            return refused(refusal, connection)
        if scope["type"] == "http" and scope["method"] in ("GET", "HEAD") and "token" in connection.query_params:
            return self._exchange_token(connection)
        person = who(connection, self.room, self.guard)
        path = str(scope["path"])
        if path == "/":
            return RedirectResponse(self._home(person), 303)
        if may(person, path, scope, self.room):
            return None
        message = "This belongs to somebody else, or needs the class's key. Join the class, or open the teacher's link."
        return refused(Refusal(401, "not_yours", message), connection)

    def _home(self, person: Person) -> str:
        if person.presenter:
            return "wall"
        if person.pupil is not None:
            return self.room.page_of(person.pupil)
        return "projector" if person.viewer else "join"

    def _exchange_token(self, connection: HTTPConnection) -> Response:
        offered = connection.query_params["token"]
        for kind, token in (("presenter", self.room.keys.presenter), ("viewer", self.room.keys.viewer)):
            if hmac.compare_digest(offered.encode(), token.encode()):
                answer = Response(status_code=303, headers={"Location": "./" + connection.url.path.rpartition("/")[2]})
                answer.set_cookie(f"{self.guard.cookie}_{kind}", token, path="/", httponly=True, samesite="strict")
                return answer
        message = "The token in this address is wrong. The window in which the class was started shows the right one."
        return refused(Refusal(401, "wrong_token", message), connection)


def who(connection: HTTPConnection, room: Room, guard: Guard) -> Person:
    """The person, from the cookies or from a token in `Authorization: Bearer`."""
    scheme, _, bearer = connection.headers.get("authorization", "").partition(" ")

    def holds(kind: str, token: str) -> bool:
        offered = bearer if scheme.lower() == "bearer" else connection.cookies.get(f"{guard.cookie}_{kind}", "")
        return hmac.compare_digest(offered.encode(), token.encode())

    return Person(
        holds("presenter", room.keys.presenter),
        holds("viewer", room.keys.viewer),
        _pupil(connection.cookies.get(f"{guard.cookie}_pupil", ""), room),
    )


def _pupil(cookie: str, room: Room) -> int | None:
    id, _, secret = cookie.partition(".")
    pupil = room.register.pupil(int(id)) if id.isdigit() and len(id) < 10 else None
    return pupil.id if pupil is not None and hmac.compare_digest(secret.encode(), pupil.secret.encode()) else None


def may(person: Person, path: str, scope: Scope, room: Room) -> bool:
    """Whether this person may make this request."""
    looks = scope["type"] == "websocket" or scope["method"] in ("GET", "HEAD")
    seat = OF_A_PUPIL.fullmatch(path)
    if OPEN.fullmatch(path):
        return True
    if seat is not None:
        if person.pupil == int(seat[1]):
            return True
        if person.presenter:
            return looks and bool(TO_READ.fullmatch(seat[2]))
        shown = room.shown
        follows = (person.viewer or person.pupil is not None) and shown is not None and shown.pupil == int(seat[1])
        return looks and follows and bool(TO_FOLLOW.fullmatch(seat[2]))
    if OF_VIEWERS.fullmatch(path):
        return looks and (person.presenter or person.viewer or person.pupil is not None)
    return person.presenter

"""Check every request to the server.

The server listens on loopback, but every page in the user's browser can reach it. So three things are checked for
each request, WebSockets included:

- **Host**: a name of this server (localhost, an IP address, or one that was allowed explicitly). A foreign name
  means DNS rebinding.
- **Origin**, if a browser sends one: this server, or an allowed host. Any other is a foreign page.
- **Token**: made afresh at every start; in `Authorization: Bearer`, or in a cookie which a page gets in exchange for
  the `?token=` of the address that was printed, or for a `?ticket=`, which opens it once. The address then loses the
  key, so that it is not shared by accident.

A second key is derived from the token and allows **watching** only: requests that change something, run code or publish
are refused. It is for an audience; the token cannot be computed from it.

`/api/health` alone answers without a key. No GET changes anything, and what changes something by a cookie must name
its Origin, as every browser does.

Pages of other origins may not frame the explorer. A notebook may: the page that spends a ticket in a frame holds a key
that its program asked for.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Collection
from dataclasses import dataclass, field
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from minigrad_webui.tickets import Tickets

OPEN_PATHS = frozenset({"/api/health"})

_KEYS = frozenset({"token", "ticket"})
"""The query parameters of an address that opens the explorer."""

_PREFIX = re.compile(r"(/[A-Za-z0-9._~%@:+-]+)+")

_DENIED_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>minigrad explorer</title>
<style>body{{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}}
:root{{color-scheme:light dark}}code{{font-size:.95em}}</style><h1>This page needs its key</h1><p>{message}</p>
<p>The program or command that started the explorer printed an address that ends in <code>?token=…</code>; open that.
<code>minigrad serve</code> prints it again.</p></html>"""


def new_token() -> str:
    """A new token for one start of the server."""
    return secrets.token_urlsafe(24)


def is_loopback(host: str) -> bool:
    """Whether a bind address can be reached only from this machine."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


@dataclass(frozen=True)
class Refusal:
    """Why a request is refused, and with which status."""

    status: int
    code: str
    message: str


@dataclass(frozen=True)
class Guard:
    """The rules for requests, independent of a server, so that they can be tested alone."""

    token: str
    port: int = 0
    hosts: frozenset[str] = field(default_factory=frozenset)
    """Host names allowed besides localhost and IP addresses, as a proxy in front may need; `*` allows all."""
    tickets: Tickets = field(default_factory=Tickets, compare=False)
    framers: set[str] = field(default_factory=set, compare=False)
    """The origins of notebooks that show the explorer in a frame."""

    @classmethod
    def bound_to(cls, host: str, port: int, token: str, hosts: Collection[str] = ()) -> Guard:
        """The rules for a server bound to `host`: beyond loopback, the machine's own names are allowed as well."""
        own = set() if is_loopback(host) else {host, socket.gethostname(), socket.getfqdn()}
        return cls(token, port, frozenset(name.lower() for name in (*hosts, *own)))

    @property
    def watching(self) -> str:
        """The key that allows watching only."""
        return hmac.new(self.token.encode(), b"watching", "sha256").hexdigest()[:32]

    @property
    def cookie(self) -> str:
        """The name of the cookie. It includes the port, because all ports of a host share cookies."""
        return f"minigrad_{self.port}"

    def refuse_address(self, headers: Headers) -> Refusal | None:
        """Check Host and Origin."""
        host = headers.get("host", "")
        if not self._leads_here(host):
            return Refusal(
                403,
                "wrong_host",
                f"This explorer does not answer to the host {host!r}, only to localhost and addresses in digits. "
                f"If a proxy leads here under that name, start it with --allow-host {_name(host) or 'NAME'}.",
            )
        origin = headers.get("origin")
        if origin is not None and not self._same_origin(origin, host):
            return Refusal(
                403,
                "wrong_origin",
                f"A page from {origin!r} may not talk to the explorer at {host!r}. "
                "If that is your own proxy, start the explorer with --allow-host and its name.",
            )
        return None

    def refuse_token(self, connection: HTTPConnection) -> Refusal | None:
        """Check the key in `Authorization: Bearer` or in the cookie, and whether it allows this request."""
        scheme, _, said = connection.headers.get("authorization", "").partition(" ")
        offered = said.strip() if scheme.lower() == "bearer" else ""
        if self.accepts(offered):
            return None
        if self.knows(connection):
            return None if _harmless(connection.scope) or "origin" in connection.headers else _NO_ORIGIN
        if self.only_watches(connection):
            return None if _harmless(connection.scope) or _is_live(connection.scope) else _READ_ONLY
        found = "The token is wrong" if said or self.cookie in connection.cookies else "No token was given"
        return Refusal(
            401,
            "wrong_token",
            f"{found}; the explorer makes a new one at every start. Open the address that it printed (it ends in "
            "?token=...), or send the token as `Authorization: Bearer TOKEN`, or set MINIGRAD_TOKEN for a program.",
        )

    def knows(self, connection: HTTPConnection) -> bool:
        """Whether the browser has the cookie with the token."""
        return self.accepts(connection.cookies.get(self.cookie, ""))

    def only_watches(self, connection: HTTPConnection) -> bool:
        """Whether the request has the key for watching."""
        offered = connection.headers.get("authorization", "").rpartition(" ")[2]
        return any(_same(key, self.watching) for key in (offered, connection.cookies.get(self.cookie, "")))

    def let_frame(self, connection: HTTPConnection) -> None:
        """Allow a notebook on this machine to show this page in a frame."""
        origin = _split(connection.headers.get("referer", ""))
        if connection.headers.get("sec-fetch-dest") == "iframe" and self._leads_here(origin.netloc):
            self.framers.add(f"{origin.scheme}://{origin.netloc}")

    def accepts(self, offered: str) -> bool:
        """Whether a text is the token."""
        return _same(offered, self.token)

    def _leads_here(self, host: str) -> bool:
        name = _name(host)
        if name == "localhost" or name.endswith(".localhost") or name in self.hosts or "*" in self.hosts:
            return bool(name)
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _same_origin(self, origin: str, host: str) -> bool:
        found = _split(origin)
        if found.scheme not in ("http", "https"):
            return False
        return found.netloc.lower() == host.lower() or "*" in self.hosts or _name(found.netloc) in self.hosts


_NO_ORIGIN = Refusal(
    403,
    "no_origin",
    "A change that a browser's cookie allows must come with its Origin, and this one has none. "
    "A program sends the token as `Authorization: Bearer TOKEN` instead.",
)


_READ_ONLY = Refusal(
    403,
    "read_only",
    "This key is for watching only. To change something, open the explorer with the address that ends in its token.",
)


def _same(offered: str, key: str) -> bool:
    """Compare two keys in constant time."""
    return hmac.compare_digest(offered.encode(), key.encode())


def _is_live(scope: Scope) -> bool:
    """Whether a WebSocket shows a run. Its requests to the program are checked when they arrive."""
    return scope["type"] == "websocket" and re.fullmatch(r"/api/runs/[^/]+/live", _path(scope)) is not None


def _harmless(scope: Scope) -> bool:
    """Whether the request cannot change anything, by its method. WebSockets are no such requests."""
    return scope["type"] == "http" and scope["method"] in ("GET", "HEAD", "OPTIONS")


def _name(host: str) -> str:
    """The host without its port, in lower case; an IPv6 address without its brackets."""
    return (_split(f"//{host}").hostname or "") if re.fullmatch(r"[\w.:\[\]-]+", host) else ""


def _split(url: str) -> SplitResult:
    """The parts of an address; all are empty if it is invalid, such as `http://[`."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")


def prefix(scope: Scope) -> str:
    """The path under which a proxy shows this server: `--root-path`, or the value of the proxy's header."""
    headers = Headers(scope=scope)
    said = headers.get("x-forwarded-prefix") or headers.get("x-forwarded-context") or ""
    said = said.rstrip("/")
    root = str(scope.get("root_path", "")).rstrip("/")
    return root or (said if _PREFIX.fullmatch(said) else "")


class SecurityMiddleware:
    """Applies a `Guard` to each request first, and adds security headers to answers."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self.app = app
        self.guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it here."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        answer = self.answer(scope)
        if answer is not None and scope["type"] == "websocket":
            await receive()
            await _deny(answer, scope, receive, send)
        else:
            await (answer or self.app)(scope, receive, _with_headers(send, scope, self.guard.framers))

    def answer(self, scope: Scope) -> Response | None:
        """The answer to a request that is refused or redirected; None lets it through."""
        connection = HTTPConnection(scope)
        refusal = self.guard.refuse_address(connection.headers)
        if refusal is None and _path(scope) not in OPEN_PATHS:
            keys = _KEYS & connection.query_params.keys()
            if keys and scope["type"] == "http" and scope["method"] in ("GET", "HEAD"):
                return self._exchange(connection)
            refusal = self.guard.refuse_token(connection)
            scope["read_only"] = self.guard.only_watches(connection)
        return refused(refusal, connection) if refusal else None

    def _exchange(self, connection: HTTPConnection) -> Response:
        """Replace the key in the address by a cookie, and redirect to the address without it."""
        key, cookie = connection.query_params, self.guard.token
        if self.guard.tickets.spend(key.get("ticket", "")):
            self.guard.let_frame(connection)
        elif _same(key.get("token", ""), self.guard.watching):
            cookie = self.guard.watching
        elif "token" in key and not self.guard.accepts(key["token"]):
            message = "The token in this address is wrong: the explorer makes a new one at every start."
            return refused(Refusal(401, "wrong_token", message), connection)
        elif "token" not in key and not self.guard.knows(connection):
            message = "The ticket in this address has been used, or is too old: it opens the explorer once."
            return refused(Refusal(401, "used_ticket", message), connection)
        rest = urlencode([(name, value) for name, value in parse_qsl(connection.url.query) if name not in _KEYS])
        page = "./" + connection.url.path.rpartition("/")[2]
        answer = Response(status_code=303, headers={"Location": page + (f"?{rest}" if rest else "")})
        answer.set_cookie(
            self.guard.cookie,
            cookie,
            path=prefix(connection.scope) + "/",
            httponly=True,
            samesite="strict",
            secure=connection.headers.get("x-forwarded-proto", connection.url.scheme) == "https",
        )
        return answer


def _path(scope: Scope) -> str:
    """The path inside the application."""
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(root) else path


def refused(refusal: Refusal, connection: HTTPConnection) -> Response:
    """The refusal, as a page for a browser and as JSON for a program."""
    if refusal.status == 401 and "text/html" in connection.headers.get("accept", ""):
        return HTMLResponse(_DENIED_PAGE.format(message=refusal.message), refusal.status)
    headers = {"WWW-Authenticate": "Bearer"} if refusal.status == 401 else None
    return JSONResponse({"code": refusal.code, "message": refusal.message}, refusal.status, headers)


async def _deny(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """Answer a WebSocket's handshake with a plain HTTP response, if the server can, so that the reason is visible."""
    if "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return

    async def renamed(message: Message) -> None:
        await send({**message, "type": f"websocket.{message['type']}"})

    await answer({**scope, "type": "http", "method": "GET"}, receive, renamed)


def _with_headers(send: Send, scope: Scope, framers: Collection[str]) -> Send:
    """Add the headers that keep foreign script and foreign frames out."""
    extra = [
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"cross-origin-resource-policy", b"same-origin"),
    ]

    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            policy = (b"content-security-policy", _policy(scope, framers).encode())
            message["headers"] = [*message.get("headers", []), policy, *extra]
        await send(message)

    return wrapped


def _policy(scope: Scope, framers: Collection[str]) -> str:
    """The content security policy of a page. ``scope["inline_scripts"]`` allows its own scripts by hash."""
    host = Headers(scope=scope).get("host", "")
    return "; ".join(
        (
            "default-src 'none'",
            " ".join(("script-src 'self' 'wasm-unsafe-eval'", *scope.get("inline_scripts", ()))),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            f"connect-src 'self' ws://{host} wss://{host}" if _name(host) else "connect-src 'self'",
            "worker-src 'self' blob:",
            " ".join(("frame-ancestors 'self'", *sorted(framers))),
            "base-uri 'self'",
            "frame-src 'self'",
            "form-action 'none'",
        )
    )

"""Send a program's records to the server, without ever blocking the program.

`Publisher.send` puts a record into a queue and returns. A thread of its own converts it to JSON, sends it, and keeps it
until the server confirms that it is stored. If the server goes away, the thread tries to reconnect, at longer and
longer intervals, and continues after the last stored record; the program notices nothing.

If the queue is full, because the server is gone or slower than the program, whole steps are left out, because part of a
step cannot be understood: the rest of the current step, and further steps until there is room again. Records of the run
rather than of a step's graph (curves, anomalies, the end) are kept. A `dropped` record stands where records are
missing; it has their count and the number of the last one.
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import ClientConnection, connect, unix_connect

from minigrad.observe.publish.data_folder import TOKEN_VARIABLE, URL_VARIABLE, read_note
from minigrad.observe.publish.outbox import Outbox
from minigrad.observe.record.sinks import encode

QUEUE = 20_000
"""How many records may wait to be written as JSON."""

BACKLOG = 64 * 1024 * 1024
"""How many characters of JSON may wait to be sent and acknowledged."""

INTERVAL = 1 / 60
"""Seconds between two batches, unless more waits than one batch can hold."""

FIRST_WAIT, LONGEST_WAIT = 0.1, 2.0
"""Seconds between attempts to reach the server."""

LONGEST = 12
"""`close` waits at most this many times its deadline, one minute, if the explorer takes records slowly."""

OF_THE_RUN = frozenset({"run_started", "source", "numbers", "step_taken", "scalar", "anomaly_found", "run_finished"})
"""Kinds of records that are kept when the rest of a step is left out."""

log = logging.getLogger("minigrad")


class Publisher:
    """A sink for records: give `publisher.send` to a recorder, and `close` it when the run is over (exit does so too).

    `url` and `token` are those of the server: as given, else from MINIGRAD_URL and MINIGRAD_TOKEN, else of the
    server on this machine; `unix:/a/path` is a Unix socket. The first record must be the run's
    `run_started`. Raises ValueError if no server is known.
    """

    def __init__(
        self, url: str | None = None, token: str | None = None, *, queue: int = QUEUE, backlog: int = BACKLOG
    ) -> None:
        url, token = url or os.environ.get(URL_VARIABLE), token or os.environ.get(TOKEN_VARIABLE)
        self._follows_note = not url
        self.url, self._token, self._store = (url or "").rstrip("/"), token or "", ""
        self._look_up()
        if not self.url:
            raise ValueError(f"No explorer is known: start one with `minigrad serve`, or set {URL_VARIABLE}.")
        self._inbox: deque[Mapping[str, Any]] = deque()
        self._limit = queue
        self._outbox = Outbox(backlog)
        self._lock = threading.Lock()
        self._skipping: int | None = None
        self._left_out = 0
        self._last_left_out: Mapping[str, Any] = {}
        self._connected = False
        self._welcomed = False
        self._abandoned = False
        self._closing = threading.Event()
        self.audience = 0
        """The number of viewers of this run that the server reports; 0 while it is disconnected."""
        self.control: Callable[[dict[str, Any]], None] | None = None
        """Called in the publisher's thread with every `Control` message of a viewer."""
        self.look: Callable[[dict[str, Any]], dict[str, Any]] | None = None
        """Called in the publisher's thread with every `Look` message; returns the `Tile`."""
        self._thread = threading.Thread(target=self._work, name="minigrad publisher", daemon=True)
        self._thread.start()
        atexit.register(self.close)
        _after_fork(self)

    # In the program's threads -----------------------------------------------------------------------------------------

    def send(self, record: Mapping[str, Any]) -> None:
        """Take a record, which must not be changed afterwards. Returns at once and never raises."""
        if self._skipping is None and len(self._inbox) < self._limit:
            self._inbox.append(record)
        else:
            self._squeeze(record)

    def send_all(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Take several records."""
        if self._skipping is None and len(self._inbox) + len(records) <= self._limit:
            self._inbox.extend(records)
        else:
            for record in records:
                self.send(record)

    def catch_up(self, deadline: float = 5.0) -> None:
        """Wait at most `deadline` seconds for room in the queue, so that no following records are dropped."""
        until = monotonic() + deadline
        while self._connected and len(self._inbox) + len(self._outbox) > self._limit // 4:
            if self._closing.wait(0.01) or monotonic() > until:
                return

    def close(self, deadline: float = 5.0) -> None:
        """Deliver waiting records, then stop. Give up if the explorer has taken none for `deadline` seconds."""
        atexit.unregister(self.close)
        self._closing.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            left = self._deliver(deadline if self._welcomed else min(deadline, 1.0))
            if self._thread.is_alive() and left:
                log.warning("minigrad: %d records did not reach the explorer at %s.", left, self.url)
        self._abandoned = True
        self._silence()

    def _deliver(self, deadline: float) -> int:
        """Wait as long as the number of waiting records falls. Returns how many are left."""
        least, until = sys.maxsize, 0.0
        last = monotonic() + LONGEST * deadline
        while True:
            left = len(self._inbox) + len(self._outbox)
            now = monotonic()
            if left < least:
                least, until = left, now + deadline
            if not self._thread.is_alive() or now >= min(until, last):
                return left
            self._thread.join(min(0.1, until - now))

    def _squeeze(self, record: Mapping[str, Any]) -> None:
        """Take a record while the queue is full or has been: leave the record out, or go on if there is room again."""
        with self._lock:
            if self._limit == 0:
                return
            step, kind, waiting = record.get("step", 0), record.get("type"), len(self._inbox)
            if self._skipping not in (None, step) and waiting < self._limit // 2:
                self._skipping = None
            elif kind == "run_finished" or (kind in OF_THE_RUN and waiting < 2 * self._limit):
                self._skipping = step if self._skipping is None else self._skipping
            else:
                self._skipping = step
                self._left_out += 1
                self._last_left_out = record
                return
            self._report_left_out()
            self._inbox.append(record)

    def _report_left_out(self) -> None:
        """Put a `dropped` record into the queue if records were left out here."""
        if self._left_out:
            last = self._last_left_out
            reason = "the explorer took them more slowly than they came" if self._connected else "no explorer answered"
            place = {"seq": last["seq"], "t": last.get("t", 0.0), "step": last.get("step", 0)}
            self._inbox.append({**place, "type": "dropped", "count": self._left_out, "reason": reason})
            self._left_out = 0

    def _silence(self) -> None:
        """Take no more records."""
        with self._lock:
            self._limit = 0
            self._skipping = -1
            self._inbox.clear()

    # In its own thread ------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        wait = FIRST_WAIT
        while True:
            self._outbox.fill(self._inbox)
            try:
                if self._outbox.started:
                    with self._connect() as link:
                        wait = FIRST_WAIT
                        self._connected = self._welcomed = True
                        self._talk(link)
                        return
            except _Refused as refused:
                log.warning("minigrad: the explorer at %s refused this run: %s", self.url, refused)
                self._silence()
                return
            except (OSError, WebSocketException, RuntimeError) as error:
                log.debug("minigrad: the explorer at %s cannot be reached: %r", self.url, error)
            self._connected, self.audience = False, 0
            if self._closing.wait(wait) and (self._abandoned or not (self._inbox or len(self._outbox))):
                return
            wait = min(wait * 1.5, LONGEST_WAIT)

    def _look_up(self) -> None:
        """Read the server's address and token from its note: a restarted server may have new ones."""
        note = read_note()
        if note is not None and (self._follows_note or note.url == self.url or note.store == self._store):
            self.url, self._token, self._store = note.url, note.token, note.store

    def _connect(self) -> ClientConnection:
        self._look_up()
        parts = urlsplit(self.url)
        if parts.scheme == "unix":
            address = "ws://localhost/api/publish"
            return unix_connect(parts.path, address, compression=None, open_timeout=5, close_timeout=1)
        scheme = "wss" if parts.scheme == "https" else "ws"
        address = urlunsplit((scheme, parts.netloc, f"{parts.path}/api/publish", "", ""))
        headers = {"Authorization": f"Bearer {self._token}"}
        try:
            return connect(
                address, additional_headers=headers, compression=None, open_timeout=5, close_timeout=1, proxy=None
            )
        except InvalidStatus as error:
            tried = self._token
            self._look_up()  # the server may have started and written its note since the last try
            if error.response.status_code in (401, 403) and not self._welcomed and self._token == tried:
                raise _Refused(_message(error.response.body)) from error
            raise

    def _talk(self, link: ClientConnection) -> None:
        """Greet the server, then send records until the run is over and all are stored."""
        link.send(json.dumps(self._outbox.hello()))
        self._outbox.resume(self._answer(link, 10.0)["have"])
        while not self._abandoned:
            self._outbox.fill(self._inbox)
            text = self._outbox.batch()
            if text:
                link.send(text)
            elif self._closing.is_set() and not self._inbox and not len(self._outbox):
                link.send('{"type":"bye"}')
                return
            self._take_answers(link, until=monotonic() + (0 if self._outbox.full_batch else INTERVAL))

    def _take_answers(self, link: ClientConnection, until: float) -> None:
        """Read the server's acknowledgements until it is time to send again."""
        while True:
            try:
                answer = self._answer(link, until - monotonic())
            except TimeoutError:
                return
            if answer["type"] == "ack":
                self._outbox.acknowledge(answer["seq"])
            elif answer["type"] == "audience":
                self.audience = answer["viewers"]
            elif answer["type"] == "look" and self.look is not None:
                link.send(encode(self.look(answer)))
            elif answer["type"] == "control" and self.control is not None:
                self.control(answer)

    def _answer(self, link: ClientConnection, seconds: float) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(link.recv(timeout=seconds))
        if answer["type"] == "problem":
            raise _Refused(answer["message"])
        return answer


class _Refused(Exception):
    """The server rejects this run, so trying again is useless."""


def _message(body: bytes | bytearray | None) -> str:
    try:
        return str(json.loads(body or b"")["message"])
    except (ValueError, KeyError, TypeError):
        return (body or b"").decode(errors="replace") or "it did not say why"


def _after_fork(publisher: Publisher) -> None:
    """Take no records in a forked child: it has the queue, but not the thread that empties it."""
    if hasattr(os, "register_at_fork"):
        reference = weakref.ref(publisher)

        def silence() -> None:
            found = reference()
            if found is not None:
                found._lock = threading.Lock()
                found._silence()

        os.register_at_fork(after_in_child=silence)

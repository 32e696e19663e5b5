"""The server's side of `/api/publish`: programs connect, publish, disconnect and come back, or do not."""

from __future__ import annotations

import asyncio
from time import monotonic

from fastapi import WebSocket, WebSocketDisconnect

from minigrad_webui.protocol import (
    PROTOCOL_VERSION,
    SCHEMA_VERSION,
    Ack,
    Audience,
    Control,
    Hello,
    Look,
    Run,
    Welcome,
)
from minigrad_webui.runs.hub import Hub
from minigrad_webui.runs.incoming import BadMessage, read_batch
from minigrad_webui.runs.store import Appended, Store, StoreError, UnknownRun
from minigrad_webui.runs.tile_requests import Looking, is_tile
from minigrad_webui.websocket import Refused, greeted, older, say, tell

GRACE = 10.0
"""Seconds that a program may be disconnected before its run counts as lost."""

PATIENCE = 2.0
"""Seconds in which a new program may announce that it takes requests."""

KILLED = "The program's connection ended without a goodbye and did not come back: it was killed, or crashed hard."
RETURNING = "The server was stopped while the program ran, and the program has not come back since."
WITHOUT_END = "The program said goodbye without saying how its run ended."


class Publishing:
    """All programs that publish now, and those that may come back."""

    def __init__(self, store: Store, hub: Hub, grace: float = GRACE) -> None:
        self._store = store
        self._hub = hub
        self._grace = grace
        self._connected: dict[str, WebSocket] = {}
        self._waiting: dict[str, asyncio.Task[None]] = {}
        self._telling: set[asyncio.Task[None]] = set()
        self._looking = Looking()
        hub.counted = self._count

    @property
    def programs(self) -> int:
        """The number of connected publishers."""
        return len(self._connected)

    def is_live(self, run: str) -> bool:
        """Whether a program is publishing into this run."""
        return run in self._connected

    def awaited(self, run: str) -> str:
        """Why a run whose program is disconnected is not deleted: its later records would lack their beginning."""
        return (
            f"The program of run {run!r} has lost its connection, and may come back. Stop it, or wait until the run "
            f"counts as lost, {self._grace:g} seconds after it was last heard of; then delete it."
        )

    async def control(self, run: str, control: Control) -> None:
        """Pass a viewer's request on to the program. Raises Refused if there is no program that can do it."""
        if control.protocol != PROTOCOL_VERSION:
            message = f"You speak protocol {control.protocol}, this server {PROTOCOL_VERSION}"
            raise Refused("wrong_protocol", f"{message}: {older(control.protocol)}")
        until = monotonic() + PATIENCE
        while True:
            known, socket = await asyncio.to_thread(self._store.run, run), self._connected.get(run)
            if socket is None or known.status != "running":
                message = f"The program of {known.name!r} is not connected, so it cannot be controlled."
                raise Refused("not_running", message)
            if known.control:
                return await say(socket, control.model_dump_json(exclude_none=True))
            if monotonic() > until:
                message = f"The program of {known.name!r} takes no requests: it has no debugger."
                raise Refused("not_controllable", message)
            await asyncio.sleep(0.02)

    async def look(self, run: str, look: Look) -> str:
        """A tile of an array in the program, as JSON. Raises Refused if there is no program that can show it."""
        await asyncio.to_thread(self._store.run, run)
        return await self._looking.ask(self._connected.get(run), run, look)

    def _count(self, run: str, viewers: int) -> None:
        """Send a program the new number of viewers."""
        socket = self._connected.get(run)
        if socket is not None:
            telling = asyncio.ensure_future(tell(socket, Audience(viewers=viewers)))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def start(self) -> None:
        """Wait for the programs of runs that were active when an earlier server ended."""
        for run in await asyncio.to_thread(self._store.runs):
            if run.status == "running":
                self._wait_for(run.id, RETURNING)

    def stop(self) -> None:
        """Stop waiting for programs."""
        for task in self._waiting.values():
            task.cancel()

    async def serve(self, socket: WebSocket) -> None:
        """Serve one connection of one program, from its hello to its end."""
        await socket.accept()
        run, reason = None, KILLED
        try:
            hello = await greeted(socket, Hello)
            if hello.schema_version > SCHEMA_VERSION:
                raise Refused(
                    "wrong_schema",
                    f"The program writes records of schema {hello.schema_version}, this explorer reads up to "
                    f"{SCHEMA_VERSION}: stop it, and start the one of the program's own minigrad.",
                )
            run = await self._open(socket, hello)
            await self._take_all(socket, hello.run)
        except WebSocketDisconnect:
            pass
        except Refused as refused:
            reason = f"It was refused here. {refused.problem.message}"
            await say(socket, refused.problem.model_dump_json())
            await socket.close(1008)
        finally:
            if run is not None and self._connected.get(run.id) is socket:
                del self._connected[run.id]
                self._looking.leave(run.id)
                self._wait_for(run.id, reason)

    async def _open(self, socket: WebSocket, hello: Hello) -> Run:
        waiting = self._waiting.pop(hello.run, None)
        if waiting is not None:
            waiting.cancel()
        older = self._connected.pop(hello.run, None)
        self._connected[hello.run] = socket
        if older is not None:
            await older.close(1008)
        run = await asyncio.to_thread(self._store.begin, hello.run, hello.name, hello.started)
        self._hub.tell(run)
        await say(socket, Welcome(run=run.id, have=self._store.have(run.id)).model_dump_json())
        await say(socket, Audience(viewers=self._hub.audience(run.id)).model_dump_json())
        return run

    async def _take_all(self, socket: WebSocket, run: str) -> None:
        while True:
            text = await socket.receive_text()
            if self._connected.get(run) is not socket:
                raise Refused("taken_over", "The same run is now published over another connection.")
            if is_tile(text):
                self._looking.take(run, text)
                continue
            if text.startswith('{"type":"bye"'):
                del self._connected[run]
                self._looking.leave(run)
                await self._lose(run, WITHOUT_END)
                return
            try:
                appended = await asyncio.to_thread(self._append, run, text)
            except BadMessage as error:
                raise Refused("bad_message", str(error)) from error
            except StoreError as error:
                raise Refused("store_failed", str(error)) from error
            except UnknownRun as error:
                raise Refused("run_deleted", f"Run {run!r} was deleted while its program ran.") from error
            self._hub.tell(appended.run, appended.steps, appended.lines)
            await say(socket, Ack(seq=appended.seq).model_dump_json())

    def _append(self, run: str, text: str) -> Appended:
        return self._store.append(run, read_batch(text))

    def _wait_for(self, run: str, reason: str) -> None:
        async def wait() -> None:
            while True:
                await asyncio.sleep(self._grace)
                try:
                    await self._lose(run, reason)
                except StoreError:  # reading the run reports the error; there may be space again later
                    continue
                break
            self._waiting.pop(run, None)

        self._waiting[run] = asyncio.create_task(wait())

    async def _lose(self, run: str, reason: str) -> None:
        lost = await asyncio.to_thread(self._store.lose, run, reason)
        if lost is not None:
            self._hub.tell(lost)

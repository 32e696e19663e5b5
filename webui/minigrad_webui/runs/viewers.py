"""The server's side of `/api/runs/{id}/live`: one browser window watches one run."""

from __future__ import annotations

import asyncio
from time import monotonic
from typing import Annotated

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import Field, TypeAdapter, ValidationError

from minigrad_webui.protocol import Control, Notice, Subscribe
from minigrad_webui.runs.hub import Channel, Frame, Hub, Viewer
from minigrad_webui.runs.publishers import Publishing
from minigrad_webui.runs.store import Store, UnknownRun
from minigrad_webui.websocket import Refused, greeted, say, understood

PATIENCE = 2.0
"""Seconds to wait for the beginning of a run that a window asks for."""

REQUEST: TypeAdapter[Subscribe | Control] = TypeAdapter(Annotated[Subscribe | Control, Field(discriminator="type")])


async def watch(socket: WebSocket, run: str, store: Store, hub: Hub, publishing: Publishing) -> None:
    """Send the picture and all later messages, until the window is closed.

    The address says what to watch (``live?protocol=1&step=3``), so that the picture is sent while the page
    is still being built, or in the first message. Another `Subscribe` turns to another step; a `Control` goes to the
    program.
    """
    await socket.accept()
    try:
        asked = socket.query_params
        subscribe = understood(Subscribe, asked) if "protocol" in asked else await greeted(socket, Subscribe)
        await _begun(run, store)
        with hub.watching(run, subscribe.step, outline=subscribe.outline) as (channel, viewer):
            await _both(_send(socket, channel, viewer), _listen(socket, viewer, run, publishing))
    except WebSocketDisconnect:
        pass
    except UnknownRun:
        reason = f"There is no run {run!r} (any more). If its program has just started, it appears here by itself."
        await _refuse(socket, Refused("unknown_run", reason))
    except Refused as refused:
        await _refuse(socket, refused)


async def _begun(run: str, store: Store) -> None:
    """Wait for a run to begin: a browser that a program opens may connect before its first record."""
    until = monotonic() + PATIENCE
    while True:
        try:
            await asyncio.to_thread(store.run, run)
            return
        except UnknownRun:
            if monotonic() > until:
                raise
        await asyncio.sleep(0.02)


async def _send(socket: WebSocket, channel: Channel, viewer: Viewer) -> None:
    async for text in channel.messages(viewer):
        await say(socket, text)


async def _listen(socket: WebSocket, viewer: Viewer, run: str, publishing: Publishing) -> None:
    while True:
        text = await socket.receive_text()
        try:
            request = REQUEST.validate_json(text)
        except ValidationError as error:
            if '"control"' in text:  # a wrong breakpoint must not end the connection
                viewer.offer(_notice("bad_control", f"That cannot be asked of a program: {error}"))
                continue
            raise Refused("bad_message", f"Expected a `subscribe` or `control` message: {error}") from error
        if isinstance(request, Subscribe):
            viewer.follow(request.step)
        elif socket.scope.get("read_only"):
            viewer.offer(_notice("read_only", "This key is for watching only: the program is not yours to pause."))
        else:
            try:
                await publishing.control(run, request)
            except Refused as refused:
                viewer.offer(_notice(refused.problem.code, refused.problem.message))


def _notice(code: str, message: str) -> Frame:
    return Frame(Notice(code=code, message=message).model_dump_json())


async def _both(*coroutines: object) -> None:
    """Run until the first of the coroutines ends or fails; then cancel the others and raise its error."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]  # type: ignore[call-overload]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _refuse(socket: WebSocket, refused: Refused) -> None:
    await say(socket, refused.problem.model_dump_json())
    await socket.close(1008)

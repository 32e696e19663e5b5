"""The server's side of `/api/runs/{id}/live`: one browser window watches one run."""

from __future__ import annotations

import asyncio

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError

from minigrad_webui.hub import Channel, Hub, Viewer
from minigrad_webui.protocol import Subscribe
from minigrad_webui.publishing import Refused, greeted, say
from minigrad_webui.store import Store, UnknownRun


async def watch(socket: WebSocket, run: str, store: Store, hub: Hub) -> None:
    """Send the picture and all that follows, until the window is closed. Another `Subscribe` turns to another step."""
    await socket.accept()
    try:
        subscribe = await greeted(socket, Subscribe)
        await asyncio.to_thread(store.run, run)
        with hub.watching(run, subscribe.step) as (channel, viewer):
            await _both(_send(socket, channel, viewer), _listen(socket, viewer))
    except WebSocketDisconnect:
        pass
    except UnknownRun:
        await _refuse(
            socket, Refused("unknown_run", f"There is no run {run!r} (any more); the list of runs has what there is.")
        )
    except Refused as refused:
        await _refuse(socket, refused)


async def _send(socket: WebSocket, channel: Channel, viewer: Viewer) -> None:
    async for text in channel.messages(viewer):
        await say(socket, text)


async def _listen(socket: WebSocket, viewer: Viewer) -> None:
    while True:
        text = await socket.receive_text()
        try:
            viewer.follow(Subscribe.model_validate_json(text).step)
        except ValidationError as error:
            raise Refused("bad_message", f"Expected a `subscribe` message: {error}") from error


async def _both(*coroutines: object) -> None:
    """Run until the first of them ends or fails; then end the others and raise what it raised."""
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

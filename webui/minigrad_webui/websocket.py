"""What the server's WebSockets share: greetings, sending, refusals."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from typing import TypeVar

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import BaseModel, ValidationError

from minigrad_webui.protocol import PROTOCOL_VERSION, Problem

M = TypeVar("M", bound=BaseModel)


class Refused(Exception):
    """A request that cannot be met: a code, and what to do. Sent as a `Problem` over a WebSocket, as 409 over HTTP."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.problem = Problem(code=code, message=message)


async def greeted(socket: WebSocket, model: type[M], seconds: float = 10.0) -> M:
    """The first message of a connection, which must be a `model` of this protocol version.

    Raises Refused if it is not.
    """
    try:
        return understood(model, await asyncio.wait_for(socket.receive_text(), seconds))
    except (asyncio.TimeoutError, KeyError) as error:
        raise _unasked(model, error) from error


def understood(model: type[M], said: str | Mapping[str, str]) -> M:
    """A greeting, from a message or from the query of an address."""
    try:
        message = model.model_validate_json(said) if isinstance(said, str) else model.model_validate(said)
    except ValidationError as error:
        raise _unasked(model, error) from error
    asked = getattr(message, "protocol", PROTOCOL_VERSION)
    if asked != PROTOCOL_VERSION:
        raise Refused("wrong_protocol", f"You speak protocol {asked}, this server {PROTOCOL_VERSION}: {older(asked)}")
    return message


def _unasked(model: type[BaseModel], error: Exception) -> Refused:
    return Refused("bad_greeting", f"Expected a `{model.__name__.lower()}` message first: {error or 'none came'}")


def older(asked: int) -> str:
    """The advice about another protocol version than ours."""
    return "restart the explorer after upgrading minigrad." if asked > PROTOCOL_VERSION else "reload, or upgrade."


async def say(socket: WebSocket, text: str) -> None:
    """Send a message. If the server has closed the connection, it counts as closed by the other side."""
    try:
        await socket.send_text(text)
    except RuntimeError as error:
        raise WebSocketDisconnect(1006) from error


async def tell(socket: WebSocket, message: BaseModel) -> None:
    """Send a message; ignored if the other side has gone."""
    with contextlib.suppress(WebSocketDisconnect):
        await say(socket, message.model_dump_json())

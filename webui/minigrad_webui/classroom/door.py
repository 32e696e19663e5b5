"""A Unix socket through which a lesson in a sandbox sends its records to the pupil's own store.

The sandbox gets no token. Any connection through this socket counts as that of its pupil.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from fastapi import WebSocketDisconnect
from websockets.asyncio.server import Server, ServerConnection, unix_serve
from websockets.exceptions import ConnectionClosed

LARGEST = 16 * 1024 * 1024
"""The most bytes of a message."""

MOST = 64 * 1024 * 1024
"""The most bytes through one connection, so that a pupil who records without end does not fill the disk."""


class Program:
    """A connection through the socket, with the interface of the server's WebSockets."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._left = MOST

    async def accept(self) -> None:
        """Do nothing: the connection is accepted already."""

    async def receive_text(self) -> str:
        """The next message. Too long a message, or too many bytes in all, ends the connection."""
        try:
            text = str(await self._connection.recv(decode=True))
        except ConnectionClosed as error:
            raise WebSocketDisconnect(1006) from error
        self._left -= len(text)
        if self._left < 0:
            await self._connection.close(1009)
            raise WebSocketDisconnect(1009)
        return text

    async def send_text(self, text: str) -> None:
        """Send a message, if the other side is still there."""
        with contextlib.suppress(ConnectionClosed):
            await self._connection.send(text)

    async def close(self, code: int = 1000) -> None:
        """Close the connection."""
        await self._connection.close(code)


class Door:
    """Accepts connections while the pupil is in the class."""

    def __init__(self, serve: Callable[[Program], Awaitable[None]]) -> None:
        self._serve = serve
        self._folder = tempfile.TemporaryDirectory(prefix="minigrad-door-", ignore_cleanup_errors=True)
        self._file = Path(self._folder.name) / "explorer"
        self._server: Server | None = None

    @property
    def url(self) -> str:
        """The address for a recorder."""
        return f"unix:{self._file}"

    async def open(self) -> None:
        """Listen.

        Other users cannot enter the folder; the socket is open to all, since a sandbox may run as another user.
        """
        self._server = await unix_serve(self._came, str(self._file), max_size=LARGEST, compression=None)
        os.chmod(self._file, 0o666)

    async def _came(self, connection: ServerConnection) -> None:
        await self._serve(Program(connection))

    async def close(self) -> None:
        """Close the socket: no more connections are accepted."""
        if self._server is not None:
            self._server.close()
            await self._server.wait_closed()
        self._folder.cleanup()

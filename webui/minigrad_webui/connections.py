"""Close connections that send nothing, so that they do not keep others out.

A server can hold only a limited number of connections. Uvicorn waits for ever for the rest of a request. Here the
sender has some seconds for the head, and may not pause longer than that in the body. The time that an answer
takes is not limited.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

SECONDS = 20.0
"""The seconds allowed for the head of a request, and for a pause within its body."""

WANTED = 65_536
"""How many files and sockets the server asks to hold open. Many systems begin with a limit of 1,024."""

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol as Protocol
else:
    Protocol = AutoHTTPProtocol


class PromptProtocol(Protocol):
    """Uvicorn's HTTP protocol, which also closes a connection whose request does not arrive."""

    seconds = SECONDS
    _heard = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A browser or a program has connected."""
        super().connection_made(transport)
        self._look_again()

    def data_received(self, data: bytes) -> None:
        """Note that a piece of a request has arrived."""
        self._heard += len(data)
        super().data_received(data)

    def _look_again(self) -> None:
        self.loop.call_later(self.seconds, self._look, self.cycle, self._heard)

    def _look(self, before: Any, heard: int) -> None:
        """Close the connection if it has brought no request since `before`, or nothing more of its body."""
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            return  # closed, or a WebSocket by now
        request = self.cycle
        if request is None or request.response_complete:
            stuck = request is before
        else:
            stuck = request.more_body and self._heard == heard
        if stuck:
            self.transport.close()
        else:
            self._look_again()


def allow_many() -> None:
    """Raise this process's limit of open files as far as the system allows."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = WANTED if most == resource.RLIM_INFINITY else min(WANTED, most)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))

"""Let ranks compare their calls before they exchange data, and start exchanges in the same order.

If one rank calls another collective than the others, MPI raises no error: all wait for ever, or get wrong bytes. So
each call has a signature of 128 bytes, which is gathered first, on a separate communicator. Exchanges start one after
another, in the order of the calls, each after its signatures agree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import DistributedError
from .transport import Request, Transport

LENGTH = 128


class Exchange:
    """One call: its description, how to start it, and, after the start, the request to wait for."""

    def __init__(
        self, what: str, number: int, start: Callable[[], Request], signature: Request | None, said: Any
    ) -> None:
        self.what = what
        self.number = number
        self._start = start
        self.signature = signature
        self.said = said
        self.request: Request | None = None
        self.error: BaseException | None = None

    def begin(self) -> None:
        """Start the exchange, after all ranks have agreed."""
        try:
            self.request = self._start()
        except BaseException as error:
            self.error = error
            raise

    @property
    def name(self) -> str:
        """The name of the exchange for messages."""
        return f"{self.what}, call no. {self.number}"


class Agreement:
    """The calls of one group, in order."""

    def __init__(self, transport: Transport, ranks: tuple[int, ...]) -> None:
        self._transport = transport
        self._ranks = ranks
        self._queue: deque[Exchange] = deque()
        self._count = 0

    def call(self, what: str, start: Callable[[], Request], checked: bool = True) -> Exchange:
        """Queue a call, and start it if possible. `checked` compares it with the calls of the other ranks."""
        self._count += 1
        signature, said = None, None
        if checked and self._transport.size > 1:
            mine = np.zeros(LENGTH, "uint8")
            text = f"{self._count}:{what}".encode()[:LENGTH]
            mine[: len(text)] = list(text)
            said = np.empty((self._transport.size, LENGTH), "uint8")
            signature = self._transport.all_gather(mine, said)
        exchange = Exchange(what, self._count, start, signature, said)
        self._queue.append(exchange)
        self.advance()
        return exchange

    def advance(self) -> None:
        """Start every exchange that can start."""
        while self._queue:
            first = self._queue[0]
            if first.signature is not None:
                if not first.signature.done():
                    return
                self._compare(first)
            self._queue.popleft()
            first.begin()

    def done(self, exchange: Exchange) -> bool:
        """Whether the exchange is complete. Calling this also makes progress."""
        if exchange.error is not None:
            raise exchange.error
        if exchange.request is None:
            self.advance()
        return exchange.request is not None and exchange.request.done()

    def _compare(self, exchange: Exchange) -> None:
        rows = [bytes(row).rstrip(b"\0").decode(errors="replace") for row in exchange.said]
        if len(set(rows)) == 1:
            return
        numbers, calls = zip(*(row.split(":", 1) for row in rows), strict=True)
        same = len(set(numbers)) == 1
        told = [
            f"rank {rank}: {call}" + ("" if same else f" as call no. {number}")
            for rank, number, call in zip(self._ranks, numbers, calls, strict=True)
        ]
        exchange.error = DistributedError(
            f"ranks disagree about call no. {exchange.number} of their group: {'; '.join(told)}. All ranks must "
            "call the same collectives in the same order, with tensors of one shape and element type."
        )
        self._queue.popleft()
        raise exchange.error

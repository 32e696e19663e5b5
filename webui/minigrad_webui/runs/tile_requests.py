"""A viewer looks closer at an array: the program is asked for a tile of it, and the answer goes to that viewer alone.

Nothing of it is stored. While a program owes an answer it is asked for few others, and one that never answers, because
it hangs or is of an older minigrad, is waited for only so long.
"""

from __future__ import annotations

import asyncio
import re
from itertools import count

from fastapi import WebSocket

from minigrad_webui.protocol import Look
from minigrad_webui.websocket import Refused, say

PATIENCE = 10.0
"""Seconds that a program has for an answer."""

MOST = 16
"""Tiles that one program may owe."""

_NUMBER = re.compile(r'\{"type":"tile","number":(\d+),')

ENDED = "The program of this run has ended, and its values with it: what was recorded of them is all there is."


def is_tile(text: str) -> bool:
    """Whether a message of a program is such an answer."""
    return text.startswith('{"type":"tile"')


class Looking:
    """The tiles that viewers wait for."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._owed: dict[str, dict[int, asyncio.Future[str]]] = {}

    async def ask(self, socket: WebSocket | None, run: str, look: Look) -> str:
        """The program's `Tile`, as JSON; `Refused` where there is none to be had."""
        if socket is None:
            raise Refused("not_running", ENDED)
        owed = self._owed.setdefault(run, {})
        if len(owed) >= MOST:
            raise Refused("busy", f"The program owes {MOST} answers already; ask again when some have come.")
        look = look.model_copy(update={"number": next(self._numbers)})
        answer = owed[look.number] = asyncio.get_running_loop().create_future()
        try:
            await say(socket, look.model_dump_json())
            return await asyncio.wait_for(answer, PATIENCE)
        except asyncio.TimeoutError as error:
            message = f"The program has not answered for {PATIENCE:g} seconds: it hangs, or its minigrad is older."
            raise Refused("no_answer", message) from error
        finally:
            owed.pop(look.number, None)

    def take(self, run: str, text: str) -> None:
        """A program has answered; the viewer may have gone meanwhile."""
        found = _NUMBER.match(text)
        answer = self._owed.get(run, {}).get(int(found[1])) if found else None
        if answer is not None and not answer.done():
            answer.set_result(text)

    def leave(self, run: str) -> None:
        """The program has gone, and owes nothing any more."""
        for answer in self._owed.pop(run, {}).values():
            if not answer.done():
                answer.set_exception(Refused("not_running", ENDED))

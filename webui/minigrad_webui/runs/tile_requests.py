"""Ask a program for a tile of an array for one viewer. Only that viewer gets the answer.

Nothing of it is stored. A program has only few unanswered requests at a time. One that never answers, because
it hangs or has an older minigrad, is given up after some seconds.
"""

from __future__ import annotations

import asyncio
import re
from itertools import count

from fastapi import WebSocket

from minigrad_webui.protocol import Look
from minigrad_webui.websocket import Refused, say

PATIENCE = 10.0
"""Seconds in which a program must answer."""

MOST = 16
"""The most unanswered requests of one program."""

_NUMBER = re.compile(r'\{"type":"tile","number":(\d+),')

ENDED = "The program of this run has ended, and its values with it: what was recorded of them is all there is."


def is_tile(text: str) -> bool:
    """Whether a program's message is a tile."""
    return text.startswith('{"type":"tile"')


class Looking:
    """The tiles that viewers are waiting for."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._owed: dict[str, dict[int, asyncio.Future[str]]] = {}

    async def ask(self, socket: WebSocket | None, run: str, look: Look) -> str:
        """The program's `Tile`, as JSON. Raises Refused if there can be none."""
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
        """Pass a program's answer on; the viewer may have gone."""
        found = _NUMBER.match(text)
        answer = self._owed.get(run, {}).get(int(found[1])) if found else None
        if answer is not None and not answer.done():
            answer.set_result(text)

    def leave(self, run: str) -> None:
        """Give up the waiting requests of a program that has gone."""
        for answer in self._owed.pop(run, {}).values():
            if not answer.done():
                answer.set_exception(Refused("not_running", ENDED))

"""Recognise a known mistake: one whose results for the same calls equal those of the learner's answer.

So a learner gets the sentence about a mistake however the code is written, and never because of how it looks.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from .difference import difference
from .lesson import Cell, sentence_of
from .plain import decoded
from .process import Call, Child

PATIENCE = 10.0
"""Seconds after which no more mistakes are tried."""


class Exchange(NamedTuple):
    """A call of the check, and its result."""

    call: Call
    found: Mapping[str, Any]


def known_mistake(
    child: Child, mistakes: Sequence[Cell], exchanges: Sequence[Exchange], prepare: Callable[[Child, Cell], bool]
) -> str | None:
    """The sentence of the first mistake that gives the same results for all calls; None if there is none.

    `child` has never run the learner's code; `prepare` runs a mistake in it, and says whether it ran.
    """
    until = time.monotonic() + PATIENCE
    for mistake in mistakes:
        if time.monotonic() > until or not child.alive:
            return None
        spoilt = (child.fork().answer or {}).get("spoilt")
        alike = prepare(child, mistake) and all(_alike(child, exchange) for exchange in exchanges)
        child.drop()
        if spoilt:
            child.kill()
        if alike:
            return sentence_of(mistake)
    return None


def _alike(child: Child, exchange: Exchange) -> bool:
    reply = child.call(exchange.call)
    answer = reply.answer or {}
    if answer.get("status") == "failed":
        return last_line(answer["error"]["text"]) == last_line(str(exchange.found.get("error", "")))
    if answer.get("status") != "done" or exchange.found.get("error"):
        return False
    if bool(reply.output.strip()) != bool(str(exchange.found.get("printed", "")).strip()):
        return False
    return difference(decoded(answer.get("value")), decoded(exchange.found.get("value")), 1e-5) is None


def last_line(text: str) -> str:
    """The kind and message of the error, from the last line of a text."""
    return text.strip().rpartition("\n")[2]

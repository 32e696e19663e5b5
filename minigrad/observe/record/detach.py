"""Where tensors leave the graph: ``detach()``, ``detach_()``, ``.data``."""

from __future__ import annotations

import sys
from types import FrameType

from ... import events
from ...core.tensor import Tensor
from ..source.callsites import is_minigrads
from .description import place_in_graph
from .ledger import Ledger

DETACHES = Tensor.detach.__code__.co_filename


class Cuts:
    """Writes down what is cut off from the graph of the present step."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def detached(self, event: events.Detached) -> None:
        """Something that no gradient will pass. What is outside is introduced when it is first used.

        What minigrad itself detaches, as a checkpoint what it saves, cuts nothing off that the program computes with.
        """
        ledger, source = self.ledger, event.source
        if not (source._requires_grad or place_in_graph(source) is not None):
            return
        caller = _caller(sys._getframe(1))
        if is_minigrads(caller):
            return
        _, site = ledger.look(caller)
        at = None if site is None else site.place
        known, result = ledger.tensors.get(source), ledger.tensors.get(event.tensor)
        known.cut = result.cut = known, at
        if result is not known:
            result.at = at
        if known.step == ledger.step:
            ledger.write("detached", tensor=known.id, result=result.id, at=at)


def _caller(frame: FrameType | None) -> FrameType | None:
    """Who called `detach`, from a frame within it."""
    while frame is not None and frame.f_code.co_filename != DETACHES:
        frame = frame.f_back
    return None if frame is None else frame.f_back

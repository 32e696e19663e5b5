"""The places where tensors leave the graph: ``detach()``, ``detach_()``, ``.data``."""

from __future__ import annotations

import sys
from types import FrameType

from ... import events
from ..framework import Folders
from ..source.callsites import is_users
from .ledger import Ledger


class Detached:
    """Writes down what is cut off from the graph of the present step."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def detached(self, event: events.Detached) -> None:
        """Something that no gradient will pass. What is outside is introduced when it is first used.

        What the framework itself detaches, as a checkpoint what it saves, is no cut: the program does not use it.
        """
        ledger, source, framework = self.ledger, event.source, self.ledger.framework
        if not (framework.requires_grad(source) or framework.place(source) is not None):
            return
        caller = _caller(sys._getframe(1), framework.folders)
        if _is_frameworks(caller, framework.folders):
            return
        _, site = ledger.look(caller)
        at = None if site is None else site.place
        known, result = ledger.tensors.get(source), ledger.tensors.get(event.tensor)
        known.cut = result.cut = known, at
        if result is not known:
            result.at = at
        if known.step == ledger.step:
            ledger.write("detached", tensor=known.id, result=result.id, at=at)


def _caller(frame: FrameType | None, folders: Folders) -> FrameType | None:
    """The caller of `detach`, from a frame within it."""
    while frame is not None and not frame.f_code.co_filename.startswith(folders.detach):
        frame = frame.f_back
    return None if frame is None else frame.f_back


def _is_frameworks(frame: FrameType | None, folders: Folders) -> bool:
    """Whether what runs in `frame` is the framework's own code, not the user's nor another framework's."""
    file = "" if frame is None else frame.f_code.co_filename
    return file.startswith(folders.own) and not is_users(file)

"""The places where tensors leave the graph: ``detach()``, ``detach_()``, ``.data``."""

from __future__ import annotations

import sys
from types import FrameType

from ... import events
from ..framework import Folders
from ..source.callsites import is_users
from .ledger import Ledger


class Detached:
    """Record where the current step detaches tensors from the graph."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger

    def detached(self, event: events.Detached) -> None:
        """Record a tensor that gradients will not pass.

        The tensor outside the graph gets a record when it is first used.

        Detaching by the framework itself is not recorded: a checkpoint, for example, detaches the tensors that it
        saves.
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
    """The caller of `detach`, found from a frame inside `detach`."""
    while frame is not None and not frame.f_code.co_filename.startswith(folders.detach):
        frame = frame.f_back
    return None if frame is None else frame.f_back


def _is_frameworks(frame: FrameType | None, folders: Folders) -> bool:
    """Whether `frame` runs the framework's own code, rather than the user's or another framework's."""
    file = "" if frame is None else frame.f_code.co_filename
    return file.startswith(folders.own) and not is_users(file)

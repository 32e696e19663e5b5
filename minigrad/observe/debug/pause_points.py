"""The moments at which a program can be held still, and what can be asked of each.

    entering   an op is about to compute                        forward
    ran        an op has computed                               forward; only to see what it made
    running    a node is about to run its backward              backward
    sent       a node has computed a gradient                   backward; only to see what it made
    arrived    a leaf has its gradient                          backward

Everything is worked out when it is asked for and not before, because most moments are let go by. Names, places and
numbers are those that the recorder's book gives to the same tensors and nodes.
"""

from __future__ import annotations

import math
import threading
from functools import cached_property
from types import FrameType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ... import events
from ..framework import Framework
from ..source.callsites import housekeeping, readable, users_frame

if TYPE_CHECKING:
    from ..record.identity import KnownNode
    from ..record.recorder import Recorder
    from .breakpoints import Phase

Kind = Literal["entering", "ran", "running", "sent", "arrived"]

KINDS: dict[type, Kind] = {
    events.OpEntered: "entering",
    events.NodeRecorded: "ran",
    events.NodeEntered: "running",
    events.GradComputed: "sent",
    events.GradAccumulated: "arrived",
}


class Trail(threading.local):
    """The state of each thread between one moment and the next."""

    grads: tuple[Any, ...] = ()
    """The gradients that arrived at the node whose backward runs."""
    before: tuple[str, int] | None = None
    """The line of the node whose backward ran before."""

    def __init__(self) -> None:
        self._visits: dict[Any, tuple[FrameType, FrameType | None, int]] = {}
        """The lines and names somebody waits for that the thread is at, as (frame, called frame, instruction)."""

    def comes(self, what: Any, frame: FrameType | None, callee: FrameType | None) -> bool:
        """Whether the thread comes to `what` with this moment. Frames are held only as long as it stays there."""
        before = self._visits.pop(what, None)
        if frame is None:
            return False
        self._visits[what] = frame, callee, frame.f_lasti
        if before is None or before[0] is not frame:
            return True
        return frame.f_lasti < before[2] or (frame.f_lasti == before[2] and callee is not before[1])


def moment_of(event: Any, frame: FrameType | None, recorder: Recorder, trail: Trail) -> Moment | None:
    """The pause point of `event`; None where a user could not want to stop, as within a gradient's rule."""
    kind, framework = KINDS.get(type(event)), recorder.framework
    if kind is None or (kind == "arrived" and event.leaf is None):
        return None
    if kind in ("entering", "ran") and (framework.in_rule() or housekeeping(frame, framework.folders.housekeeping)):
        return None
    return Moment(kind, event, frame, recorder, trail)


class Moment:
    """One of them. `frame` is where the event was announced."""

    def __init__(self, kind: Kind, event: Any, frame: FrameType | None, recorder: Recorder, trail: Trail) -> None:
        self.kind = kind
        self.event = event
        self._frame = frame
        self._recorder = recorder
        self.framework: Framework = recorder.framework
        self._trail = trail
        self._come: dict[Any, bool] = {}

    @property
    def begins(self) -> bool:
        """Whether something is about to happen, or has arrived: where a step ends."""
        return self.kind in ("entering", "running", "arrived")

    @property
    def phase(self) -> Phase:
        """Forward, or within a run of the engine."""
        return "backward" if self.kind in ("running", "sent", "arrived") or self.framework.in_backward() else "forward"

    @cached_property
    def op(self) -> str:
        """The kind of op: MatMul; AccumulateGrad where a leaf has its gradient."""
        if self.kind == "arrived":
            return "AccumulateGrad"
        return self.framework.op_name(self.event.op if self.kind == "entering" else self.event.node)

    @cached_property
    def _known(self) -> KnownNode | None:
        """The entry of the node that runs or ran; None of one that is about to become one."""
        if self.kind in ("entering", "arrived") or (self.kind == "ran" and not self.event.recorded):
            return None
        with self._recorder.reading() as ledger:
            return ledger.node(self.event.node)

    @property
    def node(self) -> int | None:
        """Its number in the records."""
        return None if self._known is None else self._known.id

    @cached_property
    def leaf(self) -> int | None:
        """The number of the leaf whose gradient arrived."""
        if self.kind != "arrived":
            return None
        with self._recorder.reading() as ledger:
            return ledger.tensor(self.event.leaf).id

    @cached_property
    def users_frame(self) -> FrameType | None:
        """The user's innermost frame."""
        return users_frame(self._frame)

    @cached_property
    def at(self) -> dict[str, Any] | None:
        """The user's line: of an op its own; of a node's backward that of the op."""
        if self._known is not None:
            return self._known.bare.get("at")
        return self.running_at

    @cached_property
    def running_at(self) -> dict[str, Any] | None:
        """The user's line that runs now, which in backward is the one that started it."""
        with self._recorder.reading() as ledger:
            _, site = ledger.places.look(self._frame)
            return None if site is None else dict(site.place)

    @cached_property
    def scope(self) -> list[str]:
        """The modules around it, from the outermost in, as 'name:Type'."""
        if self._known is not None:
            return list(self._known.bare.get("scope", ()))
        with self._recorder.reading() as ledger:
            return [] if self.kind == "arrived" else list(ledger.here.path)

    @cached_property
    def names(self) -> list[str]:
        """The name of the tensor that is made, or whose gradient arrives."""
        if self.kind == "entering":
            return [] if self._within_module else self._coming[1]
        with self._recorder.reading() as ledger:
            if self.kind == "arrived":
                known = [ledger.tensor(self.event.leaf)]
            else:
                known = list(self._known.outputs) if self._known is not None else []
            return [each.name for each in known if each.name]

    @cached_property
    def _coming(self) -> tuple[FrameType | None, list[str]]:
        """The name the line gives its result, and the frame it runs in; where a function returns it, the caller's."""
        with self._recorder.reading() as ledger:
            frame, site = ledger.places.look(self._frame)
            while frame is not None and site is not None and site.returns:
                frame, site = ledger.places.look(frame.f_back)
            return frame, [] if site is None else list(site.names)

    @property
    def _within_module(self) -> bool:
        """Whether a module runs the op, and not the user's line itself: its result may not be the line's."""
        frame = self._frame
        while frame is not None and frame is not self._coming[0]:
            if frame.f_code.co_filename.startswith(self.framework.folders.modules):
                return True
            frame = frame.f_back
        return False

    def concerns(self, name: str) -> bool:
        """Whether the tensor called so is about to be made here, or its gradient arrives."""
        if self.kind != "entering":
            return name in self.names
        frame, names = self._coming
        return self._visited(name, frame if name in names else None)

    @property
    def step(self) -> int:
        """The training step."""
        with self._recorder.reading() as ledger:
            return ledger.step + (self.kind == "entering" and self.phase == "forward" and ledger.boundary.crossed())

    def sources(self) -> list[int]:
        """The nodes that made the inputs of an op that is about to run."""
        found = []
        with self._recorder.reading() as ledger:
            for value in self.event.inputs:
                edge = self.framework.place(value) if self.framework.is_tensor(value) else None
                known = None if edge is None or self.framework.leaf(edge[0]) is not None else ledger.nodes.find(edge[0])
                if known is not None and known.step == ledger.step:
                    found.append(known.id)
        return found

    # Numbers

    @cached_property
    def norm(self) -> float:
        """The length of the gradient that arrived; 0 where there is none."""
        grads = self.event.grads if self.kind == "running" else (self.event.total,)
        total = sum(self.framework.squares(grad) for grad in grads if self.framework.has_elements(grad))
        return math.inf if math.isnan(total) else math.sqrt(total)

    def breaks(self) -> bool:
        """Whether something that is not finite was made here of finite numbers."""
        if self.kind == "ran":
            return any(map(self._broken, self.event.outputs)) and not any(map(self._broken, self.event.inputs))
        return self._broken(self.event.grad) and not any(map(self._broken, self._trail.grads))

    def _broken(self, value: Any) -> bool:
        return self.framework.has_elements(value) and broken(self.framework.array(value))

    def values(self) -> list[tuple[str, Any]]:
        """(name, tensor) of what goes in: the inputs of an op, the gradients of a node."""
        event = self.event
        if self.kind == "entering":
            names = self.framework.input_names(event.op, len(event.inputs))
            return [(self._called(name, value), value) for name, value in zip(names, event.inputs, strict=True)]
        if self.kind == "ran":
            return [("result", each) for each in event.outputs]
        if self.kind == "running":
            return [("gradient", each) for each in event.grads if each is not None]
        return [("gradient", event.grad if self.kind == "sent" else event.total)]

    def _called(self, name: str, value: Any) -> str:
        """An input by the op's name for it, and by the user's."""
        if not self.framework.has_elements(value):
            return name
        with self._recorder.reading() as ledger:
            known = ledger.tensors.find(value)
            users = (known and known.name) or ledger.name_of(value, users_frame(self._frame))
            return name if users in (None, name) else f"{name} = {users}"

    # Lines

    def comes_to(self, file: str | None, line: int) -> bool:
        """Whether the program has come to that line now, and was not there already at the moment before."""
        if self.kind == "running":
            return self._comes_back(file, line)
        frame = users_frame(self._frame) if self.kind == "entering" else None
        while frame is not None and not (frame.f_lineno == line and runs(file, frame.f_code.co_filename)):
            frame = users_frame(frame.f_back)
        return self._visited((file, line), frame)

    def _visited(self, what: Any, frame: FrameType | None) -> bool:
        """Whether `what` was come to just now, in `frame`; None where it was not come to.

        A later op of the same line, or of the same call, is no new visit; the same instruction run once more is one.
        """
        if what not in self._come:
            callee = self._frame
            while callee is not None and frame is not None and callee.f_back is not frame:
                callee = callee.f_back
            self._come[what] = self._trail.comes(what, frame, callee)
        return self._come[what]

    def _comes_back(self, file: str | None, line: int) -> bool:
        here = self.at
        return (
            here is not None
            and here["line"] == line
            and is_file(file, here["file"])
            and (here["file"], line) != self._trail.before
        )

    def pass_by(self, lines: bool, numbers: bool) -> None:
        """Leave behind what the next moment needs to know, where somebody waits for `lines` or looks at `numbers`."""
        if self.kind == "running":
            if lines:
                self._trail.before = None if self.at is None else (self.at["file"], self.at["line"])
            if numbers:
                self._trail.grads = self.event.grads


def runs(wanted: str | None, path: str) -> bool:
    """Whether code from `path` is of the `wanted` file, which a notebook calls its cell."""
    return is_file(wanted, path) or is_file(wanted, readable(path))


def is_file(wanted: str | None, file: str) -> bool:
    """Whether a path ends in the `wanted` name or path; any does where none is wanted.

    >>> is_file("train.py", "/home/me/train.py"), is_file("me/train.py", "/home/you/train.py")
    (True, False)
    """
    if wanted is None:
        return True
    parts, ends = file.replace("\\", "/").split("/"), wanted.replace("\\", "/").removeprefix("./").split("/")
    ends = [each for each in ends if each not in ("", "~")]
    return parts[-len(ends) :] == ends


def broken(host: Any) -> bool:
    """Whether there is a NaN or an infinity in an array."""
    if host.dtype.kind not in "fcV":
        return False
    with np.errstate(all="ignore"):
        return not bool(np.isfinite(host.astype(np.float32) if host.dtype.itemsize == 2 else host).all())

"""The moments at which a program can be paused, and what is known of each.

    entering   an op is about to compute                        forward
    ran        an op has computed                               forward; only to check its results
    running    a node is about to run its backward              backward
    sent       a node has computed a gradient                   backward; only to check its results
    arrived    a leaf has its gradient                          backward

Everything is computed only on request, because the program pauses at few moments. Names, places and
numbers are those in the recorder's ledger.
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
from ..source.callsites import readable, users_frame

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
    """What each thread remembers from one moment to the next."""

    grads: tuple[Any, ...] = ()
    """The gradients that arrived at the node whose backward runs."""
    before: tuple[str, int] | None = None
    """The line of the node whose backward ran before this one."""

    def __init__(self) -> None:
        self._visits: dict[Any, tuple[FrameType, FrameType | None, int]] = {}
        """The lines and names of breakpoints at which the thread is now, as (frame, called frame, instruction)."""

    def comes(self, what: Any, frame: FrameType | None, callee: FrameType | None) -> bool:
        """Whether the thread reaches `what` with this moment. Frames are kept only while the thread is there."""
        before = self._visits.pop(what, None)
        if frame is None:
            return False
        self._visits[what] = frame, callee, frame.f_lasti
        if before is None or before[0] is not frame:
            return True
        return frame.f_lasti < before[2] or (frame.f_lasti == before[2] and callee is not before[1])


def moment_of(event: Any, frame: FrameType | None, recorder: Recorder, trail: Trail) -> Moment | None:
    """The moment of `event`; None if no user would want to pause there, as inside a gradient rule."""
    kind, framework = KINDS.get(type(event)), recorder.framework
    if kind is None or (kind == "arrived" and event.leaf is None):
        return None
    if kind in ("entering", "ran") and (framework.in_rule() or framework.keeps_house(frame)):
        return None
    return Moment(kind, event, frame, recorder, trail)


class Moment:
    """A moment at which the program can be paused. `frame` is where the event was emitted."""

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
        """Whether something is about to happen or has arrived: only at such moments does a step end."""
        return self.kind in ("entering", "running", "arrived")

    @property
    def phase(self) -> Phase:
        """ "backward" inside a run of the engine, else "forward"."""
        return "backward" if self.kind in ("running", "sent", "arrived") or self.framework.in_backward() else "forward"

    @cached_property
    def op(self) -> str:
        """The kind of op, such as MatMul; AccumulateGrad at a leaf whose gradient arrived."""
        if self.kind == "arrived":
            return "AccumulateGrad"
        return self.framework.op_name(self.event.op if self.kind == "entering" else self.event.node)

    @cached_property
    def _known(self) -> KnownNode | None:
        """The entry of the node that runs or ran; None for an op that is no node yet."""
        if self.kind in ("entering", "arrived") or (self.kind == "ran" and not self.event.recorded):
            return None
        with self._recorder.reading() as ledger:
            return ledger.node(self.event.node)

    @property
    def node(self) -> int | None:
        """The node's number in the records, or None."""
        return None if self._known is None else self._known.id

    @cached_property
    def leaf(self) -> int | None:
        """The number of the leaf whose gradient arrived, or None."""
        if self.kind != "arrived":
            return None
        with self._recorder.reading() as ledger:
            return ledger.tensor(self.event.leaf).id

    @cached_property
    def users_frame(self) -> FrameType | None:
        """The innermost frame of the user's code."""
        return users_frame(self._frame)

    @cached_property
    def at(self) -> dict[str, Any] | None:
        """The user's line of the op, also during the op's backward."""
        if self._known is not None:
            return self._known.bare.get("at")
        return self.running_at

    @cached_property
    def running_at(self) -> dict[str, Any] | None:
        """The user's line that runs now; in backward, the line that called backward."""
        with self._recorder.reading() as ledger:
            _, site = ledger.places.look(self._frame)
            return None if site is None else dict(site.place)

    @cached_property
    def scope(self) -> list[str]:
        """The modules around the moment, outermost first, as 'name:Type'."""
        if self._known is not None:
            return list(self._known.bare.get("scope", ()))
        with self._recorder.reading() as ledger:
            return [] if self.kind == "arrived" else list(ledger.here.path)

    @cached_property
    def names(self) -> list[str]:
        """The names of the tensors that are made here, or of the leaf whose gradient arrives."""
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
        """The frame of the line that gets the result, and the names that the line gives it.

        A function's return leads to its caller.
        """
        with self._recorder.reading() as ledger:
            frame, site = ledger.places.look(self._frame)
            while frame is not None and site is not None and site.returns:
                frame, site = ledger.places.look(frame.f_back)
            return frame, [] if site is None else list(site.names)

    @property
    def _within_module(self) -> bool:
        """Whether a module runs the op, rather than the user's line: then the line's name may be for another result."""
        frame = self._frame
        while frame is not None and frame is not self._coming[0]:
            if frame.f_code.co_filename.startswith(self.framework.folders.modules):
                return True
            frame = frame.f_back
        return False

    def concerns(self, name: str) -> bool:
        """Whether the tensor `name` is about to be made here, or its gradient arrives."""
        if self.kind != "entering":
            return name in self.names
        frame, names = self._coming
        return self._visited(name, frame if name in names else None)

    @property
    def step(self) -> int:
        """The number of the training step."""
        with self._recorder.reading() as ledger:
            return ledger.step + (self.kind == "entering" and self.phase == "forward" and ledger.crossed())

    def sources(self) -> list[int]:
        """The numbers of the nodes that made the inputs of an op that is about to run."""
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
        """The norm of the gradient that arrived; 0 if there is none, infinity if it holds a NaN."""
        grads = self.event.grads if self.kind == "running" else (self.event.total,)
        total = sum(self.framework.squares(grad) for grad in grads if self.framework.has_elements(grad))
        return math.inf if math.isnan(total) else math.sqrt(total)

    def breaks(self) -> bool:
        """Whether a NaN or an infinity was made here from finite numbers."""
        if self.kind == "ran":
            return any(map(self._broken, self.event.outputs)) and not any(map(self._broken, self.event.inputs))
        return self._broken(self.event.grad) and not any(map(self._broken, self._trail.grads))

    def _broken(self, value: Any) -> bool:
        return self.framework.has_elements(value) and broken(self.framework.array(value))

    def values(self) -> list[tuple[str, Any]]:
        """The inputs of an op, or the gradients that arrive at a node, as (name, tensor)."""
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
        """The op's name for an input, with the user's name for the tensor."""
        if not self.framework.has_elements(value):
            return name
        with self._recorder.reading() as ledger:
            known = ledger.tensors.find(value)
            users = (known and known.name) or ledger.name_of(value, users_frame(self._frame))
            return name if users in (None, name) else f"{name} = {users}"

    # Lines

    def comes_to(self, file: str | None, line: int) -> bool:
        """Whether the program has just come to that line, rather than staying there since the moment before."""
        if self.kind == "running":
            return self._comes_back(file, line)
        frame = users_frame(self._frame) if self.kind == "entering" else None
        while frame is not None and not (frame.f_lineno == line and runs(file, frame.f_code.co_filename)):
            frame = users_frame(frame.f_back)
        return self._visited((file, line), frame)

    def _visited(self, what: Any, frame: FrameType | None) -> bool:
        """Whether the program has just come to `what`, in `frame`; a `frame` of None means that it has not.

        A later op of the same line, or of the same call, is not a new visit. The same instruction run again is one.
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
        """Remember what the next moment needs: the line if `lines`, the gradients if `numbers`."""
        if self.kind == "running":
            if lines:
                self._trail.before = None if self.at is None else (self.at["file"], self.at["line"])
            if numbers:
                self._trail.grads = self.event.grads


def runs(wanted: str | None, path: str) -> bool:
    """Whether code from `path` is in the `wanted` file; a notebook calls its files cells."""
    return is_file(wanted, path) or is_file(wanted, readable(path))


def is_file(wanted: str | None, file: str) -> bool:
    """Whether a path ends in the `wanted` name or path; always True if `wanted` is None.

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

"""The names of ``torch.profiler``: `autograd.profiler` with a schedule of steps to skip, to warm up and to record.

>>> import minigrad as mg
>>> seen = []
>>> with profile(schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=lambda p: seen.append(p.step_num)) as p:
...     for _ in range(4):
...         _ = mg.ones(2).exp()
...         p.step()
>>> seen, p.key_averages().table().count("exp")
([4], 1)
"""

from __future__ import annotations

import enum
import os
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from .autograd import profiler as by_ops
from .autograd.profiler import record_function
from .cuda import is_available
from .errors import ArgumentError, GradError

__all__ = [
    "ProfilerAction", "ProfilerActivity", "profile", "record_function", "schedule", "supported_activities",
    "tensorboard_trace_handler",
]  # fmt: skip


class ProfilerActivity(enum.Enum):
    """The activities to record; here every op is recorded on any device."""

    CPU = 0
    CUDA = 2


class ProfilerAction(enum.Enum):
    """The action in a step."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def supported_activities() -> set[ProfilerActivity]:
    """Return the CPU, and the GPU if there is one."""
    return {ProfilerActivity.CPU, ProfilerActivity.CUDA} if is_available() else {ProfilerActivity.CPU}


def schedule(
    *, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0
) -> Callable[[int], ProfilerAction]:
    """Return a function from step to action: skip, then `repeat` cycles (0: no limit) of wait, warmup, active.

    >>> plan = schedule(wait=1, warmup=1, active=1, repeat=1)
    >>> [plan(step).name for step in range(4)]
    ['NONE', 'WARMUP', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise ArgumentError("Invalid profiler schedule arguments: active must be positive, and none may be negative")
    length = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        if repeat and step // length >= repeat:
            return ProfilerAction.NONE
        place = step % length
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def _always(step: int) -> ProfilerAction:
    return ProfilerAction.RECORD


class profile:
    """A context that records ops; with a `schedule`, only in some steps; call `step` after each.

    `on_trace_ready` is called with the profiler after each recorded cycle. Of the other arguments, only
    `record_shapes`, `profile_memory` and `with_stack` have an effect.
    """

    def __init__(
        self,
        *,
        activities: Iterable[Any] | None = None,
        schedule: Callable[[int], ProfilerAction] | None = None,
        on_trace_ready: Callable[[Any], Any] | None = None,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        **ignored: Any,
    ) -> None:
        self.schedule = schedule or _always
        self.on_trace_ready = on_trace_ready
        self.step_num = 0
        self.current_action = self.schedule(0)
        self._by_steps = schedule is not None
        self._settings = {
            "record_shapes": record_shapes, "profile_memory": profile_memory, "with_stack": with_stack,
        }  # fmt: skip
        self._running: by_ops.profile | None = None
        self._done: by_ops.profile | None = None

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.stop()

    def start(self) -> None:
        """Begin recording; a ``with`` block does this itself."""
        self._follow()

    def stop(self) -> None:
        """End recording, and call `on_trace_ready`."""
        if self._running is not None:
            self._finish()

    def step(self) -> None:
        """Mark the end of a step of the program."""
        before = self.current_action
        self.step_num += 1
        self.current_action = self.schedule(self.step_num)
        ends = before is ProfilerAction.RECORD_AND_SAVE or self.current_action is ProfilerAction.NONE
        if self._running is not None and ends:
            self._finish()
        self._follow()

    def _follow(self) -> None:
        wanted = self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if wanted and self._running is None:
            self._running = by_ops.profile(**self._settings)
            self._running.__enter__()

    def _finish(self) -> None:
        assert self._running is not None
        self._running.__exit__(None, None, None)
        self._running, self._done = None, self._running
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    @property
    def profiler(self) -> by_ops.profile:
        """The last recording; GradError before the first."""
        if self._done is None:
            raise GradError("Profiler has recorded nothing yet: call this after the `with`, or in `on_trace_ready`")
        return self._done

    def events(self) -> Any:
        """Return every recorded op."""
        return self.profiler.function_events

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, **ignored: Any) -> Any:
        """Return the ops by name, with their counts and times."""
        return self.profiler.key_averages(group_by_input_shape, group_by_stack_n)

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace for ``chrome://tracing`` and Perfetto."""
        self.profiler.export_chrome_trace(path)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write the call stacks with their times; needs ``with_stack=True``."""
        self.profiler.export_stacks(path, metric)

    def add_metadata(self, key: str, value: str) -> None:
        """Do nothing: the trace stores no metadata."""

    add_metadata_json = add_metadata


def tensorboard_trace_handler(
    dir_name: str, worker_name: str | None = None, use_gzip: bool = False
) -> Callable[[profile], None]:
    """Return a function for `on_trace_ready` that writes each recording to a new file in the folder `dir_name`."""

    def write(recorded: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        recorded.export_chrome_trace(os.path.join(dir_name, f"{worker}.{time.time_ns()}.pt.trace.json"))

    return write

"""The profiler: where the time goes. It is an ordinary event listener; the core does not know it.

>>> import minigrad as mg
>>> from minigrad.autograd import profiler
>>> x = mg.ones(3, requires_grad=True)
>>> with profiler.profile() as prof:
...     with profiler.record_function("square"):
...         y = (x * x).sum()
...     y.backward()
>>> [event.name for event in prof.function_events][:3]
['square', 'mul', 'sum']
>>> prof.key_averages()[0].count
1

Times include the cost of listening, about a microsecond an op: compare rows with one another, and time whole steps
without a profiler.
"""

from __future__ import annotations

import re
import threading
import time
import traceback
from collections.abc import Callable
from functools import wraps
from typing import Any

from .. import events
from ..core.tensor import Tensor
from ..errors import AssertedArgumentError, GradError
from .profiler_events import EventList, FunctionEvent, FunctionEventAvg
from .profiler_memory import Held
from .profiler_nvprof import load_nvprof, parse_nvprof_trace
from .profiler_steps import EnforceUnique, KinetoStepTracker

__all__ = [
    "EnforceUnique", "EventList", "FunctionEvent", "FunctionEventAvg", "KinetoStepTracker", "emit_itt", "emit_nvtx",
    "load_nvprof", "parse_nvprof_trace", "profile", "record_function",
]  # fmt: skip


def kineto_available() -> bool:
    """Whether ``use_kineto`` is accepted: it is, without effect."""
    return True


def _profiler_enabled() -> bool:
    """Whether a profiler is running; the name that PyTorch programs use."""
    return _is_running()


def _is_running() -> bool:
    """Whether a profiler is running."""
    return any(isinstance(each, profile) for each in events.LISTENERS)


def op_name(op: Any) -> str:
    """Convert an op's class name to its function's name: MaxPool2d -> max_pool2d."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", type(op).__name__).lower()


class profile:
    """A context that times every op, every node's backward and every named region inside it."""

    def __init__(
        self,
        enabled: bool = True,
        *,
        record_shapes: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        use_cpu: bool = True,
        use_kineto: bool = False,
        **ignored: Any,
    ) -> None:
        if not (use_cpu or use_kineto):
            raise AssertedArgumentError("Device-only events supported only with Kineto (use_kineto=True)")
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.entered = False
        self._events: EventList | None = None

    def __enter__(self) -> profile:
        if self.enabled:
            if self.entered:
                raise GradError("Profiler context manager is not reentrant")
            self.entered = True
            self._clock = time.perf_counter()
            self._found: list[FunctionEvent] = []
            self._open = threading.local()
            self._held = Held() if self.profile_memory else None
            self._stop = events.listen(self)
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.enabled:
            self._stop()
            self._events = EventList(sorted(self._found, key=lambda event: event.start), self.profile_memory)

    # Listening

    def __call__(self, event: Any) -> None:
        if self._held is not None:
            self._held(event)
        if isinstance(event, events.OpEntered):
            self._begin(op_name(event.op), "cpu_op")
        elif isinstance(event, events.NodeRecorded):
            self._recorded(event)
        elif isinstance(event, events.NodeEntered):
            self._begin(event.node.name(), "backward").sequence_nr = event.node.seq
        elif isinstance(event, events.ScopeEntered):
            self._begin(event.name, "user_annotation")
        elif isinstance(event, (events.NodeLeft, events.ScopeLeft)):
            self._end()

    def _now(self) -> float:
        return (time.perf_counter() - self._clock) * 1e6

    def _stack(self) -> list[FunctionEvent]:
        if not hasattr(self._open, "stack"):
            self._open.stack = []
        return self._open.stack

    def _begin(self, name: str, kind: str) -> FunctionEvent:
        stack = self._stack()
        event = FunctionEvent(len(self._found) + len(stack), name, threading.get_ident(), kind=kind)
        if stack:
            event.cpu_parent = stack[-1]
            stack[-1].cpu_children.append(event)
        if self.with_stack:
            event.stack = _user_lines()
        stack.append(event)
        event.start = self._now()
        return event

    def _end(self) -> FunctionEvent | None:
        now, stack = self._now(), self._stack()
        if not stack:  # it began before the profiler
            return None
        event = stack.pop()
        event.end = now
        if event.cpu_parent is not None:
            event.cpu_parent.cpu_memory_usage += event.cpu_memory_usage
        self._found.append(event)
        return event

    def _recorded(self, recorded: events.NodeRecorded) -> None:
        stack = self._stack()
        if not stack or stack[-1].kind != "cpu_op":  # a user's Function: its start is not announced
            return
        event = stack[-1]
        if self.record_shapes:
            event.input_shapes = [list(x.shape) for x in recorded.inputs if isinstance(x, Tensor)]
        if self.profile_memory:
            event.cpu_memory_usage += sum(
                out.nbytes for out in recorded.outputs if isinstance(out, Tensor) and not out._is_view()
            )
        if recorded.recorded:
            event.sequence_nr = recorded.node.seq
        self._end()

    # Results

    @property
    def function_events(self) -> EventList:
        """Every event, in order of its start."""
        if self._events is None:
            raise GradError("Profiler didn't finish running: leave its `with` block first")
        return self._events

    @property
    def peak_held(self) -> int:
        """The peak of the bytes that all tensors' arrays took together; needs ``profile_memory=True``.

        The explorer's memory strip shows the same.

        >>> import minigrad as mg
        >>> x = mg.ones(256, requires_grad=True)
        >>> with profile(profile_memory=True) as prof:
        ...     y = x.exp().exp().sum()
        >>> prof.peak_held  # x, what each exp saved, 256 floats each; and the sum
        3076
        """
        return sum(self.held_at_peak.values())

    @property
    def held_at_peak(self) -> dict[str, int]:
        """The bytes at the peak, by kind: parameters, optimizer, gradients, inputs, saved, activations, temporary.

        >>> import minigrad as mg
        >>> x = mg.ones(256, requires_grad=True)
        >>> with profile(profile_memory=True) as prof:
        ...     y = x.exp().exp().sum()
        >>> {kind: size for kind, size in prof.held_at_peak.items() if size}
        {'parameters': 1024, 'saved': 2048, 'activations': 4}
        """
        if self._held is None:
            raise GradError("Memory was not looked at: make the profile with profile_memory=True")
        return dict(self._held.at_peak)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """Return one row for each name; see `EventList.key_averages`."""
        return self.function_events.key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """Return all events summed in one row."""
        return self.function_events.total_average()

    def table(self, sort_by: str | None = None, row_limit: int = 100, **settings: Any) -> str:
        """Return all events as a text table."""
        return self.function_events.table(sort_by, row_limit, **settings)

    def export_chrome_trace(self, path: Any) -> None:
        """Write a trace for chrome://tracing or ui.perfetto.dev."""
        self.function_events.export_chrome_trace(path)

    def export_stacks(self, path: Any, metric: str = "self_cpu_time_total") -> None:
        """Write the stack of each op with the time spent there, for a flame graph; needs ``with_stack=True``."""
        self.function_events.export_stacks(path, metric)

    @property
    def self_cpu_time_total(self) -> float:
        """The microseconds spent in all events, without counting nested events twice."""
        return self.function_events.self_cpu_time_total

    def __repr__(self) -> str:
        return "<unfinished profiler.profile>" if self._events is None else repr(self._events)

    def __str__(self) -> str:
        return "<unfinished profiler.profile>" if self._events is None else self._events.table()


def _user_lines() -> list[str]:
    package = __file__.rpartition("autograd")[0]
    frames = [frame for frame in traceback.extract_stack() if not frame.filename.startswith(package)]
    return [f"{frame.filename}({frame.lineno}): {frame.name}" for frame in reversed(frames)]


class record_function:
    """A named region, as a context or a decorator. Profiles show it, and the explorer shows it as a scope."""

    def __init__(self, name: str, args: str | None = None) -> None:
        if not isinstance(name, str):
            raise GradError(f"record_function expected a str for its name, but got {type(name).__name__}")
        self.name = name
        self.args = args

    def __enter__(self) -> record_function:
        if events.LISTENERS:
            events.emit(events.ScopeEntered(self.name))
        return self

    def __exit__(self, *exception: Any) -> None:
        if events.LISTENERS:
            events.emit(events.ScopeLeft(self.name))

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        name = self.name

        @wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            with record_function(name):
                return function(*args, **kwargs)

        return call


class emit_nvtx:
    """A context in which every op becomes an NVTX range, shown by Nsight. It needs CuPy and an NVIDIA GPU."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.record_shapes = record_shapes

    def __enter__(self) -> emit_nvtx:
        if self.enabled:
            from ..backend.cupy import device_count

            if not device_count():
                raise AssertionError("emit_nvtx needs a GPU: minigrad found no usable CUDA device here")
            from cupy.cuda import nvtx

            self.nvtx = nvtx
            self.stop = events.listen(self)
        return self

    def __exit__(self, *exception: Any) -> None:
        if self.enabled:
            self.stop()

    def __call__(self, event: Any) -> None:
        if isinstance(event, (events.OpEntered, events.NodeEntered, events.ScopeEntered)):
            self.nvtx.RangePush(_range_name(event))
        elif isinstance(event, (events.NodeRecorded, events.NodeLeft, events.ScopeLeft)):
            self.nvtx.RangePop()


def _range_name(event: Any) -> str:
    if isinstance(event, events.OpEntered):
        return op_name(event.op)
    return event.name if isinstance(event, events.ScopeEntered) else f"{event.node.name()}, seq = {event.node.seq}"


class emit_itt:
    """Ranges for Intel's VTune, which minigrad does not support: using it raises an error."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> emit_itt:
        if self.enabled:
            raise AssertionError("emit_itt needs Intel ITT, which minigrad is not built with; use profile() instead")
        return self

    def __exit__(self, *exception: Any) -> None:
        """Do nothing: there is nothing to end."""

"""The contents of a profile: intervals of time, how they nest, and their sums."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from ..errors import ArgumentError

COLUMNS = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")


def format_time(microseconds: float, in_unit: str | None = None) -> str:
    """Format a time with three decimals, in the unit that fits or in `in_unit`: 12.300us, 4.500ms, 1.200s."""
    for unit, size in (("s", 1e6), ("ms", 1e3)):
        if unit == in_unit or (in_unit is None and microseconds >= size):
            return f"{microseconds / size:.3f}{unit}"
    return f"{microseconds:.3f}us"


def format_memory(count: int) -> str:
    """Format a number of bytes in the unit that fits: 1.50 Kb, 3.00 Mb."""
    for unit, size in (("Gb", 1 << 30), ("Mb", 1 << 20), ("Kb", 1 << 10)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} b"


class FormattedTimesMixin:
    """Times as text, and PyTorch's attributes for times on a device, which are always 0."""

    cpu_time: Any
    cpu_time_total: Any
    self_cpu_time_total: Any
    device_time = device_time_total = self_device_time_total = cuda_time = cuda_time_total = self_cuda_time_total = 0
    device_memory_usage = self_device_memory_usage = 0
    is_async = is_remote = is_legacy = False
    node_id = -1

    @property
    def cpu_time_str(self) -> str:
        """The mean time of one call, with its unit."""
        return format_time(self.cpu_time)

    @property
    def cpu_time_total_str(self) -> str:
        """The total time, with its unit."""
        return format_time(self.cpu_time_total)

    @property
    def self_cpu_time_total_str(self) -> str:
        """The total time without nested events, with its unit."""
        return format_time(self.self_cpu_time_total)

    @property
    def device_time_total_str(self) -> str:
        """The total time on a device, with its unit."""
        return format_time(self.device_time_total)


class Interval(NamedTuple):
    """A start and an end, in microseconds."""

    start: float
    end: float

    def elapsed_us(self) -> float:
        """The length of the interval."""
        return self.end - self.start


class FunctionEvent(FormattedTimesMixin):
    """One event: an op, the backward of a node, or a named region. Times are in microseconds."""

    count = 1

    def __init__(
        self,
        id: int = 0,
        name: str = "",
        thread: int = 0,
        start_us: float = 0.0,
        end_us: float = 0.0,
        kind: str = "cpu_op",
        **ignored: Any,
    ) -> None:
        self.id = id
        self.name = self.key = name
        self.kind = kind
        self.start = start_us
        self.end = end_us
        self.thread = thread
        self.input_shapes: list[list[int]] = []
        self.stack: list[str] = []
        self.sequence_nr = -1
        self.cpu_memory_usage = 0
        self.cpu_parent: FunctionEvent | None = None
        self.cpu_children: list[FunctionEvent] = []

    @property
    def time_range(self) -> Interval:
        """The start and end of the event."""
        return Interval(self.start, self.end)

    @property
    def is_user_annotation(self) -> bool:
        """Whether it is a named region, not an op."""
        return self.kind == "user_annotation"

    @property
    def cpu_time_total(self) -> float:
        """The time it took, including nested events."""
        return self.end - self.start

    cpu_time = cpu_time_total

    @property
    def self_cpu_time_total(self) -> float:
        """The time it took, without nested events."""
        return self.cpu_time_total - sum(child.cpu_time_total for child in self.cpu_children)

    @property
    def self_cpu_memory_usage(self) -> int:
        """The bytes it allocated, without nested events."""
        return self.cpu_memory_usage - sum(child.cpu_memory_usage for child in self.cpu_children)

    def __repr__(self) -> str:
        return f"<FunctionEvent name={self.name} cpu_time={format_time(self.cpu_time_total)} thread={self.thread}>"


class FunctionEventAvg(FormattedTimesMixin):
    """All events with one key, summed."""

    def __init__(self, key: str | None = None) -> None:
        self.key = key
        self.count = 0
        self.cpu_time_total = self.self_cpu_time_total = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = 0
        self.input_shapes: list[list[int]] = []
        self.stack: list[str] = []
        self.is_user_annotation = False

    def add(self, event: Any) -> FunctionEventAvg:
        """Add one more event, or another sum of events."""
        if self.key is None:
            self.key, self.is_user_annotation = event.key, event.is_user_annotation
        self.count += event.count
        self.cpu_time_total += event.cpu_time_total
        self.self_cpu_time_total += event.self_cpu_time_total
        self.cpu_memory_usage += event.cpu_memory_usage
        self.self_cpu_memory_usage += event.self_cpu_memory_usage
        return self

    @property
    def cpu_time(self) -> float:
        """The mean time of one call."""
        return self.cpu_time_total / max(self.count, 1)

    def __repr__(self) -> str:
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={format_time(self.self_cpu_time_total)} "
            f"cpu_time={format_time(self.cpu_time)} count={self.count}>"
        )


class EventList(list[Any]):
    """A list of events or of averages, with methods to summarise them."""

    def __init__(self, events: Iterable[Any] = (), profile_memory: bool = False) -> None:
        super().__init__(events)
        self.profile_memory = profile_memory

    def _populate_cpu_children(self) -> None:
        """Find for each event the events nested in it: those on its thread that began and ended while it ran."""
        open_ones: dict[int, list[Any]] = {}
        for event in sorted(self, key=lambda event: (event.start, -event.end)):
            around = open_ones.setdefault(event.thread, [])
            while around and (event.start >= around[-1].end or event.end > around[-1].end):
                around.pop()
            if around:
                around[-1].cpu_children.append(event)
                event.cpu_parent = around[-1]
            around.append(event)

    @property
    def self_cpu_time_total(self) -> float:
        """The time spent in all events, without counting nested events twice."""
        return sum(event.self_cpu_time_total for event in self)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0) -> EventList:
        """Return one row per name; if asked, also per shape of the inputs, or per innermost lines of the stack."""
        groups: dict[Any, FunctionEventAvg] = {}
        for event in self:
            key = (event.key, str(event.input_shapes) if group_by_input_shape else "", *event.stack[:group_by_stack_n])
            if key not in groups:
                groups[key] = FunctionEventAvg(event.key)
                groups[key].input_shapes = event.input_shapes if group_by_input_shape else []
                groups[key].stack = event.stack[:group_by_stack_n]
            groups[key].add(event)
        return EventList(groups.values(), self.profile_memory)

    def total_average(self) -> FunctionEventAvg:
        """Return all events summed in one row."""
        total = FunctionEventAvg("Total")
        for event in self:
            total.add(event)
        return total

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Return the events as a text table, sorted by `sort_by` (such as "cpu_time_total"); `row_limit` -1 shows all.

        Each time has the unit that fits it, or the unit `time_unit`: "s", "ms" or "us".
        """
        rows = sorted(self, key=_by(sort_by), reverse=True) if sort_by else list(self)
        if top_level_events_only:
            rows = [row for row in rows if getattr(row, "cpu_parent", None) is None]
        row_limit = len(rows) if row_limit < 0 else row_limit
        total = self.self_cpu_time_total or 1.0
        shapes, stacks = any(row.input_shapes for row in rows), any(row.stack for row in rows)
        columns = [*COLUMNS]
        columns += ["CPU Mem", "Self CPU Mem"] if self.profile_memory else []
        columns += ["Input Shapes"] if shapes else []
        columns += ["Source Location"] if stacks else []
        cells = []
        for row in rows[:row_limit]:
            name = (
                str(row.key)
                if len(str(row.key)) <= max_name_column_width
                else str(row.key)[: max_name_column_width - 3] + "..."
            )
            line = [
                name,
                f"{100 * row.self_cpu_time_total / total:.2f}%",
                format_time(row.self_cpu_time_total, time_unit),
                f"{100 * row.cpu_time_total / total:.2f}%",
                format_time(row.cpu_time_total, time_unit),
                format_time(row.cpu_time_total / row.count, time_unit),
                str(row.count),
            ]
            if self.profile_memory:
                line += [format_memory(row.cpu_memory_usage), format_memory(row.self_cpu_memory_usage)]
            line += [str(row.input_shapes)[:max_shapes_column_width]] if shapes else []
            line += [row.stack[0][-max_src_column_width:] if row.stack else ""] if stacks else []
            cells.append(line)
        return _grid(columns, cells, header) + f"\nSelf CPU time total: {format_time(self.self_cpu_time_total)}\n"

    def export_chrome_trace(self, path: str | os.PathLike[str]) -> None:
        """Write the events for chrome://tracing or ui.perfetto.dev."""
        trace = [
            {
                "ph": "X",
                "cat": event.kind,
                "name": event.name,
                "ts": event.start,
                "dur": event.cpu_time_total,
                "pid": os.getpid(),
                "tid": event.thread,
                "args": {"Input Dims": event.input_shapes, "Sequence number": event.sequence_nr},
            }
            for event in self
        ]
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"traceEvents": trace}, file)

    def supported_export_stacks_metrics(self) -> list[str]:
        """Return the names of the times that `export_stacks` accepts as `metric`."""
        return ["self_cpu_time_total"]

    def export_stacks(self, path: str | os.PathLike[str], metric: str = "self_cpu_time_total") -> None:
        """Write one line for each stack: its functions, outermost first, joined by ";", and the microseconds spent.

        `metric` names the time to use. Tools that draw flame graphs read this format. Events without a stack are left
        out.
        """
        if metric not in ("cpu_time_total", *self.supported_export_stacks_metrics()):
            raise ArgumentError(f"metric should be 'cpu_time_total' or 'self_cpu_time_total', not {metric!r}")
        times: dict[str, float] = {}
        for event in self:
            if event.stack:
                stack = ";".join(line.translate(_TAKEN) for line in reversed(event.stack))
                times[stack] = times.get(stack, 0.0) + getattr(event, metric)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{stack} {int(time)}\n" for stack, time in times.items() if int(time) > 0)


_TAKEN = str.maketrans(" ;\t\n", "____")
"""Replaces the separators of `EventList.export_stacks` in names."""


def _shortened(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 3] + "..."


def _by(name: str) -> Callable[[Any], Any]:
    def key(row: Any) -> Any:
        return getattr(row, name)

    return key


def _grid(columns: list[str], cells: list[list[str]], header: str | None) -> str:
    widths = [max(len(line[i]) for line in [columns, *cells]) for i in range(len(columns))]
    rule = "  ".join("-" * width for width in widths)
    lines = [rule, "  ".join(f"{name:>{width}}" for name, width in zip(columns, widths, strict=True)), rule]
    lines += ["  ".join(f"{cell:>{width}}" for cell, width in zip(line, widths, strict=True)) for line in cells]
    title = [] if header is None else ["=" * len(rule), header]
    return "\n".join([*title, *lines, rule])

"""The classes of a profile's results, at PyTorch's import path ``minigrad.autograd.profiler_util``."""

from .profiler_events import (
    EventList,
    FormattedTimesMixin,
    FunctionEvent,
    FunctionEventAvg,
    Interval,
    format_memory,
    format_time,
)
from .profiler_events import format_memory as _format_memory  # noqa: F401 # as PyTorch calls them
from .profiler_events import format_time as _format_time  # noqa: F401

__all__ = [
    "EventList", "FormattedTimesMixin", "FunctionEvent", "FunctionEventAvg", "Interval", "format_memory", "format_time",
]  # fmt: skip

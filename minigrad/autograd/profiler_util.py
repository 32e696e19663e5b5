"""What a profile holds, where PyTorch has it: ``minigrad.autograd.profiler_util``."""

from .profiler_events import EventList, FunctionEvent, FunctionEventAvg, format_memory, format_time

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "format_memory", "format_time"]

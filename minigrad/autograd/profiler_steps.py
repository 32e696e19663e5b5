"""Small helpers of PyTorch's profiler: step counters, and a check for duplicate keys."""

from __future__ import annotations

from typing import Any, ClassVar

from ..errors import GradError


class EnforceUnique:
    """Raises RuntimeError for a key that it has seen before."""

    def __init__(self) -> None:
        self.seen: set[tuple[Any, ...]] = set()

    def see(self, *key: Any) -> None:
        """Record `key`; RuntimeError if it was recorded before."""
        if key in self.seen:
            raise GradError(f"duplicate key: {key}")
        self.seen.add(key)


class KinetoStepTracker:
    """Counts the step that a program is in, if several objects count it (an optimiser, a profiler): the largest count.

    >>> _ = KinetoStepTracker.increment_step("optimiser")
    >>> before = KinetoStepTracker.current_step()
    >>> KinetoStepTracker.increment_step("optimiser") - before
    1
    >>> KinetoStepTracker.erase_step_count("optimiser")
    True
    """

    _counts: ClassVar[dict[str, int]] = {}
    _step: ClassVar[int] = 0

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Let `requester` start counting at the current step."""
        cls._counts[requester] = cls._step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Remove `requester`. Return whether it was known."""
        return cls._counts.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Count a step of `requester`. Return the current step."""
        if requester not in cls._counts:
            cls.init_step_count(requester)
        cls._counts[requester] += 1
        cls._step = max(cls._step, cls._counts[requester])
        return cls._step

    @classmethod
    def current_step(cls) -> int:
        """Return the largest count so far."""
        return cls._step

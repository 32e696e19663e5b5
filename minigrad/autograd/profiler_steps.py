"""Small helpers of PyTorch's profiler: who counted which step, and keys that may come only once."""

from __future__ import annotations

from typing import Any, ClassVar

from ..errors import GradError


class EnforceUnique:
    """RuntimeError for a key that it has seen before."""

    def __init__(self) -> None:
        self.seen: set[tuple[Any, ...]] = set()

    def see(self, *key: Any) -> None:
        """Take note of `key`."""
        if key in self.seen:
            raise GradError(f"duplicate key: {key}")
        self.seen.add(key)


class KinetoStepTracker:
    """The step that a program is in, where several count it (an optimiser, a profiler): the largest of their counts.

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
        """Let `requester` begin at the current step."""
        cls._counts[requester] = cls._step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Forget `requester`; whether it was known."""
        return cls._counts.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Count a step of `requester`; the current step."""
        if requester not in cls._counts:
            cls.init_step_count(requester)
        cls._counts[requester] += 1
        cls._step = max(cls._step, cls._counts[requester])
        return cls._step

    @classmethod
    def current_step(cls) -> int:
        """The largest count so far."""
        return cls._step

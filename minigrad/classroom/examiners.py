"""Share the processes that judge: for thirty learners at one exercise two are enough."""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .lesson import Lesson
from .limits import Limits
from .stand import Stand


@dataclass
class _Desk:
    """The examiners of one exercise: the free ones, and how many more may be started."""

    left: int
    free: list[Stand] = field(default_factory=list)


class Examiners:
    """At most `each` processes for each exercise. They never run a learner's code, so all learners can share them.

    `absent` are packages that the learners' sandbox does not have.
    """

    def __init__(self, each: int, absent: Sequence[str] = ()) -> None:
        self._absent = absent
        self._desks: dict[tuple[str, int], _Desk] = defaultdict(lambda: _Desk(each))
        self._changed = threading.Condition()

    @contextlib.contextmanager
    def one(self, lesson: Lesson, limits: Limits, place: int) -> Iterator[Stand]:
        """Lend an examiner for the exercise at that place of the lesson; wait while all are busy."""
        desk = self._desks[lesson.header["title"], place]
        with self._changed:
            self._changed.wait_for(lambda: desk.free or desk.left)
            if desk.free:
                stand = desk.free.pop()
            else:
                desk.left -= 1
                stand = Stand(lesson, limits, absent=self._absent)
        try:
            yield stand
        finally:
            stand.stopped = False
            with self._changed:
                desk.free.append(stand)
                self._changed.notify()

    def close(self) -> None:
        """End the examiners that are free."""
        with self._changed:
            for desk in self._desks.values():
                for stand in desk.free:
                    stand.close()

"""The settings of this thread under which ops run: recorded or not, and the rarer ones.

All of it is one value, a `Mode`, which never changes after it is made: a change replaces ``STATE.mode``. So no
interrupt finds it half changed, and whoever changes it puts the old value back, however the block ends.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ..events import RULES


@dataclass(slots=True)
class Mode:
    """The settings of one thread. `but` makes a changed copy."""

    grad: bool = True
    """Whether ops are recorded."""
    inference: bool = False
    interpreters: tuple[Any, ...] = ()
    """The interpreters that run an op instead of the ordinary rules, innermost last: vmap and forward-mode levels."""
    saved_hooks: tuple[tuple[Any, Any], ...] = ()
    """(pack, unpack) pairs, innermost last; (None, message) where hooks are not allowed."""
    before_write: tuple[Any, ...] = ()
    """Objects whose ``before_write(tensor)`` is called before a tensor is changed in place."""
    passes: tuple[Any, ...] = ()
    """The backward passes that this thread is in, innermost last."""
    transforms: int = 0
    """The number of functions under a `minigrad.func` transform that this thread is in."""
    multithreading: bool = True
    entries: tuple[Any, ...] = ()
    """The ``with`` blocks that changed the mode, innermost last; see `core.scope`."""
    slow: bool = False
    """Whether `core.dispatch` must hand every op to `Op.apply`, which looks at the rare settings one by one."""

    def but(self, **changes: Any) -> Mode:
        """A copy of these settings with `changes`."""
        mode = Mode(*settings_of(self))
        for name, value in changes.items():
            setattr(mode, name, value)
        mode.slow = bool(mode.interpreters or mode.saved_hooks or mode.inference)
        return mode

    def announced(self) -> bool:
        """Whether listeners hear of an op that runs now: inside a gradient rule, only if a listener wants to."""
        return self.grad or not self.passes or bool(RULES)


settings_of = attrgetter(*Mode.__slots__)


class State(threading.local):
    """This thread's mode."""

    mode = Mode()


STATE = State()

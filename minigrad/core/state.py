"""The settings of this thread under which ops run: recorded or not, and the rarer ones.

All settings are one immutable value, a `Mode`: a change replaces ``STATE.mode``. So no interrupt finds it half changed,
and code that changes it can always restore the old value.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from ..events import RULES


@dataclass(slots=True)
class Mode:
    """The settings of one thread. `but` returns a changed copy."""

    grad: bool = True
    """Whether ops are recorded."""
    inference: bool = False
    interpreters: tuple[Any, ...] = ()
    """The interpreters (vmap and forward-mode levels) that run ops in place of the ordinary rules, innermost last."""
    saved_hooks: tuple[tuple[Any, Any], ...] = ()
    """(pack, unpack) pairs, innermost last; (None, message) where hooks are not allowed."""
    before_write: tuple[Any, ...] = ()
    """Objects whose ``before_write(tensor)`` is called before a tensor is changed in place."""
    passes: tuple[Any, ...] = ()
    """The backward passes that this thread is running, innermost last."""
    transforms: int = 0
    """The number of `minigrad.func` transforms that this thread is in."""
    multithreading: bool = True
    entries: tuple[Any, ...] = ()
    """The ``with`` blocks that changed the mode, innermost last; see `core.scope`."""
    slow: bool = False
    """Whether `core.dispatch` must use `Op.apply`, which checks each of the rare settings."""

    def but(self, **changes: Any) -> Mode:
        """Return a copy of these settings with `changes`."""
        mode = Mode(*settings_of(self))
        for name, value in changes.items():
            setattr(mode, name, value)
        mode.slow = bool(mode.interpreters or mode.saved_hooks or mode.inference)
        return mode

    def announced(self) -> bool:
        """Return whether an op that runs now emits events. Inside a gradient rule it does only if a listener asks."""
        return self.grad or not self.passes or bool(RULES)


settings_of = attrgetter(*Mode.__slots__)


class State(threading.local):
    """The mode of the current thread."""

    mode = Mode()


STATE = State()

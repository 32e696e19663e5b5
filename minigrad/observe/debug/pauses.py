"""The pauses of a program as plain data, and the rule for where a single step ends."""

from __future__ import annotations

from typing import Any

from .breakpoints import Breakpoint
from .pause_points import Moment


class Stepping:
    """A single step of the debugger: it ends at the next moment or, with `over`, outside the module where it began."""

    def __init__(self, moment: Moment, over: bool) -> None:
        self.over = over
        self.scope = list(moment.scope)
        self.phase = moment.phase

    def ends_at(self, moment: Moment) -> bool:
        """Whether the step ends at `moment`.

        Outside any module, `over` passes the modules that are entered from here.
        """
        if not self.over or moment.phase != self.phase:
            return True
        if moment.kind == "arrived":
            return False
        return moment.scope[: len(self.scope)] != self.scope if self.scope else not moment.scope


def stop_of(moment: Moment, number: int, reason: str, found: Breakpoint | None) -> dict[str, Any]:
    """The protocol's `Pause` for a moment."""
    stop = {
        "number": number,
        "reason": reason,
        "breakpoint": None if found is None else found.plain(),
        "phase": moment.phase,
        "when": "before" if moment.kind in ("entering", "running") else "after",
        "op": moment.op,
        "node": moment.node,
        "leaf": moment.leaf,
        "names": moment.names,
        "at": moment.at,
        "running_at": moment.running_at if moment.phase == "backward" else None,
        "scope": moment.scope,
        "from_nodes": moment.sources() if moment.kind == "entering" else [],
        "step": moment.step,
    }
    return {name: value for name, value in stop.items() if value is not None}

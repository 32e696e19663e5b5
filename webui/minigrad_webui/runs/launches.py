"""Find the runs that a launcher started together, by their ranks and the name of the launch."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from minigrad_webui.protocol import Run


def companions(run: Run, runs: Iterable[Run]) -> list[Run]:
    """The other ranks of the launch that `run` belongs to, by rank; empty if it was started alone.

    A launcher may use one name for all launches: then, for each rank, the run that began nearest in time.

    >>> times = {"a": "2026-01-01T10:00:00Z", "b": "2026-01-01T10:00:01Z", "c": "2026-01-01T11:00:00Z"}
    >>> zero, one, later = (
    ...     Run(id=id, name=id, status="finished", started=times[id], rank=id != "a", world_size=2, launch="none")
    ...     for id in "abc"
    ... )
    >>> [each.id for each in companions(zero, [later, one, zero])]
    ['b']
    """
    if run.launch is None or run.rank is None:
        return []
    others = [each for each in runs if (each.launch, each.world_size) == (run.launch, run.world_size)]
    begun = _seconds(run)
    others.sort(key=lambda each: abs(_seconds(each) - begun), reverse=True)
    nearest = {each.rank: each for each in others if each.rank is not None and each.rank != run.rank}
    return [nearest[rank] for rank in sorted(nearest)]


def _seconds(run: Run) -> float:
    """The time when a run began, in seconds; 0 if it cannot be read."""
    try:
        return datetime.fromisoformat(run.started.replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0

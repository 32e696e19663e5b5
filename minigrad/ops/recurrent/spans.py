"""The steps of packed sequences, which are stored one after another in one array.

The rows are the first step of every sequence, then the second step of those that have one, and so on. Sequences are
sorted, longest first, so the sequences of a step are always the first ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def spans(lengths: Sequence[int], reverse: bool) -> list[tuple[int, int]]:
    """Return (first row, number of rows) of each step, in the order in which the layer runs them.

    >>> spans((3, 2), False)
    [(0, 3), (3, 2)]
    """
    found, first = [], 0
    for rows in lengths:
        found.append((first, rows))
        first += rows
    return found[::-1] if reverse else found


def updated(xp: Any, state: Any, new: Any) -> Any:
    """Return the states of all sequences, with the first ones replaced by `new`; ended sequences keep theirs."""
    if new.shape[0] == state.shape[0]:
        return new
    return xp.concatenate([new, state[new.shape[0] :]])


def states_before(xp: Any, lengths: Sequence[int], reverse: bool, first: Any, states: Any) -> Any:
    """Return the state before each step: `first` holds the initial states, `states` those after each step."""
    batch = first.shape[0]
    if lengths[-1] == batch:
        return xp.concatenate([states[batch:], first] if reverse else [first, states[:-batch]])
    before, state = xp.empty_like(states), first
    for start, rows in spans(lengths, reverse):
        before[start : start + rows] = state[:rows]
        state = updated(xp, state, states[start : start + rows])
    return before

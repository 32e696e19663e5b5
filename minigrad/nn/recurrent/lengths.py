"""States of sequences that end at different steps: the longest stand in front, so that those still running do too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.tensor import Tensor
from ...ops.shape.join import cat

State = Any
"""The hidden state (N, H); for LSTM a pair: hidden state and cell."""


def mapped(function: Callable[..., Tensor], *states: State) -> State:
    """`function` of states, or of each part of states that are pairs."""
    if isinstance(states[0], tuple):
        return tuple(function(*parts) for parts in zip(*states, strict=True))
    return function(*states)


def size(state: State) -> int:
    """Of how many sequences it is."""
    return int((state[0] if isinstance(state, tuple) else state).shape[0])


def running(state: State, rows: int, start: State, ended: list[State]) -> State:
    """The state of the `rows` sequences that have this step.

    Sequences that are over put theirs into `ended`; those that begin here, being read from their ends, bring theirs
    from `start`, as all do where there is no state yet.
    """
    if state is None:
        return start if rows == size(start) else mapped(lambda first: first[:rows], start)
    before = size(state)
    if rows < before:
        ended.append(mapped(lambda part: part[rows:], state))
        return mapped(lambda part: part[:rows], state)
    if rows > before:
        return mapped(lambda part, first: cat([part, first[before:rows]], 0), state, start)
    return state


def with_ended(state: State, ended: list[State]) -> State:
    """The last states of all sequences, in their order: those that are over came from the end of it."""
    return mapped(lambda *parts: cat(parts, 0), state, *reversed(ended)) if ended else state


def reordered(state: State, order: Any) -> State:
    """States (layers, N, H) with the sequences in this order."""
    return state if order is None else mapped(lambda part: part.index_select(1, order), state)

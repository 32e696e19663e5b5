"""Events that every listener does without are not built; those that one wants come to all."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad import events


class Ear:
    """A listener that does without some kinds."""

    def __init__(self, *skips: type) -> None:
        self.skips = frozenset(skips)
        self.heard: list[str] = []

    def __call__(self, event: Any) -> None:
        self.heard.append(type(event).__name__)


OPTIONAL = (
    events.NodeReady, events.NodeEntered, events.NodeLeft, events.OpEntered, events.SavedReleased, events.TensorSaved,
)  # fmt: skip


def step() -> None:
    x = mg.tensor([2.0], requires_grad=True)
    (x * x).sum().backward()


def test_an_event_that_all_listeners_skip_is_not_built() -> None:
    everything, ear = Ear(), Ear(*OPTIONAL)
    with events.listening(everything):
        step()
    with events.listening(ear):
        step()
    names = {kind.__name__ for kind in OPTIONAL}
    assert names <= set(everything.heard)
    assert ear.heard == [name for name in everything.heard if name not in names]


def test_an_event_that_one_listener_wants_is_built_whoever_else_listens() -> None:
    ear, other = Ear(*OPTIONAL), Ear(events.NodeLeft)
    with events.listening(ear), events.listening(other):
        step()
        assert {"NodeReady", "OpEntered"} <= set(other.heard)
        assert "NodeLeft" not in other.heard
    with events.listening(ear):
        ear.heard.clear()
        step()
    assert "NodeReady" not in ear.heard
    assert not events.SKIPPED


def test_a_listener_may_change_its_mind() -> None:
    ear = Ear(*OPTIONAL)
    with events.listening(ear):
        ear.skips = frozenset()
        events.tune()
        step()
    assert "NodeReady" in ear.heard

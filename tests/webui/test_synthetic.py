"""The records the other tests are made of are records."""

from __future__ import annotations

from minigrad_webui.protocol import RECORD
from tests.webui.synthetic import training


def test_a_synthetic_run_is_valid_by_the_protocol_and_numbered_without_gaps() -> None:
    made = list(training(steps=3, nodes=4))
    for one in made:
        RECORD.validate_python(one)
    assert [one["seq"] for one in made] == list(range(1, len(made) + 1))

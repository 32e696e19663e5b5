"""The record of an op, without its outputs and without what is around it."""

from __future__ import annotations

from typing import Any

from ... import events
from ..framework import Framework
from ..source.callsites import Site
from ..source.notation import symbol


def op_record(
    event: events.NodeRecorded, number: int, inputs: list[dict[str, Any]], site: Site | None, framework: Framework
) -> dict[str, Any]:
    """The fields of the op that ran at `site`, whose node has this number."""
    node = event.node
    facts, settings = framework.op_facts(node), framework.settings(node)
    many = framework.examples(event.outputs)
    return {
        "id": number,
        **facts,
        "symbol": symbol(framework.kind(node), facts["op"], site),
        "params": settings if many is None else {**settings, "vmap": many},
        "inputs": inputs,
        "outputs": [],
        "recorded": event.recorded,
    }

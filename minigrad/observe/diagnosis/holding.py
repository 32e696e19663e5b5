"""Rules about memory: graphs that grow from step to step, and ops that save most of the memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from .finding import Finding
from .steps import Record, Steps

NOTICEABLE = 32 << 20
"""Fewer bytes than this are not worth a finding."""

MANY = 4
"""A program that keeps the results of this many steps does so not just by chance."""

LONG = 6
"""The memory must grow in this many steps in a row."""

SHARE = 0.4
"""An op that saves more than this part of the memory dominates it."""


def growing_graph(steps: Steps) -> Iterator[Finding]:
    """Find steps whose graph is connected to those of all steps before."""
    ended = [step for step in steps.kept if step.ended is not None]
    counts = [step.old_nodes for step in ended]
    if len(counts) < 4 or not all(b > a for a, b in zip(counts[-4:], counts[-3:], strict=False)):
        return
    bridge = ended[-1].bridge
    at = None if bridge is None else bridge.get("at")
    words = f"The graph grows from step to step: the last one hangs on {counts[-1]} ops of earlier steps."
    yield Finding("growing_graph", words, at, "Add loss.item(), or detach() the state that is carried over.")


def held(steps: Steps) -> Iterator[Finding]:
    """Find an op after training that uses the same result of many steps: their graphs were all kept for it."""
    last = steps.kept[-1] if steps.kept else None
    if last is None or last.ended is not None:
        return
    old = [node for node in last.nodes.values() if node["old"] and node["recorded"]]
    lines = Counter(line for graph in _apart(old) for line in {str(node["at"]) for node in graph})
    if not lines or last.bridge is None or max(lines.values()) < MANY:
        return
    words = f"The graphs of {max(lines.values())} steps were kept: what is computed here takes a result of each."
    yield Finding("growing_graph", words, last.bridge.get("at"), "Keep loss.item(), or loss.detach(), in each step.")


def _apart(nodes: list[Record]) -> list[list[Record]]:
    """Split the nodes, in the order in which they ran, into graphs that have no op in common."""
    last = dict[int, int]()
    """For each node, a later node computed from it; for the last node of a graph, itself."""

    def last_of(node: int) -> int:
        while last[node] != node:
            last[node] = node = last[last[node]]
        return node

    for node in nodes:
        last[node["id"]] = node["id"]
        for given in node["inputs"]:
            if given.get("node") in last:
                last[last_of(given["node"])] = node["id"]
    graphs: dict[int, list[Record]] = {}
    for node in nodes:
        graphs.setdefault(last_of(node["id"]), []).append(node)
    return list(graphs.values())


def kept_graphs(steps: Steps) -> Iterator[Finding]:
    """Find results of all steps that are kept with their graphs, for a backward that never comes."""
    ended = [step for step in steps.kept if step.ended is not None and step.nodes]
    held = [step.held for step in ended[-LONG:]]
    if len(held) < LONG or not held[0] > 0 or not all(b > a for a, b in pairwise(held)):
        return
    more = (held[-1] - held[0]) // (LONG - 1)
    words = f"After each step {more:,} bytes more are kept for backward: the graphs of all steps are held."
    yield Finding("growing_graph", words, None, "Keep a result with detach(), or item(), where it outlives its step.")


def memory(steps: Steps) -> Iterator[Finding]:
    """Find an op that saves most of the memory for its backward."""
    for step in steps.kept:
        for node, kept in step.saved.items():
            if kept > NOTICEABLE and kept > SHARE * step.most > 0:
                op = step.nodes.get(node, {})
                words = f"{op.get('op', 'An op')} keeps {kept / 2**20:.0f} MiB for its backward, of "
                words += f"{step.most / 2**20:.0f} MiB that are held at most."
                advice = "Compute it in parts, with smaller tensors, or under a checkpoint."
                yield Finding("memory", words, op.get("at"), advice)
                return

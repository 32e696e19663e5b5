"""Rules about numbers: NaN, gradients that vanish or explode, dead units, steps that are too large or too small."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from statistics import median
from typing import Any, NamedTuple

import numpy as np

from .finding import Finding
from .steps import EXPLODED, Record, Step, Steps, elements

VANISHED = 1e-4
"""If the gradient of a first layer is this small compared with the last layer's, it learns nothing."""

LARGE, SMALL = 0.5, 1e-7
"""A step of half a weight's norm destroys what was learnt; one below the resolution of float32 changes nothing."""

PART = re.compile(r"\.original\d+$|(?<=weight)_[gv]$")
"""The end of a parameter's name that says which part of a weight it is: of a parametrisation, or of `weight_norm`."""

NOTHING = 1e-12
"""A gradient whose norm is smaller than this has vanished."""

SEVERAL = 8
"""The norm of fewer elements may be near 0 by chance, and a usual step is many times as large."""

UNSETTLED = 3
"""This many first steps of RMSprop and Adagrad are large on purpose: their sums of squares begin at 0."""

FAR = 5.0
"""A step this many times as large as the weights is too large, unless they begin near zero and the step is small."""

SHRUNK = 0.02
"""Weights whose norm is less than this part of the original one have been pulled to 0."""


def not_finite(steps: Steps) -> Iterator[Finding]:
    """Find the op that made the first NaN or infinity."""
    step = steps.broken
    if step is None:
        return
    for found in step.anomalies:
        if found["kind"] in ("nan", "inf"):
            when = f" In step {step.number}." if step.number else ""
            yield Finding("nan", found["message"] + when, found.get("at"), _why(steps, step, found["message"]))
            return
    if step.ended is not None:
        where = f"The loss of step {step.number} is {step.ended.get('not_finite')}."
        yield Finding("nan", where, None, "Record with values to see the op that made it: --values all.")


def _why(steps: Steps, step: Step, message: str) -> str:
    """What led to the first NaN, or where to look, unless its message says why."""
    if " came with " in message:
        return "Look at the data: drop what is missing in it, or fill it in."
    if steps.exploded is not None and steps.exploded[0] < step.number:
        before, length = steps.exploded
        words = f"The training had diverged: the gradient norm was {length:.1e} in step {before}."
        return f"{words} Clip the norm, or lower the learning rate."
    if ". " in message:
        return ""
    return "Look at the inputs of this op: their values show why."


def by_layer(steps: Steps) -> Iterator[Finding]:
    """Find gradients that shrink or grow on their way to the first layers.

    A layer whose gradient is exactly 0 at first waits for one behind it that begins at 0: as in a spatial transformer.
    `weight_norm` keeps a weight as a length and a direction: before a normalisation, only the direction has a gradient.
    """
    shrinking, growing, found = [], [], []
    for step in steps.valued():
        sizes = list(_largest_parts(steps, step))
        if len(sizes) < 3:
            continue
        half = len(sizes) // 2
        nearest = sizes[: max(1, half // 2)]  # with a skip connection, a middle layer may have a small gradient
        last = max(sizes[half:], key=lambda each: each[1])
        found.append((min(nearest, key=lambda each: each[1]), last))
        shrinking.append(max(rms for _, rms in nearest) < VANISHED * last[1])
        largest = max(rms for _, rms in sizes[:half])
        growing.append(largest > 1e3 * median(rms for _, rms in sizes[half:]) and largest > 10)
    first = next(steps.valued(), None)
    waiting = {each["tensor"] for each in first.norms if each["norm"] == 0} if first is not None else ()
    if shrinking and sum(shrinking) > 0.6 * len(shrinking) and found[-1][0][0]["tensor"] not in waiting:
        (near, small), (far, large) = found[-1]
        words = f"The gradient vanishes on its way back: {_name(near)}'s is {small:.1e} per element"
        words += f", {_name(far)}'s {large:.1e}."
        yield Finding("vanishing", words, None, "Try ReLU, normalisation, residual connections, or another init.")
    elif growing and sum(growing) > 0.6 * len(growing):
        ends = [_name(each) for each, _ in found[-1]]
        words = f"The gradient explodes on its way back from {ends[1]} to {ends[0]}."
        yield Finding("exploding", words, None, "Clip the norm, normalise, or start from smaller weights.")


def too_long(steps: Steps) -> Iterator[Finding]:
    """Find gradients whose norm is far too large, unless it only falls: a training may begin with a large loss."""
    first, length = steps.exploded or (0, 0.0)
    grown, most, before = 0, 0.0, 0.0
    for each in steps.lengths:
        grown += each > EXPLODED and (each >= most or each > 2 * before)
        most, before = max(most, each), each
    if grown >= 2 or length > EXPLODED**2:
        words = f"The gradients explode: their norm is {length:.1e} in step {first}."
        yield Finding("exploding", words, None, "Clip the norm, scale the loss, or lower the learning rate.")


def shrinking(steps: Steps) -> Iterator[Finding]:
    """Find weights that have all shrunk to almost nothing since the beginning."""
    if not steps.early or not steps.kept:
        return
    first, last = steps.early[0].values, steps.kept[-1].values
    weights = [each for each in first if each in last and each in steps.moved and len(steps.shape(each)) >= 2]
    lengths = [(first[each].get("norm") or 0.0, last[each].get("norm")) for each in weights]
    if not lengths or not all(was > 0 and now is not None and now < SHRUNK * was for was, now in lengths):
        return
    was, now = lengths[0]
    words = f"All weights shrink to nothing: the norm of {steps.name(weights[0])} was {was:.1e}, and is {now:.1e} now."
    yield Finding("shrinking", words, None, "Lower weight_decay, or whatever else pulls the weights to 0.")


MOSTLY = 0.7
"""A layer is mostly dead if more than this part of its units is 0. With few inputs, half of them are 0 at first."""


def dead_relus(steps: Steps) -> Iterator[Finding]:
    """Find ReLUs that output 0 in every step, for all or most of their units."""
    seen: dict[Any, list[Any]] = {}
    last: dict[Any, Step] = {}
    for step in steps.kept:
        number: dict[Any, int] = {}
        for key, found in step.dead:
            number[key] = number.get(key, 0) + 1
            seen.setdefault((key, number[key]), []).append(found)
            last[key, number[key]] = step
    for which, found in seen.items():
        if len(found) < 2:
            continue
        record, step = found[-1][1], last[which]
        if not _is_of_a_layer(record, step, steps):
            continue
        where = _where(record, step.source(record["inputs"][0]))
        if all(dead is True for dead, _ in found):
            words = f"{where} lets nothing through: all its units are 0 in all {len(found)} steps looked at."
        else:
            dead, looked_at = _dead_units([each for each, _ in found])
            if dead <= MOSTLY * looked_at or looked_at < 4:
                continue
            words = f"{where} is mostly dead: {dead} of {looked_at} units are 0 in all {len(found)} steps looked at."
        advice = "Lower the learning rate, check the bias before it, or use LeakyReLU or GELU."
        yield Finding("dead_relu", words, record.get("at"), advice, step.number, record["id"])


def _is_of_a_layer(relu: Record, step: Step, steps: Steps) -> bool:
    """Whether a weight is used just before a ReLU or anywhere after it. A loss's hinge is 0 where it is content."""
    before = step.source(relu["inputs"][0])
    _, after = step.reached(relu["outputs"][0]["id"])
    near = [step.nodes[each] for each in after] + ([] if before is None else [before])
    return any(step.origin(each).get("tensor") in steps.moved for node in near for each in node["inputs"])


def _dead_units(each: list[Any]) -> tuple[int, int]:
    columns = [dead for dead in each if isinstance(dead, np.ndarray)]
    if any(dead is False for dead in each) or not columns or any(len(dead) != len(columns[0]) for dead in columns):
        return 0, 0
    always = np.logical_and.reduce(columns)
    return int(always.sum()), len(always)


def step_length(steps: Steps) -> Iterator[Finding]:
    """Find updates that are too large or too small compared with the weights."""
    found = [(step.number, ratio) for step in steps.valued() if (ratio := _moved(steps, step)) is not None]
    ratios = [ratio for _, ratio in found]
    settled = [ratio for number, ratio in found if number >= UNSETTLED]
    early = (step for step in steps.early if ((step.ended or {}).get("grad_norm") or 0.0) <= EXPLODED)
    far = [each.ratio for step in early for each in _moves(steps, step) if each.size >= SEVERAL and each.length > 0.2]
    if far and max(far) > FAR:
        words = f"One of the first steps moves weights by {max(far):.1g} times their own norm"
        advice = "About 0.001 of the norm is usual: divide the learning rate by a hundred."
        yield Finding("step_large", f"{words}: the learning rate is too large.", None, advice)
    elif sum(ratio > LARGE for ratio in settled) >= max(2, len(settled) // 2) and not _falls(steps):
        words = f"A step moves the weights by {median(settled):.1g} of their own norm: the learning rate is too large."
        yield Finding("step_large", words, None, "About 0.001 is usual: divide the learning rate by ten.")
    elif len(ratios) >= 2 and all(ratio < SMALL for ratio in ratios) and _may_be_too_small(steps):
        words = f"A step moves the weights by {median(ratios):.0e} of their norm: float32 hardly shows it."
        yield Finding("step_small", words, None, "The learning rate is too small; about 0.001 of the norm is usual.")


def _falls(steps: Steps) -> bool:
    """Whether the loss falls with each step: weights that begin near 0 may change a lot."""
    losses = [(step.ended or {}).get("loss") for step in steps.kept if step.ended is not None]
    known = [loss for loss in losses if loss is not None]
    return len(known) > 1 and all(after < before for before, after in pairwise(known))


def _may_be_too_small(steps: Steps) -> bool:
    """Whether small steps are a fault: RAdam begins with them, and with tiny gradients or at the end they are right."""
    return steps.enough(2) and not _without_gradients(steps) and not _has_arrived(steps)


def _without_gradients(steps: Steps) -> bool:
    """Whether most gradients are so small that no learning rate helps."""
    return all(median(each.get("norm") or 0.0 for each in step.norms) < NOTHING for step in steps.valued())


def _has_arrived(steps: Steps) -> bool:
    """Whether the gradients have become small since the beginning: then small steps are right."""
    lengths = [(step.ended or {}).get("grad_norm") for step in (*steps.early[:1], *steps.kept) if step.norms]
    known = [length for length in lengths if length is not None]
    return len(known) > 1 and known[-1] < 0.01 * known[0]


def _moved(steps: Steps, step: Step) -> float | None:
    """The median, over the weights, of the step's norm divided by the weight's; None if nothing is known."""
    found = [each.ratio for each in _moves(steps, step)]
    return median(found) if found else None


class Move(NamedTuple):
    """What a step did to a weight."""

    ratio: float
    """The norm of the step divided by the weight's norm."""
    length: float
    """The root mean square of the step."""
    size: int
    """The number of the weight's elements that were looked at."""


def _moves(steps: Steps, step: Step) -> list[Move]:
    """What a step did to each weight of which the elements are known."""
    found = []
    after = {write.tensor: write.value for write in step.writes if write.after_backward and write.value}
    for each in step.norms:
        before, now = step.values.get(each["tensor"]), after.get(each["tensor"])
        if not before or not now or not each.get("norm") or len(steps.shape(each["tensor"])) < 2:
            continue
        if not before.get("data") or not now.get("data"):
            continue
        was, new = elements(before).astype(np.float64), elements(now).astype(np.float64)
        length = float(np.linalg.norm(was))
        if was.shape == new.shape and length > 0 and np.isfinite(new).all():
            moved = float(np.linalg.norm(new - was))
            found.append(Move(moved / length, moved / math.sqrt(was.size), was.size))
    return found


def _largest_parts(steps: Steps, step: Step) -> Iterable[tuple[Record, float]]:
    """Each weight's gradient, with its size per element; of a weight that is kept in parts, the largest part's."""
    found: dict[Any, tuple[Record, float]] = {}
    for each in step.norms:
        rms, name = _per_element(steps, each), _name(each)
        weight = PART.sub("", name) if PART.search(name) else each["tensor"]
        if rms is not None and rms > found.get(weight, (each, 0.0))[1]:
            found[weight] = each, rms
    return found.values()


def _per_element(steps: Steps, each: Record) -> float | None:
    """The root mean square of a weight's gradient; None for a bias, or without a gradient."""
    shape, norm = steps.shape(each["tensor"]), each.get("norm")
    return norm / math.sqrt(math.prod(shape)) if len(shape) >= 2 and norm and math.prod(shape) else None


def _name(each: Record) -> str:
    return each.get("name") or "a weight"


def _where(record: Record, before: Record | None) -> str:
    """The ReLU by its module; one that a line calls stands after the module before it."""
    scope, given = record.get("scope") or [], (before or {}).get("scope") or []
    if len(given) > len(scope) and given[: len(scope)] == scope:
        return f"The ReLU after {_path(given)}"
    return f"The ReLU in {_path(scope)}" if scope else "A ReLU"


def _path(scope: list[str]) -> str:
    return ".".join(each.partition(":")[0] for each in scope)

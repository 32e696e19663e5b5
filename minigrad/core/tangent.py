"""Forward mode for any op, derived from its gradient rules.

A gradient rule computes v -> Jᵀ v, which is linear in v. The gradient of (Jᵀ v) · t with respect to v is therefore J t,
the tangent of the output for a tangent t of the input. It does not depend on v, so v is zeros.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from .entry import entered, leads_outside, outside
from .further import zeros_like
from .grad_mode import enable_grad
from .state import STATE
from .tensor import Tensor


def through_gradient(op: Any, tangents: Sequence[Any], inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> Any:
    """Return the tangents of `outputs`, by differentiating the gradient rules of `op`; None for a constant output."""
    moving = [i for i, tangent in enumerate(tangents) if tangent is not None and op.differentiable(i)]
    if not moving:
        return None if len(outputs) == 1 else (None,) * len(outputs)
    recording = STATE.mode.grad
    with enable_grad():
        probes = [_probe(each) for each in outputs]
        slopes = _gradients(op, moving, probes, inputs, outputs)
        total: Any = None
        for index, slope in zip(moving, slopes, strict=True):
            if slope is not None:
                part = _inner(slope, tangents[index])
                total = part if total is None else total + part
        results = _slopes(total, probes, recording)
    return results[0] if len(outputs) == 1 else results


def _probe(output: Tensor) -> Tensor | None:
    if not output.dtype.is_differentiable:
        return None
    return entered(zeros_like(output))


def _gradients(op: Any, moving: list[int], probes: list[Any], inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> Any:
    """Return the gradients that the rules of the `moving` inputs compute from `probes`, times the tangents."""
    node = copy.copy(op)  # a copy: attributes that forward has set, such as a shape, are there for the rules
    node.edges = tuple([(op, 0) if i in moving else None for i in range(len(inputs))])
    plan = op.plan_for(tuple(moving))
    values = plan.kept(inputs, outputs)
    if plan.joint is not None:
        several = plan.joint(node, tuple(probes) if len(outputs) > 1 else probes[0], *values)
        return [several[i] for i in moving]
    values += [zeros_like(out) if probe is None else probe for out, probe in zip(outputs[1:], probes[1:], strict=True)]
    return [rule(node, probes[0], *picked(values)) for _, rule, picked in plan.rules]


def _inner(slope: Any, tangent: Any) -> Any:
    """Return the real inner product of a gradient and a tangent."""
    if slope.dtype.is_complex or tangent.dtype.is_complex:
        return (slope.conj() * tangent).sum().real
    return (slope * tangent).sum()


def _slopes(total: Any, probes: list[Any], recording: bool) -> tuple[Any, ...]:
    from .differentiate import grad

    wanted = [probe for probe in probes if probe is not None]
    if total is None or not total.requires_grad:
        return (None,) * len(probes)
    found = iter(grad(total, wanted, create_graph=recording, allow_unused=True))
    for probe in wanted:  # its gradient is not needed
        probe._edge[0].open = False
    return tuple([None if probe is None else _left(next(found)) for probe in probes])


def _left(tangent: Tensor | None) -> Tensor | None:
    """Return a tangent with its graph if that leads to more than the probes, else detached."""
    return None if tangent is None else outside(tangent, leads_outside([tangent]))

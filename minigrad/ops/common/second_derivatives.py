"""Second derivatives of gradients that are ops of their own, for speed.

If the gradient of an op is a fast op itself, its own gradient is needed only for second derivatives. It has no rule
written by hand: the same formula in ordinary tensor operations is differentiated when needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.differentiate import grad as differentiate
from ...core.entry import entered
from ...core.grad_mode import enable_grad
from ...core.state import STATE
from ...core.tensor import Tensor


def gradients_of(plain: Callable[..., Any], inputs: Sequence[Any], grads: Any) -> list[Any]:
    """Return the gradients of ``plain(*inputs)`` for each of `inputs`; None for inputs that are no float tensors.

    `grads` are the gradients of the outputs of `plain`: one, or a tuple with None for missing ones.
    """
    recording = STATE.mode.grad
    with enable_grad():
        seen = [_apart(each) for each in inputs]
        outputs = plain(*seen)
    outputs, grads = (outputs, grads) if isinstance(outputs, tuple) else ((outputs,), (grads,))
    pairs = [(y, g) for y, g in zip(outputs, grads, strict=True) if g is not None and y is not None]
    places = [i for i, each in enumerate(seen) if isinstance(each, Tensor) and each.requires_grad]
    results: list[Any] = [None] * len(inputs)
    ys, gs = zip(*pairs, strict=True)
    found = differentiate(ys, [seen[i] for i in places], gs, create_graph=recording, allow_unused=True)
    for place, slope in zip(places, found, strict=True):
        results[place] = slope
        seen[place]._edge[0].open = False  # no further gradient is asked for here
    return results


def _apart(value: Any) -> Any:
    """Return `value` as a leaf of its own, so that it counts separately from its history."""
    if not isinstance(value, Tensor) or not value.dtype.is_differentiable:
        return value
    return entered(value)

"""Second derivatives of gradients that were written for speed.

Where the gradient of an op is itself one fast op, its own gradient is needed only by second derivatives. It is not
written by hand a third time: the same formula, said in plain tensor operations, is differentiated on the spot.
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
    """The gradients of ``plain(*inputs)`` with respect to each of `inputs` (None for those that are no float tensors).

    `grads` are the gradients of what `plain` returns: one, or a tuple with None where there is none.
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
        seen[place]._edge[0].open = False  # nobody else will ask for a gradient there
    return results


def _apart(value: Any) -> Any:
    """`value` with a place of its own in the graph, so that it counts apart from whatever it was made of."""
    if not isinstance(value, Tensor) or not value.dtype.is_differentiable:
        return value
    return entered(value)

"""In-place ops that nothing rare surrounds are done by one array function, with the same results."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.core import inplace
from minigrad.errors import GradError

NUMBERS = (1, -0.5, True, 0, math.inf, math.nan, 1e39, 2**70, -(2**24) - 1)
CALLS: dict[str, tuple[Any, ...]] = {
    **{f"{name} {number}": (name, number) for name in ("add_", "sub_", "mul_", "div_") for number in NUMBERS},
    **{f"{name} y": (name, "y") for name in ("add_", "sub_", "mul_", "div_")},
    **{f"{name} row": (name, "row") for name in ("add_", "mul_")},
    **{name: (name,) for name in ("exp_", "log_", "sqrt_", "neg_", "tanh_", "reciprocal_")},
}


@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid", "ignore:divide")
@pytest.mark.parametrize("kind", ["float32", "float64", "float16", "int64"])
@pytest.mark.parametrize("call", CALLS)
def test_the_quick_way_and_the_general_way_give_the_same(call: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[Any] = []
    for quick in (True, False):
        if not quick:
            monkeypatch.setattr(inplace, "done_at_once", lambda *given: False)
        for layout in (lambda t: t, lambda t: t.T, lambda t: t[:, ::2], lambda t: t.expand(2, 3, 4)):
            known = {"y": mg.full((3, 4), 3).to(getattr(mg, kind)), "row": mg.full((4,), 3).to(getattr(mg, kind))}
            x = layout(mg.arange(-2, 10).to(getattr(mg, kind)).reshape(3, 4))
            name, *others = CALLS[call]
            try:
                made = getattr(x, name)(*[layout(known[o]) if o == "y" else known.get(o, o) for o in others])
                found.append((made is x, x._version, x.dtype, x.cpu().numpy().copy()))
            except (GradError, OverflowError, RuntimeError, TypeError) as error:
                found.append((type(error), str(error)[:60]))
    for one, other in zip(found[:4], found[4:], strict=True):
        assert one[:-1] == other[:-1]
        assert np.array_equal(one[-1], other[-1], equal_nan=True) if len(one) == 4 else one == other


def test_what_is_recorded_saved_or_a_leaf_is_not_done_at_once() -> None:
    w = mg.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf"):
        w.add_(1)
    y = mg.ones(3)
    assert y.mul_(w).requires_grad
    z = (w * 2).exp()
    with mg.no_grad():
        z.add_(1)
    with pytest.raises(RuntimeError, match="version"):
        z.sum().backward()

"""An infinity or a NaN stays where PyTorch leaves it: it does not spread over a product with zeros."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import minigrad as mg


def on_both(program: Any) -> tuple[Any, Any]:
    torch = pytest.importorskip("torch")
    return program(mg).tolist(), program(torch).tolist()


@pytest.mark.parity
@pytest.mark.parametrize("align", [True, False])
@pytest.mark.parametrize("mode", ["linear", "bilinear", "trilinear", "bicubic"])
def test_resizing_reaches_only_neighbours(mode: str, align: bool) -> None:
    dims = {"linear": 1, "trilinear": 3}.get(mode, 2)
    values = np.arange(4.0**dims).reshape(1, 1, *(4,) * dims)
    values.ravel()[1] = math.inf
    values.ravel()[3 if dims == 1 else 9] = math.inf if dims == 1 else math.nan
    for size in (2, 3, 5, 9):
        ours, theirs = on_both(
            lambda lib, size=size: lib.nn.functional.interpolate(
                lib.tensor(values.tolist()), size, mode=mode, align_corners=align
            )
        )
        assert np.allclose(ours, theirs, atol=1e-4, equal_nan=True)


@pytest.mark.parity
@pytest.mark.parametrize(
    ("kernel", "stride", "dilation", "padding"),
    [*itertools.product([2, (3, 1)], [1, (2, 3)], [1, (1, 2)], [0, (1, 0)])],
)
def test_fold_adds_up_what_was_unfolded(kernel: Any, stride: Any, dilation: Any, padding: Any) -> None:
    values = np.random.default_rng(0).normal(size=(2, 3, 6, 7))
    values[0, 1, 2, 3] = math.nan

    def program(lib: Any) -> Any:
        functional = lib.nn.functional
        columns = functional.unfold(lib.tensor(values.tolist()), kernel, dilation, padding, stride)
        columns.requires_grad_()
        folded = functional.fold(columns, (6, 7), kernel, dilation, padding, stride)
        (folded[1] ** 2).sum().backward()
        return lib.cat([folded.detach().flatten(), columns.grad.flatten()])

    ours, theirs = on_both(program)
    assert np.allclose(ours, theirs, rtol=1e-4, atol=1e-4, equal_nan=True)
    assert np.isnan(ours).sum() <= 1

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


@pytest.mark.parity
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("reduction", ["none", "sum", "mean"])
def test_an_ignored_row_counts_nothing_whatever_it_holds(reduction: str, smoothing: float) -> None:
    """Rows of padding are often -inf throughout."""
    rows = [[-math.inf] * 3, [1.0, 2.0, 0.5], [math.inf, 0.0, math.nan], [0.0, -1.0, 4.0]]

    def program(lib: Any) -> Any:
        functional = lib.nn.functional
        x, target, weight = lib.tensor(rows), lib.tensor([7, 0, 7, 2]), lib.tensor([0.5, 1.0, 2.0])
        settings = {"ignore_index": 7, "reduction": reduction}
        losses = [
            functional.cross_entropy(x, target, label_smoothing=smoothing, **settings),
            functional.cross_entropy(x, target, weight, label_smoothing=smoothing, **settings),
            functional.nll_loss(x, target, weight, **settings),
        ]
        return lib.stack(losses)

    ours, theirs = on_both(program)
    assert np.allclose(ours, theirs) and np.isfinite(ours).all()


@pytest.mark.parity
def test_the_mean_of_no_rows_is_nan() -> None:
    ours, theirs = on_both(lambda lib: lib.nn.functional.cross_entropy(lib.zeros(0, 3), lib.zeros(0, 3)))
    assert math.isnan(ours) and math.isnan(theirs)


@pytest.mark.parity
@pytest.mark.parametrize("name", ["xlogy", "xlog1py"])
def test_no_gradient_stays_none_at_the_pole_of_a_logarithm(name: str) -> None:
    def program(lib: Any) -> Any:
        x = lib.tensor([1.0, 2.0, 0.0, 3.0], requires_grad=True)
        y = getattr(lib.special, name)(x, lib.tensor([0.0, -1.0, 0.0, 2.0]))
        y.backward(lib.tensor([0.0, 0.0, 1.0, 1.0]))
        return x.grad

    ours, theirs = on_both(program)
    assert np.allclose(ours, theirs, equal_nan=True) and ours[0] == 0.0


def test_the_gradient_of_sinc_is_zero_where_the_square_of_x_is() -> None:
    x = mg.tensor([0.0, 1e-200, -1e-320, 1.0], dtype=mg.float64, requires_grad=True)
    x.sinc().sum().backward()
    assert x.grad is not None and x.grad.tolist() == pytest.approx([0.0, 0.0, 0.0, -1.0])


@pytest.mark.parity
def test_a_spread_without_degrees_of_freedom_warns_in_pytorchs_words() -> None:
    torch = pytest.importorskip("torch")
    for lib in (mg, torch):
        for name in ("var", "std", "var_mean", "std_mean"):
            for dtype in (lib.float32, lib.complex64):
                with pytest.warns(UserWarning, match=rf"{name}\(\): degrees of freedom is <= 0") as caught:
                    made = getattr(lib, name)(lib.ones(2, 1, dtype=dtype), 1)
                spread = made[0] if isinstance(made, tuple) else made
                assert spread.isnan().all() and not [w for w in caught if "encountered" in str(w.message)]

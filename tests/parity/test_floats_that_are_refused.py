"""What stands in the place of a float, and is none: refused by its name, as PyTorch refuses it."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg
from minigrad.nn import functional as F

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

NO_FLOATS = ["2", None, [1.0], (1.0, 2.0), {}, object(), 1j]

ONE, TWO = 1, 2
"""How many tensors a call takes."""

CALLS = [
    (ONE, "elu", "alpha"), (ONE, "celu", "alpha"), (ONE, "leaky_relu", "negative_slope"),
    (ONE, "hardtanh", "min_val"), (ONE, "hardtanh", "max_val"), (ONE, "softplus", "beta"),
    (ONE, "softplus", "threshold"), (ONE, "hardshrink", "lambd"), (ONE, "softshrink", "lambd"),
    (ONE, "rrelu", "lower"), (ONE, "dropout", "p"), (ONE, "alpha_dropout", "p"), (ONE, "gumbel_softmax", "tau"),
    (TWO, "smooth_l1_loss", "beta"), (TWO, "huber_loss", "delta"), (TWO, "cosine_similarity", "eps"),
    (TWO, "pairwise_distance", "eps"), (TWO, "hinge_embedding_loss", "margin"),
]  # fmt: skip


@pytest.mark.parametrize("value", NO_FLOATS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(("tensors", "name", "argument"), CALLS)
def test_what_is_no_float_is_refused_by_its_name(tensors: int, name: str, argument: str, value: Any) -> None:
    for lib, functional in ((torch, torch.nn.functional), (mg, F)):
        with pytest.raises((TypeError, RuntimeError)) as caught:
            getattr(functional, name)(*[lib.ones(4, 6)] * tensors, **{argument: value})
    assert str(caught.value) == f"{name}(): argument {argument!r} must be float, not {type(value).__name__}"
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize("value", ["2", [1.0], 1j])
def test_the_place_is_told_where_there_is_no_name(value: Any) -> None:
    with pytest.raises(TypeError, match=r"layer_norm\(\): argument 'eps' \(position 5\) must be float, not"):
        F.layer_norm(mg.ones(4, 6), (6,), None, None, value)
    with pytest.raises(TypeError, match=r"layer_norm\(\): argument 'eps' \(position 5\) must be float, not"):
        torch.nn.functional.layer_norm(torch.ones(4, 6), (6,), None, None, value)


@pytest.mark.parametrize("value", [True, 2, mg.tensor(2.0), mg.tensor(2.0).numpy()[()], mg.tensor(2.0).numpy()])
def test_every_kind_of_number_is_taken(value: Any) -> None:
    assert F.elu(-mg.ones(1), alpha=value).item() == pytest.approx(float(value) * (2.718281828**-1 - 1))


def test_none_is_taken_where_it_means_something() -> None:
    several: Any = [1.0]
    assert F.rms_norm(mg.ones(2, 3), (3,), eps=None).shape == (2, 3)
    with pytest.raises(TypeError, match="argument 'eps' must be float, not list"):
        F.rms_norm(mg.ones(2, 3), (3,), eps=several)

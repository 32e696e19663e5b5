"""Settings and lists of parameters that do not go together, and settings that are tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

Lib = Any


def parameter(lib: Lib, **settings: Any) -> Any:
    return lib.nn.Parameter(lib.ones(2, **settings))


def sgd(lib: Lib, params: Any) -> Any:
    return lib.optim.SGD(params, lr=0.1)


REFUSED: dict[str, tuple[Callable[[Lib], Any], str]] = {
    "some names": (lambda lib: sgd(lib, [("a", parameter(lib)), parameter(lib)]), "Some param names are missing"),
    "some names later": (lambda lib: sgd(lib, [parameter(lib), ("a", parameter(lib))]), "Some param names are missing"),
    "a group without names": (
        lambda lib: sgd(lib, [{"params": [("a", parameter(lib))]}, {"params": [parameter(lib)]}]),
        "cannot add param group without names to the optimizer",
    ),
    "a group with names": (
        lambda lib: sgd(lib, [{"params": [parameter(lib)]}, {"params": [("a", parameter(lib))]}]),
        "cannot add param group with names to the optimizer",
    ),
    "one beta as a tensor": (
        lambda lib: lib.optim.Adam([parameter(lib)], betas=(0.9, lib.tensor(0.99))),
        "betas must be either both floats or both Tensors",
    ),
    "a tensor for all at once": (
        lambda lib: lib.optim.AdamW([parameter(lib)], lr=lib.tensor(0.1), foreach=True),
        "lr as a Tensor is not supported for capturable=False and foreach=True",
    ),
    "betas for all at once": (
        lambda lib: lib.optim.Adam([parameter(lib)], betas=(lib.tensor(0.9), lib.tensor(0.99)), foreach=True),
        r"betas\[0\] as a Tensor is not supported",
    ),
    "an epsilon": (
        lambda lib: lib.optim.Adafactor([parameter(lib)], eps=(-1e-30, 1e-3)),
        "epsilon1 should be >= 0 but is: -1e-30",
    ),
    "sparse and complex": (
        lambda lib: lib.optim.SparseAdam([parameter(lib, dtype=lib.complex64)]),
        "SparseAdam does not support complex parameters",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(lib: Lib, name: str) -> None:
    make, message = REFUSED[name]
    with pytest.raises(ValueError, match=message):
        make(lib)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("search", [None, "strong_wolfe"])
def test_a_rate_may_be_a_tensor_for_lbfgs(lib: Lib, search: str | None) -> None:
    w = parameter(lib)
    optimizer = lib.optim.LBFGS([w], lr=lib.tensor(0.1), line_search_fn=search)

    def closure() -> Any:
        optimizer.zero_grad()
        loss = ((w - 2) ** 2).sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure)) == 2.0
    assert w.tolist() == pytest.approx([1.8648285] * 2 if search is None else [2.0] * 2, abs=0.01)

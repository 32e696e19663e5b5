"""How results lie in memory: row by row where PyTorch's do, so that ``view`` takes what it takes there; and apart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

Lib = Any

RESULTS: dict[str, Callable[[Lib, Any, Any], Any]] = {
    "columns by a tensor": lambda lib, x, i: x[:, i],
    "columns of a transposed tensor": lambda lib, x, i: x.mT[:, i],
    "rows by a mask": lambda lib, x, i: x[:, lib.tensor([True, False, True])],
    "two dimensions by tensors": lambda lib, x, i: x[:, i, i],
    "index_select": lambda lib, x, i: x.index_select(2, i),
    "embedding": lambda lib, x, i: lib.nn.functional.embedding(lib.stack([i, i]).t(), x[0]),
    "masked_scatter": lambda lib, x, i: lib.ones(4).masked_scatter(x[0] > 3, x[1]),
    "cat": lambda lib, x, i: lib.cat([x.mT, x.mT], 1),
    "stack": lambda lib, x, i: lib.stack([x.mT, x.mT], 1),
    "softmax": lambda lib, x, i: x.mT.softmax(-1),
    "log_softmax": lambda lib, x, i: x.mT.log_softmax(1),
    "layer_norm": lambda lib, x, i: lib.nn.functional.layer_norm(x.mT, (3,)),
    "ravel": lambda lib, x, i: x[0, 0, ::2].ravel(),
    "fill": lambda lib, x, i: lib.fill(x[:1].expand(2, 3, 4), 2),
    "permute_copy": lambda lib, x, i: lib.permute_copy(x, (2, 0, 1)),
    "expand_copy": lambda lib, x, i: lib.expand_copy(x[:1], (2, 3, 4)),
    "repeat_interleave of a number": lambda lib, x, i: x[0, 0, 0].repeat_interleave(2),
    "pad": lambda lib, x, i: lib.nn.functional.pad(x, (1, 1), "reflect"),
    "grid_sample": lambda lib, x, i: lib.nn.functional.grid_sample(x[None], lib.zeros(1, 5, 5, 2), align_corners=False),
    "interpolate": lambda lib, x, i: lib.nn.functional.interpolate(x, 3),
    "any": lambda lib, x, i: (x.permute(1, 2, 0) > 3).any(1),
    **{
        f"{name}, keepdim={keepdim}": lambda lib, x, i, name=name, keepdim=keepdim: getattr(x.permute(1, 2, 0), name)(
            dim=1, keepdim=keepdim
        )
        for name in ("sum", "mean", "var", "amax", "amin", "prod", "logsumexp", "norm")
        for keepdim in (False, True)
    },
    **{
        f"{name} of a transposed and a plain tensor": lambda lib, x, i, name=name: getattr(x.transpose(1, 2), name)(
            lib.ones(2, 4, 3)
        )
        for name in ("add", "sub", "mul", "div")
    },
    "add of a plain and a transposed tensor": lambda lib, x, i: lib.ones(2, 4, 3) + x.transpose(1, 2),
    "add of two that are turned differently": lambda lib, x, i: x.permute(2, 0, 1) + lib.ones(2, 4, 3).transpose(0, 1),
    "add of a transposed tensor and a row": lambda lib, x, i: x.transpose(1, 2) + lib.ones(3),
    "add with alpha": lambda lib, x, i: lib.add(x.transpose(1, 2), lib.ones(2, 4, 3), alpha=2),
    "sub of a transposed tensor with an axis of one element": lambda lib, x, i: (
        x.transpose(1, 2).reshape(2, 4, 3, 1) - lib.ones(2, 4, 3, 1)
    )[..., 0],
    "cumsum": lambda lib, x, i: x.permute(1, 2, 0).cumsum(0),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_lies_as_pytorchs_does(name: str) -> None:
    torch = pytest.importorskip("torch")
    for lib in (mg, torch):
        lib.manual_seed(0)
    ours, theirs = (RESULTS[name](lib, lib.arange(24.0).reshape(2, 3, 4), lib.tensor([2, 0])) for lib in (mg, torch))
    assert ours.tolist() == pytest.approx(theirs.tolist()) if ours.ndim == 1 else ours.shape == theirs.shape
    assert ours.stride() == theirs.stride()


@pytest.mark.parametrize("times", [1, 3])
def test_what_is_repeated_is_memory_of_its_own(times: int) -> None:
    x = mg.tensor(1.0)
    assert x.repeat_interleave(times).add_(1).tolist() == [2.0] * times
    assert x.item() == 1.0
    row = mg.ones(2)
    row.repeat_interleave(1).add_(1)
    assert row.tolist() == [1.0, 1.0]


@pytest.mark.parity
@pytest.mark.cpu("a GPU draws other numbers")
def test_dropout_leaves_out_the_elements_that_pytorch_does() -> None:
    """It draws in the order of memory."""
    torch = pytest.importorskip("torch")
    ours, theirs = (_dropped(lib) for lib in (mg, torch))
    assert ours.tolist() == theirs.tolist()
    assert ours.stride() == theirs.stride()


def _dropped(lib: Lib) -> Any:
    lib.manual_seed(0)
    x = lib.arange(24.0).reshape(2, 3, 4)
    return lib.nn.functional.dropout(x.transpose(1, 2) + lib.ones(2, 4, 3), 0.5)

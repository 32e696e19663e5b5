"""Differences that PyTorch's own tests showed: each call gives what PyTorch gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

Lib = Any


def gradient(lib: Lib, f: Callable[[Any], Any], *numbers: float) -> Any:
    x = lib.tensor(numbers, dtype=lib.float64, requires_grad=True)
    return lib.autograd.grad(f(x).sum(), [x])[0]


CALLS: dict[str, Callable[[Lib], Any]] = {
    "the sign's gradient where infinity arrives": lambda lib: gradient(
        lib, lambda x: (x.sgn() * x.abs().relu()).sqrt(), 0.0, 1.0
    ),
    **{
        f"lp_pool of zeros, p={p}": lambda lib, p=p: gradient(
            lib, lambda x: lib.nn.functional.lp_pool1d(x.reshape(1, 1, -1), p, 2, 1), 0.0, 0.0, 0.0, 1.0
        )
        for p in (1, 2, 3, 1.5)
    },
    "lp_pool of what cancels out": lambda lib: gradient(
        lib, lambda x: lib.nn.functional.lp_pool1d(x.reshape(1, 1, -1), 3, 2, 1), 1.0, -1.0, 2.0, 0.0
    ),
    "the angle's gradient where infinity arrives": lambda lib: gradient(lib, lambda x: x.angle().sqrt(), 1.0, 2.0),
    "Binomial at logit 0": lambda lib: gradient(
        lib, lambda x: lib.distributions.Binomial(1, logits=x).log_prob(lib.zeros(1, dtype=x.dtype)), 0.0
    ),
    "range of integers": lambda lib: lib.range(0.7, 4, dtype=lib.int64),
    "range of integers from a half": lambda lib: lib.range(0.5, 3, dtype=lib.int32),
    "vander of int8": lambda lib: lib.vander(lib.tensor([-2, 3, 5], dtype=lib.int8), 6),
    **{
        f"masked.{name} of {dtype}": lambda lib, name=name, dtype=dtype: getattr(lib.masked, name)(
            lib.tensor([[3, 1, 2], [0, 3, 1]], dtype=getattr(lib, dtype)), 1, mask=lib.tensor([True, False, True])
        )
        for name in ("argmax", "argmin", "cumsum", "cumprod", "logsumexp")
        for dtype in ("float64", "bfloat16", "uint8")
    },
    "masked.logsumexp of complex": lambda lib: lib.masked.logsumexp(
        lib.tensor([1 + 1j, 2, 3j]), 0, mask=lib.tensor([True, False, True])
    ),
    "masked.var of halves": lambda lib: lib.masked.var(lib.tensor([1.0, 2.0, 4.0], dtype=lib.float16), 0),
    "masked.std of halves": lambda lib: lib.masked.std(
        lib.tensor([1.0, 2.0, 4.0], dtype=lib.bfloat16), 0, mask=lib.tensor([True, False, True])
    ),
    "masked.prod of one small integer": lambda lib: lib.masked.prod(lib.tensor(3, dtype=lib.uint8)),
    "cat of empty vectors": lambda lib: lib.cat([lib.zeros(0), lib.zeros(0)], dim=1),
}


@pytest.mark.parity
@pytest.mark.parametrize("name", CALLS)
def test_a_call_gives_what_pytorch_gives(name: str) -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = CALLS[name](mg), CALLS[name](torch)
    assert ours.dtype.name == str(theirs.dtype).split(".")[1]
    assert ours.shape == theirs.shape
    assert ours.flatten().tolist() == pytest.approx(theirs.flatten().tolist(), nan_ok=True)


def test_counts_that_are_no_integers_are_refused() -> None:
    with pytest.raises(mg.errors.DtypeError, match="repeats must be integers"):
        mg.repeat_interleave(mg.arange(2), mg.tensor([1.0, 2.0]))


def test_a_handle_knows_the_hooks_it_is_among() -> None:
    handle = mg.nn.Linear(1, 1).register_forward_hook(lambda *_: None)
    assert len(handle.hooks_dict_ref()) == 1


@pytest.mark.parametrize("settings", [{"total_steps": 10, "pct_start": 1.1}, {"total_steps": 0}])
def test_a_cycle_that_cannot_be_is_refused(settings: dict[str, Any]) -> None:
    optimiser = mg.optim.SGD([mg.ones(1, requires_grad=True)], lr=0.1, momentum=0.9)
    with pytest.raises(ValueError, match="Expected"):
        mg.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=0.1, **settings)


@pytest.mark.parity
@pytest.mark.parametrize("version", [None, 1, 2])
def test_an_older_checkpoint_of_batch_norm_is_completed(version: int | None) -> None:
    torch = pytest.importorskip("torch")

    def loads(lib: Lib) -> bool:
        norm = lib.nn.Sequential(lib.nn.BatchNorm1d(2))
        state = norm.state_dict()
        assert state._metadata["0"]["version"] == 2
        del state["0.num_batches_tracked"]
        state._metadata["0"] = {} if version is None else {"version": version}
        try:
            norm.load_state_dict(state)
        except RuntimeError:
            return False
        return bool(norm[0].num_batches_tracked == 0)

    assert loads(mg) == loads(torch) == (version != 2)


@pytest.mark.parity
def test_a_wrappers_prefix_is_stripped_from_a_state_dict() -> None:
    torch = pytest.importorskip("torch")

    def stripped(lib: Lib) -> tuple[list[str], list[str]]:
        state = lib.nn.Sequential(lib.nn.Linear(1, 1), lib.nn.BatchNorm1d(1)).state_dict(prefix="module.")
        lib.nn.modules.utils.consume_prefix_in_state_dict_if_present(state, "module.")
        return sorted(state), sorted(state._metadata)

    assert stripped(mg) == stripped(torch)


def test_a_librarys_settings_change_inside_a_with_block() -> None:
    cudnn = mg.backends.cudnn
    with cudnn.flags(enabled=False):
        assert not cudnn.enabled
    assert cudnn.enabled

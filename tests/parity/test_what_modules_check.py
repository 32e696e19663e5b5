"""What layers, losses and modules refuse, and corners that PyTorch's users meet."""

from __future__ import annotations

import re
from typing import Any

import pytest

import minigrad as mg

from .same import refused, same, torch

pytestmark = pytest.mark.parity


def _ctc(lib: Any, targets: Any, lengths: Any, sizes: Any) -> Any:
    logs = lib.randn(6, 2, 4).log_softmax(2)
    return lib.nn.functional.ctc_loss(logs, targets, lengths, sizes)


REFUSED = {
    "ctc of float lengths": lambda lib: _ctc(
        lib, lib.ones(2, 3, dtype=lib.int64), lib.tensor([6.0, 6.0]), lib.tensor([3, 3])
    ),
    "ctc of too few lengths": lambda lib: _ctc(
        lib, lib.ones(2, 3, dtype=lib.int64), lib.tensor([6]), lib.tensor([3, 3])
    ),
    "ctc of a length past the end": lambda lib: _ctc(
        lib, lib.ones(2, 3, dtype=lib.int64), lib.tensor([7, 6]), lib.tensor([3, 3])
    ),
    "ctc of a target past the end": lambda lib: _ctc(
        lib, lib.ones(2, 3, dtype=lib.int64), lib.tensor([6, 6]), lib.tensor([4, 3])
    ),
    "inserting past the end": lambda lib: lib.nn.Sequential(lib.nn.ReLU()).insert(3, lib.nn.ReLU()),
    "a bilinear layer of nothing": lambda lib: lib.nn.Bilinear(0, 1, 1),
    "a cosine of integers": lambda lib: lib.nn.functional.cosine_similarity(
        lib.ones(2, 3, dtype=lib.int64), lib.ones(2, 3, dtype=lib.int64)
    ),
    "a negative eps": lambda lib: lib.nn.functional.cosine_similarity(lib.ones(2, 3), lib.ones(2, 3), eps=-1.0),
    "a matrix of targets": lambda lib: lib.nn.functional.cosine_embedding_loss(
        lib.ones(2, 3), lib.ones(2, 3), lib.ones(2, 1)
    ),
    "one target for a matrix": lambda lib: lib.nn.functional.cosine_embedding_loss(
        lib.ones(2, 3), lib.ones(2, 3), lib.tensor(1.0)
    ),
    "sampling an empty image": lambda lib: lib.nn.functional.grid_sample(
        lib.ones(1, 1, 0, 2), lib.ones(1, 1, 1, 2), align_corners=False
    ),
    "an activation nobody knows": lambda lib: lib.nn.TransformerEncoderLayer(4, 2, activation="abc"),
    "fractions as sizes": lambda lib: lib.nn.Unflatten(1, (1.5, 2)),
    "arguments for Module": lambda lib: lib.nn.Module(3),
}


@pytest.mark.parametrize("name", REFUSED)
def test_both_libraries_refuse(name: str) -> None:
    refused(REFUSED[name])


def test_corners_of_modules() -> None:
    def program(lib: Any) -> Any:
        nn = lib.nn

        class Mixin:
            def __init__(self, word: str) -> None:
                self.word = word

        class Mixed(nn.Module, Mixin):  # type: ignore[misc, name-defined]
            call_super_init = True

        class Counter(nn.Module):  # type: ignore[misc, name-defined]
            def __init__(self) -> None:
                super().__init__()
                self.count = 3

            def get_extra_state(self) -> int:
                return self.count

            def set_extra_state(self, state: int) -> None:
                self.count = state

        first, second = Counter(), Counter()
        first.count = 5
        second.load_state_dict(first.state_dict())
        layer = nn.Linear(2, 2)
        version = layer.weight._version
        layer._apply(lambda tensor: tensor.add_(1.0))
        larger = nn.Upsample(scale_factor=1.5, mode="linear", recompute_scale_factor=True)
        return (
            Mixed("hello").word,
            second.count,
            "0" in dir(nn.Sequential(nn.ReLU())),
            layer.weight._version > version,
            layer.weight,
            larger(lib.arange(10.0).reshape(1, 1, 10)),
        )

    same(program)


def test_extra_state_that_only_one_side_knows() -> None:
    def program(lib: Any) -> Any:
        class Setter(lib.nn.Module):  # type: ignore[misc, name-defined]
            def set_extra_state(self, state: Any) -> None:
                self.state = state

        class Getter(lib.nn.Module):  # type: ignore[misc, name-defined]
            def get_extra_state(self) -> int:
                return 1

        found = []
        for module, state in ((Setter(), {}), (Getter(), {"_extra_state": 1})):
            with pytest.raises(RuntimeError) as caught:
                module.load_state_dict(state)
            found.append("Missing key" in str(caught.value))
        return found

    same(program)


def test_the_loss_of_sequences_without_time_has_a_gradient() -> None:
    def program(lib: Any) -> Any:
        logs = lib.randn(5, 2, 3).requires_grad_()
        loss = lib.nn.functional.ctc_loss(
            logs.log_softmax(2),
            lib.ones(2, 2, dtype=lib.int64),
            lib.tensor([0, 0]),
            lib.tensor([0, 0]),
            reduction="none",
        )
        loss.sum().backward()
        return loss, logs.grad

    same(program)


SIZES = """
nn.BatchNorm2d(3)(o(2,4,2,2)) :: running_mean should contain 4 elements not 3
nn.BatchNorm2d(3).eval()(o(2,4,2,2)) :: running_mean should contain 4 elements not 3
nn.functional.batch_norm(o(2,4),None,None,o(3),None,True) :: weight should contain 4 elements not 3
nn.GroupNorm(2,4)(o(2,6,2,2)) :: Expected weight to be a vector of size equal to the number of channels in input
nn.functional.binary_cross_entropy(o(2),o(2).long()) :: Found dtype Long but expected Float
nn.functional.binary_cross_entropy(o(2),o(2).double()) :: Found dtype Double but expected Float
nn.functional.binary_cross_entropy_with_logits(o(2),o(2).long()) :: result type Float can't be cast
nn.functional.kl_div(o(2),o(2).long(),reduction="sum") :: Integral inputs not supported
optim.SGD(nn.Linear(2,2),lr=0.1) :: 'Linear' object is not iterable
""".strip().splitlines()


@pytest.mark.parametrize("line", SIZES)
def test_what_does_not_fit_is_refused_in_pytorchs_words(line: str) -> None:
    code, words = line.split(" :: ")
    for lib in (mg, torch):
        with pytest.raises((RuntimeError, TypeError), match=re.escape(words)):
            eval(code, {"nn": lib.nn, "optim": lib.optim, "o": lib.ones})

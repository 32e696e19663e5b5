"""Functions that read the numbers of a tensor, inside vmap and the other transformations, against PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from .same import same

pytestmark = [
    pytest.mark.parity,
    pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning"),
]

Program = Callable[[Any, Any], Any]


def ints(lib: Any, x: Any) -> Any:
    return (x * 2).abs().long().clamp(max=4)


PROGRAMS: dict[str, Program] = {
    "argmax": lambda lib, x: (x.argmax(), x.argmax(0), x.argmax(1, keepdim=True), x.argmin(-1)),
    "argsort": lambda lib, x: (x.argsort(), x.argsort(0, descending=True), x.argsort(stable=True, dim=1)),
    "isclose": lambda lib, x: lib.isclose(x, x.round()),
    "isin": lambda lib, x: lib.isin(ints(lib, x), lib.tensor([1, 2])),
    "searchsorted": lambda lib, x: lib.searchsorted(lib.tensor([-1.0, 0.0, 0.5]).double(), x),
    "searchsorted in rows": lambda lib, x: lib.searchsorted(x.sort().values, x.flip(1), right=True),
    "bucketize": lambda lib, x: lib.bucketize(x, lib.tensor([-1.0, 0.0, 0.5]).double()),
    "histc": lambda lib, x: lib.histc(x, 5, -2, 2),
    "bincount": lambda lib, x: lib.bincount(ints(lib, x).flatten(), minlength=5),
    "one_hot": lambda lib, x: lib.nn.functional.one_hot(ints(lib, x), 5),
    "matrix_rank": lambda lib, x: lib.linalg.matrix_rank(x),
    "geqrf": lambda lib, x: tuple(lib.geqrf(x)),
    "nonzero_static": lambda lib, x: lib.nonzero_static((x > 0).double(), size=3),
    "accuracy": lambda lib, x: (x.argmax(dim=1) == ints(lib, x)[:, 0]).sum() / 4,
}

MOVING: dict[str, Program] = {
    "take": lambda lib, x: lib.take(x, lib.tensor([0, 5, -1])),
    "put": lambda lib, x: x.put(lib.tensor([0, 5]), x[0, :2] * 3, accumulate=True),
    "quantile": lambda lib, x: (x.quantile(0.3), x.quantile(lib.tensor([0.2, 0.9]).double(), 1)),
    "nanquantile": lambda lib, x: x.nanquantile(0.3, 0),
    "max_pool": lambda lib, x: lib.nn.functional.max_pool2d(x[None], 2, return_indices=True),
    "adaptive_max_pool": lambda lib, x: lib.nn.functional.adaptive_max_pool2d(x[None], (3, 2), return_indices=True),
    "grid_sample": lambda lib, x: lib.nn.functional.grid_sample(x[None, None], x[:, :2].sin()[None, None]),
    "lstsq": lambda lib, x: lib.linalg.lstsq(x, x.sin()).solution,
    "lu": lambda lib, x: tuple(lib.linalg.lu(x)),
    "lu_factor": lambda lib, x: tuple(lib.linalg.lu_factor_ex(x[:3])),
    "lu_solve": lambda lib, x: lib.linalg.lu_solve(*lib.linalg.lu_factor(x), x.sin()),
    "lu_unpack": lambda lib, x: tuple(lib.lu_unpack(*lib.linalg.lu_factor(x[:, :3]))),
    "rfft2": lambda lib, x: (lib.fft.rfft2(x, norm="ortho").abs(), lib.fft.ihfftn(x, dim=(1, 0)).real),
    "scatter of numbers": lambda lib, x: (
        x[0, 0].scatter(0, lib.tensor(0), x[1, 1]),
        x[0, 0].scatter_add(0, lib.tensor(0), x[1, 1]),
        x[0, 0].scatter_reduce(0, lib.tensor(0), x[1, 1], "mean", include_self=False),
    ),
    "take_along_dim": lambda lib, x: lib.take_along_dim(x, x.argsort(1)[:, :1] - 4, 1),
}


@pytest.mark.parametrize("name", [*PROGRAMS, *MOVING])
def test_numbers_are_read_for_each_example(name: str) -> None:
    program = (PROGRAMS | MOVING)[name]

    def mapped(lib: Any) -> Any:
        batch = lib.randn(3, 2, 4, 4, dtype=lib.float64)
        once = lib.vmap(lambda x: program(lib, x))
        return [once(batch[0]), lib.vmap(once)(batch), lib.vmap(once, in_dims=1)(batch), once(batch[:, 0])]

    same(mapped)


@pytest.mark.parametrize("name", sorted(PROGRAMS.keys() - {"one_hot", "geqrf"}))  # not refused by PyTorch
def test_numbers_are_read_beside_a_tangent_and_within_a_gradient(name: str) -> None:
    program = PROGRAMS[name]

    def mapped(lib: Any) -> Any:
        batch = lib.randn(3, 4, 4, dtype=lib.float64)

        def push(x: Any) -> Any:
            return lib.func.jvp(lambda x: (x.sin(), program(lib, x * 1.0)), (x,), (x,), has_aux=True)

        pull = lib.func.grad(lambda x: (x.sin().sum(), program(lib, x * 1.0)), has_aux=True)
        return [lib.vmap(push)(batch), lib.vmap(pull)(batch), pull(batch[0])]

    same(mapped)


@pytest.mark.parametrize("name", MOVING)
def test_derivatives_go_through(name: str) -> None:
    program = MOVING[name]

    def mapped(lib: Any) -> Any:
        batch = lib.randn(3, 4, 4, dtype=lib.float64)

        def moving(x: Any) -> Any:
            found = program(lib, x)
            parts = found if isinstance(found, tuple) else (found,)
            return sum((each * each).sum() for each in parts if each.is_floating_point())

        pull = lib.vmap(lib.func.grad(moving))
        if name == "grid_sample":  # PyTorch has no forward mode for it
            return pull(batch)
        return [pull(batch), lib.vmap(lambda x: lib.func.jvp(moving, (x,), (x.cos(),)))(batch)]

    same(mapped)


def test_no_examples_still_have_a_shape() -> None:
    def nothing(lib: Any) -> Any:
        empty = lib.zeros(0, 4, dtype=lib.float64)
        return [lib.vmap(lambda x: x.argmax(0))(empty), lib.vmap(lambda x: lib.bucketize(x, x.new_ones(2)))(empty)]

    same(nothing)


def test_binomials_are_drawn_for_each_example() -> None:
    def drawn(lib: Any) -> Any:
        count, chance = lib.full((4, 3), 5.0), lib.full((4, 3), 0.5)
        found = lib.vmap(lib.binomial, randomness="different")(count, chance)
        return [found.shape, bool(((found >= 0) & (found <= 5)).all())]

    same(drawn)

"""Python numbers that a type cannot hold, operands of foreign classes, arguments that are missing."""

from __future__ import annotations

import operator
from typing import Any

import pytest

from .same import refused, same

pytestmark = pytest.mark.parity


class Foreign:
    """It answers every reflected operator with its name."""

    __array_ufunc__ = None


def _answering(name: str) -> Any:
    return lambda self, other: name


SIGNS = ("matmul", "pow", "add", "sub", "mul", "truediv", "floordiv", "mod", "and", "or", "xor", "lshift", "rshift")
for _name in SIGNS:
    setattr(Foreign, f"__r{_name}__", _answering(_name))


@pytest.mark.parametrize("name", SIGNS)
def test_an_operator_leaves_a_foreign_object_to_its_own_method(name: str) -> None:
    def program(lib: Any) -> Any:
        x = lib.ones(2, dtype=lib.int64)
        function = getattr(operator, f"{name}_" if name in ("and", "or") else name)
        in_place = getattr(operator, "i" + name)
        return [function(x, Foreign()), x.__getattribute__(f"__{name}__")(Foreign()) is NotImplemented] + (
            [in_place(x, Foreign())] if name != "matmul" else []
        )

    same(program)


HELD = {
    "full of -1": lambda lib: lib.full((2,), -1, dtype=lib.uint8),
    "full of a fraction": lambda lib: lib.full((2,), 1.7, dtype=lib.int64),
    "bools": lambda lib: lib.full((2,), 2, dtype=lib.bool),
    "an element": lambda lib: _set(lib.zeros(2, dtype=lib.uint8), 0, -1),
    "elements": lambda lib: _set(lib.zeros(2, dtype=lib.int32), lib.tensor([0]), 1.7),
    "scatter": lambda lib: lib.zeros(2, dtype=lib.uint8).scatter(0, lib.tensor([0]), -1),
    "clamp": lambda lib: lib.tensor([1, 9], dtype=lib.uint8).clamp(-1, 3),
    "where": lambda lib: lib.where(lib.tensor([True, False]), lib.tensor([1, 2], dtype=lib.uint8), -1),
    "data": lambda lib: lib.tensor([-1, 255], dtype=lib.uint8),
    "a huge int as a float": lambda lib: lib.tensor(10**30, dtype=lib.float32),
    "tensors of one element count as numbers": lambda lib: [
        lib.tensor([lib.ones(1)]),
        lib.tensor([[lib.ones(1, 1)], [lib.zeros(())]]),
        lib.tensor([2, lib.ones(1)]),
        lib.FloatTensor([lib.ones(1), 2]),
    ],
    "the middle of nothing": lambda lib: [
        getattr(lib.empty(0, dtype=kind), name)()
        for name in ("median", "nanmedian")
        for kind in (lib.float32, lib.int32, lib.uint8)
    ],
    "adding wraps": lambda lib: lib.tensor([1, 2], dtype=lib.uint8) + 300,
    "a base wraps": lambda lib: 300 ** lib.tensor([1, 2], dtype=lib.uint8),
    "whole powers": lambda lib: lib.tensor([3, -2], dtype=lib.int8) ** 3,
}


def _set(x: Any, place: Any, value: Any) -> Any:
    x[place] = value
    return x


@pytest.mark.parametrize("name", HELD)
def test_a_number_is_held_as_in_pytorch(name: str) -> None:
    same(HELD[name])


LOST = {
    "where": lambda lib: lib.where(lib.tensor([True, False]), lib.tensor([1, 2], dtype=lib.uint8), 300),
    "clamp": lambda lib: lib.tensor([1, 2], dtype=lib.uint8).clamp(max=300),
    "a power": lambda lib: lib.tensor([1, 2], dtype=lib.uint8) ** 300,
    "a negative power": lambda lib: lib.tensor([1, 2], dtype=lib.uint8) ** -1,
    "full": lambda lib: lib.full((2,), 300, dtype=lib.uint8),
    "full of nan": lambda lib: lib.full((2,), float("nan"), dtype=lib.int64),
    "full of a complex number": lambda lib: lib.full((2,), 1j, dtype=lib.float32),
    "full of too much": lambda lib: lib.full((2,), 1e30, dtype=lib.float16),
    "full_like": lambda lib: lib.full_like(lib.zeros(2, dtype=lib.uint8), 300),
    "an element": lambda lib: _set(lib.zeros(2, dtype=lib.int8), 0, 300),
    "elements": lambda lib: _set(lib.zeros(2, dtype=lib.int32), lib.tensor([0]), 2**40),
    "a mask": lambda lib: _set(lib.zeros(2, dtype=lib.uint8), lib.tensor([True, False]), 300),
    "scatter": lambda lib: lib.zeros(2, dtype=lib.uint8).scatter(0, lib.tensor([0]), 300),
    "index_fill": lambda lib: lib.zeros(2, dtype=lib.int32).index_fill(0, lib.tensor([0]), 2**40),
    "a frame": lambda lib: lib.nn.functional.pad(lib.tensor([1], dtype=lib.uint8), (1, 1), value=300),
    "data": lambda lib: lib.tensor([300], dtype=lib.uint8),
    "data that is nan": lambda lib: lib.tensor([float("nan")], dtype=lib.int32),
    "data that is complex": lambda lib: lib.tensor([1j], dtype=lib.float32),
    "a huge int": lambda lib: lib.tensor(2**63),
    "huge ints": lambda lib: lib.tensor([2**63, 1]),
    "nonzero into floats": lambda lib: lib.nonzero(lib.ones(2), out=lib.empty(2, 1)),
    "larger tensors in a list": lambda lib: lib.tensor([lib.ones(2), lib.ones(2)]),
    "the largest place of nothing": lambda lib: lib.empty(0).argmax(),
    "the first of nothing": lambda lib: lib.empty(0).kthvalue(1),
    "flip of nothing": lambda lib: lib.ones(2).flip(),
    "a list of learning rates": lambda lib: lib.optim.SGD([lib.ones(1)], lr=lib.tensor([0.1, 0.2])),
}


@pytest.mark.parametrize("name", LOST)
def test_what_no_type_can_hold_is_an_error(name: str) -> None:
    refused(LOST[name])


def test_nonzero_writes_to_out() -> None:
    def program(lib: Any) -> Any:
        out = lib.empty(0, dtype=lib.int64)
        return lib.nonzero(lib.eye(2), out=out), out

    same(program)

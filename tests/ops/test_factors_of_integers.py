"""``alpha``, ``beta`` and ``value`` of whole numbers: cut off, wrapped or refused as the numbers themselves are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add": lambda lib, x, a: lib.add(x, x, alpha=a),
    "add a number": lambda lib, x, a: lib.add(x, 2, alpha=a),
    "add in place": lambda lib, x, a: x.clone().add_(x, alpha=a),
    "sub": lambda lib, x, a: lib.sub(x, x, alpha=a),
    "sub in place": lambda lib, x, a: x.clone().sub_(x, alpha=a),
    "rsub": lambda lib, x, a: lib.rsub(x, x, alpha=a),
    "addcmul": lambda lib, x, a: lib.addcmul(x, x, x, value=a),
    "addcmul in place": lambda lib, x, a: x.clone().addcmul_(x, x, value=a),
    "addmm": lambda lib, x, a: lib.addmm(x, x[:, None], x[None], alpha=a, beta=2),
    "addmv": lambda lib, x, a: lib.addmv(x, lib.ones(3, 3, dtype=x.dtype), x, alpha=a),
    "addr": lambda lib, x, a: lib.addr(x, x, x, alpha=a),
    "baddbmm": lambda lib, x, a: lib.baddbmm(x[None, :, None], x[None, :, None], x[None, None, :1], alpha=a, beta=0),
    "index_add": lambda lib, x, a: lib.index_add(x, 0, lib.tensor([0, 0, 2]), x, alpha=a),
}


def outcome(lib: Any, name: str, dtype: str, factor: Any) -> Any:
    try:
        found = CALLS[name](lib, lib.tensor([1, 0, 3]).to(getattr(lib, dtype)), factor)
    except (RuntimeError, NotImplementedError):
        return "refused"
    return found.tolist(), str(found.dtype).rpartition(".")[2]


@pytest.mark.parity
@pytest.mark.parametrize("dtype", ["uint8", "int8", "int64", "float32"])
@pytest.mark.parametrize("name", CALLS)
def test_a_factor_is_as_in_pytorch(name: str, dtype: str) -> None:
    torch = pytest.importorskip("torch")
    for factor in (-1, 2, -300, 300, 1.5, 2.0, True):
        assert outcome(mg, name, dtype, factor) == outcome(torch, name, dtype, factor), factor


@pytest.mark.parity
@pytest.mark.parametrize("name", ["add", "add in place", "sub", "rsub", "addcmul", "index_add"])
def test_a_factor_of_bools_is_a_bool(name: str) -> None:
    torch = pytest.importorskip("torch")
    for factor in (-1, 2, True, False):
        assert outcome(mg, name, "bool", factor) == outcome(torch, name, "bool", factor), factor


def test_the_messages_say_what_pytorchs_say() -> None:
    x = mg.tensor([1, 2], dtype=mg.uint8)
    with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
        mg.add(x, x, alpha=300)
    with pytest.raises(RuntimeError, match="Boolean alpha only supported for Boolean results"):
        mg.add(x, x, alpha=True)
    with pytest.raises(RuntimeError, match="argument alpha must not be a floating point number"):
        mg.rsub(x, x, alpha=1.0)

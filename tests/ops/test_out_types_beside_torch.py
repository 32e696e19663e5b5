"""The dtypes that the tensor after ``out=`` may have, and what is written to it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import minigrad as mg

TYPES = ("uint8", "int64", "float32", "float64", "bool", "complex64")
OF_ONE = "neg floor ceil round trunc sign sgn frac bitwise_not square exp sqrt sigmoid nan_to_num msort tril".split()
OF_A_DIM = "sum prod cumsum cumprod amax amin argmax all any softmax norm".split()
ACTIVATIONS = "gelu hardshrink logsigmoid softplus softshrink".split()
OF_TWO = "add mul matmul maximum atan2 eq float_power".split()


def outcome(lib: Any, name: str, given: str, out: str) -> Any:
    x = lib.tensor([[1.0, 2.0], [3.0, 0.0]]).to(getattr(lib, given))
    further = (0,) if name in OF_A_DIM else (x,) if name in OF_TWO else ()
    call = getattr(lib.nn.functional if name in ACTIVATIONS else lib, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = call(x, *further)
            target = lib.empty(tuple(made.shape), dtype=getattr(lib, out))
            return call(x, *further, out=target).tolist()
        except (RuntimeError, NotImplementedError, TypeError):
            return "refused"


@pytest.mark.parity
@pytest.mark.parametrize("out", TYPES)
@pytest.mark.parametrize("name", [*OF_ONE, *ACTIVATIONS, *OF_A_DIM, *OF_TWO])
def test_out_is_filled_or_refused_as_in_pytorch(name: str, out: str) -> None:
    torch = pytest.importorskip("torch")
    for given in ("uint8", "int64", "float32"):
        ours, theirs = outcome(mg, name, given, out), outcome(torch, name, given, out)
        assert (ours == "refused") == (theirs == "refused"), (given, ours, theirs)
        if ours != "refused":
            assert mg.allclose(mg.tensor(ours), mg.tensor(theirs), rtol=1e-5), given


def test_the_message_names_both_types() -> None:
    x = mg.tensor([1.5])
    with pytest.raises(RuntimeError, match="Found dtype Double but expected Float"):
        mg.neg(x, out=mg.empty(1, dtype=mg.float64))
    with pytest.raises(RuntimeError, match="Expected out tensor to have dtype long int, but got float instead"):
        mg.argmax(x, 0, out=mg.empty(()))
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        mg.exp(x, out=mg.empty(1, dtype=mg.int64))


@pytest.mark.parity
def test_powers_of_whole_matrices_and_ranks_with_a_tolerance() -> None:
    torch = pytest.importorskip("torch")
    for n in (0, 1, 3):
        ours, theirs = (lib.matrix_power(lib.tensor([[1, 2], [3, 4]]), n) for lib in (mg, torch))
        assert ours.tolist() == theirs.tolist() and str(ours.dtype)[9:] == str(theirs.dtype)[6:]
    with pytest.raises(RuntimeError, match="floating point"):
        mg.matrix_power(mg.tensor([[1, 2], [3, 4]]), -1)
    for tolerance in (1e-4, 0.1):
        ranks = [lib.linalg.matrix_rank(lib.tensor([[1.0, 2.0], [2.0, 4.01]]), tolerance) for lib in (mg, torch)]
        assert int(ranks[0]) == int(ranks[1])

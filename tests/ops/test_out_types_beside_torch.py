"""The dtypes that the tensor after ``out=`` may have, and what is written to it."""

from __future__ import annotations

import warnings
from typing import Any

import pytest

import minigrad as mg
from tests.libraries import lib as lib

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


def square(lib: Any) -> Any:
    return lib.tensor([[4.0, 1.0], [1.0, 3.0]])


def at(lib: Any) -> Any:
    return lib.tensor([[0, 0], [1, 1]])


EXACT: dict[str, Any] = {
    "addmv": lambda lib, **out: lib.addmv(lib.ones(2), square(lib), lib.ones(2), **out),
    "mv": lambda lib, **out: lib.mv(square(lib), lib.ones(2), **out),
    "bmm": lambda lib, **out: lib.bmm(square(lib)[None], square(lib)[None], **out),
    "baddbmm": lambda lib, **out: lib.baddbmm(lib.ones(1), square(lib)[None], square(lib)[None], **out),
    "gather": lambda lib, **out: lib.gather(square(lib), 1, at(lib), **out),
    "scatter": lambda lib, **out: lib.scatter(square(lib), 1, at(lib), 2.0, **out),
    "scatter_add": lambda lib, **out: lib.scatter_add(square(lib), 1, at(lib), square(lib), **out),
    "index_select": lambda lib, **out: lib.index_select(square(lib), 0, lib.tensor([1]), **out),
    "index_add": lambda lib, **out: lib.index_add(square(lib), 0, lib.tensor([0, 0]), square(lib), **out),
    "index_copy": lambda lib, **out: lib.index_copy(square(lib), 0, lib.tensor([1, 0]), square(lib), **out),
    "renorm": lambda lib, **out: lib.renorm(square(lib), 2, 0, 1.0, **out),
    "logcumsumexp": lambda lib, **out: lib.logcumsumexp(square(lib), 0, **out),
    "heaviside": lambda lib, **out: lib.heaviside(square(lib), square(lib), **out),
    "complex": lambda lib, **out: lib.complex(square(lib), square(lib), **out),
    "histc": lambda lib, **out: lib.histc(square(lib), 3, **out),
    "vecdot": lambda lib, **out: lib.linalg.vecdot(square(lib), square(lib), **out),
    "solve_triangular": lambda lib, **out: lib.linalg.solve_triangular(square(lib), square(lib), upper=True, **out),
    "transpose_copy": lambda lib, **out: lib.transpose_copy(square(lib), 0, 1, **out),
}
PAIRS: dict[str, Any] = {
    "sort": lambda lib, **out: lib.sort(square(lib), 0, **out),
    "topk": lambda lib, **out: lib.topk(square(lib), 1, **out),
    "kthvalue": lambda lib, **out: lib.kthvalue(square(lib), 1, **out),
    "mode": lambda lib, **out: lib.mode(square(lib), **out),
    "cummax": lambda lib, **out: lib.cummax(square(lib), 0, **out),
    "frexp": lambda lib, **out: lib.frexp(square(lib), **out),
    "qr": lambda lib, **out: lib.linalg.qr(square(lib), **out),
    "aminmax": lambda lib, **out: lib.aminmax(square(lib), dim=0, **out),
}


@pytest.mark.parametrize("name", EXACT)
def test_out_must_have_the_type_of_the_result(lib: Any, name: str) -> None:
    call = EXACT[name]
    result = call(lib)
    assert call(lib, out=lib.empty_like(result)).tolist() == result.tolist()
    with pytest.raises((RuntimeError, NotImplementedError)):
        call(lib, out=lib.empty_like(result, dtype=lib.complex128 if name == "complex" else lib.float64))


@pytest.mark.parametrize("name", PAIRS)
def test_each_of_two_outs_must_have_the_type_of_its_result(lib: Any, name: str) -> None:
    call = PAIRS[name]
    results = call(lib)
    made = call(lib, out=tuple(lib.empty_like(each) for each in results))
    assert [each.tolist() for each in made] == [each.tolist() for each in results]
    with pytest.raises(RuntimeError):
        call(lib, out=(lib.empty_like(results[0], dtype=lib.float64), lib.empty_like(results[1])))


@pytest.mark.filterwarnings("ignore:.*range is deprecated")
def test_a_range_is_computed_in_the_type_of_out(lib: Any) -> None:
    whole = lib.zeros(9000, dtype=lib.int16)
    assert bool((lib.linspace(0, 9000, 9000, out=whole) == lib.linspace(0, 9000, 9000, dtype=lib.int16)).all())
    assert lib.arange(0.5, 3.7, 1, out=lib.zeros(0, dtype=lib.int64)).tolist() == [0, 1, 2]
    assert lib.logspace(0, 3, 4, out=lib.zeros(4, dtype=lib.int32)).tolist() == [1, 10, 100, 1000]


@pytest.mark.filterwarnings("ignore:.*range is deprecated")
def test_the_deprecated_range_fills_out(lib: Any) -> None:
    made = lib.zeros(0)
    assert lib.range(1, -1, -0.5, out=made) is made and made.tolist() == [1.0, 0.5, 0.0, -0.5, -1.0]
    assert lib.range(3, 9, 3, requires_grad=True).is_leaf
    with pytest.raises(RuntimeError, match="upper bound and lower bound inconsistent with step sign"):
        lib.range(1, 0, 1)

"""Operators with objects of other classes, and what is said of data and modules that are not what they should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minigrad as mg


@pytest.fixture(params=["minigrad", pytest.param("torch", marks=pytest.mark.parity)])
def lib(request: pytest.FixtureRequest) -> Any:
    return pytest.importorskip(request.param)


class Lazy:
    """A class of a user's own, which knows what to do beside a tensor."""

    def __radd__(self, other: Any) -> str:
        return "added"

    def __rsub__(self, other: Any) -> str:
        return "subtracted"

    def __rmul__(self, other: Any) -> str:
        return "multiplied"

    def __rtruediv__(self, other: Any) -> str:
        return "divided"


@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16"])
def test_a_foreign_class_has_its_say_in_an_operator(lib: Any, dtype: str) -> None:
    x = lib.ones(2, dtype=getattr(lib, dtype))
    assert (x + Lazy(), x - Lazy(), x * Lazy(), x / Lazy()) == ("added", "subtracted", "multiplied", "divided")
    for wrong in (None, "a", object()):
        with pytest.raises(TypeError):
            x + wrong
    with pytest.raises(TypeError):
        lib.add(x, None)


def test_what_is_no_number_is_named_with_its_place() -> None:
    for data, kind, words in (
        ([1.0, None], RuntimeError, r"Could not infer dtype of NoneType at \[1\]"),
        ([1, "a"], TypeError, r"invalid data type 'str' at \[1\]"),
        ([[1.0], [{}]], RuntimeError, r"Could not infer dtype of dict at \[1, 0\]"),
        ({"a": 1}, RuntimeError, "Could not infer dtype of dict"),
    ):
        with pytest.raises(kind, match=words):
            mg.tensor(data)


def test_a_list_is_no_operand_of_an_operator(lib: Any) -> None:
    x = lib.ones(2)
    assert (x == [1.0, 1.0]) is False and (x != (1.0, 1.0)) is True
    for call in (lambda: x - [1.0, 2.0], lambda: [1.0, 2.0] * x, lambda: x ** (1, 2), lambda: x < [2, 2]):
        with pytest.raises(TypeError, match="not supported between|unsupported operand|can't multiply|only integer"):
            call()


def test_ragged_lists_are_said_to_be_ragged_and_where() -> None:
    for data, words in (
        ([[1, 2], [3]], r"length 2 at dim 1 \(got 1\).*the one at \[1\] has 1 elements and the one at \[0\] has 2"),
        ([[[1], [2]], [[3]]], r"length 2 at dim 1 \(got 1\)"),
        ([[1], 2], r"expected sequence of length 1 at \[1\], but found a number"),
        ([1, [2]], r"expected a number at \[1\], as at \[0\], but found a list"),
    ):
        with pytest.raises(ValueError, match=words):
            mg.tensor(data)


def test_a_class_in_the_place_of_a_layer_is_said_to_be_one() -> None:
    for make in (lambda: mg.nn.Sequential(mg.nn.ReLU), lambda: mg.nn.ModuleList([mg.nn.ReLU])):  # type: ignore[arg-type,list-item]
        with pytest.raises(TypeError, match=r"but a class: write ReLU\(\)"):
            make()


def test_classes_as_floats_are_said_to_be_floats(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="expected target dtype to be Long or Byte, but got Float"):
        lib.nn.functional.cross_entropy(lib.zeros(2, 3), lib.zeros(2))


def test_several_elements_are_no_number(lib: Any) -> None:
    for call, error in ((lambda: bool(lib.ones(2)), RuntimeError), (lambda: lib.ones(2).item(), RuntimeError)):
        with pytest.raises(error) as caught:
            call()
        assert not isinstance(caught.value, mg.errors.GradError)


def test_bounds_of_random_integers_may_be_keywords(lib: Any) -> None:
    for made in (lib.randint(5, size=(9,)), lib.randint(high=5, size=(9,)), lib.randint(low=0, high=5, size=(9,))):
        assert made.min().item() >= 0 and made.max().item() < 5


WITH_NUMBERS = """
x.clamp(N(-1), N(1))
t.clamp(x, min=N(0.5))
x.clone().clamp_(N(0), N(1))
x.add(x, alpha=N(2))
x.addcmul(x, x, value=N(2))
t.addmm(x, x, x.T[:4, :3] @ x, beta=N(1), alpha=N(2))
x.lerp(x * 2, N(0.5))
x.index_fill(0, t.tensor([0]), N(3))
x.scatter(0, t.zeros(1, 4, dtype=t.int64), N(3))
x.quantile(N(0.5))
x.renorm(N(2), 0, N(1))
x.nan_to_num(N(0))
x.histc(I(3), N(0), N(2))
x.chunk(I(3))[0]
x.roll(I(1), I(0))
x.sum(I(0))
x.topk(I(2))[0]
t.repeat_interleave(x, I(2), I(0))
t.full((I(2), I(3)), N(2))
t.linspace(N(0), N(1), I(5))
t.nn.functional.leaky_relu(x, N(0.25))
t.nn.functional.elu(x, N(0.5))
t.nn.functional.softplus(x, N(1), N(20))
t.nn.functional.threshold(x, N(0.5), N(0))
t.nn.functional.hardtanh(x, N(-1), N(1))
t.nn.functional.smooth_l1_loss(x, -x, beta=N(0.5))
t.nn.functional.cross_entropy(x, t.tensor([0, 1, 2]), label_smoothing=N(0.5))
t.nn.functional.pad(x, (I(1), I(1)), value=N(2))
t.nn.functional.normalize(x, p=N(2), dim=I(1))
t.nn.LayerNorm(I(4))(x)
t.nn.LeakyReLU(N(0.25))(x)
""".strip().splitlines()


@pytest.mark.parity
@pytest.mark.parametrize("call", WITH_NUMBERS)
def test_numbers_of_numpy_count_as_numbers_of_python(call: str) -> None:
    torch = pytest.importorskip("torch")

    def made(t: Any, number: Any, whole: Any) -> Any:
        x = (t.arange(12.0).reshape(3, 4) - 3) / 2
        result = eval(call, {"t": t, "x": x, "N": number, "I": whole})
        return str(result.dtype).split(".")[-1], tuple(result.shape), result.tolist()

    kinds = [(np.float64, np.int64), (np.float32, np.int32), (np.float16, np.uint8)]
    dtype, shape, values = made(torch, float, int)
    for number, whole in kinds:
        found = made(mg, number, whole)
        assert found[:2] == (dtype, shape)
        np.testing.assert_allclose(found[2], values, rtol=1e-6, atol=1e-7)


TENSORS_REFUSED = ("scatter", "LayerNorm")
"""By PyTorch, which takes tensors for numbers in all others."""

OF_TENSORS = [
    *(call for call in WITH_NUMBERS if not any(name in call for name in TENSORS_REFUSED)),
    "x.split(I(2))[1]",
    "x.roll(I(1))",
    "t.empty(3).normal_(N(2), N(0))",
    "t.nn.functional.avg_pool1d(x[None], I(2))",
    "t.nn.functional.max_pool1d(x[None], I(2))",
    "t.nn.functional.conv1d(x[None], t.ones(1, 3, 2), stride=I(2), padding=I(1))",
    "t.randperm(I(1))",
]


@pytest.mark.parity
@pytest.mark.parametrize("call", OF_TENSORS)
def test_tensors_of_no_dimensions_count_as_numbers(call: str) -> None:
    torch = pytest.importorskip("torch")

    def made(t: Any) -> Any:
        x = (t.arange(12.0).reshape(3, 4) - 3) / 2
        return eval(call, {"t": t, "x": x, "N": lambda each: t.tensor(float(each)), "I": t.tensor}).tolist()

    np.testing.assert_allclose(made(mg), made(torch), rtol=1e-6, atol=1e-7)

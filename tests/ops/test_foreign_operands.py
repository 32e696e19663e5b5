"""Operators with objects of other classes, and what is said of data and modules that are not what they should be."""

from __future__ import annotations

from typing import Any

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
    for data, words in (
        ([1.0, None], r"invalid data type 'NoneType' at \[1\]"),
        ([1, "a"], r"invalid data type 'str' at \[1\]"),
        ([[1.0], [{}]], r"invalid data type 'dict' at \[1, 0\]"),
        ({"a": 1}, "invalid data type 'dict'"),
    ):
        with pytest.raises(TypeError, match=words):
            mg.tensor(data)


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

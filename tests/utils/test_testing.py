"""`minigrad.testing`: what counts as alike, and what is said where it is not."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad

try:
    import torch
except ImportError:
    torch = None  # type: ignore[assignment]

LIBRARIES = [pytest.param(minigrad, id="minigrad")]
if torch is not None:
    LIBRARIES.append(pytest.param(torch, id="torch", marks=pytest.mark.parity))

both = pytest.mark.parametrize("lib", LIBRARIES)
Lib = Any


@both
def test_what_is_alike_passes(lib: Lib) -> None:
    close = lib.testing.assert_close
    close(lib.tensor([1.0, 2.0]), lib.tensor([1.0, 2.0 + 1e-7]))
    close([lib.ones(2), {"a": 1}, 2.5, None], [lib.ones(2), {"a": 1}, 2.5, None])
    close(lib.ones(2, requires_grad=True) * 1, lib.ones(2))
    close(lib.tensor(float("nan")), lib.tensor(float("nan")), equal_nan=True)
    close(lib.ones(2), lib.ones(2, dtype=lib.float64), check_dtype=False)
    close(lib.tensor([1.0]), lib.tensor([1.5]), rtol=0, atol=1)


@both
def test_what_is_not_alike_is_described(lib: Lib) -> None:
    close = lib.testing.assert_close
    with pytest.raises(AssertionError) as caught:
        close(lib.tensor([[1.0, 2.0], [3.0, 4.0]]), lib.tensor([[1.0, 2.5], [3.0, 8.0]]))
    for said in (
        "Tensor-likes are not close!",
        "Mismatched elements: 2 / 4 (50.0%)",
        "Greatest absolute difference: 4.0 at index (1, 1) (up to 1e-05 allowed)",
        "Greatest relative difference: 0.5 at index (1, 1)",
    ):
        assert said in str(caught.value)
    for left, right, said in (
        (lib.ones(2), lib.ones(3), "'shape' do not match"),
        (lib.ones(2), lib.ones(2, dtype=lib.float64), "'dtype' do not match"),
        (lib.tensor([1, 2]), lib.tensor([1, 3]), "Tensor-likes are not equal!"),
        (1.0, 2.0, "Scalars are not close!\n\nExpected 2.0 but got 1.0"),
        (lib.tensor(float("nan")), lib.tensor(float("nan")), "Scalars are not close!"),
        ({"a": 1.0}, {"b": 1.0}, "The keys of the mappings do not match"),
        ([1.0], [1.0, 2.0], "The length of the sequences mismatch"),
    ):
        with pytest.raises(AssertionError) as caught:
            close(left, right)
        assert said in str(caught.value)


@both
def test_the_place_in_containers_is_told_and_the_message_can_be_replaced(lib: Lib) -> None:
    close = lib.testing.assert_close
    with pytest.raises(AssertionError, match=r"The failure occurred for item \[1\]\['x'\]"):
        close([1.0, {"x": 2.0}], [1.0, {"x": 3.0}])
    with pytest.raises(AssertionError, match="^mine$"):
        close(1.0, 2.0, msg="mine")
    with pytest.raises(AssertionError, match="^<Scalars"):
        close(1.0, 2.0, msg=lambda text: f"<{text}")


@both
def test_things_that_cannot_be_compared_are_refused(lib: Lib) -> None:
    close = lib.testing.assert_close
    with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
        close(lib.tensor(1.0), 1.0)
    with pytest.raises(ValueError, match="must be either specified or omitted"):
        close(1.0, 1.0, rtol=1.0)


@both
def test_random_tensors_of_a_kind(lib: Lib) -> None:
    make = lib.testing.make_tensor
    for dtype in (lib.float32, lib.int64, lib.uint8, lib.bool, lib.complex64):
        made = make((4, 3), dtype=dtype, device="cpu")
        assert tuple(made.shape) == (4, 3) and made.dtype == dtype
    bounded = make(2, 3, dtype=lib.float64, device="cpu", low=0, high=1, requires_grad=True)
    assert bounded.requires_grad and bool(((bounded >= 0) & (bounded < 1)).all())
    assert not make((2, 3), dtype=lib.float32, device="cpu", noncontiguous=True).is_contiguous()


@pytest.mark.parity
@pytest.mark.parametrize("name", ["float32", "float16", "complex64", "int64", "uint8", "bool"])
@pytest.mark.parametrize(
    "settings", [{}, {"low": 0, "high": 2}, {"noncontiguous": True}, {"exclude_zero": True}], ids=str
)
def test_random_tensors_of_a_kind_are_those_of_pytorch(name: str, settings: dict[str, Any]) -> None:
    made = []
    for lib in (minigrad, torch):
        lib.manual_seed(0)
        x = lib.testing.make_tensor(3, 4, dtype=getattr(lib, name), device="cpu", **settings)
        made.append((x.tolist(), x.stride()))
    assert made[0] == made[1]

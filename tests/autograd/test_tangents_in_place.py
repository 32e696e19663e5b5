"""Forward mode and changes in place: the tangent that is there is changed as the tensor is."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any


def test_a_change_in_place_is_one_of_the_tangent_too(lib: Lib) -> None:
    forward_ad, tangent = lib.autograd.forward_ad, lib.tensor([1.0, 2.0])
    with forward_ad.dual_level():
        x = forward_ad.make_dual(lib.ones(2), tangent)
        x.mul_(3)
        assert forward_ad.unpack_dual(x).tangent.tolist() == [3.0, 6.0]
    assert tangent.tolist() == [3.0, 6.0]


def test_overwriting_makes_the_tangent_zero(lib: Lib) -> None:
    forward_ad, tangent = lib.autograd.forward_ad, lib.ones(2)
    with forward_ad.dual_level():
        forward_ad.make_dual(lib.ones(2), tangent).zero_()
    assert tangent.tolist() == [0.0, 0.0]


def test_a_write_through_a_view_reaches_the_tangent_of_the_base(lib: Lib) -> None:
    forward_ad, tangent = lib.autograd.forward_ad, lib.arange(4.0)
    with forward_ad.dual_level():
        x = forward_ad.make_dual(lib.ones(4), tangent)
        x[1:3].mul_(10)
        assert forward_ad.unpack_dual(x).tangent.tolist() == [0.0, 10.0, 20.0, 3.0]
    assert tangent.tolist() == [0.0, 10.0, 20.0, 3.0]


@pytest.mark.parametrize("op", ["x + 1", "x - 1", "x.clone()", "1 + x"])
def test_a_result_has_a_tangent_of_its_own(lib: Lib, op: str) -> None:
    forward_ad, tangent = lib.autograd.forward_ad, lib.ones(2)
    with forward_ad.dual_level():
        x = forward_ad.make_dual(lib.ones(2), tangent)
        y = eval(op)
        y.mul_(5)
        assert forward_ad.unpack_dual(y).tangent.tolist() == [5.0, 5.0]
        assert forward_ad.unpack_dual(x).tangent.tolist() == [1.0, 1.0]
    assert tangent.tolist() == [1.0, 1.0]


def test_the_tangent_lies_in_memory_as_the_primal_does(lib: Lib) -> None:
    forward_ad = lib.autograd.forward_ad
    primal, alike, other = lib.ones(2, 3), lib.ones(2, 3), lib.ones(3, 2).t()
    with forward_ad.dual_level():
        assert forward_ad.unpack_dual(forward_ad.make_dual(primal, alike)).tangent.data_ptr() == alike.data_ptr()
        copied = forward_ad.unpack_dual(forward_ad.make_dual(primal, other)).tangent
    assert copied.stride() == (3, 1)
    assert copied.data_ptr() != other.data_ptr()


def test_integers_do_not_move(lib: Lib) -> None:
    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level():
        x = forward_ad.make_dual(lib.ones(2), lib.ones(2))
        assert forward_ad.unpack_dual(x.long()).tangent is None
    value, tangent = lib.func.jvp(lambda x: x.long(), (lib.ones(2),), (lib.ones(2),))
    assert (value.tolist(), tangent.tolist()) == ([1, 1], [0, 0])


def test_forward_mode_can_be_turned_off(lib: Lib) -> None:
    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level():
        x = forward_ad.make_dual(lib.ones(1), lib.ones(1))
        with forward_ad._set_fwd_grad_enabled(False):
            assert forward_ad.unpack_dual(x * 2).tangent is None
        assert forward_ad.unpack_dual(x * 2).tangent.tolist() == [2.0]


def test_a_tangent_that_is_part_of_a_graph_is_left_alone(lib: Lib) -> None:
    forward_ad = lib.autograd.forward_ad
    direction = lib.tensor([3.0], requires_grad=True)
    with forward_ad.dual_level():
        x = forward_ad.make_dual(lib.ones(1), direction * 1)
        x.mul_(4)
        lib.autograd.backward(forward_ad.unpack_dual(x).tangent)
    assert direction.grad.tolist() == [4.0]

"""Forward mode and changes in place: the tangent that is there is changed as the tensor is."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any

pytestmark = pytest.mark.filterwarnings("ignore:.*jit.script:DeprecationWarning")


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


@pytest.mark.parametrize("name", ["uniform_", "normal_", "bernoulli_", "exponential_", "random_"])
def test_random_numbers_written_over_a_tensor_have_no_tangent(lib: Lib, name: str) -> None:
    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level():
        x = forward_ad.make_dual(lib.ones(3), lib.ones(3))
        getattr(x, name)()
        assert forward_ad.unpack_dual(x).tangent.tolist() == [0.0, 0.0, 0.0]
        y = forward_ad.make_dual(lib.ones(3), lib.ones(3))
        getattr(y[:2], name)()
        assert forward_ad.unpack_dual(y).tangent.tolist() == [0.0, 0.0, 1.0]


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


def test_a_dual_tensor_is_a_view_of_its_primal_and_both_keep_one_history(lib: Lib) -> None:
    forward_ad, w = lib.autograd.forward_ad, lib.ones(2, requires_grad=True)
    with forward_ad.dual_level():
        for changed, read in ((0, 1), (1, 0), (0, 0), (1, 1)):
            primal = w * 1
            dual = forward_ad.make_dual(primal, lib.ones(2))
            pair = (primal, dual)
            assert dual._base is primal and dual.grad_fn.next_functions[0][0] is primal.grad_fn
            pair[changed].mul_(3)
            assert lib.autograd.grad(pair[read].sum(), w)[0].tolist() == [3.0, 3.0]


def test_a_dual_tensor_has_its_tangent_to_itself_and_its_views_look_into_that(lib: Lib) -> None:
    forward_ad, primal = lib.autograd.forward_ad, lib.arange(3.0)
    with forward_ad.dual_level():
        first, second = (forward_ad.make_dual(primal[1:], lib.ones(2) * n) for n in (1, 10))
        first[:1].mul_(2)
        assert first._base is primal and first[:1]._base is primal
        assert forward_ad.unpack_dual(first).tangent.tolist() == [2.0, 1.0]
        assert forward_ad.unpack_dual(first[:1]).tangent.tolist() == [2.0]
        assert forward_ad.unpack_dual(second).tangent.tolist() == [10.0, 10.0]
        assert forward_ad.unpack_dual(primal).tangent is None
        assert primal.tolist() == [0.0, 2.0, 2.0]


def test_a_dual_leaf_hooks_and_is_written_to_as_a_view_is(lib: Lib) -> None:
    forward_ad, leaf = lib.autograd.forward_ad, lib.ones(2, requires_grad=True)
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(leaf, lib.ones(2))
        with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
            dual.mul_(2)
        with pytest.raises(RuntimeError, match="Can't detach views in-place"):
            dual.detach_()
        dual.register_hook(lambda grad: grad * 100)
        (dual * dual).sum().backward()
        assert leaf.grad.tolist() == [200.0, 200.0]
        unpacked = forward_ad.unpack_dual(dual).primal
        assert unpacked._base is leaf and forward_ad.unpack_dual(unpacked).tangent is None
        with lib.no_grad():
            dual = forward_ad.make_dual(leaf, lib.ones(2))
        with pytest.raises(RuntimeError, match="view was created in no_grad mode"):
            dual.mul_(2)

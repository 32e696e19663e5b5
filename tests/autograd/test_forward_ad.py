"""Dual tensors: one level, tangents beside every result, and no trace of either afterwards."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import minigrad as mg
import minigrad.autograd.forward_ad as forward_ad
from minigrad.autograd.forward_ad import dual_level, make_dual, unpack_dual


def tensor(*numbers: float, **options: Any) -> mg.Tensor:
    return mg.tensor(list(numbers), dtype=mg.float64, **options)


def test_a_dual_tensor_carries_its_tangent_through_ops() -> None:
    with dual_level():
        x = make_dual(tensor(1.0, 2.0), tensor(3.0, 4.0))
        primal, tangent = unpack_dual(x * x.exp())
    assert tangent is not None
    expected = (1 + tensor(1.0, 2.0)) * tensor(1.0, 2.0).exp() * tensor(3.0, 4.0)
    assert mg.allclose(primal, tensor(1.0, 2.0) * tensor(1.0, 2.0).exp())
    assert mg.allclose(tangent, expected)


def test_the_tangent_is_the_tensor_that_was_given() -> None:
    direction = tensor(3.0)
    with dual_level():
        assert unpack_dual(make_dual(tensor(1.0), direction)).tangent is direction


def test_a_tensor_that_does_not_move_has_no_tangent() -> None:
    x = tensor(1.0)
    with dual_level():
        unpacked = unpack_dual(x)
    assert unpacked.primal is x and unpacked.tangent is None
    assert type(unpacked).__name__ == "UnpackedDualTensor" and unpacked._fields == ("primal", "tangent")


def test_after_the_level_tangents_are_gone() -> None:
    with dual_level():
        x = make_dual(tensor(1.0), tensor(1.0))
        y = x * 2
    assert unpack_dual(x).tangent is None and unpack_dual(y).tangent is None
    with dual_level():
        assert unpack_dual(y).tangent is None


def test_the_level_can_be_entered_and_exited_by_hand() -> None:
    assert forward_ad.enter_dual_level() == 0
    make_dual(tensor(1.0), tensor(1.0))
    forward_ad.exit_dual_level(level=0)


def test_without_a_level_no_dual_is_made() -> None:
    with pytest.raises(RuntimeError, match=r"no level exists, make sure to enter_dual_level\(\) first"):
        make_dual(tensor(1.0), tensor(1.0))


def test_levels_do_not_nest() -> None:
    with dual_level(), pytest.raises(RuntimeError, match="Nested forward mode AD is not supported at the moment"):
        forward_ad.enter_dual_level()


def test_a_level_that_is_not_open_cannot_be_exited() -> None:
    with pytest.raises(RuntimeError, match="Dual level must be a positive number"):
        forward_ad.exit_dual_level()
    with dual_level(), pytest.raises(RuntimeError, match="not the last one that was created"):
        forward_ad.exit_dual_level(level=3)


def test_primal_and_tangent_are_floats_of_one_shape() -> None:
    whole = mg.tensor([1, 2])
    with dual_level():
        with pytest.raises(
            ValueError, match="Expected primal to be floating point or complex, but got: minigrad.int64"
        ):
            make_dual(whole, tensor(1.0, 2.0))
        with pytest.raises(ValueError, match="Expected tangent to be floating point or complex"):
            make_dual(tensor(1.0, 2.0), whole)
        with pytest.raises(
            RuntimeError, match=r"Tensor is of size \[2\] while the given forward gradient is of size \[1\]"
        ):
            make_dual(tensor(1.0, 2.0), tensor(1.0))


def test_a_dual_is_not_made_dual_again() -> None:
    with dual_level():
        x = make_dual(tensor(1.0), tensor(1.0))
        with pytest.raises(RuntimeError, match="already has a forward gradient at the same level"):
            make_dual(x, tensor(1.0))
        with pytest.raises(RuntimeError, match="Setting a forward grad that itself has a forward gradient"):
            make_dual(tensor(1.0), x)


def test_no_grad_does_not_stop_tangents_and_detach_does() -> None:
    with dual_level():
        x = make_dual(tensor(1.0), tensor(2.0))
        with mg.no_grad():
            still = unpack_dual(x * 3).tangent
        assert still is not None and still.tolist() == [6.0]
        assert unpack_dual(x.detach() * 3).tangent is None


def test_a_whole_number_result_has_no_tangent() -> None:
    with dual_level():
        x = make_dual(tensor(1.0, 5.0), tensor(1.0, 1.0))
        assert unpack_dual(x.argmax()).tangent is None


# With reverse mode ----------------------------------------------------------------------------------------------------


def test_a_tangent_can_be_differentiated_backwards() -> None:
    x = tensor(2.0, requires_grad=True)
    with dual_level():
        tangent = unpack_dual(make_dual(x, tensor(1.0)) ** 3).tangent
    assert tangent is not None
    (second,) = mg.autograd.grad(tangent.sum(), x)
    assert second.tolist() == [12.0]


def test_a_gradient_has_a_tangent() -> None:
    x = tensor(1.0, 2.0, requires_grad=True)
    with dual_level():
        y = (make_dual(x, tensor(3.0, 4.0)) ** 3).sum()
        (slope,) = mg.autograd.grad(y, x)
        unpacked = unpack_dual(slope)
    assert unpacked.primal.tolist() == [3.0, 12.0]
    assert unpacked.tangent is not None and unpacked.tangent.tolist() == [18.0, 48.0]


def test_a_gradient_rule_that_uses_the_output_has_a_tangent_too() -> None:
    x = tensor(0.5, requires_grad=True)
    with dual_level():
        (slope,) = mg.autograd.grad(make_dual(x, tensor(1.0)).exp().sum(), x)
        tangent = unpack_dual(slope).tangent
    assert tangent is not None
    assert mg.allclose(tangent, tensor(0.5).exp())


# In place and through views -------------------------------------------------------------------------------------------


def test_a_change_through_a_view_reaches_the_tangent_of_the_base() -> None:
    with dual_level():
        x = make_dual(tensor(1.0, 2.0), tensor(3.0, 4.0))
        x[0].mul_(10.0)
        tangent = unpack_dual(x).tangent
    assert tangent is not None and tangent.tolist() == [30.0, 4.0]


def test_a_change_of_the_base_is_seen_by_an_older_view() -> None:
    with dual_level():
        x = make_dual(tensor(1.0, 2.0), tensor(3.0, 4.0))
        view = x[1]
        x.mul_(10.0)
        tangent = unpack_dual(view).tangent
    assert tangent is not None and tangent.item() == 40.0


def test_a_dual_written_into_a_plain_tensor_makes_it_move() -> None:
    with dual_level():
        plain = tensor(1.0, 1.0)
        plain[0].mul_(make_dual(mg.tensor(2.0, dtype=mg.float64), mg.tensor(5.0, dtype=mg.float64)))
        tangent = unpack_dual(plain).tangent
    assert plain.tolist() == [2.0, 1.0]
    assert tangent is not None and tangent.tolist() == [5.0, 0.0]


def test_assignment_by_index_moves_what_was_assigned() -> None:
    with dual_level():
        x = make_dual(tensor(1.0, 2.0, 3.0), tensor(1.0, 1.0, 1.0))
        y = mg.zeros(3, dtype=mg.float64)
        y[1:] = x[:2] * 2
        tangent = unpack_dual(y).tangent
    assert tangent is not None and tangent.tolist() == [0.0, 2.0, 2.0]


def test_a_dual_of_a_leaf_is_not_changed_in_place() -> None:
    x = tensor(1.0, requires_grad=True)
    with (
        dual_level(),
        pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place"),
    ):
        make_dual(x, tensor(1.0)).mul_(2)


# Functions ------------------------------------------------------------------------------------------------------------


class Square(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: mg.Tensor) -> mg.Tensor:
        ctx.save_for_forward(x)
        return x * x

    @staticmethod
    def jvp(ctx: Any, tangent: mg.Tensor) -> Any:
        (x,) = ctx.saved_tensors
        return 2 * x * tangent


def test_a_function_brings_its_own_rule() -> None:
    with dual_level():
        tangent = unpack_dual(Square.apply(make_dual(tensor(3.0), tensor(1.0)))).tangent
    assert tangent is not None and tangent.tolist() == [6.0]


def test_a_function_without_a_rule_says_so() -> None:
    class Plain(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: mg.Tensor) -> mg.Tensor:
            return x * 2

    with (
        dual_level(),
        pytest.raises(NotImplementedError, match="You must implement the jvp function for custom autograd.Function"),
    ):
        Plain.apply(make_dual(tensor(1.0), tensor(1.0)))


def test_a_function_returns_one_tangent_for_each_output_of_its_shape() -> None:
    class TooMany(Square):
        @staticmethod
        def jvp(ctx: Any, tangent: mg.Tensor) -> Any:
            return tangent, tangent

    class WrongShape(Square):
        @staticmethod
        def jvp(ctx: Any, tangent: mg.Tensor) -> Any:
            return mg.ones(3)

    with dual_level():
        x = make_dual(tensor(1.0), tensor(1.0))
        with pytest.raises(RuntimeError, match="invalid number of forward gradients .expected 1 but got 2"):
            TooMany.apply(x)
        with pytest.raises(RuntimeError, match="different size than that of the original Tensor"):
            WrongShape.apply(x)


# Memory and looks -----------------------------------------------------------------------------------------------------


def test_the_end_of_the_level_lets_tangents_go() -> None:
    with dual_level():
        y = make_dual(tensor(1.0), tensor(1.0)).exp()
        tangent = weakref.ref(unpack_dual(y).tangent)
    gc.collect()
    assert tangent() is None and y.tolist()


@pytest.mark.cpu("what is printed names the device")
def test_a_dual_prints_its_tangent() -> None:
    with dual_level():
        assert repr(make_dual(mg.tensor([1.0]), mg.tensor([2.0]))) == "tensor([1.], tangent=tensor([2.]))"


def test_a_decorated_function_has_a_level_of_its_own() -> None:
    @dual_level()
    def slope(x: mg.Tensor) -> Any:
        return unpack_dual(make_dual(x, mg.ones_like(x)) ** 2).tangent

    assert slope(tensor(3.0)).tolist() == [6.0]
    assert slope(tensor(4.0)).tolist() == [8.0]


def test_a_level_reaches_into_vmap() -> None:
    def slope(x: mg.Tensor, direction: mg.Tensor) -> Any:
        return unpack_dual(make_dual(x, direction) ** 3).tangent

    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    with dual_level():
        assert mg.func.vmap(slope)(x, mg.ones(2, 2)).tolist() == [[3, 12], [27, 48]]
        assert mg.func.vmap(slope, (0, None))(x, mg.ones(2)).tolist() == [[3, 12], [27, 48]]
        assert mg.func.vmap(slope, (None, 0))(x[0], mg.eye(2)).tolist() == [[3, 0], [0, 12]]
        assert mg.func.vmap(mg.func.vmap(slope))(x, mg.ones(2, 2)).tolist() == [[3, 12], [27, 48]]

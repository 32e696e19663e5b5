"""vjp pulls back, jvp pushes forward, and Jacobians are made of either, row by row or column by column."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

import minigrad as mg

from .helpers import cubes, numbers, scalar

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


# vjp ------------------------------------------------------------------------------------------------------------------


def test_vjp_pulls_back_as_often_as_one_likes(lib: Any) -> None:
    value, pull = lib.func.vjp(lambda x: x.exp(), numbers(lib, 0, 0))
    assert value.tolist() == [1, 1] and not value.requires_grad
    assert pull(numbers(lib, 1, 2))[0].tolist() == [1, 2]
    assert pull(numbers(lib, 3, 4))[0].tolist() == [3, 4]


def test_vjp_takes_and_gives_structures(lib: Any) -> None:
    value, pull = lib.func.vjp(lambda x, y: {"sum": x + y, "product": (x * y,)}, numbers(lib, 1, 2), numbers(lib, 3, 4))
    slopes = pull({"sum": numbers(lib, 1, 1), "product": (numbers(lib, 1, 1),)})
    assert value["product"][0].tolist() == [3, 8]
    assert [each.tolist() for each in slopes] == [[4, 5], [2, 3]]


def test_vjp_checks_what_is_pulled(lib: Any) -> None:
    _, pull = lib.func.vjp(lambda x: (x, x), numbers(lib, 1, 2))
    with pytest.raises(RuntimeError, match="Expected pytree structure of cotangents to be the same"):
        pull(numbers(lib, 1, 2))
    _, pull = lib.func.vjp(lambda x: x * 1, numbers(lib, 1, 2))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        pull(numbers(lib, 1, 2, 3))
    with pytest.raises(RuntimeError, match="to return only tensors, got unsupported type <class 'int'>"):
        lib.func.vjp(lambda x: 1, numbers(lib, 1))


def test_a_pull_can_be_differentiated_itself(lib: Any) -> None:
    def pulled(x: Any) -> Any:
        _, pull = lib.func.vjp(lambda x: x**3, x)
        return pull(lib.ones_like(x))[0].sum()

    assert lib.func.grad(pulled)(numbers(lib, 1, 2)).tolist() == [6, 12]


# jvp ------------------------------------------------------------------------------------------------------------------


def test_jvp_pushes_a_tangent_through(lib: Any) -> None:
    value, tangent = lib.func.jvp(lambda x: x**3, (numbers(lib, 1, 2),), (numbers(lib, 1, 10),))
    assert value.tolist() == [1, 8] and tangent.tolist() == [3, 120]


def test_jvp_of_jvp_and_no_confusion_of_levels(lib: Any) -> None:
    jvp, one = lib.func.jvp, scalar(lib, 1)

    def slope(f: Any) -> Any:
        return lambda x: jvp(f, (x,), (one,))[1]

    assert slope(slope(slope(lambda x: x**4)))(scalar(lib, 2)).item() == 48
    assert slope(lambda x: x * slope(lambda y: x + y)(one))(scalar(lib, 3)).item() == 1


def test_forward_over_reverse_and_reverse_over_forward_are_one(lib: Any) -> None:
    grad, jvp = lib.func.grad, lib.func.jvp
    x, v = numbers(lib, 1, 2), numbers(lib, 3, 4)

    def f(x: Any) -> Any:
        return (x.sin() * x.flip(0) ** 2).sum()

    forward_over_reverse = jvp(grad(f), (x,), (v,))[1]
    reverse_over_forward = grad(lambda x: jvp(f, (x,), (v,))[1])(x)
    reverse_over_reverse = grad(lambda x: (grad(f)(x) * v).sum())(x)
    assert lib.allclose(forward_over_reverse, reverse_over_reverse)
    assert lib.allclose(reverse_over_forward, reverse_over_reverse)


def test_forward_over_reverse_goes_through_changes_in_place(lib: Any) -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y.mul_(x)
        z = y.clone()
        z.exp_()
        y[0].mul_(x[1])
        return (y * z).sum()

    grad, jvp = lib.func.grad, lib.func.jvp
    x, v = numbers(lib, 0.5, -0.3, 0.8), numbers(lib, 1, 2, 3)
    expected = grad(lambda x: (grad(f)(x) * v).sum())(x)
    assert lib.allclose(jvp(grad(f), (x,), (v,))[1], expected)
    assert lib.allclose(grad(lambda x: jvp(f, (x,), (v,))[1])(x), expected)
    slope = grad(lambda x: jvp(lambda x: jvp(f, (x,), (v,))[1], (x,), (v,))[1])(x)
    third = grad(lambda x: (grad(lambda x: (grad(f)(x) * v).sum())(x) * v).sum())(x)
    assert lib.allclose(slope, third)


def test_a_tensor_that_multiplies_itself_in_place_is_read_before_it_is_written() -> None:
    def f(x: Any) -> Any:
        y = x * 1
        y.mul_(y)
        y[:1].mul_(y[1:])
        return y.sum()

    x, v = numbers(mg, 2, 3), numbers(mg, 1, 10)
    expected = mg.func.grad(lambda x: ((x[0] * x[1]) ** 2 + x[1] ** 2).sum())(x)
    assert mg.allclose(mg.func.grad(f)(x), expected)
    assert mg.allclose(mg.func.vmap(mg.func.grad(f))(x[None])[0], expected)
    assert mg.allclose(mg.func.jvp(f, (x,), (v,))[1], (expected * v).sum())
    assert mg.allclose(mg.func.vmap(lambda x: mg.func.jvp(f, (x,), (v,))[1])(x[None]), (expected * v).sum())


def test_a_tangent_can_be_differentiated_by_its_direction(lib: Any) -> None:
    x = numbers(lib, 1, 2)
    slope = lib.func.grad(lambda v: lib.func.jvp(lib.func.grad(cubes), (x,), (v,))[1].sum())(numbers(lib, 1, 1))
    assert slope.tolist() == [6, 12]


def test_jvp_takes_structures_and_aux(lib: Any) -> None:
    x = {"a": numbers(lib, 1, 2)}
    value, tangent, aux = lib.func.jvp(lambda d: (d["a"] * 2, d["a"]), (x,), (x,), has_aux=True)
    assert value.tolist() == tangent.tolist() == [2, 4] and aux.tolist() == [1, 2]


def test_jvp_checks_its_arguments(lib: Any) -> None:
    x, jvp = numbers(lib, 1, 2), lib.func.jvp
    with pytest.raises(RuntimeError, match="Expected primals to be a tuple"):
        jvp(lambda x: x, x, x)
    with pytest.raises(RuntimeError, match="same python structure"):
        jvp(lambda x, y: x, (x, x), (x,))
    with pytest.raises(RuntimeError, match="different size than that of the original Tensor"):
        jvp(lambda x: x, (x,), (numbers(lib, 1),))
    with pytest.raises(RuntimeError, match="at least one Tensor"):
        jvp(lambda x: x, (), ())
    with pytest.raises(ValueError, match="Expected primal to be floating point or complex"):
        jvp(lambda x: x, (lib.tensor([1]),), (lib.tensor([1]),))


def test_what_does_not_move_has_a_tangent_of_zeros(lib: Any) -> None:
    assert lib.func.jvp(lambda x: numbers(lib, 1, 1), (numbers(lib, 3),), (numbers(lib, 1),))[1].tolist() == [0, 0]
    with pytest.raises(RuntimeError, match="independent"):
        mg.func.jvp(lambda x: numbers(mg, 1), (numbers(mg, 3),), (numbers(mg, 1),), strict=True)


def test_complex_numbers_move_along_complex_directions(lib: Any) -> None:
    z, t = lib.tensor([1 + 2j, 2 - 1j]), lib.tensor([1j, 1 + 0j])
    assert lib.allclose(lib.func.jvp(lambda z: z**2, (z,), (t,))[1], 2 * z * t)
    moved = lib.func.jvp(lambda z: z.abs(), (z,), (t,))[1]
    assert lib.allclose(moved, (z.conj() * t).real / z.abs())


def test_linearize_runs_once_and_pushes_often() -> None:
    runs = []

    def f(x: Any, y: Any) -> Any:
        runs.append(1)
        return x**3 * y

    value, push = mg.func.linearize(f, numbers(mg, 1, 2), numbers(mg, 3, 4))
    assert value.tolist() == [3, 32]
    assert push(numbers(mg, 1, 1), numbers(mg, 0, 0)).tolist() == [9, 48]
    assert push(numbers(mg, 0, 0), numbers(mg, 1, 1)).tolist() == [1, 8]
    assert len(runs) == 1
    with pytest.raises(RuntimeError, match="doesn't match the shape"):
        push(numbers(mg, 1, 1, 1), numbers(mg, 0, 0))


# Jacobians ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jacrev", "jacfwd"])
def test_jacobians_nest_outputs_outside_and_inputs_inside(lib: Any, name: str) -> None:
    def f(x: Any, y: Any) -> Any:
        return {"products": x * y, "total": (x**2).sum()}

    x, y = numbers(lib, 1, 2), numbers(lib, 3, 4)
    found = getattr(lib.func, name)(f, argnums=(0, 1))(x, y)
    assert found["products"][0].tolist() == [[3, 0], [0, 4]] and found["products"][1].tolist() == [[1, 0], [0, 2]]
    assert found["total"][0].tolist() == [2, 4] and found["total"][1].tolist() == [0, 0]


@pytest.mark.parametrize("name", ["jacrev", "jacfwd"])
def test_jacobians_have_the_shape_of_output_and_input(lib: Any, name: str) -> None:
    x = lib.ones(2, 3)
    jacobian = getattr(lib.func, name)
    assert tuple(jacobian(lambda x: x.sum(1))(x).shape) == (2, 2, 3)
    assert tuple(jacobian(lambda x: x.sum())(x).shape) == (2, 3)
    assert tuple(jacobian(lambda x: lib.ones(2))(x).shape) == (2, 2, 3)
    found, aux = jacobian(lambda x: (x.sum(), x * 2), has_aux=True)(x)
    assert tuple(found.shape) == (2, 3) and aux.tolist() == [[2, 2, 2], [2, 2, 2]]


def test_jacrev_in_chunks_is_the_same(lib: Any) -> None:
    x = numbers(lib, 1, 2, 3)
    whole = lib.func.jacrev(lambda x: x**2)(x)
    assert lib.func.jacrev(lambda x: x**2, chunk_size=2)(x).tolist() == whole.tolist()
    with pytest.raises(ValueError, match="`chunk_size` should be greater than 0"):
        lib.func.jacrev(lambda x: x, chunk_size=0)(x)


def test_hessian_and_a_third_derivative(lib: Any) -> None:
    x = numbers(lib, 1, 2)
    assert lib.func.hessian(cubes)(x).tolist() == [[6, 0], [0, 12]]
    third = lib.func.jacfwd(lib.func.jacrev(lib.func.jacfwd(cubes)))(x)
    assert third.tolist() == [[[6, 0], [0, 0]], [[0, 0], [0, 6]]]
    mixed = lib.func.hessian(lambda x, y: (x**2 * y).sum(), argnums=(0, 1))(x, numbers(lib, 3, 4))
    assert mixed[0][1].tolist() == [[2, 0], [0, 4]] and mixed[1][1].tolist() == [[0, 0], [0, 0]]


def test_any_two_modes_give_the_same_hessian(lib: Any) -> None:
    x = numbers(lib, 0.3, -0.7, 1.1)

    def f(x: Any) -> Any:
        return (x.tanh() * x.roll(1) ** 2).sum()

    jacrev, jacfwd = lib.func.jacrev, lib.func.jacfwd
    expected = jacrev(jacrev(f))(x)
    for outer, inner in ((jacfwd, jacrev), (jacrev, jacfwd), (jacfwd, jacfwd)):
        assert lib.allclose(outer(inner(f))(x), expected)


@pytest.mark.parametrize("wrong", [1, 2.5, "text", None])
def test_auxiliary_outputs_are_tensors(lib: Any, wrong: Any) -> None:
    x = lib.ones(2)
    func = lib.func
    calls = [
        lambda: func.grad(lambda x: (x.sum(), wrong), has_aux=True)(x),
        lambda: func.grad_and_value(lambda x: (x.sum(), [x, wrong]), has_aux=True)(x),
        lambda: func.vjp(lambda x: (x, {"a": wrong}), x, has_aux=True),
        lambda: func.jvp(lambda x: (x, wrong), (x,), (x,), has_aux=True),
        lambda: func.jacrev(lambda x: (x, (x, wrong)), has_aux=True)(x),
        lambda: func.jacfwd(lambda x: (x, wrong), has_aux=True)(x),
    ]
    for call in calls:
        with pytest.raises(RuntimeError, match="Expected tensors, got unsupported type"):
            call()


def test_a_jacobian_row_by_row_needs_no_vmap(lib: Any) -> None:
    class Counting(lib.autograd.Function):  # type: ignore[misc, name-defined]
        seen: ClassVar[list[int]] = []

        @staticmethod
        def forward(x: Any) -> Any:
            return x * 3

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            Counting.seen.append(len(grad.nonzero()))
            return grad * 3

    made = lib.func.jacrev(Counting.apply, chunk_size=1)(lib.ones(2))
    assert made.tolist() == [[3, 0], [0, 3]] and Counting.seen == [1, 1]
    assert lib.func.jacrev(lambda x: x * x, chunk_size=1)(lib.tensor(3.0)).item() == 6
    with pytest.raises(RuntimeError, match="dynamic shape"):
        lib.func.jacrev(Counting.apply, chunk_size=2)(lib.ones(2))

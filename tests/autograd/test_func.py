"""Functions of functions: grad, vjp, jvp, Jacobians and modules as functions. They nest in any order."""

from __future__ import annotations

import math
from typing import Any

import pytest

import minigrad as mg

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


def numbers(lib: Any, *values: float, **options: Any) -> Any:
    return lib.tensor(list(values), dtype=lib.float64, **options)


def scalar(lib: Any, value: float, **options: Any) -> Any:
    return lib.tensor(value, dtype=lib.float64, **options)


def cubes(x: Any) -> Any:
    return (x**3).sum()


# grad -----------------------------------------------------------------------------------------------------------------


def test_grad_gives_the_gradient_and_touches_nothing(lib: Any) -> None:
    x = numbers(lib, 1, 2)
    slope = lib.func.grad(cubes)(x)
    assert slope.tolist() == [3, 12]
    assert x.grad is None and not x.requires_grad and not slope.requires_grad


def test_grad_of_grad_of_grad(lib: Any) -> None:
    grad = lib.func.grad
    assert grad(grad(grad(lambda x: x**4)))(scalar(lib, 2)).item() == 48


def test_each_level_differentiates_by_its_own_input_only(lib: Any) -> None:
    grad, one = lib.func.grad, scalar(lib, 1)
    assert grad(lambda x: x * grad(lambda y: x + y)(one))(scalar(lib, 3)).item() == 1
    assert grad(lambda x: x * grad(lambda y: x * y)(one))(scalar(lib, 3)).item() == 6


def test_grad_and_value_gives_both(lib: Any) -> None:
    slope, value = lib.func.grad_and_value(cubes)(numbers(lib, 1, 2))
    assert slope.tolist() == [3, 12] and value.item() == 9


def test_value_and_grad_is_the_other_way_round() -> None:
    value, slope = mg.func.value_and_grad(cubes)(numbers(mg, 1, 2))
    assert slope.tolist() == [3, 12] and value.item() == 9


def test_argnums_says_by_which_arguments(lib: Any) -> None:
    def f(x: Any, y: Any) -> Any:
        return (x * y).sum()

    x, y = numbers(lib, 1, 2), numbers(lib, 3, 4)
    assert lib.func.grad(f, argnums=1)(x, y).tolist() == [1, 2]
    assert lib.func.grad(f, argnums=-1)(x, y).tolist() == [1, 2]
    assert [each.tolist() for each in lib.func.grad(f, argnums=(0, 1))(x, y)] == [[3, 4], [1, 2]]


@pytest.mark.parametrize(
    ("argnums", "message"),
    [
        (2, "only 2 positional inputs"),
        ((), "must be non-empty"),
        ((0, 0), "must be unique"),
        ("a", "must be int or Tuple"),
    ],
)
def test_argnums_must_name_arguments(lib: Any, argnums: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        lib.func.grad(lambda x, y: x * y, argnums=argnums)(scalar(lib, 1), scalar(lib, 2))


def test_an_argument_may_be_a_structure(lib: Any) -> None:
    weights = {"a": numbers(lib, 1, 2), "b": (scalar(lib, 3),)}
    slopes = lib.func.grad(lambda w: (w["a"] * w["b"][0]).sum())(weights)
    assert slopes["a"].tolist() == [3, 3] and slopes["b"][0].item() == 3


def test_has_aux_hands_something_on(lib: Any) -> None:
    slope, aux = lib.func.grad(lambda x: (cubes(x), x * 2), has_aux=True)(numbers(lib, 1, 2))
    assert slope.tolist() == [3, 12] and aux.tolist() == [2, 4] and not aux.requires_grad
    with pytest.raises(RuntimeError, match=r"should be a tuple: \(output, aux\) if has_aux is True"):
        lib.func.grad(cubes, has_aux=True)(numbers(lib, 1))


def test_what_does_not_matter_has_a_gradient_of_zeros(lib: Any) -> None:
    assert lib.func.grad(lambda x, y: y.sum())(numbers(lib, 1, 2), numbers(lib, 3)).tolist() == [0, 0]
    assert lib.func.grad(lambda x: scalar(lib, 1))(numbers(lib, 1, 2)).tolist() == [0, 0]


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda x: x, "Expected f.*to return a scalar Tensor, got tensor with 1 dims"),
        (lambda x: 1.0, "Expected f.*to return a Tensor, got <class 'float'>"),
        (lambda x: x.sum() * 1j, "only for real scalar outputs"),
    ],
)
def test_grad_wants_a_real_scalar(lib: Any, result: Any, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        lib.func.grad(result)(numbers(lib, 1, 2))


def test_only_float_tensors_are_differentiated_by(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="only Tensors of floating point dtype can require gradients"):
        lib.func.grad(lambda x: x.sum())(lib.tensor([1, 2]))
    with pytest.raises(ValueError, match="Thing passed to transform API must be Tensor"):
        lib.func.grad(lambda x: x * 2)(2.0)


def test_the_input_is_a_leaf_inside_and_is_not_changed_in_place(lib: Any) -> None:
    seen = []

    def f(x: Any) -> Any:
        seen.append((x.is_leaf, x.requires_grad, x.grad_fn))
        return x.mul_(2).sum()

    x = numbers(lib, 1, 2)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad is being used in an in-place operation"):
        lib.func.grad(f)(x)
    assert seen == [(True, True, None)] and x.tolist() == [1, 2]


def test_a_gradient_stays_connected_to_what_it_was_computed_from(lib: Any) -> None:
    w, x = numbers(lib, 2, 2, requires_grad=True), numbers(lib, 1, 3)
    slope = lib.func.grad(lambda x: (w * x**2).sum())(x)
    (found,) = lib.autograd.grad(slope.sum(), w)
    assert found.tolist() == [2, 6]
    (second,) = lib.autograd.grad(lib.func.grad(cubes)(w).sum(), w)
    assert second.tolist() == [12, 12]


def test_no_grad_outside_is_for_the_outside_and_inside_for_the_inside(lib: Any) -> None:
    def half(x: Any) -> Any:
        with lib.no_grad():
            constant = x**2
        return (x**2 - constant).sum()

    def constant_slope(x: Any) -> Any:
        with lib.no_grad():
            slope = lib.func.grad(cubes)(x)
        return (x * slope).sum()

    x = numbers(lib, 1, 2)
    with lib.no_grad():
        assert lib.func.grad(cubes)(x).tolist() == [3, 12]
    assert lib.func.grad(half)(x).tolist() == [2, 4]
    assert lib.func.grad(constant_slope)(x).tolist() == [3, 12]


def test_detach_cuts_at_every_level(lib: Any) -> None:
    grad = lib.func.grad
    assert grad(lambda x: x * x.detach())(scalar(lib, 3)).item() == 3
    assert grad(lambda x: grad(lambda y: y * x.detach())(x))(scalar(lib, 3)).item() == 0


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


# Modules --------------------------------------------------------------------------------------------------------------


def test_a_module_is_called_with_other_parameters_and_is_itself_afterwards(lib: Any) -> None:
    net = lib.nn.Linear(2, 1)
    before = net.weight
    given = {"weight": lib.ones(1, 2), "bias": lib.zeros(1)}
    assert lib.func.functional_call(net, given, (lib.ones(1, 2),)).tolist() == [[2]]
    assert net.weight is before


def test_parameters_come_in_several_dictionaries_but_each_once(lib: Any) -> None:
    net, x = lib.nn.Linear(2, 1), lib.ones(1, 2)
    out = lib.func.functional_call(net, ({"weight": lib.ones(1, 2)}, {"bias": lib.zeros(1)}), x)
    assert out.tolist() == [[2]]
    with pytest.raises(ValueError, match="appeared in multiple dictionaries"):
        lib.func.functional_call(net, ({"bias": lib.ones(1)}, {"bias": lib.ones(1)}), x)


def test_strict_wants_exactly_the_names_of_the_module(lib: Any) -> None:
    net, x = lib.nn.Linear(2, 1), lib.ones(1, 2)
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'foo'"):
        lib.func.functional_call(net, {**dict(net.named_parameters()), "foo": x}, x, strict=True)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\): 'bias'"):
        lib.func.functional_call(net, {"weight": net.weight}, x, strict=True)


def test_tied_parameters_stay_tied(lib: Any) -> None:
    class Tied(lib.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.a = lib.nn.Linear(2, 2, bias=False)
            self.b = lib.nn.Linear(2, 2, bias=False)
            self.b.weight = self.a.weight

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    net, x = Tied(), lib.ones(1, 2)
    assert lib.func.functional_call(net, {"a.weight": lib.ones(2, 2)}, x).tolist() == [[4, 4]]
    with pytest.raises(ValueError, match="which are tied"):
        lib.func.functional_call(net, {"a.weight": lib.ones(2, 2), "b.weight": lib.zeros(2, 2)}, x)


def test_gradients_by_the_parameters_of_a_module(lib: Any) -> None:
    net = lib.nn.Linear(2, 1)

    def loss(parameters: Any, x: Any) -> Any:
        return lib.func.functional_call(net, parameters, (x,)).sum()

    parameters = {name: each.detach() for name, each in net.named_parameters()}
    x = lib.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert lib.func.grad(loss)(parameters, x)["weight"].tolist() == [[4, 6]]
    per_example = lib.func.vmap(lib.func.grad(loss), (None, 0))(parameters, x)
    assert per_example["weight"].tolist() == [[[1, 2]], [[3, 4]]]


def test_models_of_one_class_run_as_one(lib: Any) -> None:
    models = [lib.nn.Linear(2, 1) for _ in range(3)]
    parameters, buffers = lib.func.stack_module_state(models)
    assert tuple(parameters["weight"].shape) == (3, 1, 2) and parameters["weight"].is_leaf and buffers == {}
    x = lib.ones(4, 2)
    together = lib.func.vmap(lambda p: lib.func.functional_call(models[0], p, (x,)))(parameters)
    assert lib.allclose(together, lib.stack([each(x) for each in models]))
    with pytest.raises(RuntimeError, match="at least one model"):
        lib.func.stack_module_state([])
    with pytest.raises(RuntimeError, match="same class"):
        lib.func.stack_module_state([lib.nn.Linear(1, 1), lib.nn.ReLU()])


# Cost -----------------------------------------------------------------------------------------------------------------


def test_a_gradient_nobody_differentiates_leaves_no_graph() -> None:
    seen = []

    def f(x: mg.Tensor) -> Any:
        y = x * 2
        y.register_hook(lambda grad: seen.append(grad.requires_grad))
        return (y * y).sum()

    mg.func.grad(f)(numbers(mg, 1, 2))
    mg.func.grad(lambda x: mg.func.grad(f)(x).sum())(numbers(mg, 1, 2))
    assert seen[0] is False and True in seen[1:]


def test_a_chain_of_a_thousand_ops_is_pushed_through() -> None:
    def f(x: mg.Tensor) -> Any:
        for _ in range(1000):
            x = x * 1.001
        return x

    slope = mg.func.jvp(mg.func.grad(lambda x: f(x) ** 2), (scalar(mg, 1),), (scalar(mg, 1),))[1].item()
    assert math.isclose(slope, 2 * 1.001**2000, rel_tol=1e-9)


def test_a_gradient_looks_no_further_back_than_where_it_is_taken() -> None:
    from minigrad.core.engine import Pass
    from minigrad.core.entry import entered

    x = numbers(mg, 1, requires_grad=True)
    for _ in range(1000):
        x = x + 1
    start = entered(x)
    y = (start * start).exp().sum()
    run = Pass([((y.grad_fn, 0), mg.ones_like(y))], {start._edge: None}, retain=True, create=False)
    run.execute()
    assert len(run.waiting) < 10 and run.captures[start._edge] is not None

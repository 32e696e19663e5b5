"""autograd.functional: products with Jacobians and Hessians, the matrices, and what strict mode refuses."""

from __future__ import annotations

from typing import Any

import pytest

import minigrad as mg

from .helpers import cubes, numbers

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


def square(x: Any) -> Any:
    return x**2


def pair(x: Any, y: Any) -> Any:
    return x * y, (x**2 * y).sum()


def mixed(x: Any, y: Any) -> Any:
    return (x**2 * y).sum()


# Products -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vjp", "jvp"])
def test_products_with_the_jacobian(lib: Any, name: str) -> None:
    x, v = numbers(lib, 1, 2), numbers(lib, 3, 4)
    value, product = getattr(lib.autograd.functional, name)(square, x, v)
    assert value.tolist() == [1, 4] and product.tolist() == [6, 16]
    assert not value.requires_grad and not product.requires_grad


def test_products_from_the_left_have_the_shape_of_the_inputs_and_from_the_right_that_of_the_outputs(lib: Any) -> None:
    x, y = numbers(lib, 1, 2), numbers(lib, 3, 4)
    functional = lib.autograd.functional
    value, left = functional.vjp(pair, (x, y), (x, lib.tensor(2.0, dtype=lib.float64)))
    assert [each.tolist() for each in value] == [[3, 8], 19]
    assert [each.tolist() for each in left] == [[15, 40], [3, 12]]
    _, right = functional.jvp(pair, (x, y), (x, y))
    assert [each.tolist() for each in right] == [[6, 16], 57]


@pytest.mark.parametrize("name", ["vhp", "hvp"])
def test_products_with_the_hessian(lib: Any, name: str) -> None:
    x, y = numbers(lib, 1, 2), numbers(lib, 3, 4)
    product = getattr(lib.autograd.functional, name)
    value, found = product(cubes, x, y)
    assert value.item() == 9 and found.tolist() == [18, 48]
    _, found = product(mixed, (x, y), (y, x))
    assert [each.tolist() for each in found] == [[20, 40], [6, 16]]


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp"])
def test_with_create_graph_products_can_be_differentiated(lib: Any, name: str) -> None:
    x = numbers(lib, 1, 2, requires_grad=True)
    f = cubes if name in ("vhp", "hvp") else lambda x: x**3
    _, product = getattr(lib.autograd.functional, name)(f, x, numbers(lib, 1, 1), create_graph=True)
    (found,) = lib.autograd.grad(product.sum(), x)
    assert found.tolist() == ([6, 6] if name in ("vhp", "hvp") else [6, 12])


def test_v_may_be_left_out_where_there_is_only_one_number(lib: Any) -> None:
    functional, one = lib.autograd.functional, lib.tensor(2.0, dtype=lib.float64)
    assert functional.vjp(cubes, numbers(lib, 1, 2))[1].tolist() == [3, 12]
    assert functional.jvp(square, one)[1].item() == 4
    assert functional.vhp(cubes, one)[1].item() == functional.hvp(cubes, one)[1].item() == 12
    with pytest.raises(RuntimeError, match="can only be None if the user-provided function returns a single Tensor"):
        functional.vjp(square, numbers(lib, 1, 2))
    for name in ("jvp", "vhp", "hvp"):
        with pytest.raises(
            RuntimeError, match="can only be None if the input to the user-provided function is a single"
        ):
            getattr(functional, name)(cubes, numbers(lib, 1, 2))


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp"])
def test_v_must_fit(lib: Any, name: str) -> None:
    product = getattr(lib.autograd.functional, name)
    f, x = cubes if name in ("vhp", "hvp") else square, numbers(lib, 1, 2)
    with pytest.raises(RuntimeError, match=r"v has invalid size: should be .*Size\(\[2\]\) but got .*Size\(\[3\]\)"):
        product(f, x, numbers(lib, 1, 1, 1))
    with pytest.raises(RuntimeError, match="The given v should contain a single Tensor"):
        product(f, x, (x, x))
    with pytest.raises(TypeError, match=f"The v given to {name} must be either a Tensor or a tuple of Tensors"):
        product(f, x, 1.0)


@pytest.mark.parametrize("name", ["vhp", "hvp", "hessian"])
def test_a_hessian_is_of_one_number(lib: Any, name: str) -> None:
    arguments = () if name == "hessian" else (numbers(lib, 1, 1),)
    derivative = getattr(lib.autograd.functional, name)
    with pytest.raises(RuntimeError, match=f"given to {name} should contain a single element"):
        derivative(square, numbers(lib, 1, 2), *arguments)
    with pytest.raises(RuntimeError, match=f"given to {name} should return a single Tensor"):
        derivative(lambda x: (x.sum(), x.sum()), numbers(lib, 1, 2), *arguments)


# Matrices -------------------------------------------------------------------------------------------------------------

WAYS = [
    pytest.param({}, id="rows"),
    pytest.param({"vectorize": True}, id="all rows"),
    pytest.param({"vectorize": True, "strategy": "forward-mode"}, id="all columns"),
]


@pytest.mark.parametrize("way", WAYS)
def test_the_jacobian_of_one_output_by_one_input(lib: Any, way: dict[str, Any]) -> None:
    jacobian, x = lib.autograd.functional.jacobian, numbers(lib, 1, 2)
    assert jacobian(square, x, **way).tolist() == [[2, 0], [0, 4]]
    assert jacobian(lambda x: x.sum(), x, **way).tolist() == [1, 1]
    assert tuple(jacobian(lambda x: x.reshape(2, 1), x, **way).shape) == (2, 1, 2)
    assert jacobian(lambda x: numbers(lib, 1, 1, 1), x, **way).tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("way", WAYS)
def test_the_jacobians_of_several_outputs_by_several_inputs(lib: Any, way: dict[str, Any]) -> None:
    x, y = numbers(lib, 1, 2), numbers(lib, 3, 4)
    (a, b), (c, d) = lib.autograd.functional.jacobian(pair, (x, y), **way)
    assert a.tolist() == [[3, 0], [0, 4]] and b.tolist() == [[1, 0], [0, 2]]
    assert c.tolist() == [6, 16] and d.tolist() == [1, 4]


@pytest.mark.parametrize("way", WAYS)
def test_an_input_that_does_not_matter_has_zeros(lib: Any, way: dict[str, Any]) -> None:
    x, y = numbers(lib, 1, 2), numbers(lib, 3)
    a, b = lib.autograd.functional.jacobian(lambda x, y: x**2, (x, y), **way)
    assert a.tolist() == [[2, 0], [0, 4]] and b.tolist() == [[0], [0]]


HESSIANS = [
    pytest.param({}, id="rows"),
    pytest.param({"vectorize": True}, id="all rows"),
    pytest.param({"vectorize": True, "outer_jacobian_strategy": "forward-mode"}, id="all columns"),
]


@pytest.mark.parametrize("way", HESSIANS)
def test_the_hessian(lib: Any, way: dict[str, Any]) -> None:
    hessian, x, y = lib.autograd.functional.hessian, numbers(lib, 1, 2), numbers(lib, 3, 4)
    assert hessian(cubes, x, **way).tolist() == [[6, 0], [0, 12]]
    assert hessian(cubes, (x,), **way)[0][0].tolist() == [[6, 0], [0, 12]]
    (a, b), (c, d) = hessian(mixed, (x, y), **way)
    assert a.tolist() == [[6, 0], [0, 8]] and b.tolist() == [[2, 0], [0, 4]]
    assert c.tolist() == [[2, 0], [0, 4]] and d.tolist() == [[0, 0], [0, 0]]
    assert hessian(lambda x: x.sum(), x, **way).tolist() == [[0, 0], [0, 0]]


def test_with_create_graph_matrices_can_be_differentiated(lib: Any) -> None:
    x = numbers(lib, 1, 2, requires_grad=True)
    functional = lib.autograd.functional
    (found,) = lib.autograd.grad(functional.jacobian(lambda x: x**3, x, create_graph=True).sum(), x)
    assert found.tolist() == [6, 12]
    (found,) = lib.autograd.grad(functional.hessian(cubes, x, create_graph=True).sum(), x)
    assert found.tolist() == [6, 6]
    assert not functional.jacobian(square, x).requires_grad


def test_it_works_under_no_grad_too(lib: Any) -> None:
    with lib.no_grad():
        assert lib.autograd.functional.jacobian(square, numbers(lib, 1, 2)).tolist() == [[2, 0], [0, 4]]


def test_it_works_inside_other_transformations() -> None:
    x = mg.tensor([[1.0, 2.0], [3.0, 4.0]])
    found = mg.func.vmap(lambda x: mg.autograd.functional.hessian(cubes, x))(x)
    assert found.tolist() == [[[6, 0], [0, 12]], [[18, 0], [0, 24]]]


# Arguments ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["jacobian", "hessian"])
def test_inputs_and_outputs_are_tensors_or_tuples_of_them(lib: Any, name: str) -> None:
    matrix, x = getattr(lib.autograd.functional, name), numbers(lib, 1, 2)
    with pytest.raises(
        TypeError, match=f"The inputs given to {name} must be either .* the given inputs has type <class 'list'>"
    ):
        matrix(cubes, [x])
    with pytest.raises(TypeError, match="the value at index 1 has type <class 'int'>"):
        matrix(mixed, (x, 3))
    with pytest.raises(
        TypeError, match="The outputs of the user-provided function given to .* has type <class 'list'>"
    ):
        matrix(lambda x: [x], x)


def test_settings_that_do_not_go_together(lib: Any) -> None:
    jacobian, x = lib.autograd.functional.jacobian, numbers(lib, 1, 2)
    with pytest.raises(AssertionError, match='Expected strategy to be either "forward-mode" or "reverse-mode"'):
        jacobian(square, x, strategy="sideways")
    with pytest.raises(RuntimeError, match="`strict=True` and `vectorized=True` are not supported together"):
        jacobian(square, x, strict=True, vectorize=True)
    with pytest.raises(NotImplementedError, match="implemented for `vectorize=True`"):
        jacobian(square, x, strategy="forward-mode")
    with pytest.raises(
        NotImplementedError, match='`create_graph=True` and `strategy="forward-mode"` are not supported'
    ):
        jacobian(square, x, vectorize=True, create_graph=True, strategy="forward-mode")


# Strict ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vjp", "jvp", "vhp", "hvp", "jacobian", "hessian"])
def test_strict_refuses_a_constant(lib: Any, name: str) -> None:
    arguments = () if name in ("jacobian", "hessian") else (numbers(lib, 1),)
    constant = lambda x: numbers(lib, 1)  # noqa: E731
    derivative = getattr(lib.autograd.functional, name)
    derivative(constant, numbers(lib, 2), *arguments)
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function does not require gradients"):
        derivative(constant, numbers(lib, 2), *arguments, strict=True)


@pytest.mark.parametrize("name", ["vhp", "hvp", "hessian"])
def test_strict_refuses_the_hessian_of_something_linear(lib: Any, name: str) -> None:
    arguments = () if name == "hessian" else (numbers(lib, 1, 1),)
    with pytest.raises(
        RuntimeError, match="found that the jacobian of the user-provided function .* is independent of the input"
    ):
        getattr(lib.autograd.functional, name)(lambda x: x.sum(), numbers(lib, 1, 2), *arguments, strict=True)


def test_strict_refuses_an_input_that_does_not_matter(lib: Any) -> None:
    x, functional = numbers(lib, 1, 2), lib.autograd.functional
    with pytest.raises(RuntimeError, match="Output 0 of the user-provided function is independent of input 1"):
        functional.jacobian(lambda x, y: x**2, (x, x), strict=True)
    with pytest.raises(RuntimeError, match="The output of the user-provided function is independent of input 1"):
        functional.vjp(lambda x, y: x**2, (x, x), x, strict=True)
    with pytest.raises(
        RuntimeError, match="jacobian of the user-provided function is independent of input 0.*create_graph=True"
    ):
        functional.jacobian(lambda x: 2 * x, x, strict=True, create_graph=True)

"""gradcheck: agrees where gradients are right; where not, it says where, by how much, and whose fault it is."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import minigrad as mg
from minigrad.autograd import GradcheckError, gradcheck, gradgradcheck
from minigrad.core.declared import REGISTRY
from minigrad.ops.common.bases import Elementwise

pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.*is deprecated:DeprecationWarning")


def numbers(lib: Any, *values: complex, **options: Any) -> Any:
    kind = lib.complex128 if any(isinstance(each, complex) for each in values) else lib.float64
    return lib.tensor(list(values), **{"dtype": kind, "requires_grad": True, **options})


def wrong(lib: Any, factor: float = 3, tangent: float = 2) -> Any:
    """x², whose backward says `factor` x and whose jvp says `tangent` x."""

    class Wrong(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[0] * factor

        @staticmethod
        def jvp(ctx: Any, direction: Any) -> Any:
            return direction * ctx.saved_tensors[0] * tangent

    return Wrong.apply


MODES = [pytest.param({}, id="every element"), pytest.param({"fast_mode": True}, id="one direction")]


# What is right --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_right_gradients_pass(lib: Any, mode: dict[str, Any]) -> None:
    check = lib.autograd.gradcheck
    x, y = numbers(lib, 1, 2), numbers(lib, 3, 4)
    assert check(lambda x: x * x.exp(), x, **mode)
    assert check(lambda x, y: (x * y, (x / y).sum()), (x, y), **mode)
    assert check(lambda x, y: x * 2, (x, y), **mode)
    assert check(lambda x, n: x * n, (x, 3.0), **mode)
    assert check(lambda x: [x * 2, x * 3], x, **mode)
    assert check(lambda x: x.clone().mul_(2), x, **mode)
    assert check(lambda x: x.argmax(), x, **mode)
    assert check(lambda x: x * 2, lib.ones(0, dtype=lib.float64, requires_grad=True), **mode)


@pytest.mark.parametrize("mode", MODES)
def test_complex_functions_pass(lib: Any, mode: dict[str, Any]) -> None:
    z = numbers(lib, 1 + 2j, 2 - 1j)
    assert lib.autograd.gradcheck(lambda z: z * z, z, **mode)
    assert lib.autograd.gradcheck(lambda z: (z * z.conj()).real, z, **mode)
    assert lib.autograd.gradcheck(lambda x: x * (1 + 2j), numbers(lib, 1, 2), **mode)
    assert lib.autograd.gradcheck(lambda z: z * z, z, check_forward_ad=True, **mode)


def test_forward_mode_and_batches_pass(lib: Any) -> None:
    x = numbers(lib, 1, 2)
    checks = {"check_forward_ad": True, "check_batched_grad": True, "check_batched_forward_grad": True}
    assert lib.autograd.gradcheck(lambda x: x.sin() * x, x, **checks)


def test_second_derivatives_pass(lib: Any) -> None:
    check, x = lib.autograd.gradgradcheck, numbers(lib, 1, 2)
    assert check(lambda x: x**3, x)
    assert check(lambda x: x**3, x, numbers(lib, 1, 1))
    assert check(lambda x: x**3, x, check_fwd_over_rev=True)
    matrix = lib.ones(2, 3, dtype=lib.float64, requires_grad=True)
    assert check(lambda x: x.tanh(), matrix, gen_non_contig_grad_outputs=True)


def test_inputs_are_left_as_they_were(lib: Any) -> None:
    x = numbers(lib, 1, 2)
    lib.autograd.gradcheck(lambda x: x * x, x)
    assert x.tolist() == [1, 2] and x.grad is None


# What is wrong --------------------------------------------------------------------------------------------------------


def test_a_wrong_backward_is_found(lib: Any) -> None:
    with pytest.raises(
        RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0,\nnumerical:.*2.0000"
    ):
        lib.autograd.gradcheck(wrong(lib), numbers(lib, 1, 2))
    assert lib.autograd.gradcheck(wrong(lib), numbers(lib, 1, 2), raise_exception=False) is False


def test_a_wrong_backward_is_found_along_one_direction(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="(?s)Jacobian mismatch for output 0.*numerical:.*in fast mode.*2.0000"):
        lib.autograd.gradcheck(wrong(lib), numbers(lib, 1, 2), fast_mode=True)


def test_the_wrong_one_of_several_is_named(lib: Any) -> None:
    bad = wrong(lib)
    with pytest.raises(RuntimeError, match="Jacobian mismatch for output 1 with respect to input 1"):
        lib.autograd.gradcheck(lambda x, y: (x * 1, bad(y) * x), (numbers(lib, 1, 2), numbers(lib, 3, 4)))


def test_a_wrong_forward_rule_is_found(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="Jacobian computed with forward mode mismatch for output 0"):
        lib.autograd.gradcheck(wrong(lib, 2, 1), numbers(lib, 1, 2), check_forward_ad=True)


def test_a_forgotten_conjugate_is_found(lib: Any) -> None:
    class NoConjugate(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, z: Any) -> Any:
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 * ctx.saved_tensors[0]

    with pytest.raises(
        RuntimeError, match="While considering the (real|imaginary) part of complex outputs only, Jacobian mismatch"
    ):
        lib.autograd.gradcheck(NoConjugate.apply, numbers(lib, 1 + 2j))


def test_a_backward_that_changes_its_mind_is_found(lib: Any) -> None:
    counter = itertools.count()

    class Undecided(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * (2 + 1e-5 * next(counter))

    x = numbers(lib, 1, 2)
    with pytest.raises(RuntimeError, match="Backward is not reentrant.*The tolerance for nondeterminism was 0.0"):
        lib.autograd.gradcheck(Undecided.apply, x, atol=1, rtol=1)
    assert lib.autograd.gradcheck(Undecided.apply, x, atol=1, rtol=1, nondet_tol=1.0, check_undefined_grad=False)


def test_a_graph_that_was_cut_is_found(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="Numerical gradient for function expected to be zero"):
        lib.autograd.gradcheck(lambda x: x.detach() * 2, numbers(lib, 1, 2))


@pytest.mark.filterwarnings("ignore:Backwards compatibility")
def test_a_gradient_out_of_nothing_is_found(lib: Any) -> None:
    class Inventive(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.set_materialize_grads(False)
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return lib.ones(2, dtype=lib.float64) if grad is None else grad * 2

    with pytest.raises(RuntimeError, match="Expected all input grads to be undefined or zero"):
        lib.autograd.gradcheck(Inventive.apply, numbers(lib, 1, 2))
    assert lib.autograd.gradcheck(Inventive.apply, numbers(lib, 1, 2), check_undefined_grad=False)


def test_a_backward_that_ignores_its_gradient_is_found(lib: Any) -> None:
    class Careless(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return lib.full((1,), 2, dtype=lib.float64)

    with pytest.raises(RuntimeError, match="backward not multiplied by grad_output"):
        lib.autograd.gradcheck(Careless.apply, numbers(lib, 1))


# Arguments ------------------------------------------------------------------------------------------------------------


def test_an_input_must_require_a_gradient(lib: Any) -> None:
    for check in (lib.autograd.gradcheck, lib.autograd.gradgradcheck):
        with pytest.raises(ValueError, match="expects at least one input tensor to require gradient"):
            check(lambda x: x * x, numbers(lib, 1, requires_grad=False))


def test_inputs_should_be_double(lib: Any) -> None:
    x = numbers(lib, 1, 2, dtype=lib.float32)
    with pytest.warns(
        UserWarning, match="Input #0 requires gradient and is not a double precision floating point or complex"
    ):
        assert lib.autograd.gradcheck(lambda x: x * x, x, eps=1e-2, atol=1e-2, rtol=1e-2)


def test_inputs_must_not_overlap_themselves(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
        lib.autograd.gradcheck(lambda x: x * 2, numbers(lib, 1).expand(3))


def test_checks_that_need_each_other(lib: Any) -> None:
    x = numbers(lib, 1)
    check = lib.autograd.gradcheck
    with pytest.raises(AssertionError, match="at least one of check_forward_ad or check_backward_ad"):
        check(lambda x: x * 2, x, check_backward_ad=False)
    with pytest.raises(AssertionError, match="check_batched_forward_grad=True requires check_forward_ad"):
        check(lambda x: x * 2, x, check_batched_forward_grad=True)
    with pytest.raises(AssertionError, match="check_batched_grad=True requires check_backward_ad"):
        check(lambda x: x * 2, x, check_batched_grad=True, check_backward_ad=False, check_forward_ad=True)
    with pytest.raises(AssertionError, match="at least one of check_fwd_over_rev or check_rev_over_rev"):
        lib.autograd.gradgradcheck(lambda x: x * 2, x, check_rev_over_rev=False)


def test_a_function_must_return_tensors() -> None:
    with pytest.raises(TypeError, match="output 1 is of type int"):
        gradcheck(lambda x: (x, 3), numbers(mg, 1))


# The report -----------------------------------------------------------------------------------------------------------


def report(function: Any, *inputs: Any, **options: Any) -> str:
    with pytest.raises(GradcheckError) as failure:
        gradcheck(function, inputs, **options)
    return str(failure.value)


def test_the_report_says_which_element_and_by_how_much() -> None:
    bad = wrong(mg)

    def f(first: Any, second: Any) -> Any:
        return first * bad(second)

    text = report(f, numbers(mg, 1, 1), numbers(mg, 1, 2))
    assert (
        "In words: when input 1 (second) at [1] moves, output 0 at [1] moves 4 times as much, but backward says 6 "
        "(1.5 times the right number). 2 of 4 elements disagree; this one is furthest off."
    ) in text


def test_the_report_names_the_function_whose_backward_is_wrong() -> None:
    bad = wrong(mg)
    text = report(lambda x: (bad(x.exp()) * x).sum(), numbers(mg, 1, 2))
    assert "Look at Wrong.backward (WrongBackward), and in it at the gradient of input 0" in text
    assert "Exp" not in text and "Mul." not in text


def test_the_report_names_the_op_and_the_formula_that_is_wrong() -> None:
    class Halved(Elementwise):
        """A product with a slip in one of its two rules."""

        def forward(self, xp: Any, a: Any, b: Any) -> Any:
            return a * b

        def grad_a(self, grad: Any, b: Any) -> Any:
            r"""\bar y \odot b"""
            return grad * b

        def grad_b(self, grad: Any, a: Any) -> Any:
            r"""\bar y \odot a / 2"""
            return grad * a / 2

    del REGISTRY["Halved"]
    text = report(lambda x: Halved()(x.exp(), x.sin()).sum(), numbers(mg, 1, 2))
    assert "Look at Halved.grad_b (HalvedBackward0), which says \\bar y \\odot a / 2: checked by itself" in text
    assert "grad_a" not in text


def test_the_report_names_a_wrong_forward_rule() -> None:
    assert "Look at Wrong.jvp (WrongBackward)" in report(wrong(mg, 2, 1), numbers(mg, 1, 2), check_forward_ad=True)


def test_the_report_knows_a_cut_graph_from_a_wrong_formula() -> None:
    text = report(lambda x: x * x.detach(), numbers(mg, 1, 2))
    assert "Every op on the way agrees with its own formula when checked by itself." in text and "detach()" in text
    text = report(lambda x, y: x * y.detach(), numbers(mg, 1, 2), numbers(mg, 3, 4))
    assert "No gradient at all comes to input 1 (y)" in text


@pytest.mark.filterwarnings("ignore:Input #0 requires gradient")
def test_the_report_blames_the_type_where_that_is_to_blame() -> None:
    text = report(lambda x: x * x, numbers(mg, 1, 2, dtype=mg.float32))
    assert "Look at the type: input 0 (x) is minigrad.float32" in text and "Look at Mul" not in text


def test_second_derivatives_that_were_cut_are_found() -> None:
    class Once(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 3 * ctx.saved_tensors[0].detach() ** 2

    assert gradcheck(Once.apply, numbers(mg, 1, 2))
    with pytest.raises(GradcheckError, match="No gradient at all comes to input 0"):
        gradgradcheck(Once.apply, numbers(mg, 1, 2))


def test_a_batched_gradient_that_differs_is_found() -> None:
    class Shapely(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2 if grad.tolist() else grad

    with pytest.raises(GradcheckError, match="While testing batched gradients of output 0, vmap over backward failed"):
        gradcheck(Shapely.apply, numbers(mg, 1, 2), check_batched_grad=True)

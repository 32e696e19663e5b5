"""What may be done inside a function that `func` transforms, and what is refused there."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any

pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


def test_a_hook_on_the_input_runs_and_may_replace_the_gradient(lib: Lib) -> None:
    def square(x: Any) -> Any:
        x.register_hook(lambda grad: grad * 10)
        return (x**2).sum()

    assert lib.func.grad(square)(lib.tensor([1.0, 2.0])).tolist() == [20.0, 40.0]

    calls: list[int] = []

    def double(x: Any) -> Any:
        x.register_hook(lambda grad: calls.append(1))
        return x * 2

    lib.func.vjp(double, lib.ones(2))[1](lib.ones(2))
    lib.func.jacrev(double)(lib.ones(2))
    assert len(calls) >= 2


@pytest.mark.parametrize("transform", ["grad", "vmap"])
def test_leaves_of_ones_own_are_refused(lib: Lib, transform: str) -> None:
    def asks(x: Any) -> Any:
        return (x * lib.ones(2).requires_grad_()).sum()

    def goes_back(x: Any) -> Any:
        x.sum().backward()
        return x.sum()

    def retains(x: Any) -> Any:
        y = x * lib.ones(2)
        y.retain_grad()
        return y.sum()

    x = lib.ones(2) if transform == "grad" else lib.ones(3, 2)
    transformed = getattr(lib.func, transform)
    with pytest.raises(RuntimeError, match=r"requires_grad_\(\).* inside of a function being transformed"):
        transformed(asks)(x)
    with pytest.raises(RuntimeError, match=r"backward\(\) called inside a functorch transform"):
        transformed(goes_back)(x)
    if transform == "grad":
        with pytest.raises(RuntimeError, match=r"retain_grad\(\).* inside of a function being transformed"):
            transformed(retains)(x)


def test_named_arguments_are_the_same_for_every_example(lib: Lib) -> None:
    found = lib.func.vmap(lambda x, y: x * y)(lib.ones(3), y=lib.arange(2.0))
    assert found.tolist() == [[0.0, 1.0]] * 3


def test_in_dims_are_an_int_or_a_tuple(lib: Lib) -> None:
    with pytest.raises(ValueError, match="expected `in_dims` to be int or a .* tuple"):
        lib.func.vmap(lambda x, y: x * y, in_dims=[0, 0])(lib.ones(2), lib.ones(2))


def square_of(lib: Lib, **body: Any) -> Any:
    class Square(lib.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return x**2

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_forward(*inputs)
            ctx.save_for_backward(*inputs)

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * tangent

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 2 * ctx.saved_tensors[0] * grad

    return type("Square", (Square,), body)


def test_the_jacobian_of_a_function_by_forward_mode(lib: Lib) -> None:
    square = square_of(lib, generate_vmap_rule=True)
    assert lib.func.jacfwd(square.apply)(lib.tensor([1.0, 2.0])).tolist() == [[2.0, 0.0], [0.0, 4.0]]


def test_rules_for_vmap_are_checked(lib: Lib) -> None:
    for body, said in (
        ({}, "it does not have vmap support"),
        ({"generate_vmap_rule": True, "vmap": staticmethod(lambda info, dims, x: (x, 0))}, "it has both"),
        ({"vmap": staticmethod(lambda info, dims, x: x)}, "to have two returns"),
    ):
        with pytest.raises(RuntimeError, match=said):
            lib.func.vmap(square_of(lib, **body).apply)(lib.ones(3))


def test_messages_of_vjp_and_jvp(lib: Lib) -> None:
    with pytest.raises(RuntimeError, match="non-empty output"):
        lib.func.vjp(lambda x: None, lib.ones(2))
    with pytest.raises(RuntimeError, match="The output of f is independent of the inputs"):
        lib.func.jvp(lambda x: lib.ones(2), (lib.ones(2),), (lib.ones(2),), strict=True)
    with pytest.raises(RuntimeError, match="Expected primals to only contain Tensors"):
        lib.func.jvp(lambda x: x, (1.0,), (1.0,))


# Users' Functions


def test_a_function_without_setup_context_is_refused(lib: Lib) -> None:
    class Double(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    for transform in (lib.func.grad, lib.func.vmap, lambda f: lambda x: lib.func.jvp(f, (x,), (x,))):
        with pytest.raises(RuntimeError, match="override the setup_context staticmethod"):
            transform(lambda x: Double.apply(x).sum())(lib.ones(2))


def test_a_functions_vmap_gets_its_arguments_as_they_were_given(lib: Lib) -> None:
    seen: list[Any] = []

    class Scale(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(x: Any, factor: float) -> Any:
            return x * factor

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            pass

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any, factor: float) -> Any:
            seen.append((info.batch_size, in_dims, tuple(x.shape)))
            return Scale.apply(x, factor), in_dims[0]

    result = lib.func.vmap(Scale.apply, in_dims=(1, None))(lib.arange(6.0).reshape(2, 3), 2.0)
    assert seen == [(3, (1, None), (2, 3))]
    assert result.tolist() == [[0.0, 6.0], [2.0, 8.0], [4.0, 10.0]]

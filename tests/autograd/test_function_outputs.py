"""What a Function may return and take: nothing but tensors is not required, inputs may come back, defaults hold."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any


def test_outputs_that_are_no_tensors_have_no_gradient(lib: Lib) -> None:
    seen: list[Any] = []

    class Mixed(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, scale: int) -> Any:
            return scale, x * scale, None, "words", x

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            seen.extend(grad is None for grad in grads)
            return grads[1] * 3 + grads[4], None

    x = lib.ones(2, requires_grad=True)
    outputs = Mixed.apply(x, 3)
    assert (outputs[0], outputs[2], outputs[3]) == (3, None, "words")
    (outputs[1].sum() + outputs[4].sum()).backward()
    assert seen == [True, False, True, True, False] and x.grad.tolist() == [4.0, 4.0]
    assert Mixed.apply(2.0, 3) == (3, 6.0, None, "words", 2.0)


def test_an_output_that_is_returned_twice_stays_one(lib: Lib) -> None:
    class Twice(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            out = x * 2
            return out, out

        @staticmethod
        def backward(ctx: Any, one: Any, other: Any) -> Any:
            return one * 2 + other * 2

    x = lib.ones(2, dtype=lib.float64, requires_grad=True)
    one, other = Twice.apply(x)
    assert one is other
    assert lib.autograd.gradcheck(lambda x: sum(Twice.apply(x)), x)


def test_the_second_style_binds_defaults_and_names(lib: Lib) -> None:
    class Power(lib.autograd.Function):
        @staticmethod
        def forward(x: Any, y: int = 3) -> Any:
            return x**y

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            x, ctx.y = inputs
            ctx.save_for_backward(x)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (x,) = ctx.saved_tensors
            return grad * ctx.y * x ** (ctx.y - 1), None

    x = lib.tensor(2.0, requires_grad=True)
    for y in (Power.apply(x), Power.apply(x, y=3), Power.apply(x, 3)):
        assert y.item() == 8.0 and lib.autograd.grad(y, x)[0].item() == 12.0


@pytest.mark.parametrize("setting", ["_materialize_grads", "_materialize_non_diff_grads"])
def test_a_gradient_for_a_non_differentiable_output_can_be_left_out(lib: Lib, setting: str) -> None:
    seen: list[Any] = []

    class Two(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            one, other = x.clone(), x.clone()
            ctx.mark_non_differentiable(other)
            if setting == "_materialize_grads":
                ctx.set_materialize_grads(False)
            else:
                ctx._materialize_non_diff_grads = False
            return one, other

        @staticmethod
        def backward(ctx: Any, one: Any, other: Any) -> Any:
            seen.append(other)
            return one

    Two.apply(lib.tensor(1.0, requires_grad=True))[0].backward()
    assert seen == [None]


def adder(lib: Lib, outputs: Any) -> Any:
    class Adder(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            x.add_(1)
            ctx.mark_dirty(x)
            return outputs(x)

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads[0]

    return Adder


def test_what_is_marked_dirty_must_be_an_input(lib: Lib) -> None:
    class Bad(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any, view: bool) -> Any:
            out = x * 3
            out = out.view_as(out) if view else out
            ctx.mark_dirty(out)
            return out

    x = lib.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="received a tensor that was not an input"):
        Bad.apply(x, False)
    with pytest.raises(RuntimeError, match="received a tensor that was not an input"):
        Bad.apply(x, True)


def test_a_dirty_view_must_be_the_only_output_and_one_that_may_be_changed(lib: Lib) -> None:
    x = lib.ones(2, requires_grad=True)
    alone = adder(lib, lambda x: x)
    with pytest.raises(RuntimeError, match="modifies inplace an input that is a view of another Tensor"):
        adder(lib, lambda x: (x, x * 2)).apply(x.clone().view_as(x))
    with pytest.raises(RuntimeError, match="is a view and is being modified inplace.* returns multiple views"):
        alone.apply(x.clone().split(1)[0])
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        alone.apply(x.view_as(x))


def test_views_that_a_function_returns_may_not_be_changed(lib: Lib) -> None:
    class View(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *tensors: Any) -> Any:
            return tuple(x.view_as(x) for x in tensors) if len(tensors) > 1 else tensors[0].view_as(tensors[0])

        @staticmethod
        def backward(ctx: Any, *grads: Any) -> Any:
            return grads

    x = lib.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="This view was created inside a custom Function"):
        View.apply(lib.ones(2)).add_(x)
    with pytest.raises(RuntimeError, match="function that returns multiple views"):
        View.apply(x.clone(), x.clone())[0].add_(1)
    with lib.no_grad():
        view = View.apply(x)
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode"):
        view.zero_()


def test_instances_are_discouraged_and_the_node_class_can_be_had(lib: Lib) -> None:
    function = adder(lib, lambda x: x)
    with pytest.warns(DeprecationWarning, match="should not be instantiated"):
        function()
    x = lib.ones(2, requires_grad=True).clone()
    assert function.apply(x).grad_fn.__class__ is function._backward_cls


def test_callbacks_run_at_the_end_of_backward(lib: Lib) -> None:
    log: list[str] = []
    queue = lib.autograd.Variable._execution_engine.queue_callback

    class Late(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            queue(lambda: (log.append("end"), queue(lambda: log.append("very end"))))
            log.append("backward")
            return grad

    Late.apply(lib.ones(2, requires_grad=True)).sum().backward()
    assert log == ["backward", "end", "very end"]
    with pytest.raises(RuntimeError, match="during backward pass"):
        queue(lambda: None)


def test_marking_an_input_dirty_raises_its_version(lib: Lib) -> None:
    class Untouched(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad

    x = lib.ones(1, requires_grad=True) * 1
    Untouched.apply(x)
    assert x._version == 1


def test_only_tensors_are_dirty(lib: Lib) -> None:
    class Wrong(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(3)
            return x

    with pytest.raises(RuntimeError, match="mark_dirty can only accept variables, but argument"):
        Wrong.apply(lib.ones(1, requires_grad=True))


def test_a_saved_output_is_in_its_place_also_in_a_backward_that_is_not_recorded(lib: Lib) -> None:
    seen: list[str] = []

    class Saves(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x * 2
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            (y,) = ctx.saved_tensors
            seen.append(y.grad_fn.name())
            return grad * 2

    Saves.apply(lib.ones(1, requires_grad=True)).backward()
    assert seen == ["SavesBackward"]

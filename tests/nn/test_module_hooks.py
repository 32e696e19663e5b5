"""Hooks on modules (row 52): before and after forward, before and after the module's whole backward."""

from __future__ import annotations

from typing import Any

import pytest

Lib = Any


def doubler(lib: Lib) -> Any:
    class Doubler(lib.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any, plus: Any = 0) -> Any:
            return x * 2 + plus

    return Doubler()


def test_a_pre_hook_sees_and_replaces_the_arguments(lib: Lib) -> None:
    module = doubler(lib)
    seen: list[Any] = []
    module.register_forward_pre_hook(lambda m, args: seen.append((m, args)))
    handle = module.register_forward_pre_hook(lambda m, args: args[0] + 1)
    x = lib.ones(2)
    assert module(x).tolist() == [4.0, 4.0]
    assert seen[0][0] is module and seen[0][1][0] is x
    handle.remove()
    assert module(x).tolist() == [2.0, 2.0]


def test_a_forward_hook_sees_and_replaces_the_output(lib: Lib) -> None:
    module = doubler(lib)
    module.register_forward_hook(lambda m, args, output: output * 10)
    module.register_forward_hook(lambda m, args, output: None)
    assert module(lib.ones(1)).tolist() == [20.0]


def test_hooks_run_in_order_and_one_may_jump_the_queue(lib: Lib) -> None:
    module = doubler(lib)
    order: list[str] = []
    module.register_forward_hook(lambda *_: order.append("first"))
    module.register_forward_hook(lambda *_: order.append("second"))
    module.register_forward_hook(lambda *_: order.append("zeroth"), prepend=True)
    module(lib.ones(1))
    assert order == ["zeroth", "first", "second"]


def test_hooks_may_ask_for_keyword_arguments(lib: Lib) -> None:
    module = doubler(lib)
    seen: list[Any] = []
    module.register_forward_pre_hook(lambda m, args, kwargs: (args, {"plus": 5}), with_kwargs=True)
    module.register_forward_hook(lambda m, args, kwargs, output: seen.append(kwargs), with_kwargs=True)
    assert module(lib.ones(1), plus=1).tolist() == [7.0]
    assert seen == [{"plus": 5}]
    module.register_forward_pre_hook(lambda m, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match="must return None or a tuple of"):
        module(lib.ones(1))


def test_a_hook_may_insist_on_being_called_even_when_forward_fails(lib: Lib) -> None:
    module = doubler(lib)
    called: list[Any] = []
    module.register_forward_hook(lambda m, args, output: called.append(output), always_call=True)
    with pytest.raises(TypeError):
        module(None)
    assert called == [None]


def test_a_backward_hook_sees_both_ends(lib: Lib) -> None:
    module = doubler(lib)
    seen: list[Any] = []
    module.register_full_backward_hook(lambda m, gin, gout: seen.append((m, gin, gout)))
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    (module(x) * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]
    ((owner, grad_input, grad_output),) = seen
    assert owner is module
    assert [g.tolist() for g in grad_input] == [[6.0, 6.0]]
    assert [g.tolist() for g in grad_output] == [[3.0, 3.0]]


def test_a_backward_hook_replaces_the_gradient_of_the_input(lib: Lib) -> None:
    module = doubler(lib)
    module.register_full_backward_hook(lambda m, gin, gout: (gin[0] * 100,))
    x = lib.tensor([1.0], requires_grad=True)
    module(x).sum().backward()
    assert x.grad.tolist() == [200.0]


def test_a_backward_pre_hook_replaces_the_gradient_of_the_output(lib: Lib) -> None:
    module = doubler(lib)
    order: list[str] = []
    module.register_full_backward_hook(lambda m, gin, gout: order.append(f"after {gout[0].item():.0f}"))
    module.register_full_backward_pre_hook(lambda m, gout: order.append("before") or (gout[0] * 10,))  # type: ignore[func-returns-value]
    x = lib.tensor([1.0], requires_grad=True)
    module(x).sum().backward()
    assert x.grad.tolist() == [20.0] and order == ["before", "after 10"]


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_without_a_gradient_for_the_input_the_hook_gets_none(lib: Lib) -> None:
    layer = lib.nn.Linear(2, 1)
    seen: list[Any] = []
    layer.register_full_backward_hook(lambda m, gin, gout: seen.append((gin, gout[0].tolist())))
    layer(lib.ones(1, 2)).sum().backward()
    assert seen == [((None,), [[1.0]])]


def test_an_argument_that_is_no_tensor_gets_none(lib: Lib) -> None:
    module = doubler(lib)
    seen: list[Any] = []
    module.register_full_backward_hook(lambda m, gin, gout: seen.append(gin))
    x = lib.tensor([1.0], requires_grad=True)
    module(x, 4).sum().backward()
    assert seen[0][1] is None and seen[0][0].tolist() == [2.0]


def test_several_outputs_come_as_a_tuple_with_none_for_the_unused(lib: Lib) -> None:
    class Two(lib.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x * 2, x * 3

    seen: list[Any] = []
    module = Two()
    module.register_full_backward_hook(lambda m, gin, gout: seen.append(gout))
    x = lib.tensor([1.0], requires_grad=True)
    module(x)[1].sum().backward()
    assert seen[0][0] is None and seen[0][1].tolist() == [1.0] and x.grad.tolist() == [3.0]


def test_a_hook_with_the_wrong_number_of_gradients_is_named(lib: Lib) -> None:
    module = doubler(lib)
    module.register_full_backward_hook(lambda m, gin, gout: (None, None))
    with pytest.raises(RuntimeError, match="invalid number of grad"):
        module(lib.tensor([1.0], requires_grad=True)).sum().backward()


def test_hooks_do_not_stand_in_the_way_of_second_derivatives(lib: Lib) -> None:
    class Cube(lib.nn.Module):  # type: ignore[misc, name-defined]
        def forward(self, x: Any) -> Any:
            return x**3

    module = Cube()
    module.register_full_backward_hook(lambda m, gin, gout: None)
    x = lib.tensor([2.0], requires_grad=True)
    (slope,) = lib.autograd.grad(module(x).sum(), x, create_graph=True)
    (bend,) = lib.autograd.grad(slope.sum(), x)
    assert bend.tolist() == [12.0]


def test_nothing_is_framed_where_nothing_is_recorded(lib: Lib) -> None:
    module = doubler(lib)
    module.register_full_backward_hook(lambda m, gin, gout: None)
    with lib.no_grad():
        assert module(lib.tensor([1.0], requires_grad=True)).grad_fn is None


def test_hooks_are_announced() -> None:
    import minigrad as mg
    from minigrad import events

    module = doubler(mg)
    module.register_full_backward_hook(lambda m, gin, gout: None)
    module.register_full_backward_pre_hook(lambda m, gout: None)
    seen: list[Any] = []
    x = mg.tensor([1.0], requires_grad=True)
    with events.listening(seen.append):
        module(x).sum().backward()
    assert [e.kind for e in seen if isinstance(e, events.HookRan)] == ["module_backward_pre", "module_backward"]

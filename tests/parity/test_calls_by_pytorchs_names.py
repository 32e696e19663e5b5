"""Names and calls that PyTorch's own programs use, tried on both libraries."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

import pytest

import minigrad as mg
from minigrad.autograd.forward_ad import dual_level, make_dual, unpack_dual

torch = pytest.importorskip("torch")
BOTH = pytest.mark.parametrize("lib", [mg, torch], ids=["minigrad", "torch"])


@BOTH
def test_the_parts_of_a_complex_tensor_can_be_assigned(lib: Any) -> None:
    z = lib.tensor([1 + 2j, 3 + 4j])
    z.real = 5
    assert z.tolist() == [5 + 2j, 5 + 4j]
    z.imag = lib.tensor([7, 8])
    assert z.tolist() == [5 + 7j, 5 + 8j]
    with pytest.raises(RuntimeError):
        lib.tensor([1.0]).imag = 1


@BOTH
def test_a_view_turned_without_recording_stays_the_view_it_was(lib: Any) -> None:
    base = lib.rand(2, 3, requires_grad=True).clone()
    view = base.view_as(base)
    with lib.no_grad():
        view.t_()
    view.add_(1)
    base.sum().backward()


@BOTH
def test_an_error_calls_a_view_by_the_op_that_made_it(lib: Any) -> None:
    rows = lib.rand(2, 3, requires_grad=True).clone().unbind()
    with pytest.raises(RuntimeError, match="Output 1 of Unbind is a view and is being modified inplace"):
        rows[1].add_(1)


@BOTH
def test_a_tensor_may_be_given_other_memory_where_nothing_is_recorded(lib: Any) -> None:
    x = lib.ones(2, requires_grad=True)
    y = x * 2
    with lib.no_grad():
        x.set_(lib.zeros(2))
    with pytest.raises(RuntimeError, match="to not have been used in the graph"):
        lib.autograd.grad(y.sum(), x)


@BOTH
def test_an_empty_window_lies_anywhere(lib: Any) -> None:
    assert lib.tensor([1.0]).as_strided((0,), (1,), 2).tolist() == []


@BOTH
@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpoint_runs_again_in_the_precision_of_its_first_run(lib: Any, reentrant: bool) -> None:
    x = lib.ones(3, 3, requires_grad=True)
    seen = []

    def region(a: Any) -> Any:
        product = lib.mm(lib.mm(a, a), a)
        seen.append(product.dtype)
        return product

    with lib.autocast("cpu", dtype=lib.bfloat16):
        y = lib.utils.checkpoint.checkpoint(region, x, use_reentrant=reentrant)
    y.float().sum().backward()
    assert seen[0] is lib.bfloat16
    assert set(seen) == {lib.bfloat16}
    assert x.grad.dtype is lib.float32


@BOTH
def test_a_warning_made_an_error_does_not_hide_the_error_of_a_backward(lib: Any, capsys: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with lib.autograd.detect_anomaly():
            warnings.simplefilter("error")
            x = lib.ones(2, requires_grad=True)
            y = x + 1
            z = y**2
            y += 1
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                z.sum().backward()
    assert "Error detected in PowBackward0" in capsys.readouterr().err


def test_a_mapped_function_may_take_gradients_of_what_lies_outside() -> None:
    x, y = mg.randn(3, requires_grad=True), mg.randn(3)
    v = mg.randn(7, 3)
    rows = mg.func.vmap(lambda each: mg.autograd.grad([x * y], [x], grad_outputs=[each])[0])(v)
    assert mg.allclose(rows, v * y)


@BOTH
def test_one_draw_for_all_needs_one_distribution_for_all(lib: Any) -> None:
    def draw(probability: Any) -> Any:
        return lib.bernoulli(probability)

    with pytest.raises(RuntimeError, match="same randomness with a batched tensor"):
        lib.func.vmap(draw, randomness="same")(lib.rand(3, 2))


def test_examples_draw_what_the_whole_batch_would() -> None:
    for function in (lambda t, m: m.normal(t, t + 1), lambda t, m: m.bernoulli(t), lambda t, m: m.randn(20) + t[0]):
        mean = mg.rand(4, 20)
        mg.manual_seed(3)
        found = mg.func.vmap(lambda t, f=function: f(t, mg), randomness="different")(mean)
        torch.manual_seed(3)
        theirs = torch.from_numpy(mean.numpy())
        wanted = torch.func.vmap(lambda t, f=function: f(t, torch), randomness="different")(theirs)
        assert found.shape == tuple(wanted.shape)
        assert abs(found.numpy() - wanted.numpy()).max() < 1e-5


@BOTH
def test_chunks_that_draw_the_same_draw_what_one_call_draws(lib: Any) -> None:
    def moved(x: Any) -> Any:
        return x + lib.rand_like(x)

    x = lib.zeros(6, 3)
    lib.manual_seed(0)
    whole = lib.func.vmap(moved, randomness="same")(x)
    lib.manual_seed(0)
    parts = lib.func.vmap(moved, randomness="same", chunk_size=4)(x)
    assert (whole == parts).all()


@BOTH
def test_the_state_of_a_backward_can_be_asked_for(lib: Any) -> None:
    core = importlib.import_module(f"{lib.__name__}._C")
    seen = []
    x = lib.ones(1, requires_grad=True).clone()
    x.register_hook(lambda grad: seen.append(core._current_graph_task_id()))
    x.backward(retain_graph=True)
    x.backward()
    assert seen[1] == seen[0] + 1
    assert core._current_graph_task_id() == -1
    assert not core._debug_only_are_vmap_fallback_warnings_enabled()


@BOTH
def test_data_has_no_meaning_for_one_example_of_many(lib: Any) -> None:
    with pytest.raises(RuntimeError, match="accessing `data` under vmap transform"):
        lib.func.vmap(lambda x: x.data)(lib.ones(2, 3))


def test_a_jvp_that_returns_no_view_is_told_which_view_was_wanted() -> None:
    class Head(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.narrow(0, 0, 2)

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return tangent.clone().narrow(0, 0, 2)

    x = mg.ones(4)
    with dual_level(), pytest.raises(RuntimeError, match="not returning a view of the given grad input"):
        unpack_dual(Head.apply(make_dual(x, x)))


def test_forward_mode_is_checked_in_batches_for_functions_of_the_first_style() -> None:
    class Twice(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return tangent * 2

    x = mg.rand(2, dtype=mg.float64, requires_grad=True)
    assert mg.autograd.gradcheck(
        Twice.apply, (x,), check_forward_ad=True, check_backward_ad=False, check_batched_forward_grad=True
    )


def test_misspelt_names_are_not_offered() -> None:
    x = mg.ones(2, 2, dtype=mg.complex64)
    assert not [name for name in dir(x) if name != "volatile" and not hasattr(x, name)]


@BOTH
def test_the_profiler_keeps_events_made_by_hand(lib: Any) -> None:
    from importlib import import_module

    util = import_module(f"{lib.__name__}.autograd.profiler_util")
    average = util.FunctionEventAvg()
    average.add(util.FunctionEvent(id=0, name="foo", thread=0, start_us=10, end_us=15))
    average.add(util.FunctionEvent(id=1, name="foo", thread=0, start_us=20, end_us=30))
    average.add(average)
    assert (average.key, average.count, average.cpu_time_total, average.cpu_time) == ("foo", 4, 30, 7.5)

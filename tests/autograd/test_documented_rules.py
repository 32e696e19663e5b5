"""Rules of PyTorch's documentation that no other test holds: checkpoints, modules as functions, hooks, profiles."""

from __future__ import annotations

import functools
import importlib
from typing import Any

import pytest

import minigrad

from .helpers import numbers

Lib = Any


pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")
"""PyTorch warns so of itself, once in a process."""


def checkpoint_of(lib: Lib) -> Any:
    return importlib.import_module(f"{lib.__name__}.utils.checkpoint")


# Leaves


@pytest.mark.parametrize("wrong", [1, None])
def test_requires_grad_is_a_bool(lib: Lib, wrong: Any) -> None:
    x = numbers(lib, 1.0)
    with pytest.raises(RuntimeError, match="must be a bool"):
        x.requires_grad = wrong
    with pytest.raises(TypeError):
        x.requires_grad_(wrong)
    assert x.requires_grad is False


def test_a_normal_number_has_a_gradient_of_zeros(lib: Lib) -> None:
    mean, std = numbers(lib, 1.0, 2.0, requires_grad=True), numbers(lib, 1.0, 3.0, requires_grad=True)
    lib.normal(mean, std).sum().backward()
    assert (mean.grad.tolist(), std.grad.tolist()) == ([0.0, 0.0], [0.0, 0.0])


# Hooks


def test_a_hook_of_one_saved_tensor_gets_it_detached(lib: Lib) -> None:
    taken = []

    def pack(tensor: Any) -> Any:
        taken.append((tensor.requires_grad, tensor.tolist()))
        return tensor

    x = numbers(lib, 3.0, requires_grad=True)
    y = x.pow(2)
    y.grad_fn._raw_saved_self.register_hooks(pack, lambda tensor: tensor)
    slope = lib.autograd.grad(y, x, create_graph=True)[0]
    assert taken == [(False, [3.0])]
    assert lib.autograd.grad(slope, x)[0].tolist() == [2.0]


def test_a_version_belongs_to_tensors(lib: Lib) -> None:
    with pytest.raises(RuntimeError):
        lib.autograd.graph.increment_version(3)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script:DeprecationWarning")
def test_a_jvp_returns_tensors(lib: Lib) -> None:
    class Wrong(lib.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def jvp(ctx: Any, tangent: Any) -> Any:
            return 2.0

    forward_ad = lib.autograd.forward_ad
    with forward_ad.dual_level(), pytest.raises(RuntimeError, match="expected Variable or None"):
        Wrong.apply(forward_ad.make_dual(numbers(lib, 1.0), numbers(lib, 1.0)))


# Functions of functions


@pytest.mark.filterwarnings("ignore:Attempted to insert a get_attr Node")
def test_a_linear_function_keeps_its_dtype(lib: Lib) -> None:
    _, push = lib.func.linearize(lambda x: x.sin(), numbers(lib, 0.0))
    with pytest.raises(RuntimeError, match="dtype"):
        push(lib.ones(1, dtype=lib.float32))


def test_a_buffer_that_a_module_replaces_is_replaced_in_the_dictionary(lib: Lib) -> None:
    class Counter(lib.nn.Module):
        seen: Any

        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("seen", lib.zeros(1))

        def forward(self, x: Any) -> Any:
            self.seen = self.seen + 1
            return x + self.seen

    net, state = Counter(), {"seen": lib.full((1,), 5.0)}
    assert lib.func.functional_call(net, state, lib.zeros(1)).tolist() == [6.0]
    assert (state["seen"].tolist(), net.seen.tolist()) == ([6.0], [0.0])


PATTERNS: dict[str, dict[str, int]] = {
    "a b c -> c (a b)": {},
    "a (b x) c -> (x a) b c": {"x": 3},
    "... c -> c ...": {},
    "a ... -> (...) a": {},
    "a b c -> a 1 (b c)": {},
}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_dimensions_are_rearranged_by_a_pattern(lib: Lib, pattern: str) -> None:
    x = lib.arange(24).reshape(2, 3, 4)
    result = lib.func.rearrange(x, pattern, **PATTERNS[pattern])
    expected = {
        "a b c -> c (a b)": x.permute(2, 0, 1).reshape(4, 6),
        "a (b x) c -> (x a) b c": x.reshape(2, 1, 3, 4).permute(2, 0, 1, 3).reshape(6, 1, 4),
        "... c -> c ...": x.permute(2, 0, 1),
        "a ... -> (...) a": x.reshape(2, 12).t(),
        "a b c -> a 1 (b c)": x.reshape(2, 1, 12),
    }[pattern]
    assert (result.shape, result.tolist()) == (expected.shape, expected.tolist())


def test_several_tensors_are_stacked_before_they_are_rearranged(lib: Lib) -> None:
    x = lib.arange(6).reshape(2, 3)
    assert lib.func.rearrange([x, -x], "n a b -> a (n b)").tolist() == lib.cat([x, -x], 1).tolist()


@pytest.mark.parametrize("pattern", ["a b -> a", "a b c -> a b c", "a a -> a", "a b", "(a b -> a b", "a b -> b ? a"])
def test_a_pattern_that_does_not_fit_is_refused(lib: Lib, pattern: str) -> None:
    with pytest.raises(ValueError):
        lib.func.rearrange(lib.ones(2, 3), pattern)


# Checkpoints


def test_a_region_that_reenters_without_gradients_warns(lib: Lib) -> None:
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        y = checkpoint_of(lib).checkpoint(lambda x: x * 2, numbers(lib, 1.0), use_reentrant=True)
    assert not y.requires_grad


def test_a_checkpointed_sequence_takes_no_other_arguments(lib: Lib) -> None:
    run = checkpoint_of(lib).checkpoint_sequential
    with pytest.raises(ValueError, match="Unexpected keyword arguments: scale"):
        run([lib.sin, lib.cos], 2, numbers(lib, 1.0, requires_grad=True), use_reentrant=False, scale=2)


@pytest.mark.parametrize("answer", ["MUST_SAVE", "PREFER_RECOMPUTE"])
def test_a_policy_sees_what_the_op_returned(lib: Lib, answer: str) -> None:
    module, seen = checkpoint_of(lib), []

    def policy(context: Any, op: Any, *args: Any, **kwargs: Any) -> Any:
        seen.append((context.is_recompute, tuple(context.op_output.shape)))
        return getattr(module.CheckpointPolicy, answer)

    x = numbers(lib, 1.0, 2.0, requires_grad=True)
    contexts = functools.partial(module.create_selective_checkpoint_contexts, policy)
    y = module.checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False, context_fn=contexts)
    y.sum().backward()
    assert seen == [(False, (2,))] * 2
    assert {each.name for each in module.CheckpointPolicy} >= {"MUST_CPU_OFFLOAD", "PREFER_CPU_OFFLOAD"}


def test_several_backward_calls_run_a_region_again_once(lib: Lib) -> None:
    module, runs = checkpoint_of(lib), []

    def region(x: Any, y: Any) -> Any:
        runs.append(1)
        return x.exp(), y.exp()

    x, y = numbers(lib, 0.0, requires_grad=True), numbers(lib, 0.0, requires_grad=True)
    for group, expected in ((module.GraphExecGroup(), 2), (module.noop_context_fn()[0], 3)):
        runs.clear()
        a, b = module.checkpoint(region, x, y, use_reentrant=False, early_stop=False)
        with group:
            a.backward(retain_graph=True)
            b.backward()
        assert len(runs) == expected
    assert (x.grad.tolist(), y.grad.tolist()) == ([2.0], [2.0])


def test_an_error_lists_the_ops_of_both_runs_if_asked() -> None:
    """In PyTorch too, which looks up C++ lines for a minute to say it."""
    module, runs = checkpoint_of(minigrad), []

    def region(x: Any) -> Any:
        runs.append(1)
        return (x * x).exp() if len(runs) == 1 else (x.sum() * x.sum()).exp()

    y = module.checkpoint(region, numbers(minigrad, 1.0, 2.0, requires_grad=True), use_reentrant=False, debug=True)
    with pytest.raises(module.CheckpointError) as found:
        y.sum().backward()
    text = str(found.value).lower()
    assert "exp" in text and "sum" in text and "mul" in text


def test_groups_of_backward_calls_do_not_nest(lib: Lib) -> None:
    group = checkpoint_of(lib).GraphExecGroup
    with group(), pytest.raises(RuntimeError, match="cannot be nested"), group():
        pass


# Profiles


def test_a_table_of_times_has_the_unit_that_is_asked_for(lib: Lib) -> None:
    profiler = lib.autograd.profiler
    with profiler.profile() as profile, profiler.record_function("region"):
        lib.ones(2) + 1
    rows = profile.key_averages()
    text = rows.table(time_unit="ms").split("Self CPU time total")[0]
    assert "ms" in text and "us" not in text
    assert [each.is_user_annotation for each in rows if each.key == "region"] in ([True], [False])


def test_a_region_is_named_by_text(lib: Lib) -> None:
    with pytest.raises(RuntimeError), lib.autograd.profiler.record_function(3):
        pass


def test_a_key_comes_once(lib: Lib) -> None:
    keys = lib.autograd.profiler.EnforceUnique()
    keys.see("a", 1)
    keys.see("a", 2)
    with pytest.raises(RuntimeError, match="duplicate key"):
        keys.see("a", 1)


def test_the_step_is_the_largest_count(lib: Lib) -> None:
    tracker = lib.autograd.profiler.KinetoStepTracker
    start = tracker.increment_step("one of these tests")
    tracker.init_step_count("another of these tests")
    assert tracker.increment_step("one of these tests") == start + 1
    assert tracker.increment_step("another of these tests") == start + 1 == tracker.current_step()
    erased = [tracker.erase_step_count(f"{which} of these tests") for which in ("one", "another", "none")]
    assert erased == [True, True, False]


def test_a_profile_without_the_cpu_is_refused(lib: Lib) -> None:
    with pytest.raises(AssertionError, match="use_kineto"):
        lib.autograd.profiler.profile(use_cpu=False)


def test_second_derivatives_without_reverse_mode_need_the_other_checks_off(lib: Lib) -> None:
    x = numbers(lib, 1.0, requires_grad=True)
    forward = {"check_fwd_over_rev": True, "check_rev_over_rev": False}
    with pytest.raises(AssertionError, match="check_undefined_grad=True requires check_rev_over_rev"):
        lib.autograd.gradgradcheck(lambda x: x**3, x, **forward)
    with pytest.raises(AssertionError, match="check_batched_grad=True requires check_rev_over_rev"):
        lib.autograd.gradgradcheck(lambda x: x**3, x, check_undefined_grad=False, check_batched_grad=True, **forward)
    assert lib.autograd.gradgradcheck(lambda x: x**3, x, check_undefined_grad=False, **forward)

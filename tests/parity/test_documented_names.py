"""Derivatives that nobody wrote, and documented names of autograd, against PyTorch."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg

from .same import same

pytestmark = pytest.mark.parity

UNDERIVED: dict[str, Callable[[Any, Any], Any]] = {
    "unique": lambda lib, x: lib.unique(x),
    "unique of rows": lambda lib, x: lib.unique(x.reshape(2, 2), dim=0, return_counts=True)[0],
    "unique_consecutive": lambda lib, x: lib.unique_consecutive(x, return_inverse=True)[0],
    "bincount": lambda lib, x: lib.bincount(lib.tensor([0, 1, 1, 2]), x),
    "histogram": lambda lib, x: lib.histogram(x, 4, range=(0.0, 4.0)).hist,
}


@pytest.mark.parametrize("name", UNDERIVED)
def test_a_gradient_is_not_dropped_in_silence(name: str) -> None:
    def refuses(lib: Any) -> Any:
        x = lib.tensor([1.0, 3.0, 1.0, 2.0], requires_grad=True)
        y = UNDERIVED[name](lib, x)
        try:
            (y.sum() + x.sum()).backward()
        except RuntimeError as error:
            return [y.requires_grad, "is not implemented" in str(error), UNDERIVED[name](lib, x.detach())]
        return "went through"

    same(refuses)


def handles_and_hooks_that_are_not_saved(lib: Any) -> Any:
    hooks = importlib.import_module(f"{lib.__name__}.utils.hooks")
    x = lib.ones(2, requires_grad=True)
    handle = x.register_hook(lambda grad: grad)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        hooks.warn_if_has_hooks(x)
        handle.remove()
        x.register_hook(hooks.unserializable_hook(lambda grad: grad))
        hooks.warn_if_has_hooks(x)
    return [isinstance(handle, hooks.RemovableHandle), [each.category.__name__ for each in seen]]


def the_layout_policy_is_a_context_and_a_function(lib: Any) -> Any:
    x = lib.ones(2, requires_grad=True)
    with lib.autograd.enforce_grad_layout_policy(False):
        (x * 2).sum().backward()
    lib.autograd.enforce_grad_layout_policy(True)
    return x.grad


def shared_storage_is_marked_with_a_warning(lib: Any) -> Any:
    class Double(lib.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x * 2
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                ctx.mark_shared_storage((x, y))
            ctx.seen = [each.category.__name__ for each in seen]
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    y = Double.apply(lib.ones(2, requires_grad=True))
    return y.grad_fn.seen


def a_budget_is_for_compilers(lib: Any) -> Any:
    try:
        with lib.autograd.graph.region_activation_memory_budget(0.5):
            return "entered"
    except RuntimeError:
        return "refused"


def streams_may_be_overridden(lib: Any) -> Any:
    return lib.autograd.graph.set_override_stale_capture_stream(False)


def what_vmap_wraps_can_be_looked_at(lib: Any) -> Any:
    seen = []

    def look(x: Any) -> Any:
        seen.append(tuple(lib.func.debug_unwrap(x).shape))
        return x

    lib.vmap(lib.vmap(look))(lib.ones(2, 3, 4))
    return [seen, lib.func.debug_unwrap(lib.ones(2))]


SAME = [
    handles_and_hooks_that_are_not_saved,
    the_layout_policy_is_a_context_and_a_function,
    shared_storage_is_marked_with_a_warning,
    a_budget_is_for_compilers,
    streams_may_be_overridden,
    what_vmap_wraps_can_be_looked_at,
]


@pytest.mark.parametrize("program", SAME, ids=lambda program: program.__name__)
def test_it_is_the_same(program: Callable[[Any], Any]) -> None:
    same(program)


def test_batched_forward_gradients_are_looked_at() -> None:
    """Of a function of one input, too, whose result requires no gradient while it is pushed."""
    seen = []

    class Wrong(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            seen.append(x.requires_grad)
            return x * 2

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            many = type(t._array).__name__ == "Batch"
            return t * (3 if many else 2)

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * 2

    x = mg.ones(2, dtype=mg.float64, requires_grad=True)
    options = {"check_forward_ad": True, "check_batched_forward_grad": True}
    with pytest.raises(mg.autograd.GradcheckError, match="batched forward gradient"):
        mg.autograd.gradcheck(Wrong.apply, x, **options)


def events_of_two_threads(lib: Any) -> Any:
    util = importlib.import_module(f"{lib.__name__}.autograd.profiler_util")
    ranges = [(1, 0, 1), (1, 1, 2), (0, 0, 2), (0, 1, 2), (0, 1, 3)]
    events = util.EventList(
        [
            util.FunctionEvent(id=number, name=f"e{number}", thread=thread, start_us=start, end_us=end)
            for number, (thread, start, end) in enumerate(ranges)
        ]
    )
    events._populate_cpu_children()
    return [
        [[child.id for child in each.cpu_children] for each in events],
        [(each.cpu_time_total_str, each.time_range.elapsed_us(), each.device_time_total) for each in events],
    ]


def a_profile_knows_that_it_runs(lib: Any) -> Any:
    with lib.autograd.profiler.profile():
        inside = lib.autograd._profiler_enabled()
    return [inside, lib.autograd._profiler_enabled()]


@pytest.mark.parametrize("program", [events_of_two_threads, a_profile_knows_that_it_runs])
def test_profiles_are_asked_alike(program: Callable[[Any], Any]) -> None:
    same(program)

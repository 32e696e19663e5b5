"""Checkpointing saves memory by more computation: the tensors a region saves for backward are dropped and recomputed.

>>> import minigrad as mg
>>> from minigrad.utils.checkpoint import checkpoint
>>> x = mg.ones(3, requires_grad=True)
>>> y = checkpoint(lambda t: (t * 2).exp(), x, use_reentrant=False)
>>> y.sum().backward()
>>> x.grad
tensor([14.7781, 14.7781, 14.7781])

There are two kinds. ``use_reentrant=False``: forward records as usual, but a saved-tensor hook keeps only a placeholder
for each saved tensor. When backward needs the first one, the region runs again and fills all of them (by default it
stops after the last). ``use_reentrant=True``: the region is one Function. Its forward records nothing; its backward
runs the region again, and a nested backward through it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ...amp.autocast import as_now
from ...core.state import STATE
from ...core.tensor import Tensor
from ...errors import ArgumentError, GradError
from ...ops.random.generator import keep_states
from .placeholders import CheckpointError, GraphExecGroup, Inputs, Region, saving_placeholders
from .random_state import get_device_states, same_random_numbers, set_device_states
from .reentrant import CheckpointFunction
from .selective import CheckpointPolicy, SelectiveCheckpointContext, create_selective_checkpoint_contexts

__all__ = [
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
    "set_device_states",
]


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `inputs` detached from the graph; each still requires a gradient if it did."""
    if not isinstance(inputs, tuple):
        raise GradError(f"Only tuple of tensors is supported. Got Unsupported input type: {type(inputs).__name__}")
    return tuple(
        each.detach().requires_grad_(each.requires_grad) if isinstance(each, Tensor) else each for each in inputs
    )


def check_backward_validity(inputs: Sequence[Any]) -> None:
    """Warn if no input requires a gradient: then backward computes none."""
    if not any(each.requires_grad for each in inputs if isinstance(each, Tensor)):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", UserWarning, stacklevel=2)


Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]


class _Settings:
    """Settings of the two contexts below; None means that the arguments of `checkpoint` hold."""

    early_stop: bool | None = None
    debug: bool | None = None


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """Return the default contexts of the two runs, which do nothing."""
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Set whether errors of checkpoints inside list what each run saved; None leaves that to their argument `debug`."""
    before, _Settings.debug = _Settings.debug, enabled
    try:
        yield
    finally:
        _Settings.debug = before


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Set whether the second run of checkpoints inside stops once all needed tensors are recomputed (the default).

    It overrides the argument `early_stop`.
    """
    before, _Settings.early_stop = _Settings.early_stop, enable
    try:
        yield
    finally:
        _Settings.early_stop = before


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Contexts = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    preserve_rng_state: bool = True,
    **kwargs: Any,
) -> Any:
    """Call ``function(*args, **kwargs)`` and save only its inputs; backward runs it again.

    The second run draws the same random numbers, unless `preserve_rng_state` is False. `determinism_check` "default"
    compares shapes, dtypes and devices of what the two runs save; "none" does not. With `debug` the error lists them,
    and the ops of both runs. `context_fn` returns two contexts, one for each run.
    """
    if use_reentrant is None:
        warnings.warn(
            "minigrad.utils.checkpoint: the use_reentrant parameter should be passed explicitly. use_reentrant=False "
            "is recommended; True is what you get without it.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ArgumentError(
                "Unexpected keyword arguments: " + ",".join(kwargs) + " (use_reentrant=False takes them)"
            )
        if context_fn is not noop_context_fn or debug:
            raise ArgumentError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    early_stop = early_stop if _Settings.early_stop is None else _Settings.early_stop
    debug = debug if _Settings.debug is None else _Settings.debug
    return _recording(function, args, kwargs, context_fn, determinism_check, early_stop, preserve_rng_state, debug)


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run a sequence of functions (or a Sequential) in `segments` parts; all but the last are checkpointed."""
    if use_reentrant is None:
        warnings.warn(
            "minigrad.utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    unknown = kwargs.keys() - {"preserve_rng_state"}
    if unknown:
        raise ArgumentError("Unexpected keyword arguments: " + ",".join(sorted(unknown)))
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(steps) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(_Segment(steps[start : start + size]), input, use_reentrant=use_reentrant, **kwargs)
    return _Segment(steps[last:])(input)


class _Segment:
    """Calls several functions, one after the other."""

    def __init__(self, steps: Sequence[Callable[[Any], Any]]) -> None:
        self.steps = steps

    def __call__(self, value: Any) -> Any:
        for step in self.steps:
            value = step(value)
        return value


def _recording(
    function: Any,
    args: Any,
    kwargs: Any,
    context_fn: Contexts,
    determinism_check: str,
    early_stop: bool,
    preserve: bool,
    debug: bool,
) -> Any:
    checks = {"default": True, "none": False}
    if determinism_check not in checks:
        raise ArgumentError(f"determinism_check should be one of {list(checks)}, but got {determinism_check!r}")
    first, second = context_fn()
    if not STATE.mode.grad:
        with first:
            return function(*args, **kwargs)
    rng = keep_states() if preserve else None
    inputs, same_autocast = Inputs(args), as_now()

    def again() -> Any:
        with same_random_numbers(rng), same_autocast(), second:
            function(*inputs.back(), **kwargs)

    region = Region(again, early_stop, checks[determinism_check], debug)
    try:
        with saving_placeholders(region), region.noting(0), first:
            return function(*args, **kwargs)
    finally:
        region.complete = True

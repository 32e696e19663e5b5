"""Checkpointing: less memory for more computing. What a region saves for backward is thrown away and computed again.

>>> import minigrad as mg
>>> from minigrad.utils.checkpoint import checkpoint
>>> x = mg.ones(3, requires_grad=True)
>>> y = checkpoint(lambda t: (t * 2).exp(), x, use_reentrant=False)
>>> y.sum().backward()
>>> x.grad
tensor([14.7781, 14.7781, 14.7781])

There are two kinds. ``use_reentrant=False``: forward records as usual, but a saved-tensor hook keeps only a placeholder
for each saved tensor; the first one that backward asks for runs the region again and fills them all (or stops as soon
as the last is there). ``use_reentrant=True``: the region is one Function, whose forward records nothing and whose
backward runs the region again, with its own backward inside.
"""

from __future__ import annotations

import enum
import warnings
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..autograd.function import Function
from ..autograd.graph import saved_tensors_hooks
from ..core.differentiate import backward
from ..core.grad_mode import STATE, enable_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError, GradError
from ..ops.random import get_rng_state, set_rng_state

Contexts = Callable[[], tuple[AbstractContextManager[Any], AbstractContextManager[Any]]]


class CheckpointError(GradError):
    """The second run of a region did not save what the first one saved."""


class _Settings:
    early_stop = True
    debug: bool | None = None


def noop_context_fn() -> tuple[AbstractContextManager[Any], AbstractContextManager[Any]]:
    """The default contexts of the two runs: none."""
    return nullcontext(), nullcontext()


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether the second run of regions entered inside stops as soon as everything needed is there (the default)."""
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
    """``function(*args, **kwargs)``, saving only its inputs for backward, which runs it again.

    Random numbers come out the same the second time, unless `preserve_rng_state` is off. `determinism_check` "default"
    compares shapes, dtypes and devices of what the two runs save; "none" does not. `context_fn` makes a context for
    each run.
    """
    if use_reentrant is None:
        warnings.warn(
            "utils.checkpoint: the use_reentrant parameter should be passed explicitly. use_reentrant=False is "
            "recommended; True is what you get without it.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    if use_reentrant:
        if kwargs:
            raise ArgumentError("Unexpected keyword arguments: " + ",".join(kwargs) + " (use_reentrant=False takes them)")
        if context_fn is not noop_context_fn or debug:
            raise ArgumentError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve_rng_state, *args)
    return _recording(
        function, args, kwargs, context_fn, determinism_check, _Settings.early_stop and early_stop, preserve_rng_state
    )


def checkpoint_sequential(
    functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any
) -> Any:
    """Run a sequence of functions (or a Sequential) in `segments` pieces, all but the last checkpointed."""
    if use_reentrant is None:
        warnings.warn(
            "utils.checkpoint.checkpoint_sequential: the use_reentrant parameter should be passed explicitly.",
            UserWarning,
            stacklevel=2,
        )
        use_reentrant = True
    steps = list(functions.children()) if hasattr(functions, "children") else list(functions)
    size = len(steps) // segments
    last = size * (segments - 1)
    for start in range(0, last, size):
        input = checkpoint(_Segment(steps[start : start + size]), input, use_reentrant=use_reentrant, **kwargs)
    return _Segment(steps[last:])(input)


class _Segment:
    """Some functions, one after the other."""

    def __init__(self, steps: Sequence[Callable[[Any], Any]]) -> None:
        self.steps = steps

    def __call__(self, value: Any) -> Any:
        for step in self.steps:
            value = step(value)
        return value


# One Function: use_reentrant=True -----------------------------------------------------------------------------------------


class CheckpointFunction(Function):
    """The region as one op. Its backward runs a backward of its own, which is why ``grad()`` cannot be served."""

    @staticmethod
    def forward(ctx: Any, function: Any, preserve: bool, *args: Any) -> Any:
        ctx.function, ctx.rng = function, get_rng_state() if preserve else None
        ctx.places = [i for i, each in enumerate(args) if isinstance(each, Tensor)]
        ctx.others = [None if isinstance(each, Tensor) else each for each in args]
        ctx.save_for_backward(*(args[i] for i in ctx.places))
        return function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        if STATE.passes[-1].captures is not None:
            raise GradError(
                "When use_reentrant=True, utils.checkpoint is incompatible with .grad() or passing an `inputs` "
                "parameter to .backward(). To resolve this error, you can either set use_reentrant=False, or call "
                ".backward() without passing the `inputs` argument."
            )
        args = list(ctx.others)
        for place, tensor in zip(ctx.places, ctx.saved_tensors, strict=True):
            args[place] = tensor.detach().requires_grad_(tensor.requires_grad)
        with _same_random_numbers(ctx.rng), enable_grad():
            outputs = ctx.function(*args)
        pairs = [
            (out, grad)
            for out, grad in zip(outputs if isinstance(outputs, tuple) else (outputs,), grads, strict=True)
            if isinstance(out, Tensor) and out.requires_grad
        ]
        if not pairs:
            raise GradError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([out for out, _ in pairs], [grad for _, grad in pairs])
        return (None, None, *(each._grad if isinstance(each, Tensor) else None for each in args))


@contextmanager
def _same_random_numbers(state: Any) -> Iterator[None]:
    """Inside, random numbers come as they came from `state` on; afterwards the generator is where it was."""
    if state is None:
        yield
        return
    before = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(before)


# Placeholders: use_reentrant=False ----------------------------------------------------------------------------------------


class _Placeholder:
    """Stands in the graph for a saved tensor that was thrown away."""

    __slots__ = ("looks", "__weakref__")

    def __init__(self, tensor: Tensor) -> None:
        self.looks = _looks(tensor)


def _looks(tensor: Tensor) -> tuple[Any, ...]:
    return (tuple(tensor.shape), tensor.dtype, str(tensor.device))


class _Enough(Exception):
    """Ends the second run: everything that was needed is there."""


class _Region:
    """One call of a checkpointed function: its placeholders, and how to run it again."""

    def __init__(self, again: Callable[[], Any], early_stop: bool, check: bool) -> None:
        self.again = again
        self.early_stop = early_stop
        self.check = check
        self.placeholders: list[weakref.ref[_Placeholder]] = []
        self.found: dict[int, weakref.WeakKeyDictionary[_Placeholder, Tensor]] = {}

    def pack(self, tensor: Tensor) -> _Placeholder:
        """First run: keep nothing but a placeholder."""
        placeholder = _Placeholder(tensor)
        self.placeholders.append(weakref.ref(placeholder))
        return placeholder

    def unpack(self, placeholder: _Placeholder) -> Tensor:
        """Backward asks: run again, once a backward, and hand over what stands for this placeholder."""
        number = STATE.passes[-1].number if STATE.passes else -1
        if number not in self.found or number == -1:
            self.run_again(number)
        tensor = self.found[number].pop(placeholder, None)
        if tensor is None:
            raise CheckpointError(
                "checkpoint: unpack is being triggered for a tensor that was already unpacked once. If you are calling "
                "ctx.saved_tensors in backward, make sure to do so only once, or the second run saved fewer tensors."
            )
        return tensor

    def run_again(self, number: int) -> None:
        """The second run, collecting what it saves."""
        found = self.found[number] = weakref.WeakKeyDictionary()
        count = 0

        def collect(tensor: Tensor) -> Tensor:
            nonlocal count
            placeholder = self.placeholders[count]() if count < len(self.placeholders) else None
            count += 1
            kept = tensor.detach()
            if placeholder is not None:
                self.compare(count - 1, placeholder, tensor)
                found[placeholder] = kept
            if self.early_stop and count == len(self.placeholders):
                raise _Enough
            return kept

        with saved_tensors_hooks(collect, lambda tensor: tensor), enable_grad():
            try:
                self.again()
            except _Enough:
                return
        if count != len(self.placeholders) and self.check:
            raise CheckpointError(
                "checkpoint: A different number of tensors was saved during the original forward and recomputation. "
                f"Number of tensors saved during forward: {len(self.placeholders)}. "
                f"Number of tensors saved during recomputation: {count}. Is the function deterministic?"
            )

    def compare(self, index: int, placeholder: _Placeholder, tensor: Tensor) -> None:
        """The two runs must save tensors that look alike."""
        if self.check and placeholder.looks != _looks(tensor):
            raise CheckpointError(
                "checkpoint: Recomputed values for the following tensors have different metadata than during the "
                f"forward pass. Tensor at position {index}: saved metadata {placeholder.looks}, "
                f"recomputed metadata {_looks(tensor)}. Is the function deterministic?"
            )


class _KeepInputs(Function):
    """Saves the inputs of a region the way any node saves tensors, so that an outer checkpoint can drop them too."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.save_for_backward(*tensors)
        return tensors[0].new_empty(0)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise GradError("nothing flows back through the keeper of a checkpoint's inputs")


def _recording(
    function: Any, args: Any, kwargs: Any, context_fn: Contexts, determinism_check: str, early_stop: bool, preserve: bool
) -> Any:
    checks = {"default": True, "none": False}
    if determinism_check not in checks:
        raise ArgumentError(f"determinism_check should be one of {list(checks)}, but got {determinism_check!r}")
    first, second = context_fn()
    if not STATE.grad:
        with first:
            return function(*args, **kwargs)
    rng = get_rng_state() if preserve else None
    inputs = _Inputs(args)

    def again() -> Any:
        with _same_random_numbers(rng), second:
            function(*inputs.back(), **kwargs)

    region = _Region(again, early_stop, checks[determinism_check])
    with saved_tensors_hooks(region.pack, region.unpack), first:
        return function(*args, **kwargs)


class _Inputs:
    """The arguments of a region: tensors saved in a node, the rest as they are."""

    def __init__(self, args: Sequence[Any]) -> None:
        self.args = [None if isinstance(each, Tensor) else each for each in args]
        self.places = [i for i, each in enumerate(args) if isinstance(each, Tensor)]
        self.wants = [args[i].requires_grad for i in self.places]
        tensors = [args[i] for i in self.places]
        self.keeper = None
        if any(self.wants):
            self.keeper = _KeepInputs.apply(*tensors).grad_fn
        else:
            self.plain = tensors

    def back(self) -> list[Any]:
        """The arguments again, cut off from the graph outside."""
        args = list(self.args)
        tensors = self.keeper.saved_tensors if self.keeper is not None else self.plain
        for place, tensor, wanted in zip(self.places, tensors, self.wants, strict=True):
            args[place] = tensor.detach().requires_grad_(wanted)
        return args


# Selective ----------------------------------------------------------------------------------------------------------------


class CheckpointPolicy(enum.Enum):
    """What a policy may say of an op: keep its result, or compute it again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3


SAVES = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, True)


class SelectiveCheckpointContext:
    """What a policy is told about the run it is asked in."""

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


class _Selecting:
    """An interpreter that runs every op as usual, keeping (or, the second time, reusing) the results the policy names."""

    def __init__(self, policy: Callable[..., Any], kept: list[Any], is_recompute: bool) -> None:
        self.policy = policy
        self.kept = kept
        self.context = SelectiveCheckpointContext(is_recompute=is_recompute)

    def __enter__(self) -> None:
        if self.context.is_recompute:
            self.waiting = list(self.kept)
        STATE.interpreters.append(self)
        STATE.update()

    def __exit__(self, *exception: Any) -> None:
        STATE.interpreters.remove(self)
        STATE.update()

    @contextmanager
    def _outside(self) -> Iterator[None]:
        top = STATE.interpreters.pop()
        STATE.update()
        try:
            yield
        finally:
            STATE.interpreters.append(top)
            STATE.update()

    def interpret(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        with self._outside():
            if self.policy(self.context, type(op), *inputs) not in SAVES:
                return op(*inputs)
            if self.context.is_recompute:
                return _Replayed(op, self.waiting.pop(0))(*inputs)
            result = op(*inputs)
            several = isinstance(result, tuple)
            self.kept.append(tuple(r._array for r in result) if several else result._array)
            return result

    def interpret_inplace(self, op: Any, target: Tensor, others: tuple[Any, ...]) -> Tensor:
        from ..core.inplace import inplace

        with self._outside():
            return inplace(op, target, *others)

    def interpret_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        with self._outside():
            return function.apply(*args)


def _Replayed(op: Any, result: Any) -> Any:  # noqa: N802 - reads as a noun where it is used
    """`op`, with its result known already."""
    op.forward = lambda xp, *arrays: result
    return op


def create_selective_checkpoint_contexts(policy: Any) -> tuple[Any, Any]:
    """Contexts for `checkpoint`'s `context_fn`: keep the results that `policy` names, compute the others again.

    `policy` is a list of ops (classes) to keep, or a function ``(ctx, op, *inputs) -> CheckpointPolicy``.
    """
    if not callable(policy):
        chosen = set(policy)

        def by_list(context: Any, op: Any, *inputs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in chosen else CheckpointPolicy.PREFER_RECOMPUTE

        policy = by_list
    kept: list[Any] = []
    return _Selecting(policy, kept, False), _Selecting(policy, kept, True)

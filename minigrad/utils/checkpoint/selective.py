"""Selective checkpointing: keep the results of some ops of a region, and recompute the others."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable
from typing import Any

from ...core.inplace import inplace
from ...core.interpreter import Interpreter
from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError, GradError
from ...ops.aten import OpOverload, OpOverloadPacket, overload_of


class CheckpointPolicy(enum.Enum):
    """The answers of a policy about an op: save its result, or recompute it. Offloading saves, too: this is the CPU."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


SAVES = (
    CheckpointPolicy.MUST_SAVE,
    CheckpointPolicy.PREFER_SAVE,
    CheckpointPolicy.MUST_CPU_OFFLOAD,
    CheckpointPolicy.PREFER_CPU_OFFLOAD,
    True,
)


class SelectiveCheckpointContext:
    """The first argument of a policy: `op_output` is what the op returned.

    `is_recompute` is always False: a policy is called only in the first run.
    """

    def __init__(self, *, is_recompute: bool, op_output: Any = None) -> None:
        self.is_recompute = is_recompute
        self.op_output = op_output


class _Selecting(Interpreter):
    """Runs every op as usual, and keeps (in the second run: reuses) the results that the policy selects.

    The policy is called in the first run only; the second run follows its answers.
    """

    def __init__(self, policy: Callable[..., Any], kept: list[Any], is_recompute: bool, mutable: bool) -> None:
        self.policy = policy
        self.kept = kept
        self.mutable = mutable
        self.is_recompute = is_recompute

    def __enter__(self) -> Any:
        self.waiting = list(self.kept)
        return super().__enter__()

    def run(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        if self.is_recompute:
            known = self.waiting.pop(0) if self.waiting else None
            return op(*inputs) if known is None else replayed(op, known.result(self.mutable))(*inputs)
        result = op(*inputs)
        context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
        chosen = self.policy(context, overload_of(op, inputs), *inputs) in SAVES
        self.kept.append(_Kept(result) if chosen else None)
        return result

    def run_inplace(self, op: Any, target: Tensor, others: tuple[Any, ...]) -> Tensor:
        return inplace(op, target, *others)

    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        return function.apply(*args)


class _Kept:
    """The result of an op, and the versions that its tensors had then."""

    def __init__(self, result: Any) -> None:
        self.several = isinstance(result, tuple)
        results = result if self.several else (result,)
        self.arrays = tuple(each._array for each in results)
        self.storages = tuple(each._storage for each in results)
        self.versions = tuple(each.version for each in self.storages)

    def result(self, mutable: bool) -> Any:
        """Return the arrays. GradError if they were changed in place, unless `mutable`."""
        if not mutable and any(s.version != v for s, v in zip(self.storages, self.versions, strict=True)):
            raise GradError(
                "Tensor cached during selective activation checkpoint has been mutated: an in-place op changed it after"
                " it was kept. Use the op without the underscore, or pass allow_cache_entry_mutation=True."
            )
        return self.arrays if self.several else self.arrays[0]


def replayed(op: Any, result: Any) -> Any:
    """Return a copy of `op` that returns `result` without computing."""
    kind: Any = type(op)
    known = _replaying(kind)(*[getattr(op, name) for name in op.settings])
    known.result = result
    return known


@functools.cache
def _replaying(kind: Any) -> Any:
    """Return a subclass of the op class `kind` that returns its attribute `result` without computing."""
    body = {"forward": _known, "__module__": kind.__module__, "__slots__": ("result",)}
    return types.new_class(kind.__name__, (kind,), {"abstract": True}, lambda members: members.update(body))


def _known(self: Any, xp: Any, *arrays: Any) -> Any:
    return self.result


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Return contexts for `checkpoint`'s `context_fn`: keep the results that the policy selects, recompute the others.

    The policy is a list of ops to keep, or a function ``(ctx, op, *inputs) -> CheckpointPolicy``. An op is named as in
    PyTorch, ``minigrad.ops.aten.mm.default``, or by its class; both are equal to the `op` that the function gets. If an
    in-place op changes a kept result afterwards, backward raises GradError; with `allow_cache_entry_mutation` it uses
    the changed result.
    """
    policy = policy_fn_or_list
    if not callable(policy):
        if not isinstance(policy, (list, tuple, set)):
            raise ArgumentTypeError("policy_fn_or_list must be either a function or a list of ops.")
        for each in policy:
            if isinstance(each, OpOverloadPacket):
                raise ArgumentError(
                    f"Please update the OpOverloadPacket to a specific OpOverload: got {each}, where an OpOverload such"
                    f" as {each}.default was expected."
                )
            if not isinstance(each, (type, OpOverload)):
                raise ArgumentError(
                    f"Expected op in `op_list` to be an OpOverload but got: {each} of type {type(each)}. "
                    "Name it minigrad.ops.aten.exp.default, or give the class minigrad.exp.op."
                )
        chosen = list(policy)

        def by_list(context: Any, op: Any, *inputs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in chosen else CheckpointPolicy.PREFER_RECOMPUTE

        policy = by_list
    kept: list[Any] = []
    mutable = allow_cache_entry_mutation
    return _Selecting(policy, kept, False, mutable), _Selecting(policy, kept, True, mutable)

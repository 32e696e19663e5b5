"""Keeping the results of some ops of a region, and computing the others again."""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Callable
from typing import Any

from ...core.inplace import inplace
from ...core.interpreter import Interpreter
from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError
from ...ops.aten import OpOverload, overload_of


class CheckpointPolicy(enum.Enum):
    """A policy's answers about an op: keep its result, or compute it again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3


SAVES = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, True)


class SelectiveCheckpointContext:
    """A policy's knowledge of the run in which it is called."""

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


class _Selecting(Interpreter):
    """Runs every op as usual, keeping (or, the second time, reusing) the results that the policy names.

    The policy is asked in the first run only; the second does as was decided then.
    """

    def __init__(self, policy: Callable[..., Any], kept: list[Any], is_recompute: bool) -> None:
        self.policy = policy
        self.kept = kept
        self.context = SelectiveCheckpointContext(is_recompute=is_recompute)

    def __enter__(self) -> Any:
        self.waiting = list(self.kept)
        return super().__enter__()

    def run(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        if self.context.is_recompute:
            known = self.waiting.pop(0) if self.waiting else None
            return op(*inputs) if known is None else replayed(op, known)(*inputs)
        chosen = self.policy(self.context, overload_of(op, inputs), *inputs) in SAVES
        result = op(*inputs)
        several = isinstance(result, tuple)
        self.kept.append((tuple(each._array for each in result) if several else result._array) if chosen else None)
        return result

    def run_inplace(self, op: Any, target: Tensor, others: tuple[Any, ...]) -> Tensor:
        return inplace(op, target, *others)

    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        return function.apply(*args)


def replayed(op: Any, result: Any) -> Any:
    """`op`, with its result known already."""
    kind: Any = type(op)
    known = _replaying(kind)(*[getattr(op, name) for name in op.settings])
    known.result = result
    return known


@functools.cache
def _replaying(kind: Any) -> Any:
    """The class of ops like those of `kind`, which do not compute but return the `result` that they were given."""
    body = {"forward": _known, "__module__": kind.__module__, "__slots__": ("result",)}
    return types.new_class(kind.__name__, (kind,), {"abstract": True}, lambda members: members.update(body))


def _known(self: Any, xp: Any, *arrays: Any) -> Any:
    return self.result


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Contexts for `checkpoint`'s `context_fn`: keep the results that the policy names, compute the others again.

    The policy is a list of ops to keep, or a function ``(ctx, op, *inputs) -> CheckpointPolicy``. An op is named as in
    PyTorch, ``minigrad.ops.aten.mm.default``, or by its class; both equal the `op` that a function is asked about. Kept
    results may be changed in place afterwards, whatever `allow_cache_entry_mutation` says.
    """
    policy = policy_fn_or_list
    if not callable(policy):
        if not isinstance(policy, (list, tuple, set)):
            raise ArgumentTypeError("policy_fn_or_list must be either a function or a list of ops.")
        for each in policy:
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
    return _Selecting(policy, kept, False), _Selecting(policy, kept, True)

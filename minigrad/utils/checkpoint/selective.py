"""Keeping the results of some ops of a region, and computing the others again."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from ...core.inplace import inplace
from ...core.interpreter import Interpreter
from ...core.tensor import Tensor
from ...errors import ArgumentError, ArgumentTypeError


class CheckpointPolicy(enum.Enum):
    """What a policy may say of an op: keep its result, or compute it again."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3


SAVES = (CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE, True)


class SelectiveCheckpointContext:
    """What a policy knows about the run in which it is called."""

    def __init__(self, *, is_recompute: bool) -> None:
        self.is_recompute = is_recompute


class _Selecting(Interpreter):
    """Runs every op as usual, keeping (or, the second time, reusing) the results that the policy names."""

    def __init__(self, policy: Callable[..., Any], kept: list[Any], is_recompute: bool) -> None:
        self.policy = policy
        self.kept = kept
        self.context = SelectiveCheckpointContext(is_recompute=is_recompute)

    def __enter__(self) -> Any:
        self.waiting = list(self.kept)
        return super().__enter__()

    def run(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        if self.policy(self.context, type(op), *inputs) not in SAVES:
            return op(*inputs)
        if self.context.is_recompute:
            return replayed(op, self.waiting.pop(0))(*inputs)
        result = op(*inputs)
        several = isinstance(result, tuple)
        self.kept.append(tuple(each._array for each in result) if several else result._array)
        return result

    def run_inplace(self, op: Any, target: Tensor, others: tuple[Any, ...]) -> Tensor:
        return inplace(op, target, *others)

    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        return function.apply(*args)


def replayed(op: Any, result: Any) -> Any:
    """`op`, with its result known already."""
    op.forward = lambda xp, *arrays: result
    return op


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Any, allow_cache_entry_mutation: bool = False
) -> tuple[Any, Any]:
    """Contexts for `checkpoint`'s `context_fn`: keep the results that the policy names, compute the others again.

    The policy is a list of ops (classes) to keep, or a function ``(ctx, op, *inputs) -> CheckpointPolicy``. Kept
    results may be changed in place afterwards, whatever `allow_cache_entry_mutation` says.
    """
    policy = policy_fn_or_list
    if not callable(policy):
        if not isinstance(policy, (list, tuple, set)):
            raise ArgumentTypeError("policy_fn_or_list must be either a function or a list of ops.")
        for each in policy:
            if not isinstance(each, type):
                raise ArgumentError(
                    f"Expected op in `op_list` to be an OpOverload but got: {each} of type {type(each)}. "
                    "Here an op is a class: minigrad.ops.elementwise.exponential.Exp, or minigrad.exp.op."
                )
        chosen = set(policy)

        def by_list(context: Any, op: Any, *inputs: Any) -> CheckpointPolicy:
            return CheckpointPolicy.MUST_SAVE if op in chosen else CheckpointPolicy.PREFER_RECOMPUTE

        policy = by_list
    kept: list[Any] = []
    return _Selecting(policy, kept, False), _Selecting(policy, kept, True)

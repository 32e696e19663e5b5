"""``use_reentrant=False``: placeholders in place of saved tensors, filled by a second run."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ...autograd.function import Function
from ...autograd.graph import saved_tensors_hooks
from ...autograd.profiler import op_name
from ...core.grad_mode import enable_grad
from ...core.state import STATE
from ...core.tensor import Tensor
from ...errors import GradError
from ...events import OpEntered, listening


class CheckpointError(GradError):
    """The second run of a region did not save what the first one saved."""


class _Placeholder:
    """Replaces a saved tensor in the graph."""

    __slots__ = ("looks", "__weakref__")

    def __init__(self, tensor: Tensor) -> None:
        self.looks = _looks(tensor)


def _looks(tensor: Tensor) -> tuple[Any, ...]:
    return (tuple(tensor.shape), tensor.dtype, str(tensor.device))


class _Enough(Exception):
    """Ends the second run: all needed tensors are recomputed."""


class GraphExecGroup:
    """A context for several backward calls through one graph: each region runs again only once for all of them.

    CheckpointError if two calls need the same saved tensor. Groups do not nest.
    """

    def __enter__(self) -> GraphExecGroup:
        if _GROUPS.inside is not None:
            raise GradError(f"GraphExecGroup contexts cannot be nested. Already inside group {_GROUPS.inside}")
        _GROUPS.inside = self
        return self

    def __exit__(self, *exception: Any) -> None:
        _GROUPS.inside = None


class _Groups(threading.local):
    """The group that this thread is in, or None."""

    inside: GraphExecGroup | None = None


_GROUPS = _Groups()


class Region:
    """One call of a checkpointed function: its placeholders, and how to run it again."""

    def __init__(self, again: Callable[[], Any], early_stop: bool, check: bool, debug: bool) -> None:
        self.again = again
        self.early_stop = early_stop
        self.check = check
        self.debug = debug
        self.complete = False
        """Whether the first run has ended: a gradient computed inside the region needs the second run before that."""
        self.saved: list[tuple[Any, ...]] = []
        """The shape, dtype and device of each tensor that the first run saved; for `debug` only."""
        self.ops: tuple[list[str], list[str]] = ([], [])
        """The names of the ops of the first and the second run, for `debug` only."""
        self.placeholders: list[weakref.ref[_Placeholder]] = []
        self.found: dict[Any, weakref.WeakKeyDictionary[_Placeholder, Tensor]] = {}

    def pack(self, tensor: Tensor) -> _Placeholder:
        """In the first run: return a placeholder for the tensor."""
        placeholder = _Placeholder(tensor)
        self.placeholders.append(weakref.ref(placeholder))
        if self.debug:
            self.saved.append(placeholder.looks)
        return placeholder

    def noting(self, run: int) -> AbstractContextManager[None]:
        """With `debug`, record the names of the ops of a run: 0 is the first, 1 the second."""
        if not self.debug:
            return nullcontext()
        ops, thread = self.ops[run], threading.get_ident()
        ops.clear()

        def note(event: Any) -> None:
            if isinstance(event, OpEntered) and threading.get_ident() == thread:
                ops.append(op_name(event.op))

        return listening(note)

    def unpack(self, placeholder: _Placeholder) -> Tensor:
        """In backward: return the tensor for this placeholder. The region runs again once per backward."""
        number: Any = STATE.mode.passes[-1].number if STATE.mode.passes else -1
        number = _GROUPS.inside or number
        if number not in self.found or number == -1:
            self.run_again(number)
        tensor = self.found[number].pop(placeholder, None)
        if tensor is None:
            raise CheckpointError(
                "minigrad.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. Two "
                "backward calls of one GraphExecGroup may not need the same saved tensor. If you are calling "
                "ctx.saved_tensors in backward, make sure to do so only once."
            )
        return tensor

    def run_again(self, number: Any) -> None:
        """Run the region again, and collect what it saves."""
        found = self.found[number] = weakref.WeakKeyDictionary()
        wanted, check = len(self.placeholders), self.check and self.complete
        looks: list[tuple[Any, ...]] = []

        def collect(tensor: Tensor) -> Tensor:
            index = len(looks)
            looks.append(_looks(tensor))
            if index >= wanted and check:
                raise self.differs(
                    "trying to save more tensors during recomputation than during the original forward pass", looks
                )
            kept = tensor.detach() if tensor.requires_grad else tensor
            placeholder = self.placeholders[index]() if index < wanted else None
            if placeholder is not None:
                if self.check and placeholder.looks != looks[-1]:
                    raise self.differs(
                        "Recomputed values for the following tensors have different metadata than during the forward "
                        f"pass. Tensor at position {index}: saved metadata: {placeholder.looks}, recomputed metadata: "
                        f"{looks[-1]}",
                        looks,
                    )
                found[placeholder] = kept
            if self.early_stop and index + 1 == wanted:
                raise _Enough
            return kept

        with saved_tensors_hooks(collect, lambda tensor: tensor), enable_grad(), self.noting(1):
            try:
                self.again()
            except _Enough:
                return
        if len(looks) != wanted and check:
            raise self.differs(
                "A different number of tensors was saved during the original forward and recomputation. Number of "
                f"tensors saved during forward: {wanted}. Number of tensors saved during recomputation: {len(looks)}",
                looks,
            )

    def differs(self, how: str, looks: Sequence[Any]) -> CheckpointError:
        """Return the error for a second run that did not save what the first one saved."""
        if not self.debug:
            return CheckpointError(
                f"minigrad.utils.checkpoint: {how}. Is the function deterministic? With debug=True the error lists "
                "what each run saved."
            )
        first = "".join(f"\n  {i}: {each}" for i, each in enumerate(self.saved))
        second = "".join(f"\n  {i}: {each}" for i, each in enumerate(looks))
        return CheckpointError(
            f"minigrad.utils.checkpoint: {how}.\nYou are seeing this error because you passed `debug=True` to "
            f"checkpoint.\nThe first run saved, in order:{first}\nThe second, until it went wrong:{second}\n"
            f"Operations executed during the original forward: {', '.join(self.ops[0])}\n"
            f"Operations executed during recomputation: {', '.join(self.ops[1])}"
        )


def saving_placeholders(region: Region) -> saved_tensors_hooks:
    """The context of the first run: saved tensors are replaced by the region's placeholders."""
    return saved_tensors_hooks(region.pack, region.unpack)


class _KeepInputs(Function):
    """Saves the inputs of a region in a node, like any op, so that an outer checkpoint can drop them too."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.save_for_backward(*tensors)
        return tensors[ctx.needs_input_grad.index(True)].new_empty(0)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise GradError("nothing flows back through the keeper of a checkpoint's inputs")


class Inputs:
    """The arguments of a region: tensors are saved in a node, other values are kept as they are."""

    def __init__(self, args: Sequence[Any]) -> None:
        self.args = [None if isinstance(each, Tensor) else each for each in args]
        self.places = [i for i, each in enumerate(args) if isinstance(each, Tensor)]
        self.wants = [args[i].requires_grad for i in self.places]
        tensors = [args[i] for i in self.places]
        self.keeper = None
        self.plain = tensors
        if any(self.wants):
            self.keeper, self.plain = _KeepInputs.apply(*tensors).grad_fn, []

    def back(self) -> list[Any]:
        """Return the arguments, detached from the outer graph."""
        args = list(self.args)
        tensors = self.keeper.saved_tensors if self.keeper is not None else self.plain
        for place, tensor, wanted in zip(self.places, tensors, self.wants, strict=True):
            if wanted:
                tensor = tensor.detach()
                tensor._requires_grad = True
            args[place] = tensor
        return args

"""``use_reentrant=False``: placeholders in the place of saved tensors, filled by a second run."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...autograd.function import Function
from ...autograd.graph import saved_tensors_hooks
from ...core.grad_mode import STATE, enable_grad
from ...core.tensor import Tensor
from ...errors import GradError


class CheckpointError(GradError):
    """The second run of a region did not save what the first one saved."""


class _Placeholder:
    """Stands in the graph for a saved tensor that was thrown away."""

    __slots__ = ("looks", "__weakref__")

    def __init__(self, tensor: Tensor) -> None:
        self.looks = _looks(tensor)


def _looks(tensor: Tensor) -> tuple[Any, ...]:
    return (tuple(tensor.shape), tensor.dtype, str(tensor.device))


class _Enough(Exception):
    """Ends the second run: everything that was needed is there."""


class Region:
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


def saving_placeholders(region: Region) -> saved_tensors_hooks:
    """The context of the first run: what is saved inside is replaced by the region's placeholders."""
    return saved_tensors_hooks(region.pack, region.unpack)


class _KeepInputs(Function):
    """Saves the inputs of a region the way any node saves tensors, so that an outer checkpoint can drop them too."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Any:
        ctx.save_for_backward(*tensors)
        return tensors[0].new_empty(0)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise GradError("nothing flows back through the keeper of a checkpoint's inputs")


class Inputs:
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

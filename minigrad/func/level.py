"""A level of vmap: runs each op on all examples at once, while the mapped function sees a single example.

A tensor of this level holds a `Batch`: the shape and dtype of one example, and a tensor of all of them, which belongs
to the next outer level and has the batch dimension first. The level unwraps the batches, lets the op's batching rule
(`func.rules`) run on them, and wraps the results.

Each level records its own graph: a gradient taken inside the mapped function follows the nodes of this level, one taken
outside follows the nodes of the tensors inside the batches. So vmap over grad and grad over vmap need no special cases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.batch import Batch
from ..core.entry import carry_tangents
from ..core.inplace import check_result, inplace
from ..core.inputs import array_of
from ..core.interpreter import Interpreter
from ..core.op import Op, common_backend
from ..core.slices import check_writable, rebase
from ..core.state import STATE
from ..core.tensor import Tensor, edge_of, wrap
from ..core.view import View
from ..errors import GradError
from ..events import LISTENERS
from .function import run_batched
from .randomness import drawn
from .reading import read_one_by_one
from .rules.base import aligned, batched_result, front


class VmapLevel(Interpreter):
    """A running vmap over `size` examples. `randomness` is "error", "different" or "same"."""

    size: int

    def __init__(self, size: int, randomness: str = "error") -> None:
        self.size = size
        self.randomness = randomness
        self.depth = 1 + sum(each.size is not None for each in STATE.mode.interpreters)

    # Wrapping and unwrapping

    def wrapped(self, value: Tensor, batched: bool = True) -> Tensor:
        """Return one example of `value`. If `batched`, the first dimension of `value` is the batch dimension."""
        return wrap(Batch(value, batched, self), value._backend)

    def owns(self, value: Any) -> bool:
        """Whether `value` is a tensor of this level."""
        return isinstance(value, Tensor) and type(value._array) is Batch and value._array.level is self

    def opened(self, value: Any) -> tuple[Any, bool]:
        """Return the tensor inside a tensor of this level, and whether it has a batch dimension; else `value`,
        False.
        """
        if self.owns(value):
            return value._array.value, value._array.batched
        return value, False

    def lifted(self, tensor: Tensor) -> Tensor:
        """Return `tensor` wrapped for this level, so that it can have a place in this level's graph."""
        return tensor if self.owns(tensor) else self.wrapped(tensor, False)

    def adopted(self, op: Op, result: Any) -> Any:
        """Assign results of `op` to a level: new memory belongs to this one, a view to the level of its base.

        A later in-place write may have a history in this level's graph; the tensor then needs a place there, too.
        """
        if type(result) is tuple:
            return tuple([self.adopted(op, each) for each in result])
        return result if op.is_view and result._view is not None else self.wrapped(result, False)

    # Running ops

    def run(self, op: Op, inputs: tuple[Any, ...]) -> Any:
        mine = [self.owns(each) for each in inputs]
        if not any(mine):
            return self.adopted(op, op(*inputs))
        values, batched = self.all_opened(inputs)
        spread = any(batched)
        result = batched_result(op, self.size, values, batched) if spread else op.again()(*values)
        several = type(result) is tuple
        outputs = tuple([self.wrapped(each, spread) for each in (result if several else (result,))])
        if op.is_view:
            for number, out in enumerate(outputs):
                self.connect_view(op, inputs[0], out, number)
        if op.remembers:
            op.forward(common_backend(op, inputs), *[example_of(each) for each in inputs])
        if len(outputs) != op.outputs:
            op.outputs = len(outputs)  # type: ignore[misc]
        if STATE.mode.grad:
            op.record(
                inputs, outputs, tuple([edge_of(x) if own else None for x, own in zip(inputs, mine, strict=True)])
            )
            if LISTENERS and hasattr(op, "links"):  # the op has become a node of this level
                op.announce(inputs, outputs)
        return outputs if several else outputs[0]

    def all_opened(self, inputs: Sequence[Any]) -> tuple[list[Any], list[bool]]:
        """Unwrap every input. Return the values, and which of them have a batch dimension."""
        opened = [self.opened(each) for each in inputs]
        return [value for value, _ in opened], [batched for _, batched in opened]

    def connect_view(self, op: Op, source: Any, out: Tensor, number: int) -> None:
        """Make the tensor `out` a view of `source` at this level, if the tensors inside share memory."""
        if self.owns(source) and out._array.value._storage is source._array.value._storage:
            out._storage = source._storage
            out._view = View.of(op, source, number)

    def run_random(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return drawn(self, function, args, kwargs)

    def run_reading(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return read_one_by_one(self, function, args, kwargs)

    # In place

    def run_inplace(self, op: Op, target: Tensor, others: tuple[Any, ...]) -> Tensor:
        inputs = (target, *others)
        mine = [self.owns(each) for each in inputs]
        values, batched = self.all_opened(inputs)
        if any(batched[1:]) and not batched[0]:
            raise GradError(
                "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists a Tensor `other` in "
                "extra_args that has more elements than `self`. This happened due to `other` being vmapped over but "
                f"`self` not being vmapped over in a vmap ({type(op).__name__} in place). Please try to use "
                "out-of-place operators instead of inplace arithmetic."
            )
        if not mine[0]:
            return inplace(op, *values)
        wanted = [own and STATE.mode.grad and i not in op.constant for i, own in enumerate(mine)]
        edges = tuple([edge_of(x) if want else None for x, want in zip(inputs, wanted, strict=True)])
        needed = tuple([i for i, edge in enumerate(edges) if edge is not None])
        check_writable(target, bool(needed), op.is_uniform(others))
        before = self.originals(op, inputs, edges, needed) if needed else inputs
        if op.remembers:
            op.forward(target._backend, *[example_of(each) for each in inputs])
        self.overwrite(op, target, values, batched)
        target._storage.version += 1
        if needed:
            op.attach(before, (target,), edges)
            rebase(target, op)
            if LISTENERS:
                op.announce(before, (target,))
        return target

    def originals(self, op: Op, inputs: tuple[Any, ...], edges: tuple[Any, ...], needed: Any) -> tuple[Any, ...]:
        """Return `inputs`, with a copy of each that shares the target's memory and that a gradient needs."""
        saves = op.plan_for(needed).saves
        named = (*op.inputs_named, *op.inputs_named[-1:] * (len(inputs) - len(op.inputs_named)))
        kept = list(inputs)
        for i, each in enumerate(inputs):
            if self.owns(each) and each._storage is inputs[0]._storage and named[i] in saves:
                value, batched = self.opened(each)
                kept[i] = self.wrapped(value.clone(), batched)
                kept[i]._edge = edges[i]
                carry_tangents(each, kept[i])
        return tuple(kept)

    def overwrite(self, op: Op, target: Tensor, values: list[Any], batched: list[bool]) -> None:
        """Run the op on the unwrapped values, and write the result into the tensor inside `target`."""
        inside = values[0]
        if not batched[0]:
            inplace(op.again(), *values)
        elif op.elementwise:
            check_result(op, target, aligned_shape(values, batched), target._array.dtype)
            inplace(op.again(), inside, *aligned(op, values, batched)[1:])
        else:
            result = batched_result(op, self.size, values, batched)
            check_result(op, target, result._array.shape[1:], result._array.dtype)
            inside.copy_(result)

    # Users' Functions

    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        return self.run_with_ctx(function, args)[1]

    def run_with_ctx(self, function: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """Run a user's Function on all examples. Return its ctx at this level, and the outputs."""
        return run_batched(self, function, args)

    # Entering and leaving

    def entered(self, tensor: Tensor, dim: int) -> Tensor:
        """Return `tensor` of the next outer level as one example, mapped over dimension `dim`."""
        result = self.wrapped(front(tensor, dim))
        result._array.given = (tensor, dim)
        return result

    def left(self, tensor: Tensor, dim: int) -> Tensor:
        """Return the tensor of all examples with batch dimension `dim`; a value without one is repeated."""
        value, batched = self.opened(tensor)
        if not batched:
            value = value.unsqueeze(0).expand(self.size, *value._array.shape)
        return value if dim == 0 else value.movedim(0, dim)


def example_of(value: Any) -> Any:
    """Return an array with the shape of one example, for ``forward`` to read the shape."""
    array = array_of(value)
    return array.example() if type(array) is Batch else array


def aligned_shape(values: Sequence[Any], batched: Sequence[bool]) -> tuple[int, ...]:
    """Return the shape of one example of an elementwise op's result."""
    shapes = [
        v._array.shape[1:] if b else v._array.shape
        for v, b in zip(values, batched, strict=True)
        if isinstance(v, Tensor)
    ]
    rank = max(len(shape) for shape in shapes)
    padded = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    return tuple(max(sizes) if min(sizes) else 0 for sizes in zip(*padded, strict=True))

"""Forward mode: it computes a tangent for every result.

For each forward level a tensor may have a tangent: its directional derivative along the tangents of that level's
inputs. A `ForwardLevel` runs each op as usual in the next outer level, and then asks the op for the tangents of its
outputs (`Op.jvp`). Tangents are ordinary tensors, computed by ordinary ops: they are recorded where gradients are
wanted, and outer levels give them tangents of their own. So levels nest, and forward and reverse mode combine in any
order.

The tangent of a view is the matching part of its base's tangent: an in-place change of either gives the base a new
tangent, and each view takes its part from there. A dual tensor is a view with a tangent of its own, and its views take
theirs from it.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Sequence
from typing import Any

from ..errors import GradError, ShapeError
from .batch import Batch
from .entry import carry_tangents
from .further import zeros_like
from .gradients import dense
from .inplace import inplace
from .interpreter import Aside, Interpreter, without
from .scope import Scope, call_inside
from .slices import Window
from .state import STATE, Mode
from .tensor import Tensor, alias, edge_of
from .view import View

_next_level = itertools.count(1).__next__


class ForwardLevel(Interpreter):
    """One level of forward mode. It stores tangents in the tensors, under the level's number."""

    def __init__(self) -> None:
        self.number = _next_level()
        self.carriers: list[weakref.ref[Tensor]] = []

    def exit(self, *exception: Any) -> None:
        super().exit(*exception)
        for carrier in self.carriers:
            tensor = carrier()
            if tensor is not None:
                tensor.extra.tangents.pop(self.number, None)
        self.carriers.clear()

    # Tangents of tensors

    def dual(self, primal: Tensor, tangent: Tensor, view: bool = False) -> Tensor:
        """Return `primal` as a tensor with this `tangent`: same value, memory and history, or a view of it."""
        level = self.inner_level(primal, tangent)
        if level is not None:
            return self.dual_of_many(level, primal, tangent)
        if view:
            result = apart(primal)
        else:
            result = alias(primal, edge_of(primal))
            carry_tangents(primal, result)
        self.give(result, tangent)
        return result

    def inner_level(self, *tensors: Tensor) -> Any:
        """Return the innermost vmap inside this level for which one of `tensors` holds a batch; usually None."""
        levels = [each._array.level for each in tensors if type(each._array) is Batch]
        if not levels or self not in STATE.mode.interpreters:
            return None
        place = STATE.mode.interpreters.index
        inner = [each for each in levels if each in STATE.mode.interpreters and place(each) > place(self)]
        return max(inner, key=place, default=None)

    def dual_of_many(self, level: Any, primal: Tensor, tangent: Tensor) -> Tensor:
        """Do what `dual` does for one example of a vmap: set the tangent of the tensor of all examples."""
        (value, along), batched = level.all_opened((primal, tangent))
        if batched == [False, True]:
            value = level.left(primal, 0)
        if batched == [True, False]:
            along = level.left(tangent, 0)
        result: Tensor = level.wrapped(self.dual(value, along), any(batched))
        result._edge = edge_of(primal) if level.owns(primal) else None
        return result

    def give(self, tensor: Tensor, tangent: Tensor) -> None:
        """Set the tangent of `tensor` at this level."""
        tensor.extra.tangents[self.number] = (tangent, tensor._storage.version)
        self.carriers.append(weakref.ref(tensor))

    def tangent_of(self, value: Any) -> Tensor | None:
        """Return the tangent of `value` at this level, or None if it has none."""
        if not isinstance(value, Tensor):
            return None
        if type(value._array) is Batch and self.inner_level(value) is not None:
            inside = self.tangent_of(value._array.value)
            return None if inside is None else value._array.level.wrapped(inside, value._array.batched)
        kept = None if value._extra is None else value._extra.tangents.get(self.number)
        view = view_of(value)
        if view is None:
            return None if kept is None else kept[0]
        if kept is not None and kept[1] == value._storage.version:
            return kept[0]
        whole = self.tangent_of(view.base)
        if whole is None:
            return None
        tangent: Tensor = view.window(whole)
        self.give(value, tangent)
        return tangent

    # Running ops

    def run(self, op: Any, inputs: tuple[Any, ...]) -> Any:
        tangents = [self.tangent_of(each) for each in inputs]
        result = op(*inputs)
        if any(each is not None for each in tangents):
            outputs = result if type(result) is tuple else (result,)
            pushed = op.jvp(tangents, inputs, outputs)
            for out, tangent in zip(outputs, pushed if type(pushed) is tuple else (pushed,), strict=True):
                if tangent is not None and out.dtype.is_differentiable:
                    self.give(out, _of_its_own(out, tangent, inputs, tangents))
            self.give_saved(op, outputs)
        return result

    def give_saved(self, op: Any, outputs: Sequence[Tensor]) -> None:
        """Copy the tangents of `outputs` to the copies that `op` saved before the outputs had tangents."""
        if hasattr(op, "plan"):  # it was recorded
            self.give_kept(op.saved, op.plan.remade, outputs)

    def give_kept(self, saved: Any, remade: Sequence[tuple[int, int]], outputs: Sequence[Any]) -> None:
        """Copy the tangents of `outputs` to their copies in `saved`; `remade` lists these as (place, output number)."""
        for place, number in remade:
            kept = saved[place][0]
            tangent = self.tangent_of(outputs[number])
            if tangent is not None and isinstance(kept, Tensor):
                self.give(kept, tangent)

    def run_inplace(self, op: Any, target: Tensor, others: tuple[Any, ...]) -> Tensor:
        tangents = [self.tangent_of(each) for each in (target, *others)]
        if not any(each is not None for each in tangents):
            return inplace(op, target, *others)
        inputs = (target, *others)
        before = tuple([each.clone() if shares_memory(each, target) else each for each in inputs])
        inplace(op, target, *others)
        tangent = op.again().jvp(tangents, before, (target,))
        self.move(target, tangent)
        self.give_saved(op, (target,))
        return target

    def run_random(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        result = function(*args, **kwargs)
        if args and result is args[0] and self.tangent_of(result) is not None:  # overwritten by what depends on nothing
            self.move(result, None)
        return result

    def move(self, target: Tensor, tangent: Tensor | None) -> None:
        """Set the tangent of a tensor that was just changed in place; for a view, change the tangent of its base.

        An existing tangent is changed in place, like the tensor, so that other holders see the change. If it is part of
        a graph or of an outer transform, a new tangent replaces it.
        """
        if tangent is None:
            tangent = zeros_like(target)
        view = view_of(target)
        whole = self.tangent_of(target if view is None else view.base)
        if view is None:
            if whole is not None and _may_be_written(whole, tangent):
                tangent = whole.copy_(tangent)
            self.give(target, tangent)
            return
        if whole is None or not _may_be_written(whole, tangent):
            before, whole = whole, Window(view).blank(tangent)
            if before is not None:
                whole.copy_(before)
        window = view.window(whole)
        window.copy_(tangent)
        self.give(view.base, whole)
        self.give(target, window)

    def run_function(self, function: Any, args: tuple[Any, ...]) -> Any:
        return self.run_with_ctx(function, args)[1]

    def run_with_ctx(self, function: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """Run a user's Function, and set tangents by its own ``jvp``. Return its ctx and its results."""
        tangents = [self.tangent_of(each) for each in args]
        ctx, result = recorded(function, args)
        if not any(each is not None for each in tangents):
            return ctx, result
        if ctx is None:
            raise GradError(
                "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it "
                f"must override the setup_context staticmethod: {function.__name__} runs under vmap and forward mode "
                "here."
            )
        if ctx._materialize_grads:
            tangents = [_filled(each, tangent) for each, tangent in zip(args, tangents, strict=True)]
        before = [None if each is None else each._storage.version for each in tangents]
        with ctx.pushing():
            pushed = function.jvp(ctx, *tangents)
        outputs = result if isinstance(result, tuple) else (result,)
        pushed = pushed if isinstance(pushed, tuple) else (pushed,)
        if len(pushed) != len(outputs):
            raise GradError(
                "Function's jvp returned an invalid number of forward gradients (expected "
                f"{len(outputs)} but got {len(pushed)}): {function.__name__}.jvp returns one tangent for each output."
            )
        for index, (out, tangent) in enumerate(zip(outputs, pushed, strict=True)):
            if tangent is not None:
                _check_pushed(ctx, index, args, out, tangents, before, tangent)
                self.give(out, tangent)
        node = ctx._node()
        if node is not None and node.saved:
            self.give_kept(node.saved, node.remade, outputs)
        return ctx, result


class Paused(Scope):
    """Inside, `level` computes no tangents; with None nothing changes."""

    def __init__(self, level: ForwardLevel | None) -> None:
        self.level = level

    def changes(self, mode: Mode) -> dict[str, Any]:
        return {"interpreters": without(mode.interpreters, self.level)}

    def restored(self, mode: Mode, before: Mode) -> dict[str, Any]:
        if self.level is None:
            return {}
        place = before.interpreters.index(self.level)
        return {"interpreters": (*mode.interpreters[:place], self.level, *mode.interpreters[place:])}


def apart(tensor: Tensor) -> Tensor:
    """Return a view of all of `tensor` that has a tangent of its own, independent of its base."""
    result: Tensor = tensor.view(tensor.shape)
    if result._view is not None:
        result._view.home = (None, 0)
    return result


def view_of(tensor: Tensor) -> View | None:
    """Return the view that leads to the tensor that holds the tangent, or None if `tensor` itself holds it."""
    view: View | None = tensor._view
    if view is None or view.home is None:
        return view
    home, steps = view.home
    return None if home is None else View(home, view.way[steps:], view.kind)


def _check_pushed(
    ctx: Any, index: int, args: Sequence[Any], out: Any, tangents: Sequence[Any], versions: Sequence[Any], tangent: Any
) -> None:
    """Check the tangent that a user's ``jvp`` returned for output `index`: it must match what forward did."""
    if not ctx._differentiable[index]:
        raise GradError(
            f"Function's jvp returned a gradient at position {index}, but the corresponding forward output is not a "
            "differentiable Tensor. You should return None at that position instead."
        )
    if not isinstance(tangent, Tensor):
        raise GradError(f"expected Variable or None (got {type(tangent).__name__}) for grad output {index}.")
    check_tangent(out, tangent)
    place = next((i for i, x in enumerate(args) if x is out), None)
    if place is not None:
        if tangent is not tangents[place] or tangent._storage.version == versions[place]:
            raise GradError(
                "An inplace custom Function is not modifying the forward mode gradients inplace. If the forward is "
                "modifying an input inplace, then the jvp function must modify the corresponding gradient inplace."
            )
    elif out._view is not None and type(tangent._array) is not Batch:  # a vmap's rule makes no view
        base = out._view.base
        place = next((i for i, x in enumerate(args) if isinstance(x, Tensor) and base_of(x) is base), None)
        if place is None or tangents[place] is None:
            return
        said = "A custom Function's forward is returning a view (or an input as-is) but the jvp is not returning a view"
        if tangent._view is None:
            raise GradError(f"{said}. Return a view of the tangent that jvp is given, by the same way.")
        if tangent._view.base is not base_of(tangents[place]):
            which = "given grad input" if tangents[place]._view is None else "same base as the given grad input"
            raise GradError(f"{said} of the {which}: return one taken of the tangent by the same way.")


def base_of(tensor: Tensor) -> Tensor:
    """Return the base of a view, or `tensor` itself if it is no view."""
    return tensor if tensor._view is None else tensor._view.base


def _may_be_written(tangent: Tensor, value: Tensor) -> bool:
    """Return whether `value` may be written into the memory of `tangent`."""
    plain = not (STATE.mode.interpreters or tangent.requires_grad or value.requires_grad)
    return plain and tangent._array.dtype == value._array.dtype and dense(tangent._array)


def _of_its_own(out: Tensor, tangent: Tensor, inputs: Sequence[Any], tangents: Sequence[Any]) -> Tensor:
    """Return `tangent`, copied if it shares memory with an input's tangent but `out` shares none with that input."""
    for each, moving in zip(inputs, tangents, strict=True):
        if moving is not None and moving._storage is tangent._storage and each._storage is not out._storage:
            return tangent.clone()
    return tangent


def shares_memory(value: Any, target: Tensor) -> bool:
    """Return whether writing to `target` may change `value`."""
    return isinstance(value, Tensor) and value._storage is target._storage


def check_tangent(primal: Tensor, tangent: Tensor) -> None:
    """Raise unless `tangent` has the shape of `primal`."""
    if tangent._array.shape != primal._array.shape:
        raise ShapeError(
            "Trying to set a forward gradient that has a different size than that of the original Tensor, this is not "
            f"supported. Tensor is of size {list(primal._array.shape)} while the given forward gradient is of size "
            f"{list(tangent._array.shape)}."
        )


def _filled(value: Any, tangent: Tensor | None) -> Tensor | None:
    if tangent is None and isinstance(value, Tensor) and value.dtype.is_differentiable:
        return zeros_like(value)
    return tangent


def recorded(function: Any, args: tuple[Any, ...]) -> tuple[Any, Any]:
    """Run a user's Function in the next outer level. Return its ctx and its results."""
    if not STATE.mode.interpreters:
        return function.recorded(args)
    outer = STATE.mode.interpreters[-1]
    return call_inside(Aside(outer), outer.run_with_ctx, function, args)

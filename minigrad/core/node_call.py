"""Calling a node by hand: ``y.grad_fn(grad)`` returns the gradients of the inputs of the op that made `y`.

An op is its own node, and calling an op runs its forward. So when a user accesses a node (`Tensor.grad_fn`,
`next_functions`), its class changes to a `Shown` subclass of its op, which is called and named like PyTorch's nodes.
Nodes that no user accesses cost nothing.

>>> import minigrad as mg
>>> x = mg.tensor([1.0, 2.0], requires_grad=True)
>>> y = x * mg.tensor([3.0, 4.0])
>>> y.grad_fn(mg.ones(2))
(tensor([3., 4.]), None)
>>> type(y.grad_fn).__name__
'MulBackward0'
"""

from __future__ import annotations

from typing import Any, ClassVar

from .. import dtypes
from ..errors import ArgumentTypeError
from .accumulate import accumulate, fit
from .engine import Pass
from .graph import AccumulateGrad
from .hooks import run_post_accumulate_hooks
from .state import STATE
from .tensor import Tensor


def call(self: Any, *grads: Any, **kwargs: Any) -> Any:
    """Return the gradients of the inputs, given those of the outputs; recorded if grad mode is on.

    As in PyTorch, hooks do not run, and a gradient is not summed down to an input that was broadcast.
    """
    _check(self, grads, kwargs)
    asked = [node is not None for node, _ in self.next_functions]
    results: Any = ()
    if any(each is not None for each in grads):
        results = self.run(_for_outputs(self, grads) if self.outputs > 1 else grads[0])
    results = [*results, *[None] * (len(asked) - len(results))]
    results = tuple([grad if wanted else None for grad, wanted in zip(results, asked, strict=True)])
    return results[0] if len(results) == 1 else results


def call_leaf(self: Any, *grads: Any, **kwargs: Any) -> tuple[()]:
    """Add the gradient to the leaf's ``.grad``, and run the leaf's post-accumulate hooks."""
    _check(self, grads, kwargs)
    leaf = self.variable
    if grads[0] is not None:
        grad = fit(grads[0], leaf._array.shape, leaf._array.dtype)
        accumulate(Pass([], None, True, STATE.mode.grad), self, grad)
    if leaf._extra is not None:
        run_post_accumulate_hooks(leaf._extra.post_accumulate, leaf)
    return ()


def _check(node: Any, grads: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise for a wrong number of gradients, or for values that are no tensors."""
    if kwargs:
        raise ArgumentTypeError("keyword arguments are not supported")
    wanted = len(_places(node))
    if len(grads) != wanted:
        raise ArgumentTypeError(f"expected {wanted} arguments, got {len(grads)} instead")
    for i, grad in enumerate(grads):
        if grad is not None and not isinstance(grad, Tensor):
            raise ArgumentTypeError(f"argument {i} is not a Variable")


def _places(node: Any) -> list[int]:
    """Return the indices of the outputs that have a gradient. The integer indices that a sort returns have none."""
    if node.outputs == 1:
        return [0]
    return [i for i, (_, dtype, _) in enumerate(node.shapes_out) if dtypes.differentiable(dtype)]


def _for_outputs(node: Any, grads: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return `grads` with None added for the outputs that have no gradient."""
    given: list[Any] = [None] * node.outputs
    for place, grad in zip(_places(node), grads, strict=True):
        given[place] = grad
    return tuple(given)


class Shown:
    """Mixed into an op's class when a user accesses a node of it."""

    __slots__ = ()

    op_class: ClassVar[type]

    def __init_subclass__(cls) -> None:
        """Do not declare the subclass as a new op."""

    __call__ = call

    def name(self) -> str:
        return type(self).__name__

    def again(self: Any) -> Any:
        """Return a new op with the same settings, to run forward."""
        return self.op_class(*(getattr(self, name) for name in self.settings))


_classes: dict[tuple[type, str], type] = {}


def shown(node: Any) -> Any:
    """Turn the node of an op into its `Shown` form, and return it."""
    if not isinstance(node, Shown):
        key = kind, name = type(node), node.name()
        if key not in _classes:
            own = {"__slots__": (), "__module__": kind.__module__, "op_class": kind}
            _classes[key] = type(name, (Shown, kind), own)
        node.__class__ = _classes[key]
    return node


def op_class(node: Any) -> type:
    """Return the class of the op, whether or not its node has become a `Shown`."""
    kind = type(node)
    return kind.op_class if issubclass(kind, Shown) else kind


setattr(AccumulateGrad, "__call__", call_leaf)  # noqa: B010

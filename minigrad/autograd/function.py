"""Functions: ops that users write, with their own forward and backward.

>>> import minigrad as mg
>>> class Exp(mg.autograd.Function):
...     @staticmethod
...     def forward(ctx, x):
...         y = x.exp()
...         ctx.save_for_backward(y)
...         return y
...
...     @staticmethod
...     def backward(ctx, grad):
...         (y,) = ctx.saved_tensors
...         return grad * y
>>> x = mg.tensor(0.0, requires_grad=True)
>>> Exp.apply(x).backward()
>>> x.grad
tensor(1.)

``forward`` runs without recording; its `ctx` belongs to the node that becomes the ``grad_fn`` of the outputs.
``backward`` gets one gradient per output and returns one per input, None for inputs that have none. With `create_graph`
it is itself recorded, so a backward made of differentiable ops can be differentiated again.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

from ..core.grad_mode import no_grad
from ..core.graph import Edge, Node, next_sequence_number
from ..core.state import STATE
from ..core.tensor import Tensor, alias, edge_of, edges_of
from ..errors import ArgumentTypeError, GradError, MissingRuleError
from .function_node import FunctionCtx, FunctionNode, finish


class Function:
    """The base class of custom ops: write static ``forward`` and ``backward`` methods, and call ``apply``.

    In the second style ``forward`` takes no ctx, and ``setup_context(ctx, inputs, output)`` saves what is needed.
    ``jvp(ctx, *tangents)`` gives forward mode, ``vmap(info, in_dims, *args)`` a batching rule.

    The explorer shows `formula`, LaTeX in the names of forward's inputs, and the docstring of ``backward`` where that
    is LaTeX too: a line for each input, in ``\\bar y`` and those names. For an `elementwise` op it also shows the
    formula with numbers.
    """

    formula: ClassVar[str] = ""
    elementwise: ClassVar[bool] = False
    node: ClassVar[type[FunctionNode]]
    _backward_cls: ClassVar[type[FunctionNode]]
    generate_vmap_rule: ClassVar[bool] = False
    clear_saved_tensors_on_access: ClassVar[bool] = False
    """Whether reading ``ctx.saved_tensors`` releases the saved tensors: ``backward`` can then read them only once."""
    boxed_grads_call: ClassVar[bool] = False
    """Whether ``backward(ctx, grads)`` gets all gradients in one list, from which it can remove those it has used."""

    def __init_subclass__(cls) -> None:
        body = {"user_function": cls, "__module__": cls.__module__}
        cls.node = cls._backward_cls = type(cls.__name__ + "Backward", (FunctionNode,), body)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions are all static, so you should "
            f"invoke them on the class itself: {type(self).__name__}.apply(...).",
            DeprecationWarning,
            stacklevel=2,
        )

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """Compute the outputs, on tensors. The first argument is the ctx, unless `setup_context` is defined."""
        raise MissingRuleError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what backward needs, for a ``forward`` without ctx."""
        raise MissingRuleError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """Return the gradients of all inputs, given those of all outputs."""
        raise MissingRuleError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """Return the tangents of all outputs, given those of all inputs."""
        raise MissingRuleError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """Run the Function on a batch. Return (outputs, their batch dimensions)."""
        raise MissingRuleError(
            "You must implement the vmap staticmethod of your custom autograd.Function, or set "
            "generate_vmap_rule = True, to use it with vmap."
        )

    @classmethod
    def rule(cls) -> Callable[..., Any]:
        """Return ``backward``, or ``vjp`` if the class defines that instead."""
        if cls.backward is not Function.backward and cls.vjp is not Function.vjp:
            raise GradError("Implementing both 'backward' and 'vjp' for a custom Function is not allowed.")
        return cls.vjp if cls.vjp is not Function.vjp else cls.backward

    def __call__(self, *args: Any) -> Any:
        if not isinstance(inspect.getattr_static(type(self), "forward"), staticmethod):
            raise GradError(
                "Legacy autograd function with non-static forward method is deprecated. "
                "Please use new-style autograd function with static forward method: add @staticmethod and a ctx."
            )
        return self.apply(*args)

    @classmethod
    def separate(cls) -> bool:
        """Return whether the class defines `setup_context`, the second style."""
        return cls.setup_context is not Function.setup_context

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the Function, recorded as one node. Arguments may have names and, in the second style, defaults."""
        if cls.separate():
            bound = inspect.signature(cls.forward).bind(*args, **kwargs)
            bound.apply_defaults()
            if bound.kwargs:
                raise MissingRuleError(
                    f"{cls.__name__}.apply: kwarg-only Tensor args are not supported, nor others: take them by position"
                    f" in forward ({', '.join(bound.kwargs)})."
                )
            args = bound.args
        elif kwargs:
            bound = inspect.signature(cls.forward).bind(None, *args, **kwargs)
            if bound.kwargs:
                raise ArgumentTypeError(
                    f"{cls.__name__}.apply() got arguments by name with one left out before them: forward takes "
                    f"{', '.join(bound.kwargs)} by position."
                )
            args = bound.args[1:]
        if STATE.mode.transforms and not cls.separate() and any(isinstance(each, Tensor) for each in args):
            raise needs_setup_context(cls)
        if STATE.mode.interpreters:
            return STATE.mode.interpreters[-1].interpret_function(cls, args)
        return cls.recorded(args)[1]

    @classmethod
    def recorded(cls, args: tuple[Any, ...]) -> tuple[FunctionCtx, Any]:
        """Run ``forward`` without recording, and add its node to the graph. Return the ctx and the outputs."""
        node = cls.node()
        ctx = node.ctx
        ctx.needs_input_grad = tuple(isinstance(each, Tensor) and each.requires_grad for each in args)
        edges = edges_of(args)  # before forward, which may change its inputs in place
        with no_grad():
            if cls.separate():
                outputs = cls.forward(*args)
                cls.setup_context(ctx, args, outputs)
            else:
                outputs = cls.forward(ctx, *args)
        return ctx, finish(node, args, edges, outputs)


def needs_setup_context(function: Any) -> GradError:
    """Return the error for a transform of a Function without `setup_context`."""
    return GradError(
        "In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, ...), it must "
        f"override the setup_context staticmethod. Split {function.__name__}.forward into a forward without ctx and a "
        "setup_context(ctx, inputs, output)."
    )


def once_differentiable(function: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a ``backward`` as not differentiable: it runs without recording, and a second derivative is an error."""

    @functools.wraps(function)
    def wrapper(ctx: Any, *grads: Any) -> Any:
        given = tuple(grads[0]) if grads and isinstance(grads[0], list) else grads  # see `boxed_grads_call`
        with no_grad():
            results = function(ctx, *grads)
        if not STATE.mode.grad or not any(isinstance(each, Tensor) and each.requires_grad for each in given):
            return results
        several = isinstance(results, tuple)
        sources = tuple(edge_of(each) for each in given if isinstance(each, Tensor))
        failed = tuple(
            alias(each, (OnceDifferentiable(sources), 0)) if isinstance(each, Tensor) else each
            for each in (results if several else (results,))
        )
        return failed if several else failed[0]

    return wrapper


class OnceDifferentiable(Node):
    """The node of a gradient that cannot be differentiated again: backward through it raises."""

    def __init__(self, edges: tuple[Edge | None, ...]) -> None:
        self.edges = edges
        self.seq = next_sequence_number()
        self.extra = None

    def name(self) -> str:
        return "Error"

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        raise GradError("trying to differentiate twice a function that was marked with @once_differentiable")


class InplaceFunction(Function):
    """A Function that may change its input in place; kept for old code."""

    def __init__(self, inplace: bool = False) -> None:
        self.inplace = inplace


class NestedIOFunction(Function):
    """A Function whose inputs and outputs may be nested tuples, lists and dictionaries of tensors; kept for old code.

    Subclasses write static ``forward_extended(ctx, *args)`` and ``backward_extended(ctx, *grads)``.
    """

    @staticmethod
    def forward_extended(ctx: Any, *args: Any) -> Any:
        """The computation, on the nested arguments."""
        raise MissingRuleError("You must implement forward_extended for a NestedIOFunction.")

    @staticmethod
    def backward_extended(ctx: Any, *grads: Any) -> Any:
        """The gradients of the nested arguments, from those of the nested outputs."""
        raise MissingRuleError("You must implement backward_extended for a NestedIOFunction.")

    @staticmethod
    def forward(ctx: Any, function: Any, shape: Any, *flat: Any) -> Any:
        outputs = function.forward_extended(ctx, *_unflatten(iter(flat), shape))
        ctx.function, ctx.outputs_nested, ctx.count = function, outputs, len(flat)
        return tuple(_flatten(outputs))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        nested = _unflatten(iter(grads), ctx.outputs_nested)
        parts = tuple(nested.values()) if isinstance(nested, dict) else nested
        results = ctx.function.backward_extended(ctx, *(parts if isinstance(parts, (tuple, list)) else (parts,)))
        flat = list(_flatten(results if isinstance(results, tuple) else (results,)))
        return (None, None, *flat, *[None] * (ctx.count - len(flat)))

    @classmethod
    def apply(cls, *args: Any) -> Any:
        """Call the Function on nested arguments."""
        flat = super().apply(cls, args, *_flatten(args))
        return _unflatten(iter(flat), flat[0].grad_fn.outputs_nested) if flat[0].grad_fn is not None else flat


def _flatten(nested: Any) -> Iterator[Any]:
    """Return all values in nested containers, from left to right."""
    if isinstance(nested, (tuple, list)):
        for each in nested:
            yield from _flatten(each)
    elif isinstance(nested, dict):
        for each in nested.values():
            yield from _flatten(each)
    else:
        yield nested


def _unflatten(flat: Iterator[Any], shape: Any) -> Any:
    """Return containers like `shape`, filled with the values `flat`."""
    if isinstance(shape, (tuple, list)):
        return type(shape)(_unflatten(flat, each) for each in shape)
    if isinstance(shape, dict):
        return {name: _unflatten(flat, each) for name, each in shape.items()}
    return next(flat)

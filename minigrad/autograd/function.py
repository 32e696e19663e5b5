"""Functions: ops that a user writes, with a forward and a backward of their own.

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

``forward`` runs without recording; its `ctx` belongs to the node that stands in the graph as ``grad_fn``. ``backward``
gets one gradient per output and returns one per input, None for inputs that have none. It is itself recorded where the
gradient's own graph is wanted, so a backward made of differentiable ops can be differentiated again.
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
    """The base of a custom op: write static ``forward`` and ``backward``, call it with ``apply``.

    In the second style ``forward`` takes no ctx, and ``setup_context(ctx, inputs, output)`` saves what is needed.
    ``jvp(ctx, *tangents)`` gives forward mode, ``vmap(info, in_dims, *args)`` a batching rule.

    The explorer shows `formula`, LaTeX in the names of forward's inputs, and the docstring of ``backward`` where that
    is LaTeX too: a line for each input, in ``\\bar y`` and those names. If the op goes element by element
    (`elementwise`), it also puts the numbers in.
    """

    formula: ClassVar[str] = ""
    elementwise: ClassVar[bool] = False
    node: ClassVar[type[FunctionNode]]
    _backward_cls: ClassVar[type[FunctionNode]]
    generate_vmap_rule: ClassVar[bool] = False
    clear_saved_tensors_on_access: ClassVar[bool] = False
    """Whether the node lets go of its saved tensors when ``backward`` asks for them, which it may do once."""
    boxed_grads_call: ClassVar[bool] = False
    """Whether ``backward(ctx, grads)`` gets all gradients as one list, out of which it can drop those it has used."""

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
        """The computation, on tensors. The first argument is the ctx, unless `setup_context` is written too."""
        raise MissingRuleError("You must implement the forward function for custom autograd.Function.")

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save what backward needs; for a ``forward`` without ctx."""
        raise MissingRuleError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The gradients of all inputs, from those of all outputs."""
        raise MissingRuleError(
            "You must implement either the backward or vjp method for your custom autograd.Function to use it with "
            "backward mode AD."
        )

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The tangents of all outputs, from those of all inputs."""
        raise MissingRuleError(
            "You must implement the jvp function for custom autograd.Function to use it with forward mode AD."
        )

    @staticmethod
    def vmap(info: Any, in_dims: Any, *args: Any) -> Any:
        """The Function over a batch: (outputs, their batch dimensions)."""
        raise MissingRuleError(
            "You must implement the vmap staticmethod of your custom autograd.Function, or set "
            "generate_vmap_rule = True, to use it with vmap."
        )

    @classmethod
    def rule(cls) -> Callable[..., Any]:
        """``backward``, or ``vjp`` where that was written instead."""
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
        """Whether it is written in the second style, with a `setup_context`."""
        return cls.setup_context is not Function.setup_context

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Call the Function, recording it as one node. Arguments may be named, and in the second style left out."""
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
        """Run ``forward`` unrecorded, and hang its node into the graph: the ctx it wrote to, and the outputs."""
        node = cls.node()
        ctx = node.ctx
        ctx.needs_input_grad = tuple(isinstance(each, Tensor) and each.requires_grad for each in args)
        edges = edges_of(args)  # forward may change its inputs in place
        with no_grad():
            if cls.separate():
                outputs = cls.forward(*args)
                cls.setup_context(ctx, args, outputs)
            else:
                outputs = cls.forward(ctx, *args)
        return ctx, finish(node, args, edges, outputs)


def needs_setup_context(function: Any) -> GradError:
    """The error of a Function in the first style where only the second can be mapped."""
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
    """Stands where a second derivative would have to go on."""

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
    """The tensors (and other things) in nested containers, from left to right."""
    if isinstance(nested, (tuple, list)):
        for each in nested:
            yield from _flatten(each)
    elif isinstance(nested, dict):
        for each in nested.values():
            yield from _flatten(each)
    else:
        yield nested


def _unflatten(flat: Iterator[Any], shape: Any) -> Any:
    """The containers of `shape`, filled again."""
    if isinstance(shape, (tuple, list)):
        return type(shape)(_unflatten(flat, each) for each in shape)
    if isinstance(shape, dict):
        return {name: _unflatten(flat, each) for name, each in shape.items()}
    return next(flat)

"""The two ways into the engine: `backward`, which fills ``.grad``, and `grad`, which returns gradients.

Everything here reads and checks arguments; the work is done by `core.engine`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from ..errors import ArgumentError, ArgumentTypeError, DtypeError, GradError, ShapeError
from .batch import Batch
from .engine import Pass, Roots
from .further import zeros_like
from .gradient_edge import Adrift, GradientEdge
from .graph import Edge
from .nested import execute
from .state import STATE
from .tensor import Tensor, edge_of, wrap


def backward(
    tensors: Any,
    grad_tensors: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    inputs: Any = None,
) -> None:
    """Add the gradients of `tensors` with respect to the leaves to the leaves' ``.grad``.

    `grad_tensors` are the gradients of some later scalar with respect to `tensors`, of the same shapes. For a tensor
    with one element, None means 1. With `inputs`, only these tensors get a ``.grad``.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], requires_grad=True)
    >>> mg.autograd.backward((x * x).sum())
    >>> x.grad
    tensor([2., 4.])
    """
    if STATE.mode.transforms:
        raise GradError(
            "backward() called inside a functorch transform. This is not supported: use minigrad.func.grad or vjp "
            "instead, or call backward() outside of the function being transformed."
        )
    chosen = None if inputs is None else as_sequence(inputs)
    if chosen is not None and not chosen:
        raise GradError("`inputs` argument to `backward()` cannot be empty.")
    outputs = as_sequence(tensors)
    roots = roots_of(outputs, as_grads(grad_tensors, len(outputs)), create_graph)
    retain = create_graph if retain_graph is None else retain_graph
    if create_graph:
        warnings.warn(
            "Using backward() with create_graph=True will create a reference cycle between the parameter and its "
            "gradient which can cause a memory leak. We recommend using autograd.grad when creating the graph to avoid "
            "this. If you have to use this function, make sure to reset the .grad fields of your parameters to None "
            "after use to break the cycle and avoid the leak.",
            UserWarning,
            stacklevel=3,
        )
    if chosen is None:
        execute(Pass(roots, None, retain, create_graph))
        return
    for each in chosen:
        if isinstance(each, Tensor):
            each.retain_grad()
    execute(Pass(roots, None, retain, create_graph, goals={node for node, _ in input_edges(chosen)}))


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    allow_unused: bool | None = None,
    materialize_grads: bool = False,
) -> Any:
    """Return the gradients of `outputs` with respect to `inputs`: a tuple, or a dict if `inputs` is one.

    No ``.grad`` changes. With `create_graph` the gradients can be differentiated again. An unused input is an error,
    unless `allow_unused` is set (its gradient is then None) or `materialize_grads` (zeros).

    >>> import minigrad as mg
    >>> x = mg.tensor(2.0, requires_grad=True)
    >>> (slope,) = mg.autograd.grad(x**3, x, create_graph=True)
    >>> mg.autograd.grad(slope, x)
    (tensor(12.),)
    """
    check_unused(allow_unused, materialize_grads)
    if isinstance(inputs, dict):
        chosen = tuple(inputs.values())
        found = grad(outputs, chosen, grad_outputs, retain_graph, create_graph, allow_unused, materialize_grads)
        return dict(zip(inputs, found, strict=True))
    chosen, made = as_sequence(inputs), as_sequence(outputs)
    if not chosen:
        raise GradError("`inputs` argument to `grad()` cannot be empty.")
    edges = input_edges(chosen)
    roots = roots_of(made, as_grads(grad_outputs, len(made)), create_graph)
    captures: dict[Edge, Tensor | None] = dict.fromkeys(edges)
    execute(Pass(roots, captures, create_graph if retain_graph is None else retain_graph, create_graph))
    gradients = [captures[edge] for edge in edges]
    if materialize_grads:
        return tuple(_zeros_for(t, create_graph) if g is None else g for t, g in zip(chosen, gradients, strict=True))
    for index, each in enumerate(gradients):
        if each is None and not allow_unused:
            raise GradError(
                f"The differentiated Tensor at index {index} appears to not have been used in the graph. "
                "Set allow_unused=True if this is the desired behavior."
            )
    return tuple(gradients)


# Reading the arguments ------------------------------------------------------------------------------------------------


def check_unused(allow_unused: bool | None, materialize_grads: bool) -> None:
    """Raise if `allow_unused` is False while `materialize_grads` is True: they contradict each other."""
    if materialize_grads and allow_unused is False:
        raise ArgumentError(
            "Expected allow_unused to be True or not passed when materialize_grads=True, but got: allow_unused=False."
        )


def as_sequence(tensors: Any) -> tuple[Any, ...]:
    """Return one tensor or edge, or a sequence of them, as a tuple."""
    if isinstance(tensors, (Tensor, GradientEdge)):
        return (tensors,)
    if isinstance(tensors, dict):
        return tuple(tensors.values())
    return tuple(tensors)


def as_grads(grads: Any, count: int) -> tuple[Any, ...]:
    """Return the gradients of `count` roots as a sequence; None stands for None for each."""
    if grads is None:
        return (None,) * count
    found = as_sequence(grads) if not isinstance(grads, (str, int, float)) else (grads,)
    if len(found) != count:
        raise GradError(f"got {count} tensors and {len(found)} gradients")
    return found


def _edge(tensor: Any) -> Edge:
    if isinstance(tensor, GradientEdge):
        return (tensor.node, tensor.output_nr)
    if not isinstance(tensor, Tensor):
        raise GradError(f"all inputs have to be Tensors or GradientEdges, but got {type(tensor).__name__}")
    edge = edge_of(tensor)
    if edge is None:
        raise GradError("One of the differentiated Tensors does not require grad")
    return (Adrift(), 0) if edge[0].adrift else edge  # a detached view: nothing leads to it, so it counts as unused


def input_edges(inputs: Sequence[Any]) -> list[Edge]:
    """Return the edges at which the gradients of `inputs` arrive."""
    return [_edge(each) for each in inputs]


def roots_of(outputs: Sequence[Any], grads: Sequence[Any], create_graph: bool) -> Roots:
    """Return the edges to start from and their gradients, checked."""
    roots = []
    for index, (output, given) in enumerate(zip(outputs, grads, strict=True)):
        if isinstance(output, GradientEdge):
            roots.append(((output.node, output.output_nr), _edge_grad(index, output, given)))
            continue
        root = root_grad(index, output, given)
        edge = edge_of(output)
        while edge is None and type(output._array) is Batch and not output._array.batched:
            output = output._array.value  # computed from tensors of an outer level only, so this vmap does not matter
            edge = edge_of(output)
        if edge is None:
            raise GradError(
                f"element {index} of tensors does not require grad and does not have a grad_fn. "
                "Was it computed under no_grad(), detached, or made of tensors without requires_grad=True?"
            )
        roots.append((edge, root))
    return roots


def _edge_grad(index: int, edge: GradientEdge, given: Any) -> Tensor:
    """Return the initial gradient for an edge, checked against the edge's tensor if that is known."""
    looks = edge.ownership_token
    if looks is not None:
        return root_grad(index, looks.tensor(edge), given)
    if given is None:
        raise GradError(
            "grad can be implicitly created only for scalar outputs, and this GradientEdge has no shape: make it with "
            "autograd.graph.get_gradient_edge, which notes it, or pass its gradient."
        )
    return given


def root_grad(index: int, output: Tensor, given: Any) -> Tensor:
    if given is None:
        if not output.requires_grad:
            return output
        if output.numel() != 1:
            raise GradError(
                "grad can be implicitly created only for scalar outputs, and this one has shape "
                f"{list(output._array.shape)}. Reduce it first, with .sum() or .mean(), or pass its gradient."
            )
        if not output.dtype.is_floating_point:
            raise GradError(
                f"grad can be implicitly created only for real scalar outputs but got {output.dtype}. "
                "Take a real function of it first, such as .abs(), or pass its gradient."
            )
        return wrap(output._backend.ones(output._array.shape, output._array.dtype), output._backend)
    if not isinstance(given, Tensor):
        raise ArgumentTypeError(f"gradients can be either Tensors or None, but got {type(given).__name__}")
    if given._array.shape != output._array.shape:
        raise ShapeError(
            f"Mismatch in shape: grad_output[{index}] has a shape of {given.shape} and output[{index}] has a shape of "
            f"{output.shape}."
        )
    if given.dtype.is_complex != output.dtype.is_complex:
        raise DtypeError(
            "For complex Tensors, both grad_output and output are required to have the same dtype. Mismatch in dtype: "
            f"grad_output[{index}] has a dtype of {given.dtype} and output[{index}] has a dtype of {output.dtype}."
        )
    return given


def _zeros_for(tensor: Any, create_graph: bool) -> Tensor:
    """Return zeros for a gradient that never arrived; with `create_graph` they are part of a graph like the others."""
    if isinstance(tensor, GradientEdge):
        raise GradError(
            "materialize_grads cannot be used when the given input is a GradientEdge: an edge has no shape. "
            "Pass the tensor, or allow_unused=True."
        )
    zeros = zeros_like(tensor)
    zeros._requires_grad = create_graph
    return zeros

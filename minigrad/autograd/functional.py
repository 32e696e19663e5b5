"""Derivatives of functions of tensors: products with Jacobians and Hessians, and the matrices themselves.

`minigrad.func` offers the same as transforms of functions. The functions here take a function and its inputs together,
as in ``torch.autograd.functional``.

    vjp   vᵀ J   one backward                      jvp   J v   two backwards: a VJP is linear in v, so its
    vhp   vᵀ H   two backwards                     hvp   H v   own VJP, with respect to v, is a JVP
    jacobian, hessian   one row after the other, or all at once with ``vectorize=True``

Inputs are one tensor or a tuple of tensors, and results have the same structure. With ``create_graph=True`` the results
can be differentiated again. With ``strict=True`` an output or derivative that does not depend on the inputs is an
error.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.further import zeros_like
from ..core.grad_mode import enable_grad
from ..core.tensor import Tensor
from ..func.forward import jacfwd
from ..func.reverse import enter
from .functional_checks import (
    OUTPUTS,
    as_tuple,
    check_depends,
    check_no_v,
    check_single,
    check_strategy,
    check_v,
    filled,
    unpacked,
)
from .functional_rows import all_rows, grads_or_none, row_by_row

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Function = Callable[..., Any]


def vjp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of `func`, and the product of `v` (shaped as the value) with its Jacobian (shaped as `inputs`).

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0])
    >>> mg.autograd.functional.vjp(lambda x: x * x, x, mg.tensor([1.0, 10.0]))
    (tensor([1., 4.]), tensor([ 2., 40.]))
    """
    with enable_grad():
        tupled, entered = _enter(inputs, "vjp", create_graph)
        out_tupled, outputs = as_tuple(func(*entered), OUTPUTS, "vjp")
        check_depends(outputs, "outputs", strict)
        vectors = _vectors(v, outputs, out_tupled, "vjp", create_graph, "the user-provided function returns")
        found = filled(grads_or_none(outputs, entered, vectors, create_graph), entered, strict, create_graph, "back")
    return _leave(outputs, out_tupled, create_graph), _leave(found, tupled, create_graph)


def jvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of `func`, and the product of its Jacobian with `v` (shaped as `inputs`), shaped as the value.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0])
    >>> mg.autograd.functional.jvp(lambda x: x.sum() * x, x, mg.ones(2))
    (tensor([3., 6.]), tensor([5., 7.]))
    """
    with enable_grad():
        tupled, entered = _enter(inputs, "jvp", create_graph)
        vectors = _vectors(v, entered, tupled, "jvp", create_graph, "the input to the user-provided function is")
        out_tupled, outputs = as_tuple(func(*entered), OUTPUTS, "jvp")
        check_depends(outputs, "outputs", strict)
        probes = [enter(zeros_like(each)) for each in outputs]
        rows = filled(grads_or_none(outputs, entered, probes, True), entered, strict, create_graph, "back")
        check_depends(rows, "grad_inputs", strict)
        found = grads_or_none(rows, probes, vectors, create_graph)
        pushed = filled(found, outputs, strict, create_graph, "back_trick")
    return _leave(outputs, out_tupled, create_graph), _leave(pushed, out_tupled, create_graph)


def vhp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of the scalar function `func`, and the product of `v` with its Hessian; both shaped as `inputs`.

    >>> import minigrad as mg
    >>> mg.autograd.functional.vhp(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]), mg.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        tupled, entered = _enter(inputs, "vhp", create_graph)
        vectors = _vectors(v, entered, tupled, "vhp", create_graph, "the input to the user-provided function is")
        value, slopes = _slopes(func, entered, "vhp", strict, create_graph)
        check_depends(slopes, "jacobian", strict)
        found = filled(
            grads_or_none(slopes, entered, vectors, create_graph), entered, strict, create_graph, "double_back"
        )
    return _leave((value,), False, create_graph), _leave(found, tupled, create_graph)


def hvp(
    func: Function, inputs: Any, v: Any = None, create_graph: bool = False, strict: bool = False
) -> tuple[Any, Any]:
    """Return the value of the scalar function `func`, and the product of its Hessian with `v`; both shaped as `inputs`.

    It takes one backward more than `vhp`, which gives the same wherever the second derivatives are continuous.

    >>> import minigrad as mg
    >>> mg.autograd.functional.hvp(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]), mg.ones(2))
    (tensor(9.), tensor([ 6., 12.]))
    """
    with enable_grad():
        tupled, entered = _enter(inputs, "hvp", create_graph)
        vectors = _vectors(v, entered, tupled, "hvp", create_graph, "the input to the user-provided function is")
        value, slopes = _slopes(func, entered, "hvp", strict, create_graph)
        check_depends(slopes, "jacobian", strict)
        probes = [enter(zeros_like(each)) for each in entered]
        rows = filled(grads_or_none(slopes, entered, probes, True), entered, strict, create_graph, "double_back")
        check_depends(rows, "hessian", strict)
        found = grads_or_none(rows, probes, vectors, create_graph)
        pushed = filled(found, entered, strict, create_graph, "double_back_trick")
    return _leave((value,), False, create_graph), _leave(pushed, tupled, create_graph)


def jacobian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """All first derivatives of `func`: for each output, for each input, a tensor of shape (*output, *input).

    For a tuple of outputs it is a tuple; for a tuple of inputs, each item is a tuple again. With `vectorize` all rows
    are computed at once (`func.vmap`), or, with ``strategy="forward-mode"``, all columns, which is faster if there are
    fewer inputs than outputs.

    >>> import minigrad as mg
    >>> mg.autograd.functional.jacobian(lambda x: x * x, mg.tensor([1.0, 2.0]))
    tensor([[2., 0.],
            [0., 4.]])
    """
    check_strategy(strategy, create_graph, strict, vectorize)
    if strategy == "forward-mode":
        return _columns(func, inputs)
    with enable_grad():
        tupled, entered = _enter(inputs, "jacobian", create_graph)
        out_tupled, outputs = as_tuple(func(*entered), OUTPUTS, "jacobian")
        check_depends(outputs, "outputs", strict)
        if vectorize:
            blocks = all_rows(outputs, entered, create_graph)
        else:
            blocks = [row_by_row(i, each, entered, create_graph, strict) for i, each in enumerate(outputs)]
    return unpacked([_leave(block, tupled, create_graph) for block in blocks], out_tupled)


def hessian(
    func: Function,
    inputs: Any,
    create_graph: bool = False,
    strict: bool = False,
    vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """All second derivatives of the scalar function `func`: a tensor of shape (*input, *input).

    With a tuple of inputs it is a tuple of tuples: [i][j] has the derivatives by input i and input j.

    >>> import minigrad as mg
    >>> mg.autograd.functional.hessian(lambda x: (x**3).sum(), mg.tensor([1.0, 2.0]))
    tensor([[ 6.,  0.],
            [ 0., 12.]])
    """
    tupled, tensors = as_tuple(inputs, "inputs", "hessian")

    def scalar(*entered: Tensor) -> Tensor:
        out_tupled, outputs = as_tuple(func(*entered), OUTPUTS, "hessian")
        check_depends(outputs, "outputs", strict)
        return check_single(out_tupled, outputs, "hessian").reshape(())

    def slopes(*entered: Tensor) -> tuple[Tensor, ...]:
        found: tuple[Tensor, ...] = jacobian(scalar, entered, create_graph=True)
        check_depends(found, "jacobian", strict)
        return found

    rows = jacobian(slopes, tensors, create_graph, strict, vectorize, outer_jacobian_strategy)
    return rows if tupled else rows[0][0]


# Inputs and results -------------------------------------------------------------------------------------------------


def _enter(inputs: Any, who: str, create_graph: bool) -> tuple[bool, list[Tensor]]:
    """Return the inputs as new leaves, connected to their own graphs only with `create_graph`."""
    tupled, tensors = as_tuple(inputs, "inputs", who)
    return tupled, [enter(each if create_graph else each.detach()) for each in tensors]


def _leave(results: Sequence[Tensor], tupled: bool, create_graph: bool) -> Any:
    """Return results to the user, detached unless `create_graph` is set."""
    return unpacked(results if create_graph else [each.detach() for each in results], tupled)


def _vectors(
    v: Any, others: Sequence[Tensor], tupled: bool, who: str, create_graph: bool, what: str
) -> Sequence[Tensor]:
    """Return the vectors to multiply by: `v` checked against `others`, or ones if `v` is None."""
    if v is None:
        check_no_v(others, what)
        return [each.new_ones(each.shape) for each in others]
    _, vectors = as_tuple(v, "v", who)
    check_v(vectors, others, tupled)
    return vectors if create_graph else [each.detach() for each in vectors]


def _slopes(
    func: Function, entered: Sequence[Tensor], who: str, strict: bool, create: bool
) -> tuple[Tensor, Sequence[Tensor]]:
    """Return the value of a scalar function, and its gradient with a graph."""
    out_tupled, outputs = as_tuple(func(*entered), OUTPUTS, who)
    check_depends(outputs, "outputs", strict)
    value = check_single(out_tupled, outputs, who)
    one = value.new_ones(value.shape)
    return value, filled(grads_or_none([value], entered, [one], True), entered, strict, create, "back")


def _columns(func: Function, inputs: Any) -> Any:
    """Return the Jacobians of all outputs by each input, computed in one batched forward pass."""
    tupled, tensors = as_tuple(inputs, "inputs", "jacobian")
    out_tupled = False

    def checked(*entered: Tensor) -> tuple[Tensor, ...]:
        nonlocal out_tupled
        out_tupled, outputs = as_tuple(func(*entered), OUTPUTS, "jacobian")
        return outputs

    blocks = jacfwd(checked, tuple(range(len(tensors))))(*tensors)
    return unpacked([_leave(block, tupled, False) for block in blocks], out_tupled)

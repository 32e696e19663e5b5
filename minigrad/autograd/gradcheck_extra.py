"""Further checks of gradcheck: batched gradients, undefined gradients, zero gradients, dtypes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.further import zeros_like
from ..core.graph import Edge, Node, next_sequence_number
from ..core.tensor import Tensor, alias, edge_of, wrap
from .derivatives import grad
from .forward_ad import dual_level, make_dual, unpack_dual
from .gradcheck_compare import Checked, GradcheckError, agree, row_of

BATCH = 3


def check_nothing_flows(case: Checked) -> None:
    """Raise unless zeros as output gradients give zeros as input gradients: backward must be linear."""
    outputs = case.outputs()
    for number, found in enumerate(_grads(case, outputs, [zeros_like(each) for each in outputs])):
        if found is not None and np.any(row_of([found])):
            raise GradcheckError(
                f"backward not multiplied by grad_output: with zeros as the gradient of every output, input {number} "
                "still gets a gradient that is not zero. A gradient rule forgets to multiply by the gradient that it "
                "is given."
            )


def check_grad_properties(case: Checked) -> None:
    """Raise unless every gradient has the dtype of its input."""
    outputs = case.outputs()
    for number, ((_, x), found) in enumerate(
        zip(case.moving, _grads(case, outputs, [_ones(each) for each in outputs]), strict=True)
    ):
        if found is not None and found.dtype is not x.dtype:
            raise GradcheckError(
                f"Gradient has dtype mismatch: input {number} is {x.dtype} and its gradient {found.dtype}"
            )


def check_undefined(case: Checked) -> None:
    """Raise unless backward accepts undefined output gradients, and then returns zeros or None."""
    outputs = case.outputs()
    everything = range(len(outputs))
    for missing in [everything, *([i] for i in everything)] if len(outputs) > 1 else [everything]:
        roots = [undefined(each) if i in missing else each for i, each in enumerate(outputs)]
        try:
            found = _grads(case, roots, [zeros_like(each) for each in roots])
        except RuntimeError as error:
            _warn_of_undefined()
            raise GradcheckError(
                "Expected backward function to handle undefined output grads. One that is made for several outputs, "
                f"or has set_materialize_grads(False), or a hook, may get None: {error}"
            ) from error
        if any(each is not None and np.any(row_of([each])) for each in found):
            _warn_of_undefined()
            raise GradcheckError(
                "Expected all input grads to be undefined or zero when all output grads are undefined or zero. A "
                "backward with set_materialize_grads(False) gets None for a gradient that never arrived, and must "
                "take it as zero."
            )


def _warn_of_undefined() -> None:
    warnings.warn(
        "Backwards compatibility: New undefined gradient support checking feature is enabled by default. If this is "
        'not wanted, call this function with "check_undefined_grad=False".',
        UserWarning,
        stacklevel=4,
    )


class Undefined(Node):
    """A node whose backward always returns None."""

    def __init__(self, edge: Edge | None) -> None:
        self.edges = (edge,)
        self.seq = next_sequence_number()
        self.extra = None

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        return (None,)


def undefined(tensor: Tensor) -> Tensor:
    """Return `tensor` with a node through which no gradient flows back."""
    return alias(tensor, (Undefined(edge_of(tensor)), 0))


def check_batched_backward(case: Checked) -> None:
    """Raise unless gradients computed together by vmap equal those computed one by one."""
    for index, output in enumerate(case.outputs()):
        batch = _random(output, BATCH)
        inputs = [x for _, x in case.moving]
        try:
            together = grad(output, inputs, batch, retain_graph=True, allow_unused=True, is_grads_batched=True)
        except Exception as error:
            raise GradcheckError(
                f"While testing batched gradients of output {index}, vmap over backward failed: "
                f"{type(error).__name__}: {error}"
            ) from error
        single = [grad(output, inputs, each, retain_graph=True, allow_unused=True) for each in batch]
        for number, found in enumerate(together):
            expected = [each[number] for each in single]
            _compare_batch(case, "gradient", index, number, found, expected)


def check_batched_forward(case: Checked) -> None:
    """Raise unless tangents computed together by vmap equal those computed one by one."""
    for number, (place, x) in enumerate(case.moving):

        def push(tangent: Tensor, place: int = place, x: Tensor = x) -> list[Any]:
            with dual_level():
                inputs = [each.detach() if isinstance(each, Tensor) else each for each in case.inputs]
                inputs[place] = make_dual(x.detach(), tangent)
                outputs = case.at(tuple(inputs)).outputs()
                tangents = [unpack_dual(each).tangent for each in outputs]
            return [zeros_like(y) if each is None else each for y, each in zip(outputs, tangents, strict=True)]

        batch = _random(x, BATCH)
        together = mapped(push, batch)
        single = [push(each) for each in batch]
        for index, found in enumerate(together):
            _compare_batch(case, "forward gradient", index, number, found, [each[index] for each in single])


def mapped(push: Callable[[Tensor], list[Any]], batch: Tensor) -> list[Any]:
    """Run `push` on all elements of `batch` at once. Unlike `vmap`, this accepts Functions of any style."""
    from ..func.level import VmapLevel

    level = VmapLevel(len(batch))
    with level:
        found = push(level.entered(batch, 0))
    return [level.left(each, 0) for each in found]


def _compare_batch(case: Checked, what: str, output: int, number: int, found: Any, expected: list[Any]) -> None:
    if found is None and all(each is None for each in expected):
        return
    kept = [each for each in expected if each is not None]
    got = row_of([found]) if found is not None else np.zeros(0)
    wanted = row_of(kept) if kept else np.zeros_like(got)
    if got.shape != wanted.shape or not agree(got, wanted, case.settings):
        raise GradcheckError(
            f"For output {output} and input {number}, the batched {what}, computed with vmap, is not what the same op "
            f"gives one by one.\n\nGot:\n{got}\n\nExpected:\n{wanted}"
        )


def _grads(case: Checked, outputs: list[Tensor], vectors: list[Tensor]) -> Any:
    return grad(outputs, [x for _, x in case.moving], vectors, retain_graph=True, allow_unused=True)


def _ones(tensor: Tensor) -> Tensor:
    return wrap(tensor._backend.ones(tensor._array.shape, tensor._array.dtype), tensor._backend)


def _random(tensor: Tensor, count: int) -> Tensor:
    """Return `count` random tensors like `tensor`, stacked along a new first dimension."""
    shape = (count, *tensor._array.shape)
    numbers = np.random.default_rng(0).standard_normal(shape).astype(tensor._array.dtype)
    return wrap(tensor._backend.from_host(numbers), tensor._backend)

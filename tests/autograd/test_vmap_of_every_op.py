"""vmap over the whole registry: every op does to a batch what it does to each example, and so do its derivatives."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import minigrad as mg
from minigrad.core.op import Op
from minigrad.func.rules.base import RULES
from minigrad.observe.explain.op_reference import every_op

SLOW = {"AsStrided", "EmbeddingBackward", "MaskedSelect", "MaskedScatter", "NormaliseBackward", "SortStably"}
# Recurrent layers run step by step under vmap, in ops that have rules; these ops are for plain tensors.
SLOW |= {"GRULayer", "GRULayerBackward", "LSTMLayer", "LSTMLayerBackward", "RNNLayer", "RNNLayerBackward"}
SLOW |= {"Alignments", "AlignmentsBackward"}
"""Ops that run one example after the other. A new one is to be added here, or, better, to get a rule."""


EXAMPLES = 3


def drawn(op: type[Op], sample: Any) -> list[list[Any]]:
    """Inputs for several examples."""

    random = np.random.default_rng(0)
    kind = {"f": "float64", "c": "complex128", "i": "int64", "b": "bool"}[next(k for k in "fcib" if k in op.kinds)]
    drawings = [sample.draw(random, np.dtype(kind)) for _ in range(EXAMPLES)]
    return [[mg.tensor(each) if isinstance(each, np.ndarray) else each for each in inputs] for inputs in drawings]


def cases() -> list[Any]:
    found = []
    for name, op in every_op().items():
        if name != "MaskedSelect":
            found += [pytest.param(op, sample, id=f"{name}-{i}") for i, sample in enumerate(op.samples)]
    return found


def as_tuple(result: Any) -> tuple[Any, ...]:
    return result if isinstance(result, tuple) else (result,)


@pytest.mark.parametrize(("op", "sample"), cases())
def test_every_op_does_to_a_batch_what_it_does_to_each(op: type[Op], sample: Any) -> None:
    examples = drawn(op, sample)
    tensors = [i for i, each in enumerate(examples[0]) if isinstance(each, mg.Tensor)]

    def call(*inputs: Any) -> Any:
        return op(*[sample.settings[name] for name in op.settings])(*inputs)

    for chosen in [tensors, *([i] for i in tensors if len(tensors) > 1)]:
        calls = [[x if i in chosen else examples[0][i] for i, x in enumerate(inputs)] for inputs in examples]
        dims = tuple(0 if i in chosen else None for i in range(len(calls[0])))
        batch = [mg.stack([inputs[i] for inputs in calls]) if i in chosen else each for i, each in enumerate(calls[0])]
        expected = [as_tuple(call(*inputs)) for inputs in calls]
        for found, *each in zip(as_tuple(mg.func.vmap(call, dims)(*batch)), *expected, strict=True):
            assert close(found, mg.stack(each))
        check_derivatives(op, call, calls, batch, dims)


def check_derivatives(op: type[Op], call: Any, calls: list[list[Any]], batch: list[Any], dims: Any) -> None:
    """Gradients inside vmap, and tangents inside vmap, against gradients of each example."""
    last = len(op.inputs_named) - 1
    moving = tuple(
        i
        for i, each in enumerate(calls[0])
        if isinstance(each, mg.Tensor) and each.dtype.is_floating_point and op.differentiable(min(i, last))
    )
    results = as_tuple(call(*calls[0]))
    if not moving or not any(each.dtype.is_differentiable for each in results):
        return

    def loss(*inputs: Any) -> Any:
        outputs = [
            each.abs() if each.dtype.is_complex else each
            for each in as_tuple(call(*inputs))
            if each.dtype.is_differentiable
        ]
        return sum((each * each).sum() for each in outputs)

    def pushed(*inputs: Any) -> Any:
        def of_moving(*inner: Any) -> Any:
            return loss(*[inner[moving.index(i)] if i in moving else each for i, each in enumerate(inputs)])

        directions = tuple(inputs[i] for i in moving)
        return mg.func.jvp(of_moving, directions, directions)[1]

    slopes = [mg.func.grad(loss, moving)(*inputs) for inputs in calls]
    for found, *each in zip(mg.func.vmap(mg.func.grad(loss, moving), dims)(*batch), *slopes, strict=True):
        assert close(found, mg.stack(each))
    if op.__name__ in ("Embedding", "Scatter", "IndexPut"):  # their gradients leave out what their tangents count
        return
    along = [
        sum((slope * inputs[i]).sum() for slope, i in zip(each, moving, strict=True))
        for each, inputs in zip(slopes, calls, strict=True)
    ]
    assert close(mg.func.vmap(pushed, dims)(*batch), mg.stack(along))


def close(found: mg.Tensor, expected: mg.Tensor) -> bool:
    if found.shape != expected.shape or found.dtype is not expected.dtype:
        return False
    if not found.dtype.is_differentiable:
        return bool((found == expected).all())
    return mg.allclose(found.cpu(), expected.cpu(), rtol=1e-6, atol=1e-9, equal_nan=True)


def test_few_ops_run_one_example_after_the_other() -> None:
    own = every_op()
    slow = {name for name, op in own.items() if name not in RULES and not op.elementwise}
    assert slow <= SLOW, f"{sorted(slow - SLOW)} have no batching rule: write one in minigrad/func/rules_*.py"
    assert set(RULES) <= set(own), f"rules for ops that do not exist: {sorted(set(RULES) - set(own))}"


def test_mapping_costs_about_one_op_and_not_one_for_each_example() -> None:
    ran = []
    with mg.events.listening(lambda event: ran.append(event) if isinstance(event, mg.events.NodeRecorded) else None):
        mg.func.vmap(lambda x: (x * x + 1).tanh().sum())(mg.ones(100, 3))
    assert 4 <= len(ran) <= 8 and math.isclose(sum(len(each.outputs) for each in ran), len(ran))

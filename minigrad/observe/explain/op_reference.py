"""The reference of ops, read from their classes: what each computes, its gradients, its samples, and a check.

>>> described(every_op()["Tanh"])["formula"]
'\\\\tanh x'
>>> checked("Tanh", 0)["passed"]
True
"""

from __future__ import annotations

import inspect
import zlib
from importlib import import_module
from typing import Any

from ...core.declared import REGISTRY
from ...core.op import Op
from ...core.tensor import Tensor
from ...ops import families
from ...ops.common.samples import Given, Sample
from ...ops.create.factories import tensor
from ..framework.op_facts import op_facts


def every_op() -> dict[str, type[Op]]:
    """minigrad's own ops by name, including those of modules that are not imported at first."""
    families()  # fills the registry by importing the ops
    for late in ("minigrad.fft", "minigrad.nn", "minigrad.special"):
        import_module(late)
    return {name: op for name, op in sorted(REGISTRY.items()) if op.__module__.startswith("minigrad.")}


def described(op: type[Op]) -> dict[str, Any]:
    """An op in words and LaTeX, as declared by its class."""
    facts = op_facts(op)
    return {
        "name": op.__name__,
        "about": " ".join((inspect.getdoc(op) or "").split()),
        "formula": facts["formula"],
        "inputs": [each.lstrip("*") for each in op.inputs_named],
        "settings": list(op.settings),
        "gradients": facts["gradients"],
        "view": bool(op.is_view),
    }


def samples_of(op: type[Op]) -> list[str]:
    """The samples of the op, each in one line, such as ``(2, 3), (3, 4), dim=1``."""
    return [in_a_line(sample) for sample in op.samples]


def in_a_line(sample: Sample) -> str:
    """A sample's shapes and settings in one line."""
    inputs = [_given(each) if isinstance(each, Given) else repr(each) for each in sample.inputs]
    return ", ".join([*inputs, *(f"{name}={value!r}" for name, value in sample.settings.items())])


def _given(given: Given) -> str:
    if given.kind == "data":
        return repr(given.data)
    return {"whole": "integers ", "truth": "bools "}.get(given.kind, "") + str(given.shape)


def checked(name: str, number: int = 0) -> dict[str, Any]:
    """Compare the op's gradients on one of its samples with finite differences. The result says whether they agree.

    `compared` counts the elements of all Jacobians. Raises LookupError if there is no such op or sample.
    """
    from ...autograd.gradcheck import GradcheckError, gradcheck

    op = every_op().get(name)
    if op is None or not 0 <= number < len(op.samples):
        raise LookupError(f"There is no sample {number} of an op {name!r}.")
    sample = op.samples[number]
    inputs = _drawn(op, sample)
    moving = [each for each in inputs if isinstance(each, Tensor) and each.requires_grad]
    if not moving:
        return _told(False, 0, f"{name} has no gradient to check: none of its inputs can move a little.", none=True)

    def run(*given: Any) -> Any:
        result = op(*(sample.settings[each] for each in op.settings))(*given)
        outputs = result if isinstance(result, tuple) else (result,)
        return tuple(each for each in outputs if each.requires_grad)

    compared = sum(each.numel() for each in moving) * sum(each.numel() for each in run(*inputs))
    try:
        gradcheck(run, inputs)
    except GradcheckError as error:
        return _told(False, compared, str(error))
    inputs_said = "its input" if len(moving) == 1 else f"{len(moving)} inputs"
    return _told(True, compared, f"The gradients of {inputs_said} agree with differences in all {compared} places.")


def _told(passed: bool, compared: int, words: str, none: bool = False) -> dict[str, Any]:
    return {"passed": passed, "checkable": not none, "compared": compared, "words": words}


def _drawn(op: type[Op], sample: Sample) -> list[Any]:
    """The inputs of a sample, in float64; those that can have a gradient require one."""
    import numpy as np

    kind = np.float64 if "f" in op.kinds else np.complex128
    random = np.random.default_rng(zlib.crc32(op.__name__.encode()))
    last = len(op.inputs_named) - 1
    inputs = []
    for index, array in enumerate(sample.draw(random, np.dtype(kind))):
        if not isinstance(array, np.ndarray):
            inputs.append(array)
            continue
        moves = array.dtype.kind in "fc" and op.differentiable(min(index, last))
        inputs.append(tensor(array, requires_grad=moves))
    return inputs

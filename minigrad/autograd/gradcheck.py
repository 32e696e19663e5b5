"""Check gradients against finite differences: does backward match forward?

Every input element is changed slightly, and the change of the outputs gives the Jacobian without any gradient rule. It
is compared with the Jacobian by backward (and, if asked for, by forward mode). A failed check names the input and the
element with the largest error. It also checks every op of the function by itself, and names the formula to suspect.

>>> import minigrad as mg
>>> x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
>>> mg.autograd.gradcheck(lambda x: x.exp() * x, x)
True
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..core.differentiate import grad
from ..core.tensor import Tensor, wrap
from ..errors import ArgumentError, GradError
from .gradcheck_compare import Checked, GradcheckError, Settings, compare
from .gradcheck_extra import (
    check_batched_backward,
    check_batched_forward,
    check_grad_properties,
    check_nothing_flows,
    check_undefined,
)

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


def gradcheck(
    func: Callable[..., Any],
    inputs: Any,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Check the gradients of `func` at `inputs` against finite differences. Return True if they agree.

    Each element of each input that requires a gradient is changed by plus and minus `eps`; two Jacobians agree if they
    differ by at most ``atol + rtol * |numerical|``. Use float64 inputs: differences in float32 are too rough, and a
    UserWarning says so. With `fast_mode` one random direction is tried instead of every element.

    Further checks: two backwards agree within `nondet_tol`; undefined output gradients count as zero; dtypes of
    gradients; batched gradients (`func.vmap`); forward mode. `masked` is accepted for compatibility with PyTorch,
    without effect: minigrad has no sparse tensors.

    If they do not agree, it raises GradcheckError (a RuntimeError), or returns False if `raise_exception` is False. It
    raises ValueError if no input requires a gradient.
    """
    _check_choice(
        check_forward_ad or check_backward_ad,
        "Expected at least one of check_forward_ad or check_backward_ad to be True",
    )
    _check_choice(
        not check_batched_grad or check_backward_ad,
        "Setting check_batched_grad=True requires check_backward_ad to be True",
    )
    _check_choice(
        not check_batched_forward_grad or check_forward_ad,
        "Setting check_batched_forward_grad=True requires check_forward_ad to be True",
    )
    settings = Settings(eps, atol, rtol, nondet_tol, fast_mode)
    given = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    case = Checked(func, tuple(given), settings)
    _check_inputs(case)
    try:
        outputs = case.outputs()
        if not outputs:
            compare(case, "zero")
            return True
        if check_backward_ad:
            compare(case, "backward")
        if check_forward_ad:
            compare(case, "forward")
        if check_batched_forward_grad:
            check_batched_forward(case)
        if check_backward_ad:
            if check_batched_grad:
                check_batched_backward(case)
            check_nothing_flows(case)
            if check_grad_dtypes:
                check_grad_properties(case)
            if check_undefined_grad:
                check_undefined(case)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Any,
    grad_outputs: Any = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Check the second derivatives of `func` against finite differences: `gradcheck` of its backward.

    `grad_outputs` are the output gradients at which backward is checked; by default they are random (and, with
    `gen_non_contig_grad_outputs`, not contiguous). The other arguments are those of `gradcheck`.
    """
    _check_choice(
        check_fwd_over_rev or check_rev_over_rev,
        "Expected at least one of check_fwd_over_rev or check_rev_over_rev to be True",
    )
    for name, on in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        _check_choice(
            check_rev_over_rev or not on,
            f"Setting {name}=True requires check_rev_over_rev to be True",
        )
    given = tuple(inputs) if isinstance(inputs, (tuple, list)) else (inputs,)
    case = Checked(func, given, Settings(eps, atol, rtol, nondet_tol, fast_mode))
    _check_inputs(case, warn=False)
    if grad_outputs is None:
        generator = np.random.default_rng(0)
        cotangents = tuple(_random_like(each, generator, gen_non_contig_grad_outputs) for each in case.outputs())
    else:
        cotangents = tuple(grad_outputs) if isinstance(grad_outputs, (tuple, list)) else (grad_outputs,)
    count, places = len(given), [place for place, _ in case.moving]

    def backward(*arguments: Any) -> tuple[Tensor, ...]:
        vectors = arguments[count:]
        primals = tuple([x.requires_grad_() if i in places else x for i, x in enumerate(arguments[:count])])
        outputs = case.at(primals).outputs()
        chosen = [primals[i] for i in places]
        found = grad(outputs, chosen, vectors, create_graph=True, allow_unused=True)
        return tuple(each for each in found if each is not None)

    backward.__name__ = f"the backward of {getattr(func, '__name__', 'func')}"
    return gradcheck(
        backward,
        (*given, *cotangents),
        eps=eps,
        atol=atol,
        rtol=rtol,
        raise_exception=raise_exception,
        nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad,
        check_grad_dtypes=check_grad_dtypes,
        check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
        fast_mode=fast_mode,
    )


# Arguments ------------------------------------------------------------------------------------------------------------


class ChoiceError(ArgumentError, AssertionError):
    """The error for arguments that contradict each other."""


def _check_choice(good: bool, message: str) -> None:
    if not good:
        raise ChoiceError(message)


def _check_inputs(case: Checked, warn: bool = True) -> None:
    """Raise unless an input requires a gradient, and none overlaps itself. Warn of low precision."""
    if not case.moving:
        raise ArgumentError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have requires_grad=True."
        )
    for place, tensor in case.moving:
        if warn and tensor.dtype.itemsize < (16 if tensor.dtype.is_complex else 8):
            warnings.warn(
                f"Input #{place} requires gradient and is not a double precision floating point or complex. This check "
                "will likely fail if all the inputs are not of double precision floating point or complex: this one "
                f"is {tensor.dtype}. Convert it with .double().",
                UserWarning,
                stacklevel=3,
            )
        if any(step == 0 and size > 1 for step, size in zip(tensor.stride(), tensor.shape, strict=True)):
            raise GradError(
                f"The {place}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                "non-overlapping to be able to compute the numerical gradients correctly. You should call .contiguous "
                "on the input before passing it to gradcheck."
            )


def _random_like(output: Tensor, generator: Any, scattered: bool) -> Tensor:
    """Return a random gradient for `output`; with `scattered`, not contiguous."""
    numbers = generator.standard_normal(output.shape)
    if output.dtype.is_complex:
        numbers = numbers + 1j * generator.standard_normal(output.shape)
    array = np.asarray(numbers).astype(output._array.dtype)
    if scattered and array.ndim:
        array = np.stack([array, array], axis=-1)[..., 0]
    backend = output._backend
    return wrap(backend.from_host(array), backend).requires_grad_()

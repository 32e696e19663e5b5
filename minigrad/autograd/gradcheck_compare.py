"""The core of gradcheck: Jacobians by finite differences, by backward and by forward mode, and their comparison.

A Jacobian here is a NumPy array with one row for each element of an input and one column for each element of an output.
A complex input is changed along its real and its imaginary axis. Its row holds both derivatives as one complex number,
real axis + i imaginary axis, which is the library's convention for gradients. A complex output counts as two real ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.differentiate import grad
from ..core.further import zeros_like
from ..core.tensor import Tensor, wrap
from ..errors import ArgumentTypeError, GradError
from .forward_ad import dual_level, make_dual, unpack_dual

Matrix = Any


class GradcheckError(GradError):
    """The error of `gradcheck`: gradients do not agree with finite differences."""


class PerturbedError(GradError, AssertionError):
    """The error for a function whose outputs change their shape or dtype when its inputs change slightly."""


class Settings(NamedTuple):
    """The tolerances and options of a check."""

    eps: float
    atol: float
    rtol: float
    nondet_tol: float
    fast: bool


class Part(NamedTuple):
    """One real tensor to check: output number `output` of the function, or its real or imaginary part."""

    output: int
    words: str
    tensor: Tensor


class Checked:
    """A function with its inputs and the settings of the check."""

    def __init__(
        self, func: Callable[..., Any], inputs: tuple[Any, ...], settings: Settings, everything: bool = False
    ) -> None:
        self.func = func
        self.inputs = inputs
        self.settings = settings
        self.everything = everything
        """Whether outputs that require no gradient are checked too."""
        self.moving = [(i, x) for i, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]
        """(index, tensor) of the inputs that require a gradient."""
        self.chosen: list[int] | None = None
        """The indices of the outputs to check: those that require a gradient at the original inputs."""

    def at(self, inputs: tuple[Any, ...]) -> Checked:
        """Return the same check at other inputs, with the same outputs chosen."""
        moved = Checked(self.func, inputs, self.settings, self.everything)
        if self.chosen is None:
            self.outputs()
        moved.chosen = self.chosen
        return moved

    def outputs(self) -> list[Tensor]:
        """Run the function; return the outputs to check."""
        result = self.func(*self.inputs)
        several = result if isinstance(result, (tuple, list)) else (result,)
        for index, each in enumerate(several):
            if not isinstance(each, Tensor):
                raise ArgumentTypeError(
                    f"gradcheck expects the function to return tensors, but output {index} is of type "
                    f"{type(each).__name__}"
                )
        if self.chosen is None:
            self.chosen = [i for i, each in enumerate(several) if self.everything or each.requires_grad]
        return [several[i] for i in self.chosen]

    def parts(self) -> list[Part]:
        """Return the outputs as real tensors."""
        found = []
        for index, each in enumerate(self.outputs()):
            if each.dtype.is_complex:
                start = "While considering the {} part of complex outputs only, "
                found.append(Part(index, start.format("imaginary"), each.imag))
                found.append(Part(index, start.format("real"), each.real))
            else:
                found.append(Part(index, "", each))
        return found


def compare(case: Checked, mode: str) -> None:
    """Compare the gradients by `mode` ("backward", "forward", or "zero": none are expected) with finite differences."""
    if mode == "zero":
        case = Checked(case.func, case.inputs, case.settings, everything=True)
    for part_number, part in enumerate(case.parts()):
        if not part.tensor.dtype.is_differentiable:
            continue
        for number, (_, x) in enumerate(case.moving):
            if case.settings.fast:
                _compare_fast(case, mode, part_number, part, number, x)
            else:
                _compare_slow(case, mode, part_number, part, number, x)


def _compare_slow(case: Checked, mode: str, part_number: int, part: Part, number: int, x: Tensor) -> None:
    from .gradcheck_report import mismatch, not_reentrant, not_zero

    numerical = by_differences(case, part_number, x)
    if mode == "zero":
        if np.abs(numerical).max(initial=0) > case.settings.atol:
            raise not_zero(case, number, numerical)
        return
    found = by_forward(case, part_number, x) if mode == "forward" else by_backward(part.tensor, x)
    if not agree(found, numerical, case.settings):
        raise mismatch(case, mode, part, number, numerical, found)
    if mode == "backward" and np.abs(found - by_backward(part.tensor, x)).max(initial=0) > case.settings.nondet_tol:
        raise not_reentrant(case)


def _compare_fast(case: Checked, mode: str, part_number: int, part: Part, number: int, x: Tensor) -> None:
    """Compare along one random direction of the input and one of the output."""
    from .gradcheck_report import mismatch, not_reentrant, not_zero

    generator = np.random.default_rng(number + 7 * part_number)
    u, v = random_unit(generator, x.numel()), random_unit(generator, part.tensor.numel())
    numerical = slope_along(case, part_number, x, u) @ v
    if mode == "zero":
        if np.abs(numerical) > case.settings.atol:
            raise not_zero(case, number, numerical)
        return
    if mode == "forward":
        found = push(case, part_number, x, u) @ v
    else:
        found = weighted(pull(part.tensor, x, v), u)
    loose = case.settings._replace(atol=case.settings.atol * max(1.0, np.abs(u).sum() * np.abs(v).sum()))
    if not agree(np.asarray(found), np.asarray(numerical), loose):
        raise mismatch(
            case, mode, part, number, by_differences(case, part_number, x),
            by_forward(case, part_number, x) if mode == "forward" else by_backward(part.tensor, x), (numerical, found),
        )  # fmt: skip
    if mode == "backward" and np.abs(found - weighted(pull(part.tensor, x, v), u)) > case.settings.nondet_tol:
        raise not_reentrant(case)


def agree(found: Matrix, numerical: Matrix, settings: Settings) -> bool:
    """Return whether two Jacobians agree within the tolerances; a NaN agrees with nothing."""
    return bool(np.allclose(found, numerical, rtol=settings.rtol, atol=settings.atol))


# Finite differences ---------------------------------------------------------------------------------------------------


def by_differences(case: Checked, part_number: int, x: Tensor) -> Matrix:
    """Return the Jacobian of one part of the outputs by `x`, changing each element of `x` to both sides."""
    rows = []
    for index in np.ndindex(*x.shape):
        row = _difference(case, part_number, x, index, 1.0)
        if x.dtype.is_complex:
            row = row + 1j * _difference(case, part_number, x, index, 1j)
        rows.append(row)
    return np.array(rows) if rows else np.zeros((0, case.parts()[part_number].tensor.numel()))


def _difference(case: Checked, part_number: int, x: Tensor, index: Any, direction: complex) -> Matrix:
    """Return the derivative of the outputs by one element, along `direction`."""
    eps = case.settings.eps
    before = x._array[index].copy()
    still = case.parts()[part_number].tensor
    try:
        x._array[index] = before + eps * direction
        after = _values(case, part_number, still, f"on index {index} by {eps}")
        x._array[index] = before - eps * direction
        return (after - _values(case, part_number, still, f"on index {index} by -{eps}")) / (2 * eps)
    finally:
        x._array[index] = before


def slope_along(case: Checked, part_number: int, x: Tensor, u: Matrix) -> Matrix:
    """Return the derivative of the outputs along `u`; for a complex `x`, add i times the derivative along iu."""
    eps = case.settings.eps
    before = x._backend.copy(x._array)
    step = x._backend.from_host(u.reshape(x.shape))
    total: Matrix = 0.0
    still = case.parts()[part_number].tensor
    for direction in (1.0, 1j) if x.dtype.is_complex else (1.0,):
        try:
            x._array[...] = before + eps * direction * step
            after = _values(case, part_number, still, f"by {eps}")
            x._array[...] = before - eps * direction * step
            total = total + direction * (after - _values(case, part_number, still, f"by -{eps}")) / (2 * eps)
        finally:
            x._array[...] = before
    return total


def _values(case: Checked, part_number: int, still: Tensor, how: str) -> Matrix:
    """Return one part of the outputs as a flat array on the host. Raise if its shape or dtype has changed."""
    found = case.parts()[part_number].tensor
    for what, was, got in (("shape", still.shape, found.shape), ("dtype", still.dtype, found.dtype)):
        if was != got:
            raise PerturbedError(
                f"Expected `func` to return outputs with the same {what} when inputs are perturbed {how}, "
                f"but got: {what}s {was} and {got}."
            )
    return _host(found).reshape(-1).copy()


def _host(tensor: Tensor) -> Matrix:
    array = tensor._backend.to_host(tensor._array)
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


# Backward and forward mode --------------------------------------------------------------------------------------------


def by_backward(output: Tensor, x: Tensor) -> Matrix:
    """Return the Jacobian of `output` by `x`, with one backward for each element of the output."""
    columns = [pull(output, x, unit) for unit in np.eye(output.numel())]
    return np.array(columns).T if columns else np.zeros((x.numel(), 0))


def pull(output: Tensor, x: Tensor, v: Matrix) -> Matrix:
    """Return the gradient of ``v · output`` with respect to `x`, flat and on the host; zeros if there is none."""
    vector = wrap(
        output._backend.asarray(output._backend.from_host(v.reshape(output.shape)), output._array.dtype),
        output._backend,
    )
    (found,) = grad(output, x, vector, retain_graph=True, allow_unused=True)
    if found is None:
        return np.zeros(x.numel(), np.complex128 if x.dtype.is_complex else np.float64)
    return _host(found.detach()).reshape(-1)


def weighted(row: Matrix, u: Matrix) -> complex:
    """Return the product of a gradient and a direction; for a complex gradient, separately for each axis."""
    return complex(row.real @ u, row.imag @ u) if row.dtype.kind == "c" else float(row @ u)


def by_forward(case: Checked, part_number: int, x: Tensor) -> Matrix:
    """Return the Jacobian of one part of the outputs by `x`, with one forward pass for each element of `x`."""
    rows = [push(case, part_number, x, unit) for unit in np.eye(x.numel())]
    return np.array(rows) if rows else np.zeros((0, case.parts()[part_number].tensor.numel()))


def push(case: Checked, part_number: int, x: Tensor, u: Matrix) -> Matrix:
    """Return the tangent of one part of the outputs along `u` (plus i times that along iu if `x` is complex), flat."""
    total: Matrix = 0.0
    for direction in (1.0, 1j) if x.dtype.is_complex else (1.0,):
        array = x._backend.asarray(x._backend.from_host(direction * u.reshape(x.shape)), x._array.dtype)
        with dual_level():
            inputs = [_dual(each, wrap(array, x._backend) if each is x else None) for each in case.inputs]
            tangents = [unpack_dual(part.tensor).tangent for part in case.at(tuple(inputs)).parts()]
            tangent = tangents[part_number]
        if tangent is not None:
            total = total + direction * _host(tangent.detach()).reshape(-1)
    return total if isinstance(total, np.ndarray) else np.zeros(case.parts()[part_number].tensor.numel())


def _dual(value: Any, tangent: Tensor | None) -> Any:
    """Return an input that requires a gradient as a detached dual tensor, with zeros for a `tangent` of None."""
    if not isinstance(value, Tensor) or not value.requires_grad:
        return value
    if tangent is None and not value._array.size:
        return value.detach()
    return make_dual(value.detach(), zeros_like(value) if tangent is None else tangent)


def random_unit(generator: Any, size: int) -> Matrix:
    """Return a random vector of norm 1."""
    vector = generator.random(size) + 0.01
    return vector / np.linalg.norm(vector) if size else vector


def row_of(tensors: Sequence[Tensor]) -> Matrix:
    """Return several tensors as one flat array on the host."""
    return np.concatenate([_host(each.detach()).reshape(-1) for each in tensors]) if tensors else np.zeros(0)

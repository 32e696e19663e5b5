"""Base classes of ops that share the form of their derivative, and so compute tangents in the same way.

Reverse mode asks an op for the gradient of each input; forward mode asks it for the tangent of its output, given
tangents of its inputs: ``jvp(tangents, inputs, outputs)``, with None where an input has no tangent. No op needs to
define this, since its gradient rules determine it:

Elementwise the Jacobian is diagonal, so a gradient rule applied to a tangent returns the tangent Multilinear linear in
each input: run the op with one input replaced by its tangent, and sum over the inputs Linear linear in all inputs
together: run the op on the tangents any other a gradient rule is linear in its gradient: differentiate it once more
(`core.tangent`)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from ... import dtypes
from ...core.declared import MemoryOrder, Promotion
from ...core.dispatch import F32, binary
from ...core.further import zeros_like
from ...core.inplace import inplace
from ...core.op import Op
from ...core.plan import parameters_of
from ...core.state import STATE
from ...core.tensor import Tensor, as_operand
from ...errors import DtypeError, ShapeError
from .halves import InFloat32, is_half, rounded
from .samples import exactly, sample, truth, whole, within

__all__ = [
    "Connected", "Elementwise", "Linear", "Multilinear", "Question", "Stepwise",
    "conj", "connected", "exactly", "in_place", "in_places", "is_half", "operator_of", "rewritten", "rounded", "sample",
    "short_roads", "truth", "whole", "within",
]  # fmt: skip

Tangents = Sequence["Tensor | None"]


class Elementwise(InFloat32, abstract=True):
    """Each element of the output depends on one element of each input; inputs broadcast."""

    __slots__ = ()
    elementwise: ClassVar[bool] = True
    broadcasts: ClassVar[bool] = True
    promotion: ClassVar[Promotion] = "together"
    memory_order: ClassVar[MemoryOrder] = "operands"
    ufunc: ClassVar[str] = ""
    """The name of the array function that is the whole op. It can write its result over the first input."""
    exact_numbers: ClassVar[bool] = False
    """Whether a number is not rounded to half precision when the other operand has that dtype."""

    def overwrites(self, xp: Any, arrays: Sequence[Any]) -> bool:
        """Compute in place, without a temporary, if shapes and dtype allow it. Return whether it did."""
        first = arrays[0]
        shape = first.shape
        if first.dtype.kind not in "fc" or any(each is None or (each.shape != shape and each.ndim) for each in arrays):
            return False
        with xp.errstate(all="ignore"):
            return self.write(xp, *arrays)

    def promoted(self, backend: Any, inputs: Sequence[Any]) -> Any:
        """Return the inputs, promoted. With `exact_numbers`, a number next to half precision stays in float32."""
        arrays = super().promoted(backend, inputs)
        if self.exact_numbers and any(is_half(getattr(each, "dtype", None)) for each in arrays):
            for place, each in enumerate(inputs):
                number = each._array if isinstance(each, Tensor) else each
                if number is not None and arrays[place].ndim == 0 and not is_half(getattr(number, "dtype", None)):
                    arrays[place] = backend.asarray(number).astype("float32")
        return arrays

    def write(self, xp: Any, target: Any, *others: Any) -> bool:
        """Overwrite `target` with the result, if the op can. Return whether it did."""
        if self.ufunc:
            getattr(xp, self.ufunc)(target, *others, out=target)
        return bool(self.ufunc)

    def jvp(self, tangents: Tangents, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> Any:
        """Apply the gradient rules to the tangents. For complex functions the rule's conjugate is undone."""
        total: Any = None
        for index, tangent in enumerate(tangents):
            if tangent is not None and self.differentiable(index):
                part = conj(rule(self, index, conj(tangent), inputs, outputs))
                total = part if total is None else total + part
        return None if total is None else like_output(total, outputs[0])


class Stepwise(Elementwise, abstract=True):
    """Piecewise constant functions (floor, sign, round): the gradient is zero."""

    __slots__ = ()

    def grad_x(self, grad: Any) -> Any:
        r"0"
        return zeros_like(grad)


class Question(Elementwise, abstract=True):
    """Functions of each element with a bool or integer result, and without a gradient."""

    __slots__ = ()
    kinds: ClassVar[str] = "bifc"


class Linear(Op, abstract=True):
    """Ops that are linear in all inputs together, such as a sum or a reshape."""

    __slots__ = ()
    kinds: ClassVar[str] = "bifc"

    def jvp(self, tangents: Tangents, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> Any:
        """Run the op on the tangents, with zeros for missing ones. Inputs without a gradient are passed unchanged."""
        pushed = [
            x if not self.differentiable(min(i, len(self.inputs_named) - 1)) else _moving(x) if t is None else t
            for i, (t, x) in enumerate(zip(tangents, inputs, strict=True))
        ]
        return self.again()(*pushed)


def _moving(value: Any) -> Any:
    """Return zeros as the tangent of an input without one; return a non-differentiable value as it is."""
    return zeros_like(value) if isinstance(value, Tensor) and value.dtype.is_differentiable else value


class Multilinear(Op, abstract=True):
    """Ops that are linear in each input while the others are fixed, such as a product."""

    __slots__ = ()
    kinds: ClassVar[str] = "ifc"

    def jvp(self, tangents: Tangents, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> Any:
        """Apply the product rule: run the op with one input replaced by its tangent, and sum over the inputs."""
        total: Any = None
        for index, tangent in enumerate(tangents):
            if tangent is not None and self.differentiable(index):
                part = self.again()(*inputs[:index], tangent, *inputs[index + 1 :])
                total = part if total is None else total + part
        return total


class Connected(Elementwise):
    """Passes a gradient on, and connects it to the `x` that selects a constant slope; the gradient for `x` is zero."""

    __slots__ = ()
    promotion: ClassVar[Promotion] = ""
    formula = r"\bar y"
    samples = (sample((2, 3), (2, 3)),)

    def forward(self, xp: Any, grad: Any, x: Any) -> Any:
        return xp.copy(xp.broadcast_to(grad, xp.broadcast_shapes(grad.shape, x.shape)))

    def grad_grad(self, grad: Any) -> Any:
        r"\bar y"
        return grad

    def grad_x(self, grad: Any) -> Any:
        r"0"
        return zeros_like(grad)


def connected(grad: Any, x: Any) -> Any:
    """Return `grad`, connected to `x` so that a gradient with respect to `x` can be asked for; it is zero."""
    return Connected()(grad, x) if STATE.mode.grad and x.requires_grad else grad


# Helpers for rules ----------------------------------------------------------------------------------------------------


def rule(op: Op, index: int, grad: Any, inputs: tuple[Any, ...], outputs: tuple[Any, ...]) -> Any:
    """Run the gradient rule for input number `index` on `grad` and the inputs and outputs that it asks for by name."""
    known = dict(zip((*op.inputs_named, *op.outputs_named), (*inputs, *outputs), strict=True))
    method = op.rule_of(index)
    return method(op, grad, *[known[name] for name in parameters_of(method)[0]])


def like_output(tangent: Any, output: Tensor) -> Any:
    """Broadcast and cast a tangent like the output."""
    if tangent.dtype is not output.dtype:
        tangent = tangent.to(output.dtype)
    return tangent if tangent._array.shape == output._array.shape else tangent.expand(output._array.shape)


def conj(value: Any) -> Any:
    """Return the complex conjugate; a real value is returned unchanged."""
    if isinstance(value, Tensor):
        dtype = value._array.dtype
        return value if dtype is F32 or dtype.kind != "c" else value.conj()
    return value.conjugate() if isinstance(value, complex) else value


def in_place(op: type[Op]) -> Any:
    """Return the in-place method of an op without settings: ``x.exp_()``, ``x.mul_(y)``."""

    def alone(self: Tensor) -> Tensor:
        return inplace(op(), self)

    def with_other(self: Tensor, other: Any) -> Tensor:
        return inplace(op(), self, as_operand(other))

    method = alone if len(op.inputs_named) == 1 else with_other
    method.__name__ = method.__qualname__ = op.__name__.lower() + "_"
    method.__doc__ = f"In place: {op.__doc__}"
    return method


def rewritten(function: Any) -> Any:
    """Return the in-place method of a function composed of several ops: compute on a copy, then write it back."""

    def method(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        made = function(self.clone(), *args, **kwargs)
        if not dtypes.can_cast(made.dtype, self.dtype):
            raise DtypeError(
                f"result type {made.dtype.type_name} can't be cast to the desired output type {self.dtype.type_name}: "
                f"{method.__name__} would lose what the result holds. Compute out of place, or convert first."
            )
        if made._array.shape != self._array.shape:
            raise ShapeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(made.shape)}: "
                f"{method.__name__} cannot change the shape of the tensor it writes to."
            )
        return self.copy_(made)

    method.__name__ = method.__qualname__ = function.__name__ + "_"
    method.__doc__ = f"In place: {function.__doc__}"
    return method


def operator_of(op: type[Op]) -> Any:
    """The fast path of `op` as an operator, which leaves foreign objects to their own reflected method."""
    road = binary(op, operator=True)
    road.leaves = True  # type: ignore[attr-defined] # see `ops.common.arguments.leaving`
    return road


def short_roads(*functions: Any) -> dict[str, Any]:
    """Return the methods for `functions` (each made by ``accepts_out``): the wrapped functions without ``out=``."""
    return {each.__name__: each.__wrapped__ for each in functions}


def in_places(*functions: Any) -> dict[str, Any]:
    """Return the in-place methods for `functions`, each of which is one op without settings."""
    return {each.__name__ + "_": in_place(each.op) for each in functions}

"""The declarations of an op class, their defaults, and what follows from them.

An op sets these as class attributes where it differs: see any family in `minigrad.ops`. Training reads most of them
once, when the class is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from .. import dtypes, events
from ..errors import MissingRuleError
from ..events import SKIPPED, emit
from . import looking
from .graph import Node
from .inputs import misfit, number_array, quietly
from .plan import parameters_of
from .tensor import Tensor, as_operand, foreign

if TYPE_CHECKING:
    from .op import Op

REGISTRY: dict[str, type[Op]] = {}
"""Every op by its name: the tests run through it, and the reference is printed from it."""

Promotion = Literal["", "together", "floating"]
"""The promotion of inputs of different dtypes: "" none, "together", or "floating" (integers become floats too)."""

MemoryOrder = Literal["", "rows", "columns", "first", "operands"]
"""The layout of outputs: "rows" row by row, so that any `view` of them works, "columns" with each matrix column by
column, "first" as the first input does, "operands" as the first input that tells two dimensions apart."""

ViewOutputs = Literal["", "view", "multi"]
""""view" where the output looks into the first input's memory, "multi" where several outputs do."""


def declare(cls: Any, abstract: bool = False) -> None:
    """Read what a new op class declares: its settings, the names of its inputs, which of them have no gradient."""
    own = inspect.get_annotations(cls)
    cls.settings = (*cls.settings, *(name for name, kind in own.items() if "ClassVar" not in str(kind)))
    cls.plans = {}
    if "outputs_named" in cls.__dict__:
        cls.outputs = len(cls.outputs_named)
    if not abstract:
        cls.inputs_named, cls.many = parameters_of(cls.forward)
        cls.constant = frozenset(i for i in range(len(cls.inputs_named)) if not cls.differentiable(i))
        one = len(cls.inputs_named) == cls.outputs == 1 and not (cls.many or cls.is_view == "multi")
        cls.alone = cls.__dict__.get("alone", one and cls.memory_order != "columns")
        looking.show_saved(Declared, *cls.inputs_named, *cls.outputs_named, *cls.settings)
        REGISTRY[cls.__name__] = cls


def named(function: Any, op: type[Op]) -> Any:
    """`function` under the name and with the words of its op."""
    function.__name__ = function.__qualname__ = op.__name__.lower()
    function.__doc__, function.__module__ = op.__doc__, op.__module__
    function.op = op
    return function


class Declared(Node):
    """The declarations of `Op`."""

    __slots__ = ()

    formula: ClassVar[str] = ""
    samples: ClassVar[tuple[Any, ...]] = ()
    outputs_named: ClassVar[tuple[str, ...]] = ("out",)
    inputs_named: ClassVar[tuple[str, ...]] = ()
    many: ClassVar[str] = ""
    """The name of the last input where that stands for any number of them: ``forward(self, xp, x, *indices)``."""
    settings: ClassVar[tuple[str, ...]] = ()
    grad_name: ClassVar[str] = ""
    promotion: ClassVar[Promotion] = ""
    wraps: ClassVar[bool] = True
    """Whether a number that an integer type cannot hold loses its high bits; else it is an error."""
    broadcasts: ClassVar[bool] = False
    """Whether an input may be broadcast: its gradient is then summed down by the engine."""
    elementwise: ClassVar[bool] = False
    kinds: ClassVar[str] = "f"
    """The kinds of element types it computes with: b(ool), i(nteger), f(loat), c(omplex)."""
    lacks: ClassVar[tuple[Any, ...]] = ()
    """Dtypes of these kinds that are nevertheless unsupported."""
    contiguous_only: ClassVar[bool] = False
    """Whether `forward` needs contiguous arrays; the caller makes them so."""
    fills: ClassVar[bool] = False
    """Whether it writes one value to every element where its other inputs are numbers: safe on expanded tensors."""
    remembers: ClassVar[tuple[str, ...]] = ()
    """The attributes that `forward` sets on the op, such as a shape that a gradient will need."""
    constant: ClassVar[frozenset[int]] = frozenset()
    """The numbers of the inputs that have no gradient, found from the gradient methods that are not there."""
    memory_order: ClassVar[MemoryOrder] = ""
    """The memory layout of its outputs, where that is not left to the array library."""
    tested_apart: ClassVar[str] = ""
    """Kinds whose derivatives are tested apart: inputs must be of a special form, or outputs are not unique."""
    is_view: ClassVar[ViewOutputs] = ""
    alone: ClassVar[bool] = False
    """Whether it makes one tensor of one, so that `Op.apply_alone` can run it; not where a class overrides `output`."""

    def forward(self, xp: Any, *inputs: Any) -> Any:
        """The result, as an array (a tuple of them where there are several outputs)."""
        raise MissingRuleError(
            f"{type(self).__name__} does not say what it computes: write forward(self, xp, ...), which returns the "
            "result as an array."
        )

    def is_uniform(self, others: Sequence[Any]) -> bool:
        """Whether in place, with these inputs after the first, it gives every element the same value."""
        return self.fills and not any(isinstance(each, Tensor) for each in others)

    def overwrites(self, xp: Any, arrays: Sequence[Any]) -> bool:
        """Compute into the first array, if the op can do that with these arrays; whether it has done so."""
        return False

    backward: ClassVar[Any] = None
    """One method for all gradients, for ops that cannot say them one by one."""

    @classmethod
    def rule_of(cls, index: int) -> Callable[..., Any]:
        """The gradient method of input number `index`."""
        return getattr(cls, "grad_" + cls.inputs_named[index])

    @classmethod
    def differentiable(cls, index: int) -> bool:
        """Whether there is a gradient for input number `index`."""
        if cls.backward is not None:
            return True
        return hasattr(cls, "grad_" + cls.inputs_named[index])

    def jvp(self, tangents: Sequence[Any], inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> Any:
        """The tangent of the output (a tuple of them where there are several), given those of the inputs.

        An input without a tangent has None, and so has an output that does not change. `inputs` and `outputs` are what
        the op was called with and what it returned. Families of ops override this; see `minigrad.ops.common.bases`.
        """
        from .tangent import through_gradient

        return through_gradient(self, tangents, inputs, outputs)

    def name(self) -> str:
        return self.grad_name or type(self).__name__ + "Backward0"

    def shown(self) -> Any:
        """This node, for a user to look at, and to call by hand."""
        from .node_call import shown

        return shown(self)

    def again(self) -> Any:
        """A fresh op with the same settings."""
        return type(self)(*(getattr(self, name) for name in self.settings))

    def promoted(self, backend: Any, inputs: Sequence[Any]) -> list[Any]:
        """The arrays of `inputs`, cast to their common dtype."""
        target = dtypes.result_type(*(each for each in inputs if each is not None))
        if self.promotion == "floating" and target.kind < dtypes.FLOAT:
            target = dtypes.get_default_dtype()
        if (target.is_complex and "c" not in self.kinds) or (target.kind < dtypes.FLOAT and "i" not in self.kinds):
            advice = "Take .real, .imag, .abs() or .angle()" if target.is_complex else "Convert with .float()"
            raise MissingRuleError(f"{type(self).__name__} is not implemented for {target.name}. {advice} first.")
        arrays: list[Any] = []
        for each in inputs:
            array = each._array if isinstance(each, Tensor) else each
            if array is None:
                arrays.append(None)
            elif not isinstance(each, Tensor):
                arrays.append(number_array(backend, array, target, self.wraps))
            else:
                arrays.append(array if array.dtype == target.numpy else array.astype(target.numpy))
        return arrays

    @classmethod
    def on_operands(cls, *operands: Any, operator: bool = False) -> Any:
        """Call it on tensors, numbers and NumPy arrays; an `operator` leaves other objects to their own class."""
        if operator and foreign(operands[1]):
            return NotImplemented
        op: Any = cls()
        return op(*[as_operand(each) for each in operands])

    def wrong_settings(self, settings: tuple[Any, ...]) -> TypeError:
        """The error of an op made with too many or too few settings."""
        return TypeError(f"{type(self).__name__} takes ({', '.join(self.settings)}), but was given {settings}")

    def recomputed(self: Any, backend: Any, arrays: Sequence[Any], error: Exception) -> Any:
        """`forward` once more without NumPy's warnings, or the error that says which shapes do not fit."""
        if isinstance(error, RuntimeWarning):
            return quietly(self.forward, backend, *arrays)
        assert isinstance(error, ValueError)
        raise misfit(self, arrays, error) from error

    def inference_saved(self) -> Exception:
        """The error of an inference tensor that this node would have to save."""
        from .messages import inference_saved

        return inference_saved(self)

    def packed(self: Any, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> tuple[Any, ...]:
        """The values to save where the innermost saved-tensor hooks pack them."""
        from .packed import saved_pairs

        return saved_pairs(self, self.plan.kept(inputs, outputs), outputs)

    def close(self, outputs: tuple[Tensor, ...]) -> None:
        """Make inference tensors of those `outputs` that are no views of other tensors."""
        for each in outputs:
            if each._view is None:
                each.extra.inference = True

    # What listeners hear

    def announce_entry(self, inputs: tuple[Any, ...]) -> None:
        """Tell the listeners that this op is called."""
        if events.OpEntered not in SKIPPED:
            emit(events.OpEntered(self, inputs))

    def announce_release(self) -> None:
        """Tell the listeners that this node has let go of what it saved."""
        if events.SavedReleased not in SKIPPED:
            emit(events.SavedReleased(self))

    def announce(self: Any, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> None:
        """Tell the listeners that this op ran, and what it saved."""
        recorded = hasattr(self, "links")  # `attach` sets them, where this op becomes a node
        emit(events.NodeRecorded(self, inputs, outputs, recorded))
        if recorded and events.TensorSaved not in SKIPPED:
            from .packed import announce

            announce(self, self.plan.saves, self.saved or ())

    @classmethod
    def asks_for(cls: Any) -> list[str]:
        """The names that the gradients of all inputs together would save."""
        return cls.plan_for(tuple(i for i in range(len(cls.inputs_named)) if i not in cls.constant)).saves

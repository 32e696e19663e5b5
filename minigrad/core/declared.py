"""The declarations of an op class, their defaults, and what is derived from them.

An op overrides these class attributes where it needs to: see any folder in `minigrad.ops`. Training reads most of them
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
"""Every op by its name. The tests iterate over it, and the op reference is generated from it."""

Promotion = Literal["", "together", "floating"]
"""The promotion of inputs of different dtypes: "" none, "together", or "floating" (integers become floats too)."""

MemoryOrder = Literal["", "rows", "columns", "first", "operands", "channels", "all channels"]
"""The layout of outputs: "rows" row by row, so that any `view` of them works, "columns" with each matrix column by
column, "first" as the first input does, "operands" as the first input that tells two dimensions apart, "channels" with
channels last if an image among the inputs has them last, "all channels" if all inputs have; else row by row."""

ViewOutputs = Literal["", "view", "multi"]
""""view" if the output shares the first input's memory, "multi" if several outputs do."""


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
        cls.settled = settled(cls)
        looking.show_saved(Declared, *cls.inputs_named, *cls.outputs_named, *cls.settings)
        REGISTRY[cls.__name__] = cls


def settled(cls: Any) -> frozenset[frozenset[Any]]:
    """Return the dtypes from which `cls` casts nothing if all its inputs have this one: each as a set of its own."""
    least = dtypes.FLOAT if cls.promotion == "floating" else dtypes.BOOL
    known = [each for each in dtypes.ALL if each is not dtypes.bfloat16 and each.kind >= least]
    return frozenset(frozenset([each.numpy]) for each in known if "bifc"[each.kind] in (*cls.kinds, "f"))


def named(function: Any, op: type[Op]) -> Any:
    """Give `function` the name, docstring and module of its op."""
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
    """The name of the last input if it takes any number of values: ``forward(self, xp, x, *indices)``."""
    settings: ClassVar[tuple[str, ...]] = ()
    grad_name: ClassVar[str] = ""
    promotion: ClassVar[Promotion] = ""
    settled: ClassVar[frozenset[frozenset[Any]]] = frozenset()
    """The dtypes that are not cast if all inputs have the same one; see `settled`."""
    wraps: ClassVar[bool] = True
    """Whether an int that the dtype cannot hold wraps around (loses its high bits). If false, it is an error."""
    broadcasts: ClassVar[bool] = False
    """Whether inputs may be broadcast: the engine then sums their gradients to the input's shape."""
    elementwise: ClassVar[bool] = False
    kinds: ClassVar[str] = "f"
    """The kinds of dtypes it supports: b(ool), i(nteger), f(loat), c(omplex)."""
    lacks: ClassVar[tuple[Any, ...]] = ()
    """Dtypes of these kinds that are nevertheless unsupported."""
    contiguous_only: ClassVar[bool] = False
    """Whether `forward` needs contiguous arrays; the caller then makes them contiguous."""
    fills: ClassVar[bool] = False
    """Whether it writes one value to every element if its other inputs are numbers: safe on expanded tensors."""
    remembers: ClassVar[tuple[str, ...]] = ()
    """The attributes that `forward` sets on the op, such as a shape that a gradient will need."""
    keeps: ClassVar[tuple[str, ...]] = ()
    """The attributes that `forward` sets to save work in the gradient, such as a mean. The gradient must do without
    them if they are not set: under vmap, `forward` runs on another op."""
    constant: ClassVar[frozenset[int]] = frozenset()
    """The indices of the inputs that have no gradient method, and so no gradient."""
    memory_order: ClassVar[MemoryOrder] = ""
    """The memory layout of the outputs; "" leaves it to the array library."""
    tested_apart: ClassVar[str] = ""
    """Kinds whose derivatives have tests of their own: inputs need a special form, or outputs are not unique."""
    is_view: ClassVar[ViewOutputs] = ""
    alone: ClassVar[bool] = False
    """Whether `Op.apply_alone` can run it: it has one input, one output, and does not override `output`."""

    def forward(self, xp: Any, *inputs: Any) -> Any:
        """Compute the result as an array, or as a tuple of arrays if there are several outputs."""
        raise MissingRuleError(
            f"{type(self).__name__} does not say what it computes: write forward(self, xp, ...), which returns the "
            "result as an array."
        )

    def is_uniform(self, others: Sequence[Any]) -> bool:
        """Return whether the op in place, with `others` as its further inputs, gives every element the same value."""
        return self.fills and not any(isinstance(each, Tensor) for each in others)

    def overwrites(self, xp: Any, arrays: Sequence[Any]) -> bool:
        """Write the result into the first array if the op can do that for these arrays. Return whether it did."""
        return False

    backward: ClassVar[Any] = None
    """One method that returns the gradients of all inputs, for ops that do not compute them one by one."""

    @classmethod
    def rule_of(cls, index: int) -> Callable[..., Any]:
        """Return the gradient method of input number `index`."""
        return getattr(cls, "grad_" + cls.inputs_named[index])

    @classmethod
    def differentiable(cls, index: int) -> bool:
        """Return whether input number `index` has a gradient."""
        if cls.backward is not None:
            return True
        return hasattr(cls, "grad_" + cls.inputs_named[index])

    def jvp(self, tangents: Sequence[Any], inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> Any:
        """Return the tangent of the output (a tuple if there are several), given the tangents of the inputs.

        None stands for a missing input tangent, and for an output whose tangent is zero. `inputs` and `outputs` are
        what the op was called with and what it returned. Families of ops override this; see
        `minigrad.ops.common.bases`.
        """
        from .tangent import through_gradient

        return through_gradient(self, tangents, inputs, outputs)

    def name(self) -> str:
        return self.grad_name or type(self).__name__ + "Backward0"

    def shown(self) -> Any:
        """Return this node in a form that a user can inspect and call by hand."""
        from .node_call import shown

        return shown(self)

    def again(self) -> Any:
        """Return a new op with the same settings."""
        return type(self)(*(getattr(self, name) for name in self.settings))

    def promoted(self, backend: Any, inputs: Sequence[Any]) -> list[Any]:
        """Return the arrays of `inputs`, cast to their common dtype."""
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
        """Call the op on tensors, numbers and NumPy arrays. An `operator` returns NotImplemented for other classes."""
        if operator and foreign(operands[1]):
            return NotImplemented
        op: Any = cls()
        return op(*[as_operand(each) for each in operands])

    def wrong_settings(self, settings: tuple[Any, ...]) -> TypeError:
        """Return the error for an op created with too many or too few settings."""
        return TypeError(f"{type(self).__name__} takes ({', '.join(self.settings)}), but was given {settings}")

    def recomputed(self: Any, backend: Any, arrays: Sequence[Any], error: Exception) -> Any:
        """Run `forward` again without NumPy's warnings, or raise an error that names the shapes that do not fit."""
        if isinstance(error, RuntimeWarning):
            return quietly(self.forward, backend, *arrays)
        assert isinstance(error, ValueError)
        raise misfit(self, arrays, error) from error

    def inference_saved(self) -> Exception:
        """Return the error for a node that would have to save an inference tensor."""
        from .messages import inference_saved

        return inference_saved(self)

    def packed(self: Any, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> tuple[Any, ...]:
        """Return the values to save, packed by the innermost saved-tensor hooks."""
        from .packed import saved_pairs

        return saved_pairs(self, self.plan.kept(inputs, outputs), outputs)

    def close(self, outputs: tuple[Tensor, ...]) -> None:
        """Mark those `outputs` that are not views as inference tensors."""
        for each in outputs:
            if each._view is None:
                each.extra.inference = True

    # Events for listeners

    def announce_entry(self, inputs: tuple[Any, ...]) -> None:
        """Tell the listeners that this op is called."""
        if events.OpEntered not in SKIPPED:
            emit(events.OpEntered(self, inputs))

    def announce_release(self) -> None:
        """Tell the listeners that this node has released its saved tensors."""
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
        """Return the names of everything that the gradients of all inputs need saved."""
        return cls.plan_for(tuple(i for i in range(len(cls.inputs_named)) if i not in cls.constant)).saves

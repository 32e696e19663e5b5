r"""Ops: what they are, how one is called, and what it saves.

An op is one class. ``forward`` computes on arrays; for each input there is one gradient method, ``grad_<input>``, that
computes on tensors, so that gradients can be differentiated again. The parameter names of a gradient method say what
it needs: inputs by name, ``out``, or a further output of the op. An op therefore saves exactly what the gradients that
are needed ask for, and a gradient nobody needs is never computed.

    class Mul(Elementwise):
        formula = r"a \odot b"

        def forward(self, xp, a, b):
            return a * b

        def grad_a(self, grad, b):
            r"\bar y \odot b"
            return grad * b

        def grad_b(self, grad, a):
            r"\bar y \odot a"
            return grad * a

The instance *is* the node of the graph: calling ``Sum(dim, keepdim)(x)`` runs ``forward`` and, where a gradient is
needed, hangs this very object into the graph as the ``grad_fn`` of its result. Settings of an op are its annotations,
in order, and so the arguments of its constructor.

An op with several outputs names them in ``outputs_named``; its gradient methods get the gradient of the first as
``grad`` and of any other as ``grad_<output>``, zeros where none arrived. An op with any number of inputs, or whose
gradients share their work, writes one ``backward(grad, ...)`` that returns all of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from .. import dtypes, events
from ..errors import MissingRuleError
from ..events import LISTENERS, emit
from . import looking, saving
from .graph import Edge, Node, next_sequence_number
from .inputs import common_backend, misfit, number_array, quietly
from .plan import NOTHING, Plan, parameters_of
from .state import STATE
from .tensor import Tensor, edges_of, wrap
from .view import View

REGISTRY: dict[str, type[Op]] = {}
"""Every op by its name: the tests run through it, and the reference is printed from it."""


class Op(Node):
    """The base of every op. See the module's own words for the form."""

    __slots__ = ("plan", "saved", "metas", "shapes_out")

    computes = True

    formula: ClassVar[str] = ""
    samples: ClassVar[tuple[Any, ...]] = ()
    outputs_named: ClassVar[tuple[str, ...]] = ("out",)
    inputs_named: ClassVar[tuple[str, ...]] = ()
    many: ClassVar[str] = ""
    """The name of the last input where that stands for any number of them: ``forward(self, xp, x, *indices)``."""
    settings: ClassVar[tuple[str, ...]] = ()
    grad_name: ClassVar[str] = ""
    promotion: ClassVar[str] = ""
    """How inputs of different dtypes meet: "" not at all, "together", or "floating" (integers become floats too)."""
    broadcasts: ClassVar[bool] = False
    """Whether an input may be broadcast: its gradient is then summed down by the engine."""
    elementwise: ClassVar[bool] = False
    kinds: ClassVar[str] = "f"
    """The kinds of element types it computes with: b(ool), i(nteger), f(loat), c(omplex)."""
    lacks: ClassVar[tuple[Any, ...]] = ()
    """Element types of those kinds that it does not compute with all the same."""
    contiguous_only: ClassVar[bool] = False
    """Whether it looks at memory as it lies, and its caller must see to the strides."""
    fills: ClassVar[bool] = False
    """Whether, given numbers, it writes the same everywhere: then it may write where elements share memory."""
    remembers: ClassVar[tuple[str, ...]] = ()
    """The attributes that `forward` sets on the op, such as a shape that a gradient will need."""
    constant: ClassVar[frozenset[int]] = frozenset()
    """The numbers of the inputs that have no gradient, found from the gradient methods that are not there."""
    row_major: ClassVar[bool] = False
    """Whether its outputs lie row by row in memory however its inputs do, so that any `view` of them can be taken."""
    tested_apart: ClassVar[str] = ""
    """Kinds whose derivatives are tested apart: inputs must be of a special form, or outputs are not unique."""
    is_view: ClassVar[str] = ""
    """"view" where the output looks into the first input's memory, "multi" where several outputs do."""
    plans: ClassVar[dict[Any, Plan]] = {}

    plan: Plan
    saved: tuple[Any, ...] | None
    metas: Any
    shapes_out: tuple[Any, ...]
    """(shape, dtype, backend) of every output, where there are several."""

    def __init__(self, *settings: Any) -> None:
        if len(settings) != len(self.settings):
            raise TypeError(f"{type(self).__name__} takes ({', '.join(self.settings)}), but was given {settings}")
        for name, value in zip(self.settings, settings):  # noqa: B905 # strict=True costs as much as the loop
            setattr(self, name, value)

    def __init_subclass__(cls, abstract: bool = False) -> None:
        own = inspect.get_annotations(cls)
        cls.settings = (*cls.settings, *(name for name, kind in own.items() if "ClassVar" not in str(kind)))
        cls.plans = {}
        if "outputs_named" in cls.__dict__:
            cls.outputs = len(cls.outputs_named)
        if not abstract:
            cls.inputs_named, cls.many = parameters_of(cls.forward)
            cls.constant = frozenset(i for i in range(len(cls.inputs_named)) if not cls.differentiable(i))
            show_saved(*cls.inputs_named, *cls.outputs_named, *cls.settings)
            REGISTRY[cls.__name__] = cls

    # What an op says

    def is_uniform(self, others: Sequence[Any]) -> bool:
        """Whether in place, with these inputs after the first, it gives every element the same value."""
        return self.fills and not any(isinstance(each, Tensor) for each in others)

    def forward(self, xp: Any, *inputs: Any) -> Any:
        """The result, as an array (a tuple of them where there are several outputs)."""
        raise MissingRuleError(
            f"{type(self).__name__} does not say what it computes: write forward(self, xp, ...), which returns the "
            "result as an array."
        )

    def overwrites(self, xp: Any, arrays: Sequence[Any]) -> bool:
        """Compute straight into the first array, where the op can do that with these: it says whether it has."""
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

    def again(self) -> Op:
        """A fresh op with the same settings."""
        return type(self)(*(getattr(self, name) for name in self.settings))

    # Calling it

    def __call__(self, *inputs: Any) -> Any:
        """Run on tensors and numbers: a tensor, or a tuple of tensors where there are several outputs."""
        if STATE.mode.interpreters:
            return STATE.mode.interpreters[-1].interpret(self, inputs)
        return self.apply(inputs)

    def apply(self, inputs: tuple[Any, ...]) -> Any:
        """Run by the ordinary rules, and record where that is wanted."""
        if LISTENERS and STATE.mode.announced():
            emit(events.OpEntered(self, inputs))
        backend = common_backend(self, inputs)
        result = self.compute(backend, self.arrays_of(backend, inputs))
        several = type(result) is tuple
        if several:
            outputs = tuple([self._output(i, each, backend, inputs) for i, each in enumerate(result)])
            if len(outputs) != self.outputs:
                self.outputs = len(outputs)  # type: ignore[misc] # the op's own, where it differs from its class's
        else:
            outputs = (self._output(0, result, backend, inputs),)
        if STATE.mode.grad:
            if not (self.is_view and outputs[0].is_inference()):
                self.record(inputs, outputs)
        elif STATE.mode.inference:
            for each in outputs:
                if each._view is None:
                    each.extra.inference = True
        if LISTENERS and STATE.mode.announced():
            self.announce(inputs, outputs)
        return outputs if several else outputs[0]

    def compute(self, backend: Any, arrays: Sequence[Any]) -> Any:
        """`forward`, with an error that says shapes where they do not fit."""
        try:
            return self.forward(backend, *arrays)
        except RuntimeWarning:
            return quietly(self.forward, backend, *arrays)
        except ValueError as error:
            raise misfit(self, arrays, error) from error

    def _output(self, number: int, array: Any, backend: Any, inputs: tuple[Any, ...]) -> Tensor:
        if not isinstance(array, backend.array_type):
            array = backend.asarray(array)
        if self.row_major:
            array = backend.row_major(array)
        tensor = wrap(array, backend)
        if self.is_view and backend.shares(array, inputs[0]._array):
            tensor._storage = inputs[0]._storage
            if inputs[0].is_inference():  # it keeps no version, so its views do not follow it
                tensor.extra.inference = True
                return tensor
            tensor._view = View.of(self, inputs[0], number)
            tensor._requires_grad = True  # "ask the view": see `edge_of`
        return tensor

    def record(
        self, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...], edges: tuple[Edge | None, ...] | None = None
    ) -> None:
        """Become the node of `outputs`, where an input needs a gradient (going by `edges`, if they are given)."""
        if edges is None:
            edges = edges_of(inputs)
        constant = self.constant
        if constant:
            edges = tuple([e if i not in constant else None for i, e in enumerate(edges)])
        needed = tuple([i for i, edge in enumerate(edges) if edge is not None])
        if not needed:
            return
        moving = [i for i, out in enumerate(outputs) if dtypes.differentiable(out._array.dtype)]
        if not moving:
            return
        self.attach(inputs, outputs, edges, needed)
        for i in moving:
            out = outputs[i]
            if out._view is None:
                out._edge = (self, i)
            else:
                out._view.connect(self, i)

    @classmethod
    def plan_for(cls, needed: tuple[int, ...]) -> Plan:
        """The plan for these inputs needing a gradient, made at first use."""
        plan = cls.plans.get(needed)
        if plan is None:
            plan = cls.plans[needed] = Plan(cls, needed)
        return plan

    @classmethod
    def asks_for(cls) -> list[str]:
        """What the gradients of all inputs together would have it save."""
        return cls.plan_for(tuple(i for i in range(len(cls.inputs_named)) if i not in cls.constant)).saves

    def attach(
        self, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...], edges: tuple[Edge | None, ...], needed: Any
    ) -> None:
        """Take the place of a node: edges, plan, what is saved, and what each gradient must be fitted to."""
        plan = self.plan_for(needed)
        self.edges = edges
        self.plan = plan
        self.seq = next_sequence_number()
        self.extra = None
        self.metas = None
        if len(outputs) > 1:
            self.shapes_out = tuple([(o._array.shape, o._array.dtype, o._backend) for o in outputs])
        if self.broadcasts or self.promotion:
            shape, kind = outputs[0]._array.shape, outputs[0]._array.dtype
            for i in needed:
                array = inputs[i]._array
                if array.shape != shape or array.dtype is not kind:
                    self.metas = tuple(
                        [
                            None if e is None else (x._array.shape, x._array.dtype)
                            for e, x in zip(edges, inputs, strict=True)
                        ]
                    )
                    break
        if plan.saves:
            self.saved = saving.save(self, plan.kept(inputs, outputs), outputs)
        else:
            self.saved = NOTHING

    def arrays_of(self, backend: Any, inputs: Sequence[Any]) -> list[Any]:
        """The arrays of `inputs`, cast to a common dtype where the op says so and they have not got one."""
        arrays = [each._array if isinstance(each, Tensor) else each for each in inputs]
        if not self.promotion:
            return arrays
        kind = getattr(arrays[0], "dtype", None)
        if dtypes.plain(kind) and all(getattr(each, "dtype", None) is kind for each in arrays):
            return arrays
        return self.promoted(backend, inputs)

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
                arrays.append(number_array(backend, array, target))
            else:
                arrays.append(array if array.dtype == target.numpy else array.astype(target.numpy))
        return arrays

    def announce(self, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...]) -> None:
        """Tell the listeners that this op ran, and what it saved."""
        recorded = hasattr(self, "links")  # `attach` sets them, where this op becomes a node
        emit(events.NodeRecorded(self, inputs, outputs, recorded))
        if recorded:
            saving.announce(self, self.plan.saves, self.saved or ())

    # Backward

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        """The gradients of the inputs; inputs after the last that wants one may be left out."""
        plan = self.plan
        if plan.lone is not None and not unasked:
            index, rule, places = plan.lone
            if places:
                result = rule(self, grad, saving.restore_only(self))
            else:
                result = rule(self, grad)
            return (result,) if index == 0 else (None,) * index + (result,)
        if plan.joint is not None:
            values = saving.restore(self, plan.saves, plan.remade) if plan.saves else ()
            return plan.joint(self, grad, *values)
        grads: list[Any] = [None] * (len(self.links) // 2)
        rules = plan.rules if not unasked else [each for each in plan.rules if each[0] not in unasked]
        if self.saved is NOTHING and self.outputs == 1:
            for index, rule, _ in rules:
                grads[index] = rule(self, grad)
            return grads
        values = saving.restore(self, plan.saves, plan.remade)
        if self.outputs > 1:
            grad, *others = self.filled(grad)
            values += others
        for index, rule, places in rules:
            if len(places) == 1:
                grads[index] = rule(self, grad, values[places[0]])
            else:
                grads[index] = rule(self, grad, *[values[i] for i in places])
        return grads

    def filled(self, grads: tuple[Tensor | None, ...]) -> list[Tensor]:
        """The gradients of all outputs, zeros where none arrived."""
        zeros = self.shapes_out
        return [
            wrap(backend.zeros(shape, dtype), backend) if grad is None else grad
            for grad, (shape, dtype, backend) in zip(grads, zeros, strict=True)
        ]

    def release(self) -> None:
        if self.saved is not NOTHING:
            self.saved = None
            if LISTENERS:
                emit(events.SavedReleased(self))


def show_saved(*names: str) -> None:
    """Let what is saved, or set, under these names be looked at as ``node._saved_<name>``."""
    for name in names:
        if f"_saved_{name}" not in Op.__dict__:
            setattr(Op, f"_saved_{name}", looking.Saved(name))
            setattr(Op, f"_raw_saved_{name}", looking.RawSaved(name))


show_saved(*looking.PYTORCHS_NAMES)

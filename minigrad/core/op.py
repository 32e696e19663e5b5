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
from collections.abc import Sequence
from typing import Any, ClassVar

from .. import dtypes, events
from ..errors import MissingRuleError
from ..events import LISTENERS, emit
from . import looking, saving
from .declared import Declared
from .graph import Edge, next_sequence_number
from .inputs import common_backend, misfit, quietly
from .plan import NOTHING, Plan, parameters_of
from .state import STATE
from .tensor import Tensor, edges_of, wrap
from .view import View

REGISTRY: dict[str, type[Op]] = {}
"""Every op by its name: the tests run through it, and the reference is printed from it."""


class Op(Declared):
    """The base of every op. See the module's own words for the form."""

    __slots__ = ("plan", "saved", "metas", "shapes_out")

    computes = True

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

    def forward(self, xp: Any, *inputs: Any) -> Any:
        """The result, as an array (a tuple of them where there are several outputs)."""
        raise MissingRuleError(
            f"{type(self).__name__} does not say what it computes: write forward(self, xp, ...), which returns the "
            "result as an array."
        )

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
        if STATE.mode.inference:  # also inside enable_grad
            for each in outputs:
                if each._view is None:
                    each.extra.inference = True
        elif STATE.mode.grad and not (self.is_view and outputs[0].is_inference()):
            self.record(inputs, outputs)
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

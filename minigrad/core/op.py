r"""Ops: what they are, how they are called, and what they save.

An op is one class. ``forward`` computes on arrays; for each input there is one gradient method, ``grad_<input>``, that
computes on tensors, so that gradients can be differentiated again. The parameter names of a gradient method say what it
needs: inputs by name, ``out``, or a further output of the op. An op therefore saves exactly what the needed gradients
ask for, and never computes a gradient that is not needed.

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

The instance *is* the node of the graph: calling ``Sum(dim, keepdim)(x)`` runs ``forward`` and, if a gradient is needed,
makes this very object the ``grad_fn`` of its result. The settings of an op are its annotations, in order; they are the
arguments of its constructor.

An op with several outputs names them in ``outputs_named``; its gradient methods get the gradient of the first as
``grad`` and of any other as ``grad_<output>``, zeros where none arrived. An op with any number of inputs, or whose
gradients share their work, writes one ``backward(grad, ...)`` that returns all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from .. import dtypes
from ..events import LISTENERS
from . import saving
from .declared import Declared, declare
from .graph import Edges, Node, links_of, next_sequence_number
from .plan import NOTHING, Plan
from .state import STATE, Mode
from .tensor import Storage, Tensor, alias, edge_of, edges_of, make, wrap
from .view import view_of

FIRST = (0,)


class Op(Declared):
    """The base class of every op. The module's docstring shows how to write one."""

    __slots__ = ("plan", "saved", "metas", "shapes_out")

    computes = True

    plans: ClassVar[dict[Any, Plan]] = {}

    plan: Plan
    saved: tuple[Any, ...] | None
    metas: Any
    shapes_out: tuple[Any, ...]
    """(shape, dtype, backend) of every output, if there are several."""

    def __init_subclass__(cls, abstract: bool = False) -> None:
        declare(cls, abstract)

    def __init__(self, *settings: Any) -> None:
        if len(settings) != len(self.settings):
            raise self.wrong_settings(settings)
        for name, value in zip(self.settings, settings):  # noqa: B905 # strict=True costs as much as the loop
            setattr(self, name, value)

    # Calling it

    def __call__(self, *inputs: Any) -> Any:
        """Run on tensors and numbers. Return a tensor, or a tuple of tensors if there are several outputs."""
        mode = STATE.mode
        if mode.interpreters:
            return mode.interpreters[-1].interpret(self, inputs)
        rare = mode.slow or (LISTENERS and mode.announced())
        if self.alone and not rare and len(inputs) == 1 and isinstance(inputs[0], Tensor):
            return self.apply_alone(inputs[0], mode)
        return self.apply(inputs)

    def apply_alone(self, input: Tensor, mode: Mode) -> Any:
        """The fast path for an op with one input and one output, without listeners and rare modes."""
        array, backend, dtype = input._array, input._backend, input._array.dtype
        if not dtypes.plain(dtype) or (self.is_view and input.is_inference()):
            return self.apply((input,))
        try:
            result = self.forward(backend, array)
        except (RuntimeWarning, ValueError) as error:
            result = self.recomputed(backend, (array,), error)
        if result.__class__ is not array.__class__:
            result = backend.asarray(result)
        if self.memory_order and not (array.flags.c_contiguous and result.flags.c_contiguous):
            result = backend.arranged(result, self.memory_order, (array,))
        viewed = self.is_view and backend.shares(result, array)
        out = view_of(self, result, input, 0) if viewed else make(result, backend, Storage())
        records = mode.grad and not self.constant and dtypes.differentiable(result.dtype)
        if records and (edge := input._edge or edge_of(input)):
            fits = (result.dtype is dtype and result.shape == array.shape) or not (self.broadcasts or self.promotion)
            plan = self.plans.get(FIRST) or self.plan_for(FIRST)
            self.become(plan, edge, None if fits else [(array.shape, dtype)], (input, out), 1)
            place(out, self, 0)
        return out

    def apply(self, inputs: tuple[Any, ...]) -> Any:
        """Run by the ordinary rules, and record if that is wanted."""
        if LISTENERS and STATE.mode.announced():
            self.announce_entry(inputs)
        backend = common_backend(self, inputs)
        result = self.compute(backend, self.arrays_of(backend, inputs))
        results = result if type(result) is tuple else (result,)
        outputs = tuple([self.output(i, each, backend, inputs) for i, each in enumerate(results)])
        if len(outputs) != self.outputs:
            self.outputs = len(outputs)  # type: ignore[misc] # the op's own, where it differs from its class's
        if STATE.mode.inference:  # also inside enable_grad
            self.close(outputs)
        elif STATE.mode.grad and not (self.is_view and outputs[0].is_inference()):
            self.record(inputs, outputs)
        if LISTENERS and STATE.mode.announced():
            self.announce(inputs, outputs)
        return outputs[0] if results is not result else outputs

    def compute(self, backend: Any, arrays: Sequence[Any]) -> Any:
        """Run `forward`; if shapes do not fit, raise an error that names them."""
        try:
            return self.forward(backend, *arrays)
        except (RuntimeWarning, ValueError) as error:
            return self.recomputed(backend, arrays, error)

    def arrays_of(self, backend: Any, inputs: Sequence[Any]) -> list[Any]:
        """Return the arrays of `inputs`, cast to a common dtype if the op promotes and they differ."""
        arrays = [each._array if isinstance(each, Tensor) else each for each in inputs]
        if not self.promotion or {getattr(each, "dtype", None) for each in arrays} in self.settled:
            return arrays
        return self.promoted(backend, inputs)

    def output(self, number: int, array: Any, backend: Any, inputs: tuple[Any, ...]) -> Tensor:
        """Return a result as a tensor; as a view if it shares the first input's memory."""
        if not isinstance(array, backend.array_type):
            array = backend.asarray(array)
        if self.memory_order:
            array = backend.arranged(array, self.memory_order, [getattr(each, "_array", None) for each in inputs])
        if not (self.is_view and backend.shares(array, inputs[0]._array)):
            return wrap(array, backend)
        return view_of(self, array, inputs[0], number)

    # Becoming a node

    def record(self, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...], edges: Edges | None = None) -> None:
        """Become the node of `outputs` if an input needs a gradient. `edges` defaults to the inputs' own edges."""
        edges = edges_of(inputs) if edges is None else edges
        if self.constant:
            edges = tuple([None if i in self.constant else edge for i, edge in enumerate(edges)])
        moving = [i for i, out in enumerate(outputs) if dtypes.differentiable(out._array.dtype)]
        if not moving or not any(edges):
            return
        self.attach(inputs, outputs, edges)
        for i in moving:
            place(outputs[i], self, i)

    def attach(self, inputs: tuple[Any, ...], outputs: tuple[Tensor, ...], edges: Edges) -> None:
        """Become a node with these edges, and note the shape and dtype that each gradient must be fitted to."""
        needed = tuple([i for i, edge in enumerate(edges) if edge is not None])
        metas: Any = None
        if len(outputs) > 1:
            self.shapes_out = tuple([(o._array.shape, o._array.dtype, o._backend) for o in outputs])
        if self.broadcasts or self.promotion:
            shape, kind = outputs[0]._array.shape, outputs[0]._array.dtype
            for i in needed:
                array = inputs[i]._array
                if array.shape != shape or array.dtype is not kind:
                    metas = metas or [None] * len(edges)
                    metas[i] = (array.shape, array.dtype)
        self.become(self.plan_for(needed), links_of(edges), metas, (*inputs, *outputs), len(inputs))
        if STATE.mode.saved_hooks and self.saved:
            self.saved = self.packed(inputs, outputs)

    def become(self, plan: Plan, links: Any, metas: Any, known: tuple[Any, ...], inputs: int) -> None:
        """Fill the slots of a node, and save what its gradients need; `known` holds the inputs, then the outputs."""
        self.links = links
        self.plan = plan
        self.seq = next_sequence_number()
        self.extra = None
        self.metas = metas
        if not plan.saves:
            self.saved = NOTHING
            return
        if plan.only is not None and (value := known[plan.only]).__class__ is Tensor and value._extra is None:
            self.saved = ((value, value._storage.version),)  # the usual case
            return
        kept: list[tuple[Any, Any]] = []
        for i in plan.sources if plan.rest is None else (*plan.sources, *range(plan.rest, inputs)):
            value = known[i]
            if not isinstance(value, Tensor):
                kept.append((value, None))
            elif value._extra is not None and value._extra.inference:
                raise self.inference_saved()
            else:
                kept.append((value if i < inputs else alias(value), value._storage.version))
        self.saved = tuple(kept)

    @classmethod
    def plan_for(cls, needed: tuple[int, ...]) -> Plan:
        """Return the plan for a set of inputs that need a gradient, created at first use."""
        plan = cls.plans.get(needed)
        if plan is None:
            plan = cls.plans[needed] = Plan(cls, needed)
        return plan

    # Backward

    def run(self, grad: Any, unasked: Sequence[int] = ()) -> Sequence[Any]:
        """Return the gradients of the inputs; those after the last needed one may be missing."""
        plan = self.plan
        if plan.lone is not None and not unasked:
            index, rule, keeps = plan.lone
            result = rule(self, grad, saving.restore_only(self)) if keeps else rule(self, grad)
            return (result,) if index == 0 else (None,) * index + (result,)
        values = saving.restore(self, plan.saves, plan.remade) if plan.saves else []
        if plan.joint is not None:
            return plan.joint(self, grad, *values)
        if self.outputs > 1:
            grad, *others = self.filled(grad)
            values += others
        grads: list[Any] = [None] * (len(self.links) // 2)
        for index, rule, picked in plan.rules:
            if index not in unasked:
                grads[index] = rule(self, grad, *picked(values))
        return grads

    def filled(self, grads: tuple[Tensor | None, ...]) -> list[Tensor]:
        """Return the gradients of all outputs, with zeros where none arrived."""
        return [
            wrap(backend.zeros(shape, dtype), backend) if grad is None else grad
            for grad, (shape, dtype, backend) in zip(grads, self.shapes_out, strict=True)
        ]

    def release(self) -> None:
        if self.saved is not NOTHING:
            self.saved = None
            if LISTENERS:
                self.announce_release()


def place(tensor: Tensor, node: Node, output: int) -> None:
    """Make `tensor` the output number `output` of `node` in the graph."""
    if tensor._view is None:
        tensor._edge = (node, output)
    else:
        tensor._view.connect(node, output)


def common_backend(op: Any, inputs: Sequence[Any]) -> Any:
    """Return the backend of all tensors among `inputs`; DeviceError if they have two. `op` may be a function's name."""
    backend = None
    for each in inputs:
        if isinstance(each, Tensor):
            backend = backend or each._backend
            if each._backend is not backend:
                break
    else:
        if backend is not None:
            return backend
    from .inputs import backend_of_odd

    return backend_of_odd(op, inputs)

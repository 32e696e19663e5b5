"""Let the recorder read minigrad's own tensors and nodes. Only this module reads the core's internals for it."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from ... import dtypes
from ...autograd.profiler_memory import Held
from ...core.batch import Batch
from ...core.graph import AccumulateGrad
from ...core.node_call import op_class
from ...core.op import Op
from ...core.slices import known_place
from ...core.state import STATE
from ...core.tensor import Tensor, edge_of
from ...errors import GradError
from ...text import Feedbacks, Gather, Variable
from ..source.callsites import Parts
from . import op_facts as ops
from .base import LONGEST_TEXT, Edge, Folders, Framework, Record, plain

TENSORS = (Tensor, Variable)
"""The classes of data in a graph: tensors and texts."""

HERE = str(Path(__file__).parents[2]) + os.sep

TRANSFORMS = Parts((HERE + "func" + os.sep, ()))
"""The folder of the transforms of functions."""

_dtype_names: dict[Any, str] = {}
_device_names: dict[int, str] = {}
_whole: dict[type, bool] = {}
"""Whether the objects of a class are tensors that have a shape."""


class Minigrad(Framework):
    """Access to minigrad's own tensors and nodes."""

    name = "minigrad"
    folders = Folders(
        own=(HERE,),
        housekeeping=Parts(
            (HERE + "optim" + os.sep, ()),
            (HERE + os.path.join("distributions", "constraints.py"), ()),
            (HERE + os.path.join("nn", "init.py"), ()),
            (HERE + os.path.join("nn", "loading.py"), ()),
            (HERE + "nn" + os.sep, ("__init__", "_apply", "register_parametrization")),
            (copy.__file__, ()),
        ),
        loading=Parts((HERE + os.path.join("utils", "data") + os.sep, ())),
        modules=(HERE + os.path.join("nn", "module.py"),),
        checkpoint=(HERE + os.path.join("utils", "checkpoint") + os.sep,),
        detach=(Tensor.detach.__code__.co_filename,),
    )

    # Tensors

    def is_tensor(self, value: Any) -> bool:
        """Whether `value` is a tensor or a text."""
        return issubclass(type(value), TENSORS)

    def facts(self, tensor: Any) -> Record:
        """The shape, dtype, memory and place in the graph."""
        if not isinstance(tensor, Tensor):
            return _text_facts(tensor)
        array, backend = tensor._array, tensor._backend
        device = _device_names.get(id(backend)) or _device_names.setdefault(id(backend), str(backend.device))
        size = array.itemsize
        requires = tensor.requires_grad
        found = {
            "shape": list(array.shape),
            "dtype": _dtype_names.get(array.dtype) or _dtype_name(array.dtype),
            "device": device,
            "strides": [step // size for step in array.strides] if size else [],
            "bytes": array.nbytes,
            "version": tensor._storage.version,
            "leaf": not requires or (place := known_place(tensor)) is None or place[0].begins,
            "requires_grad": requires,
        }
        if type(tensor).__name__ == "Parameter":
            found["parameter"] = True
        return found

    def has_elements(self, value: Any) -> bool:
        """Every tensor has elements, except on the device ``meta``, or before it has a shape; a text has none."""
        kind = type(value)
        whole = _whole.get(kind)
        if whole is None:
            whole = _whole[kind] = issubclass(kind, Tensor) and not hasattr(kind, "materialize")
        return whole and value._backend.has_elements

    def array(self, tensor: Tensor) -> Any:
        """The array on the host. Under vmap a tensor is one example of many: then that of all examples."""
        array = tensor._array
        return tensor._backend.to_host(array.everything() if type(array) is Batch else array)

    def part(self, tensor: Tensor, index: tuple[int | slice, ...]) -> Any:
        """A part of the array, on the host; only that part leaves the device."""
        return tensor._backend.to_host(tensor._array[index])

    def shape(self, tensor: Any) -> Sequence[int]:
        """The shape of the array; empty for a text."""
        return tensor._array.shape if isinstance(tensor, Tensor) else ()

    def size(self, tensor: Any) -> int:
        """The number of elements of the array; 0 for a text."""
        return tensor._array.size if isinstance(tensor, Tensor) else 0

    def nbytes(self, tensor: Any) -> int:
        """The number of bytes of the array; 0 for a text."""
        return tensor._array.nbytes if isinstance(tensor, Tensor) else 0

    def version(self, tensor: Tensor) -> int:
        """The version of the storage."""
        return tensor._storage.version

    def memory(self, tensor: Any) -> int:
        """The address of the array."""
        return id(tensor._array) if isinstance(tensor, Tensor) else id(tensor)

    def shares_memory(self, a: Any, b: Any) -> bool:
        """Whether two tensors have one storage."""
        return isinstance(a, Tensor) and isinstance(b, Tensor) and a._storage is b._storage

    def target(self, tensor: Any) -> Edge | None:
        """Where the gradient of a tensor goes. Does not create a leaf's accumulator."""
        extra = getattr(tensor, "_extra", None)
        node = None if extra is None or extra.accumulator is None else extra.accumulator()
        return self.place(tensor) if node is None else (node, 0)

    def requires_grad(self, tensor: Any) -> bool:
        """Whether a tensor or a text requires a gradient."""
        return bool(tensor.requires_grad)

    def grad(self, tensor: Any) -> Any:
        """The gradient of a tensor; a text has feedback instead."""
        return tensor._grad if isinstance(tensor, Tensor) else None

    def base(self, tensor: Any) -> Tensor | None:
        """The tensor whose memory a view looks into."""
        view = tensor._view if isinstance(tensor, Tensor) else None
        return None if view is None else view.base

    def is_parameter(self, tensor: Any) -> bool:
        """Whether the tensor is a parameter, by the name of its class, since `nn` may not be imported."""
        return type(tensor).__name__ == "Parameter"

    def place(self, tensor: Any) -> Edge | None:
        """The node that made a tensor, and the number of its output. Does not create a leaf's accumulator."""
        if not isinstance(tensor, Tensor):
            return None if tensor.grad_fn is None else (tensor.grad_fn, 0)
        if tensor._view is None:
            return tensor._edge
        try:
            edge = edge_of(tensor)
        except GradError:  # the view may not follow its base: the op that needs its history raises the error
            edge = known_place(tensor)
        return None if edge is None or isinstance(edge[0], AccumulateGrad) else edge

    def squares(self, tensor: Tensor) -> float:
        """The sum of squares, computed on the device. Half precision is converted: its squares would overflow."""
        array, xp = tensor._array, tensor._backend
        if type(array) is Batch:
            array = array.everything()
        if array.dtype.kind not in "fc" or array.itemsize == 2:
            array = array.astype("float32")
        flat = array.ravel(order="K")
        return float(xp.vdot(flat, flat).real)

    def text(self, value: Any) -> Record | None:
        """The text of a `Variable`, or of the feedback that waits at a node; None for anything else."""
        if isinstance(value, Variable):
            value = (value,)
        elif not isinstance(value, (Feedbacks, list)) or not all(isinstance(each, Variable) for each in value):
            return None
        return {"kind": "text", "text": "\n".join(each.data for each in value)[:LONGEST_TEXT]}

    # Nodes

    def edges(self, node: Any) -> Sequence[Edge | None]:
        """One edge for each input of the node."""
        return node.edges

    def sequence(self, node: Any) -> int:
        """The node's sequence number, which counts over all threads."""
        return node.seq

    def leaf(self, node: Any) -> Any:
        """The leaf of an accumulating node: `AccumulateGrad` for tensors, `Gather` for texts; None for other nodes."""
        return node.variable if isinstance(node, (AccumulateGrad, Gather)) else None

    def kind(self, node: Any) -> Any:
        """The class of the op."""
        return op_class(node)

    def op_name(self, node: Any) -> str:
        """The name of the op's class; for nodes that are no ops, without "Backward"."""
        return ops.op_name(op_class(node))

    def op_facts(self, node: Any) -> Record:
        """The facts of an op that its class declares."""
        return ops.op_facts(op_class(node))

    def input_names(self, node: Any, count: int) -> list[str]:
        """The op's names for its inputs; for a Function, the parameters of its ``forward``."""
        return list(ops.input_names(op_class(node), count))

    def settings(self, node: Any) -> Record:
        """The op's settings, such as axes, shapes and slopes."""
        return {name: plain(getattr(node, name, None), self) for name in getattr(op_class(node), "settings", ())}

    def saved(self, node: Any) -> list[tuple[str, Tensor, Any]]:
        """The saved tensors. Those of a user's Function are named by number."""
        pairs = getattr(node, "saved", None) or ()
        names = node.plan.saves if isinstance(node, Op) and pairs else [str(i) for i in range(len(pairs))]
        together = zip(names, pairs, strict=False)
        return [(name, value, version) for name, (value, version) in together if isinstance(value, Tensor)]

    def released(self, node: Any) -> bool:
        """Whether the saved tensors were released, rather than there being none."""
        return getattr(node, "saved", ()) is None

    def writes_in_place(self, node: Any, outputs: Sequence[Any]) -> bool:
        """Whether the op wrote in place: new memory is at version 0, except for a view of written memory."""
        if not outputs or getattr(op_class(node), "is_view", False):
            return False
        storage = getattr(outputs[0], "_storage", None)
        return storage is not None and storage.version > 0

    def input_shape(self, node: Any, index: int) -> Sequence[int] | None:
        """The shape to which a gradient of this input must be summed, or None."""
        metas = getattr(node, "metas", None)
        return None if metas is None or index >= len(metas) or metas[index] is None else metas[index][0]

    def examples(self, outputs: Sequence[Any]) -> int | None:
        """The number of examples in the innermost batch, or None."""
        arrays = [each._array for each in outputs if isinstance(each, Tensor)]
        return arrays[0].level.size if arrays and type(arrays[0]) is Batch else None

    # The program

    def in_backward(self) -> bool:
        """Whether this thread is inside a backward pass."""
        return bool(STATE.mode.passes)

    def in_transform(self, frame: FrameType | None) -> bool:
        """Whether a transform, on the stack from `frame`, runs here, and no other around it."""
        mode = STATE.mode
        return not (mode.transforms or mode.interpreters) and TRANSFORMS.run(frame)

    def in_rule(self) -> bool:
        """Whether this thread is inside a gradient rule.

        False with ``create_graph``, where a rule's ops make a graph.
        """
        return bool(STATE.mode.passes) and not STATE.mode.grad

    def memory_counter(self) -> Held:
        """The profiler's counter."""
        return Held()


MINIGRAD = Minigrad()
"""The framework that a recorder uses by default."""


def _dtype_name(kind: Any) -> str:
    name = _dtype_names[kind] = dtypes.of(kind).name
    return name


def _text_facts(variable: Any) -> Record:
    """The facts of a text `Variable`, with its text."""
    found = {"shape": [], "dtype": "text", "bytes": len(variable.data.encode()), "text": variable.data[:LONGEST_TEXT]}
    return {**found, "leaf": variable.is_leaf, "requires_grad": variable.requires_grad, "role": variable.role}

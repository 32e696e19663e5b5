"""Let the recorder read PyTorch's tensors, and the calls that represent its nodes."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn.parameter import is_lazy

from ...core.declared import REGISTRY
from ..framework import Edge, Folders, Framework, MemoryCounter
from ..framework.op_facts import op_facts
from ..source.callsites import Parts
from .nodes import HERE, Call, Sink, Unseen

FOLDER = str(Path(torch.__file__).parent) + os.sep
SOURCE = str(Path(__file__).parent) + os.sep

disabled: Any = torch._C.DisableTorchFunction
_nothing = nullcontext()


def unguarded() -> Any:
    """Run a block without any function modes and subclasses taking part."""
    return _nothing if HERE.busy else disabled()


Record = dict[str, Any]


class Torch(Framework):
    """Access to PyTorch's tensors and nodes."""

    name = "torch"
    tells_writes = False
    one_thread = False
    folders = Folders(
        own=(FOLDER,),
        housekeeping=Parts(
            (FOLDER + "optim" + os.sep, ()),
            (FOLDER + os.path.join("distributions", "constraints.py"), ()),
            (FOLDER + os.path.join("nn", "init.py"), ()),
            (FOLDER + "nn" + os.sep, ("__init__", "_apply", "load_state_dict", "register_parametrization")),
        ),
        loading=Parts((FOLDER + os.path.join("utils", "data") + os.sep, ())),
        modules=(FOLDER + os.path.join("nn", "modules", "module.py"),),
        checkpoint=(FOLDER + os.path.join("utils", "checkpoint.py"),),
        detach=(SOURCE,),
    )

    def listen(self, listener: Callable[[Any], None]) -> Callable[[], None]:
        """Hook into PyTorch while there are listeners."""
        from .source import SOURCE

        return SOURCE.listen(listener)

    def leave(self) -> None:
        """Remove the hooks if there are no listeners."""
        from .source import SOURCE

        SOURCE.leave()

    # Tensors

    def is_tensor(self, value: Any) -> bool:
        """Whether `value` is a tensor, or an unseen result."""
        return issubclass(type(value), (torch.Tensor, Unseen))

    def facts(self, tensor: Any) -> Record:
        """The fields of a tensor. An unseen one has only a shape and a dtype."""
        if isinstance(tensor, Unseen):
            return {"shape": list(tensor.shape), "dtype": tensor.dtype, "leaf": False, "requires_grad": True}
        with unguarded():
            found = {
                "shape": list(tensor.shape),
                "dtype": dtype_name(tensor.dtype),
                "device": str(tensor.device),
                "bytes": tensor.nbytes if tensor.layout is torch.strided else 0,
                "version": version_of(tensor),
                "leaf": is_leaf(tensor),
                "requires_grad": tensor.requires_grad,
            }
            if tensor.layout is torch.strided:
                found["strides"] = list(tensor.stride())
            if isinstance(tensor, torch.nn.Parameter):
                found["parameter"] = True
        return found

    def has_elements(self, value: Any) -> bool:
        """Whether the elements can be read: not of an unseen result, on the device "meta", or under a transform.

        A lazy layer's parameter has none before its first input.
        """
        if not issubclass(type(value), torch.Tensor) or is_lazy(value):
            return False
        with unguarded():
            plain = value.layout is torch.strided and value.device.type != "meta" and not is_wrapped(value)
            return bool(plain and not value.is_quantized)

    def array(self, tensor: Any) -> Any:
        """The elements on the host, copied if they are elsewhere. bfloat16, which NumPy does not have, is converted."""
        with unguarded():
            found = tensor.detach()
            if found.is_conj() or found.is_neg():
                found = found.resolve_conj().resolve_neg()
            if found.dtype is torch.bfloat16 or (found.dtype.itemsize == 1 and found.dtype.is_floating_point):
                found = found.float()
            host = found.cpu()
            try:
                return np.from_dlpack(host)  # after `numpy()` the program could not resize its tensor any more
            except (BufferError, RuntimeError, TypeError):  # a dtype that DLPack does not support
                return host.clone().numpy()

    def part(self, tensor: Any, index: tuple[int | slice, ...]) -> Any:
        """A part of the elements, on the host; only that part is copied."""
        with unguarded():
            return self.array(tensor.detach()[index])

    def shape(self, tensor: Any) -> Sequence[int]:
        """The shape of the tensor."""
        return tuple(tensor.shape)

    def size(self, tensor: Any) -> int:
        """The number of elements that can be read."""
        if isinstance(tensor, Unseen):
            return 0
        with unguarded():
            return int(tensor.numel())

    def nbytes(self, tensor: Any) -> int:
        """The number of bytes of the elements."""
        if isinstance(tensor, Unseen):
            return 0
        with unguarded():
            if tensor.layout is torch.sparse_coo:
                return int(tensor._nnz() * (tensor.element_size() + 8 * tensor.sparse_dim()))
            return int(tensor.numel() * tensor.element_size())

    def version(self, tensor: Any) -> int:
        """The number of changes in place that autograd has counted; a tensor made in inference mode has none."""
        with unguarded():
            return version_of(tensor)

    def memory(self, tensor: Any) -> int:
        """The address of a tensor's memory, with its shape and strides."""
        if isinstance(tensor, Unseen):
            return id(tensor)
        with unguarded():
            return address_of(tensor)

    def shares_memory(self, a: Any, b: Any) -> bool:
        """Whether two tensors have one storage."""
        if not (self.has_elements(a) and self.has_elements(b)):
            return False
        with unguarded():
            return bool(a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() != 0)

    def target(self, tensor: Any) -> Edge | None:
        """Where the gradient of a tensor goes. A leaf has a `Sink` only as long as a call leads to it."""
        if isinstance(tensor, Unseen):
            return tensor.place
        from .graph import target_of

        with unguarded():
            return target_of(tensor)

    def is_used_up(self, tensor: Any) -> bool:
        """Whether the saved tensors of the tensor's graph were released."""
        from .saving import is_used_up

        with unguarded():
            return not isinstance(tensor, Unseen) and is_used_up(tensor)

    def requires_grad(self, tensor: Any) -> bool:
        """Whether a tensor requires a gradient; an unseen result does."""
        if isinstance(tensor, Unseen):
            return True
        with unguarded():
            return bool(tensor.requires_grad)

    def grad(self, tensor: Any) -> Any:
        """The gradient of a leaf, or one that is retained; reading others would make PyTorch warn."""
        if isinstance(tensor, Unseen):
            return None
        with unguarded():
            return tensor.grad if is_leaf(tensor) or tensor.retains_grad else None

    def base(self, tensor: Any) -> Any:
        """The base of a view, else None."""
        if isinstance(tensor, Unseen):
            return None
        with unguarded():
            return tensor._base if tensor._is_view() else None

    def is_parameter(self, tensor: Any) -> bool:
        """Whether the tensor is a module's parameter."""
        return isinstance(tensor, torch.nn.Parameter)

    def place(self, tensor: Any) -> Edge | None:
        """The call that made the tensor; None for a leaf, or for a view whose history PyTorch refuses."""
        if isinstance(tensor, Unseen):
            return tensor.place
        from .graph import place_of

        with unguarded():
            return place_of(tensor)

    def squares(self, tensor: Any) -> float:
        """The sum of squares, computed on the device in single precision at least."""
        if isinstance(tensor, Unseen):
            return 0.0
        with unguarded():
            flat = tensor.detach()
            flat = flat.coalesce().values() if flat.layout is torch.sparse_coo else flat
            if not (flat.is_floating_point() or flat.is_complex()) or flat.dtype.itemsize <= 2:
                flat = flat.float()
            return float(torch.linalg.vector_norm(flat)) ** 2

    # Nodes

    def is_node(self, value: Any) -> bool:
        """Whether `value` is a proxy for a node."""
        return isinstance(value, (Call, Sink))

    def edges(self, node: Any) -> Sequence[Edge | None]:
        """One edge for each input of the node."""
        return node.edges

    def sequence(self, node: Any) -> int:
        """The node's number, which counts over all threads."""
        return node.number

    def leaf(self, node: Any) -> Any:
        """The leaf of a sink; None for a call."""
        return node.ref() if isinstance(node, Sink) else None

    def kind(self, node: Any) -> Hashable:
        """The op's name."""
        return self.op_name(node)

    def op_name(self, node: Any) -> str:
        """The name of minigrad's op, if there is one, else PyTorch's."""
        return node.op if isinstance(node, Call) else "AccumulateGrad"

    def op_facts(self, node: Any) -> Record:
        """Facts of minigrad's op of this name: the mathematics is the same."""
        return facts_of(self.op_name(node))

    def input_names(self, node: Any, count: int) -> list[str]:
        """The names that minigrad's op gives its inputs, else PyTorch's."""
        names = list(getattr(node, "names", ()))[:count]
        return [*names, *(f"input[{i}]" for i in range(len(names), count))]

    def settings(self, node: Any) -> Record:
        """The other arguments of the call."""
        return getattr(node, "settings", {})

    def released(self, node: Any) -> bool:
        """Whether a backward has released the saved tensors."""
        return bool(getattr(node, "released", False))

    def writes_in_place(self, node: Any, outputs: Sequence[Any]) -> bool:
        """Whether the call changed an input in place, as the source saw it."""
        return bool(getattr(node, "written", False))

    # The program

    def in_backward(self) -> bool:
        """Whether this thread runs a backward pass."""
        return bool(HERE.runs)

    def in_rule(self) -> bool:
        """Whether the graph of a gradient is left unrecorded."""
        return self.in_backward() and not torch.is_grad_enabled()

    def memory_counter(self) -> MemoryCounter:
        """A counter of the storages in use."""
        from .memory import Storages

        return Storages()


TORCH = Torch()

_facts: dict[str, Record] = {}
_dtype_names: dict[Any, str] = {}


def facts_of(op: str) -> Record:
    """The formula and gradients of minigrad's op; of any other op only its name."""
    known = _facts.get(op)
    if known is None:
        kind = REGISTRY.get(op)
        named: Record = {"op": op, "formula": "", "gradients": {}, "elementwise": False}
        known = _facts[op] = named if kind is None else op_facts(kind)
    return known


def dtype_name(dtype: Any) -> str:
    """The name of a dtype without the framework, such as float32."""
    return _dtype_names.get(dtype) or _dtype_names.setdefault(dtype, str(dtype).rpartition(".")[2])


def version_of(tensor: Any) -> int:
    """The version of a tensor; 0 in inference mode."""
    try:
        return int(tensor._version)
    except (AttributeError, RuntimeError):
        return 0


def is_leaf(tensor: Any) -> bool:
    """Whether no op of a graph made the tensor; False for a view whose history PyTorch refuses."""
    try:
        return bool(tensor.is_leaf)
    except RuntimeError:
        return False


def is_wrapped(tensor: Any) -> bool:
    """Whether a transform of torch.func wraps the tensor: it has no memory of its own."""
    functorch = getattr(torch._C, "_functorch", None)
    return bool(functorch is not None and functorch.is_functorch_wrapped_tensor(tensor))


def address_of(tensor: Any) -> int:
    """A number that tensors with the same elements in the same memory share."""
    if tensor.layout is not torch.strided or is_wrapped(tensor):
        return id(tensor)
    address = tensor.data_ptr()
    return hash((address, tensor.shape, tensor.stride())) if address else id(tensor)

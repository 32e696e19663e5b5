"""What can be said of an op and of a tensor without looking at its numbers, as plain data."""

from __future__ import annotations

import re
from typing import Any

from ... import dtypes
from ...core.batch import Batch
from ...core.graph import AccumulateGrad
from ...core.op import Op
from ...core.tensor import Tensor, edge_of
from ...core.view import known_place
from ...errors import GradError
from ...text import Feedbacks, Gather, Variable
from ..source.callsites import Site

TENSORS = (Tensor, Variable)
"""What flows through a graph: arrays, and texts."""

LONGEST_TEXT = 2_000

# Tensors --------------------------------------------------------------------------------------------------------------

_dtype_names: dict[Any, str] = {}
_device_names: dict[int, str] = {}


def dtype_name(kind: Any) -> str:
    """The name of a NumPy dtype: float32."""
    name = _dtype_names.get(kind)
    if name is None:
        name = _dtype_names[kind] = dtypes.of(kind).name
    return name


def facts(tensor: Any) -> dict[str, Any]:
    """Shape, dtype, memory and place of a tensor, as in the protocol's `Tensor`."""
    if not isinstance(tensor, Tensor):
        return text_facts(tensor)
    array, backend = tensor._array, tensor._backend
    device = _device_names.get(id(backend)) or _device_names.setdefault(id(backend), str(backend.device))
    size = array.itemsize
    requires = tensor.requires_grad
    found = {
        "shape": list(array.shape),
        "dtype": dtype_name(array.dtype),
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


def host_array(tensor: Tensor) -> Any:
    """The numbers of a tensor as a NumPy array; under vmap, where it is one example of many, those of all examples."""
    array = tensor._array
    return tensor._backend.to_host(array.everything() if type(array) is Batch else array)


def examples_of(outputs: tuple[Any, ...]) -> int | None:
    """For how many examples at once an op ran that made these, under the innermost vmap; None outside of one."""
    arrays = [each._array for each in outputs if isinstance(each, Tensor)]
    return arrays[0].level.size if arrays and type(arrays[0]) is Batch else None


def text_facts(variable: Any) -> dict[str, Any]:
    """The same of a text `Variable`; its text stands beside."""
    found = {"shape": [], "dtype": "text", "bytes": len(variable.data.encode()), "text": variable.data[:LONGEST_TEXT]}
    return {**found, "leaf": variable.is_leaf, "requires_grad": variable.requires_grad, "role": variable.role}


def said(texts: Any) -> dict[str, Any] | None:
    """What a text `Variable`, or the feedback that waits at a node, says; None for anything else."""
    if isinstance(texts, Variable):
        texts = (texts,)
    elif not isinstance(texts, (Feedbacks, list)) or not all(isinstance(each, Variable) for each in texts):
        return None
    return {"kind": "text", "text": "\n".join(each.data for each in texts)[:LONGEST_TEXT]}


def place_in_graph(tensor: Any) -> Any:
    """The (node, output number) that made `tensor`, None for a leaf. Does not give a leaf its accumulator."""
    if not isinstance(tensor, Tensor):
        return None if tensor.grad_fn is None else (tensor.grad_fn, 0)
    if tensor._view is None:
        return tensor._edge
    try:
        edge = edge_of(tensor)
    except GradError:  # a view that may not follow its base: the op that needs its history will say so
        edge = known_place(tensor)
    return None if edge is None or isinstance(edge[0], AccumulateGrad) else edge


def leaf_of(node: Any) -> Any:
    """The leaf that an accumulating node adds to; None for any other node."""
    return node.variable if isinstance(node, (AccumulateGrad, Gather)) else None


# Ops ------------------------------------------------------------------------------------------------------------------


_op_facts: dict[type, dict[str, Any]] = {}


def op_facts(kind: type) -> dict[str, Any]:
    """Name, formula and gradients of an op's class."""
    known = _op_facts.get(kind)
    if known is None:
        known = _op_facts[kind] = _read_class(kind)
    return known


def _read_class(kind: type) -> dict[str, Any]:
    if hasattr(kind, "user_function"):
        return _read_function(kind)
    names = [name.lstrip("*") for name in getattr(kind, "inputs_named", ())]
    gradients = {name: _formula(getattr(kind, "grad_" + name, None)) for name in names}
    joint = _formula(getattr(kind, "backward", None)) if issubclass(kind, Op) else ""
    if joint:
        gradients = {name: gradients[name] or joint for name in names}
    return {
        "op": op_name(kind),
        "formula": getattr(kind, "formula", "") or "",
        "gradients": {name: text for name, text in gradients.items() if text},
        "elementwise": bool(getattr(kind, "elementwise", False)),
    }


def _read_function(kind: Any) -> dict[str, Any]:
    """The same of a user's Function. Its backward's docstring has a line for each input, if those are formulas."""
    function = kind.user_function
    lines = (function.backward.__doc__ or "").strip().splitlines()
    gradients = {
        name: line.strip() for name, line in zip(_parameters(function), lines, strict=False) if r"\bar" in line
    }
    return {
        "op": op_name(kind),
        "formula": function.formula,
        "gradients": gradients,
        "elementwise": function.elementwise,
    }


_op_names: dict[type, str] = {}


def op_name(kind: type) -> str:
    """What to call a node of this class: MatMul; for nodes that are no ops, their name without "Backward"."""
    name = _op_names.get(kind)
    if name is None:
        name = _op_names[kind] = re.sub(r"(Backward\d*|_)$", "", kind.__name__) or kind.__name__
    return name


def _formula(rule: Any) -> str:
    """The docstring of a gradient rule, where that is a formula: one line, no sentence."""
    text = (getattr(rule, "__doc__", None) or "").strip().strip('"').strip()
    return "" if "\n\n" in text or text.endswith(".") else " ".join(text.split())


def input_names(node: Any, count: int) -> list[str]:
    """The op's own names for its inputs: a, b; tensors[0], tensors[1]; for a Function those that ``forward`` has."""
    key = (type(node), count)
    known = _names_of_inputs.get(key)
    if known is None:
        known = _names_of_inputs[key] = _input_names(*key)
    return list(known)


_names_of_inputs: dict[tuple[type, int], tuple[str, ...]] = {}


def _input_names(kind: type, count: int) -> tuple[str, ...]:
    names = list(getattr(kind, "inputs_named", ()))
    if not names and hasattr(kind, "user_function"):
        names = _parameters(kind.user_function)
    if len(names) >= count and not any(name.startswith("*") for name in names):
        return tuple(names[:count])
    last = names.pop() if names else "x"
    return (*names, *(f"{last}[{i}]" for i in range(count - len(names))))


def _parameters(function: Any) -> list[str]:
    code = getattr(function.forward, "__code__", None)
    if code is None:
        return []
    names = list(code.co_varnames[: code.co_argcount])
    return names if function.separate() else names[1:]


def params(node: Any) -> dict[str, Any]:
    """An op's settings: axes, shapes, slopes."""
    return {name: plain(getattr(node, name, None)) for name in getattr(type(node), "settings", ())}


def saved_tensors(node: Any) -> list[tuple[str, Any, Any]]:
    """(name, tensor, version) of what a node keeps for backward now; a user's Function numbers its own."""
    pairs = getattr(node, "saved", None) or ()
    names = node.plan.saves if isinstance(node, Op) and pairs else [str(i) for i in range(len(pairs))]
    together = zip(names, pairs, strict=False)
    return [(name, value, version) for name, (value, version) in together if isinstance(value, Tensor)]


def plain(value: Any, depth: int = 3) -> Any:
    """`value` as JSON has it; what JSON has not becomes short text."""
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else str(value)
    if isinstance(value, dtypes.dtype):
        return value.name
    if isinstance(value, TENSORS) or hasattr(value, "dtype"):
        return f"a tensor {list(getattr(value, 'shape', ()))}"
    if isinstance(value, (tuple, list)) and depth:
        return [plain(each, depth - 1) for each in value[:32]]
    if isinstance(value, slice):
        return ":".join("" if part is None else str(part) for part in (value.start, value.stop, value.step))
    if value is Ellipsis:
        return "..."
    return getattr(value, "__name__", None) or repr(value)[:80]


# How it is written ----------------------------------------------------------------------------------------------------

_WRITTEN = {
    "+": ("add",), "-": ("sub", "neg"), "*": ("mul",), "/": ("div", "reciprocal"), "**": ("pow", "square", "exp"),
    "@": ("mm", "mv", "dot", "matmul"), "//": ("floor", "div"), "%": ("remainder", "mod"), "~": ("not", "invert"),
    "&": ("and",), "|": ("or",), "^": ("xor",), "<": ("lt", "less"), ">": ("gt", "greater"), "<=": ("le", "less"),
    ">=": ("ge", "greater"), "==": ("eq",), "!=": ("ne",),
}  # fmt: skip


def symbol(node: Any, site: Site | None) -> str:
    """How the user wrote this op: @, +, tanh; where the line does not say, the op's name as that of a function."""
    kind = type(node)
    if site is None:
        return snake(op_name(kind))
    known = site.symbols.get(kind)
    if known is None:
        known = site.symbols[kind] = _as_written(snake(op_name(kind)), *site.written)
    return known


def _as_written(name: str, how: str, text: str) -> str:
    bare = name.replace("_", "")
    if how == "operator" and any(word in bare for word in _WRITTEN.get(text.removesuffix("=") or text, ())):
        return text
    if how == "index" and any(word in bare for word in ("index", "slice", "select", "item", "take")):
        return text
    if how == "call" and bare.startswith(text.rstrip("_").replace("_", "").lower() or "?"):
        return text
    return name


def snake(name: str) -> str:
    """LogSoftmax -> log_softmax, ReLU -> relu."""
    return re.sub(r"(?<=[a-z0-9A-Z])(?=[A-Z][a-z])", "_", name).lower()

"""Rebuild an op and an array from what a record says of them."""

from __future__ import annotations

import ast
import math
import re
from base64 import b64decode
from functools import lru_cache
from typing import Any

import numpy as np

from ... import dtypes
from ...core.op import Op
from ...core.tensor import Tensor
from ...ops.create.factories import tensor
from ..explain.op_reference import every_op
from ..framework.op_facts import input_names

Record = dict[str, Any]

LARGEST = 1 << 22
"""The most elements of any array of a step, and the largest number in an op's settings."""

DTYPES = {each.name: each for each in dtypes.ALL}

EARLIER = "from an earlier step"
"""What a record says of an input that an op of an earlier step made."""

SLICE = re.compile(r"(-?\d*):(-?\d*)(?::(-?\d*))?")


class NotSaid(Exception):
    """The record does not hold enough to rebuild the op or array."""


def op_of(node: Record) -> Op:
    """The op of a node's record, ready to be called. Raises NotSaid, with the reason, if it cannot be rebuilt."""
    name = node["op"]
    kind = kind_of(name, tuple(each["name"] for each in node["inputs"]))
    if kind is None:
        if name == "CopySlices":
            raise NotSaid("a part of a tensor was written to through a view")
        raise NotSaid(f"{name} is code of the program, which is not run here")
    params = node.get("params", {})
    if "vmap" in params:
        raise NotSaid(f"{name} ran inside vmap")
    if set(kind.settings) - set(params):
        raise NotSaid(f"the recording does not say with which settings {name} ran")
    return kind(*(setting(params[each], name) for each in kind.settings))


@lru_cache(maxsize=1024)
def kind_of(name: str, inputs: tuple[str, ...]) -> type[Op] | None:
    """minigrad's own op of this name with these inputs, or None. Records write gradient ops without "Backward"."""
    for found in map(every_op().get, (name, f"{name}Backward")):
        if found is not None and input_names(found, len(inputs)) == inputs:
            return found
    return None


def setting(value: Any, op: str) -> Any:
    """The setting that a JSON value stands for.

    >>> setting([0, "1:3", "..."], "Slice")
    (0, slice(1, 3, None), Ellipsis)
    """
    if isinstance(value, list):
        return tuple(setting(each, op) for each in value)
    if isinstance(value, int) and abs(value) > LARGEST:
        raise NotSaid(f"{op} has a setting too large to try again: {value}")
    if not isinstance(value, str):
        return value
    if value.startswith("a tensor "):
        raise NotSaid(f"{op} keeps a tensor in its settings, which is not recorded")
    if value == "...":
        return Ellipsis
    if parts := SLICE.fullmatch(value):
        return slice(*(int(each) if each else None for each in parts.groups()))
    return DTYPES[value] if value in DTYPES else literal(value)


def literal(text: str) -> Any:
    """The constant that a record's text stands for; the text itself if it is not a constant.

    >>> literal("2.0"), literal("-inf"), literal("mean")
    (2.0, -inf, 'mean')
    """
    if text in ("inf", "-inf", "nan"):
        return float(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def array_of(value: Record | None, facts: Record) -> Any:
    """The recorded elements, in the tensor's shape and dtype; None if some were not recorded."""
    kind = DTYPES.get(facts["dtype"])
    if value is None or value.get("kind") != "full" or kind is None or kind.is_complex:
        return None
    flat = np.frombuffer(b64decode(value.get("data") or ""), "<f4")
    if flat.size != math.prod(facts["shape"]):
        return None
    return flat.astype(kind.numpy).reshape(facts["shape"])


def tensor_of(array: Any, facts: Record, *, requires_grad: bool) -> Tensor:
    """A leaf with these elements."""
    kind = DTYPES[facts["dtype"]]
    return tensor(array, dtype=kind, requires_grad=requires_grad and kind.is_floating_point)

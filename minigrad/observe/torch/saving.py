"""What the nodes of a call keep for backward."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from .graph import known, node_of
from .nodes import Call
from .reading import is_wrapped


def same(a: Any, b: Any) -> bool:
    """Whether two tensors show the same elements in the same memory, perhaps in another order."""
    if a is b:
        return True
    strided = a.layout is b.layout is torch.strided and not is_wrapped(a)
    return bool(strided and a.numel() == b.numel() and a.data_ptr() == b.data_ptr() != 0)


def saved_by(call: Call, made: list[Any]) -> Iterator[tuple[Any, str]]:
    """What the nodes of a call keep, with PyTorch's names for it. Never unpacks: that would run the program's code."""
    stack, seen = [node_of(each) for each in made if each.requires_grad], set()
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        inner = known(node)
        if inner is None or inner.call is not call:
            continue
        for name in _saved_names(type(node), node):
            held = getattr(node, name)
            for each in held if isinstance(held, (tuple, list)) else (held,):
                if getattr(each, "unpack_hook", False) is None and isinstance(each.data, torch.Tensor):
                    yield each.data, name.removeprefix("_raw_saved_")
        stack += [target for target, _ in node.next_functions]


_names: dict[type, list[str]] = {}


def _saved_names(kind: type, node: Any) -> list[str]:
    found = _names.get(kind)
    if found is None:
        found = _names[kind] = [name for name in dir(kind) if name.startswith("_raw_saved_")]
    return found

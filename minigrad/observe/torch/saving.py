"""The saved tensors of a call's nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from .graph import MOST, known, node_of
from .nodes import Call
from .reading import is_wrapped


def same(a: Any, b: Any) -> bool:
    """Whether two tensors show the same elements in the same memory, perhaps in another order."""
    if a is b:
        return True
    strided = a.layout is b.layout is torch.strided and not is_wrapped(a)
    return bool(strided and a.numel() == b.numel() and a.data_ptr() == b.data_ptr() != 0)


def saved_by(call: Call, made: list[Any]) -> Iterator[tuple[Any, str]]:
    """The saved tensors of a call's nodes, with PyTorch's names. Never unpacks: that would run the program's code."""
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
            for each in _held(node, name):
                yield each, name.removeprefix("_raw_saved_")
        stack += [target for target, _ in node.next_functions]


def is_used_up(tensor: Any) -> bool:
    """Whether nodes behind `tensor` have released their saved tensors."""
    stack, seen = [node_of(tensor)], set[Any]()
    while stack and len(seen) < MOST:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for name in _saved_names(type(node), node):
            each = getattr(node, name)
            if getattr(each, "unpack_hook", False) is None and each.data is None:
                try:
                    getattr(node, name.removeprefix("_raw"), None)  # None for an argument that was left out
                except RuntimeError:
                    return True
        stack += [target for target, _ in node.next_functions]
    return False


def _held(node: Any, name: str) -> Iterator[Any]:
    """The tensors that a node saves under a name; none if reading them would run the program's code."""
    held = getattr(node, name)
    for index, each in enumerate(held if isinstance(held, (tuple, list)) else (held,)):
        if hasattr(each, "unpack_hook"):
            tensor = each.data if each.unpack_hook is None else None
        elif _packed():
            tensor = None
        else:  # an older PyTorch shows it only by unpacking it
            found = getattr(node, name.removeprefix("_raw"), None)
            tensor = found[index] if isinstance(found, (tuple, list)) else found
        if isinstance(tensor, torch.Tensor):
            yield tensor.detach()


def _packed() -> bool:
    """Whether the program packs saved tensors with hooks now: PyTorch then refuses to disable such hooks."""
    try:
        with torch.autograd.graph.disable_saved_tensors_hooks("minigrad asks whether there are any"):
            return False
    except RuntimeError:
        return True


_names: dict[type, list[str]] = {}


def _saved_names(kind: type, node: Any) -> list[str]:
    found = _names.get(kind)
    if found is None:
        found = _names[kind] = [name for name in dir(kind) if name.startswith("_raw_saved_")]
    return found

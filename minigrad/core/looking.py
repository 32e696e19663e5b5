"""Access to what a node saved: ``y.grad_fn._saved_other``, and ``_raw_saved_other`` to register hooks on it.

Neither is needed for a computation. They let users inspect nodes, by minigrad's names and by PyTorch's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import ArgumentTypeError, GradError
from .messages import freed, stale
from .packed import Packed, pack
from .saving import restore
from .tensor import Tensor, alias, edge_of

PYTORCHS_NAMES = {
    "self": ("a", "x", "input"), "other": ("b",), "result": ("out",),
    "size": ("sizes",), "stride": ("strides",), "storage_offset": ("offset",),
}  # fmt: skip
"""PyTorch's name of a saved value -> minigrad's names for it."""


def show_saved(nodes: type, *names: str) -> None:
    """Add the attribute ``_saved_<name>`` to the class `nodes` for each of these saved inputs, outputs and settings."""
    for name in (*names, *PYTORCHS_NAMES):
        if f"_saved_{name}" not in nodes.__dict__:
            setattr(nodes, f"_saved_{name}", Saved(name))
            setattr(nodes, f"_raw_saved_{name}", RawSaved(name))


class Saved:
    """``node._saved_other``: a value that a node saved, or a setting, by minigrad's name or PyTorch's."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, node: Any, owner: type | None = None) -> Any:
        return self if node is None else look(node, self.name)


class RawSaved(Saved):
    """``node._raw_saved_other``: the slot of a saved tensor, on which hooks can be registered."""

    __slots__ = ()

    def __get__(self, node: Any, owner: type | None = None) -> Any:
        if node is None:
            return self
        known = (self.name, *PYTORCHS_NAMES.get(self.name, ()))
        place = next((i for i, name in enumerate(node.plan.saves) if name in known), None)
        return SavedTensor(node, place, node.plan.remade)


class SavedTensor:
    """One tensor that a node keeps for its backward; `place` is its index, or None if the node does not keep it."""

    __slots__ = ("node", "place", "is_output")

    def __init__(self, node: Any = None, place: int | None = None, remade: Sequence[tuple[int, int]] = ()) -> None:
        if node is None:
            raise GradError("Trying to create a SavedTensor object from Python is forbidden: nodes have them.")
        self.node = node
        self.place = place
        self.is_output = any(place == each for each, _ in remade)

    def register_hooks(self, pack_hook: Any = None, unpack_hook: Any = None) -> None:
        """Pack the tensor with `pack_hook` now; backward gets it from `unpack_hook`. Allowed once per tensor."""
        if not (callable(pack_hook) and callable(unpack_hook)):
            raise ArgumentTypeError(
                "register_hooks(): incompatible function arguments. It takes two functions, pack_hook and unpack_hook, "
                f"and got {type(pack_hook).__name__} and {type(unpack_hook).__name__}."
            )
        node, place = self.node, self.place
        if node.saved is None:
            raise freed(node)
        value, version = (None, None) if place is None else node.saved[place]
        if version.__class__ is Packed:
            raise GradError(
                "Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one pair of "
                "hooks is allowed at a time."
            )
        if place is None or version is None or not isinstance(value, Tensor):
            raise GradError(
                f"Calling register_hooks on a saved tensor with value None is forbidden: {node.name()} keeps no tensor "
                "there, since no gradient that is wanted asks for it."
            )
        if value._storage.version != version:
            raise stale(node, str(place), value, version)
        taken = pack(alias(value), None if self.is_output else edge_of(value), self.is_output, (pack_hook, unpack_hook))
        node.saved = (*node.saved[:place], taken, *node.saved[place + 1 :])


def look(node: Any, name: str) -> Any:
    """Return the saved tensor or setting of `node` called `name`, by minigrad's name or PyTorch's."""
    for known in (name, *PYTORCHS_NAMES.get(name, ())):
        if known in node.plan.saves:
            return restore(node, node.plan.saves, node.plan.remade, False)[node.plan.saves.index(known)]
        if known in node.settings:
            return getattr(node, known)
        if known in node.asks_for():
            return None  # a gradient would need it, but that gradient is not wanted
    kept = ", ".join((*node.plan.saves, *node.settings)) or "nothing"
    raise AttributeError(f"{node.name()} saved nothing as {name!r}; it has {kept}")

"""Add the user's line to an error of autograd.

The engine knows which node failed. The recorder knows the line that made the node, and the name of a tensor that was
changed in place, and the line that changed it. The error gets these as a note, which Python 3.11 and later print below
the error.
"""

from __future__ import annotations

from typing import Any

from ...errors import FreedGraphError, StaleTensorError
from .identity import KnownNode, KnownTensor
from .ledger import Ledger


def add_note(ledger: Ledger, known: KnownNode | None, error: BaseException) -> None:
    """Add a note to `error`, which ended the backward of this node: where the node was made and what happened to it."""
    if known is None or not known.bare or not hasattr(error, "add_note") or _has_note(error):
        return
    lines = [f"minigrad recorded: this is the backward of {known.bare['op']}{_at(known.bare.get('at'))}."]
    if isinstance(error, FreedGraphError) and known.freed is not None:
        lines.append(f"It let go of what it had saved in the backward{_at(known.freed)}.")
    if isinstance(error, StaleTensorError):
        tensor = stale_tensor(ledger, known.ref())
        if tensor is not None:
            name = tensor.name or f"tensor {tensor.id}"
            lines.append(f"It had saved {name}, which was changed in place{_at(tensor.written)}.")
    error.add_note("\n".join(lines))


def stale_tensor(ledger: Ledger, node: Any) -> KnownTensor | None:
    """The tensor that `node` saved and that was changed in place afterwards; None if there is none."""
    known = ledger.nodes.find(node)
    for _, value, version in ledger.framework.saved(node) or ():
        if isinstance(version, int) and ledger.framework.version(value) != version:
            output = None if known is None else ledger.output_like(value, known)
            return output or ledger.tensor(value)
    return None


def _has_note(error: BaseException) -> bool:
    return any(note.startswith("minigrad recorded") for note in getattr(error, "__notes__", ()))


def _at(place: dict[str, Any] | None) -> str:
    return f" at {place['file']}:{place['line']}, `{place['code']}`" if place else ""

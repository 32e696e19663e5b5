"""Pictures in a notebook: the explorer in a frame, a tensor as a small heat map.

The colours are the explorer's: blue below zero, orange above, red for NaN and infinities.
"""

from __future__ import annotations

import html
import math
from typing import Any

from ...core.tensor import Tensor
from .palette import ERROR, RULE

HEIGHT = 640
"""Pixels of the explorer inside a notebook."""

MOST_ROWS, MOST_COLS = 16, 12
"""A larger tensor is shown by this many of its first rows and columns."""

_BELOW, _ABOVE = (31, 111, 181), (212, 100, 15)

_OPEN = """<script>(() => {{
  const frame = document.getElementById({id!r});
  const link = frame.nextElementSibling.firstElementChild;
  const loopback = /^(localhost|127\\.0\\.0\\.1)$/;
  const to = new URL(link.href);
  if (loopback.test(location.hostname) && loopback.test(to.hostname)) to.hostname = location.hostname;
  frame.src = to;
  frame.hidden = false;
  to.searchParams.delete("ticket");
  link.href = to;
}})()</script>"""
"""Opens the frame with the notebook's own host name: browsers treat `localhost` and `127.0.0.1` as different hosts."""


def frame(address: str, run: str) -> str:
    """The explorer at `address`, inline, with a link to it. Without scripts only the link is shown."""
    source, name = html.escape(address, quote=True), f"minigrad-{run}"
    style = f"border:1px solid {RULE};border-radius:8px"
    inner = f'<iframe id="{name}" hidden width="100%" height="{HEIGHT}" style="{style}" title="minigrad explorer">'
    link = f'<a href="{source}" target="_blank" rel="noopener">Open it in a tab of its own</a>'
    return f"{inner}</iframe><div>{link}</div>{_OPEN.format(id=name)}"


def of_tensor(tensor: Tensor) -> str:
    """A tensor as HTML: its shape and dtype, its coloured elements, and the op that made it.

    >>> import minigrad as mg
    >>> "2×2 · float32" in of_tensor(mg.tensor([[1.0, -2.0], [3.0, float("nan")]]))
    True
    """
    shape = "×".join(map(str, tensor.shape)) or "scalar"
    facts = [shape, tensor.dtype.name, *([str(tensor.device)] if tensor.device.type != "cpu" else [])]
    if tensor.grad_fn is not None:
        facts.append(f"made by {html.escape(tensor.grad_fn.name())}")
    elif tensor.requires_grad:
        facts.append("requires grad")
    return f'<div style="font-family:monospace"><div>{" · ".join(facts)}</div>{_table(tensor)}</div>'


def _table(tensor: Tensor) -> str:
    flat = tensor.detach()
    if flat.numel() == 0 or flat.dtype.is_complex or flat.is_meta:
        return f"<pre>{html.escape(repr(flat))}</pre>"
    grid: Any = flat.reshape(1, -1) if flat.dim() < 2 else flat.reshape(-1, flat.shape[-1])
    rows, cols = grid.shape
    numbers = grid[:MOST_ROWS, :MOST_COLS].tolist()
    reach = max((abs(x) for row in numbers for x in row if math.isfinite(x)), default=0.0) or 1.0
    body = "".join("<tr>" + "".join(_cell(x, reach) for x in row) + "</tr>" for row in numbers)
    left_out = rows > MOST_ROWS or cols > MOST_COLS
    note = f"<div>the first of {rows:,} by {cols:,}</div>" if left_out else ""
    return f'<table style="border-collapse:separate;border-spacing:2px">{body}</table>{note}'


def _cell(x: float, reach: float) -> str:
    if isinstance(x, bool):
        x = int(x)
    style = "padding:1px 6px;border-radius:3px;text-align:right;"
    if not math.isfinite(x):
        return f'<td style="{style}background:{ERROR};color:#fff">{x}</td>'
    share = min(1.0, abs(x) / reach) * 0.55
    red, green, blue = _ABOVE if x > 0 else _BELOW
    return f'<td style="{style}background:rgba({red},{green},{blue},{share:.2f})">{x:.4g}</td>'

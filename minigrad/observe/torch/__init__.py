"""Watch an unchanged PyTorch program with minigrad's recorder, explorer and pictures.

    import minigrad.observe.torch

    with minigrad.observe.torch.watch():            live in the explorer
        train()
    with minigrad.observe.torch.record("run.jsonl.gz"):
        train()

``minigrad run train.py`` does this by itself if the program imports torch.
"""

from __future__ import annotations

import os
from typing import Any

from ..framework import register
from ..record.recorder import Recorder
from ..record.sampling import Mode
from ..watch import Watching
from ..watch import watch as _watch
from .reading import TORCH

__all__ = ["TORCH", "record", "watch"]

register(TORCH)


def watch(name: str | None = None, **options: Any) -> Watching:
    """`minigrad.watch` for a PyTorch program; the options are the same."""
    return _watch(name, framework=TORCH, **options)


def record(path: str | os.PathLike[str], *, name: str | None = None, values: Mode = "auto") -> Recorder:
    """`minigrad.observe.record` for a PyTorch program."""
    return Recorder(path, name=name, values=values, framework=TORCH)

"""Published weights by URL: nothing is downloaded, but a local copy is read.

If ``load_state_dict_from_url`` finds no copy, its error says which file it needs, and where.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlparse

from .absent import absent_from
from .errors import StateError
from .utils.serialization import load as load_file

__all__ = ["download_url_to_file", "get_dir", "load", "load_state_dict_from_url", "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
"""Finds the checksum in the name of a file of weights."""

_chosen: list[str] = []


def get_dir() -> str:
    """Return the folder of weights: that of `set_dir`, else ``hub`` in ``$TORCH_HOME`` or in ``~/.cache/torch``."""
    return _chosen[0] if _chosen else os.path.join(_get_torch_home(), "hub")


def _get_torch_home() -> str:
    """``$TORCH_HOME``, else ``~/.cache/torch``."""
    home = os.environ.get("TORCH_HOME", os.path.join(os.environ.get("XDG_CACHE_HOME", "~/.cache"), "torch"))
    return os.path.expanduser(home)


def set_dir(d: str | os.PathLike[str]) -> None:
    """Set the folder that `get_dir` returns."""
    _chosen[:] = [os.path.expanduser(d)]


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> Any:
    """Return the named tensors of a safetensors file in the place of a download; StateError if there is none.

    >>> load_state_dict_from_url("https://example.org/net.pth", model_dir="weights")
    Traceback (most recent call last):
    minigrad.errors.StateError: Nothing is downloaded: put net.pth, as a safetensors file, at weights/net.safetensors
    """
    name = Path(file_name or os.path.basename(urlparse(url).path))
    path = Path(model_dir or os.path.join(get_dir(), "checkpoints")) / name.with_suffix(".safetensors")
    if not path.exists():
        raise StateError(f"Nothing is downloaded: put {name}, as a safetensors file, at {path}")
    return load_file(path, map_location)


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Raise StateError: nothing is downloaded."""
    raise StateError(f"Nothing is downloaded: fetch {url} yourself, as {dst}")


def load(repo_or_dir: str, model: str, *args: Any, **kwargs: Any) -> Any:
    """Raise StateError: import the model's code, and load its weights with `minigrad.load`."""
    raise StateError(f"Nothing is downloaded: import {model!r} from a copy of {repo_or_dir!r}, and load its weights")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise absent_from(__name__, name)

"""Checkpoints: every rank writes a part, and any number of ranks can read them.

A checkpoint is a folder with a file for each rank, and ``index.json`` with the place of every entry. A tensor that
several ranks have, where it must be equal, is written by one of them; the largest are shared out first. The folder gets
its name after everything is written, so an interrupted one is never taken for a checkpoint.

Values of the dictionary may be tensors, plain data, dictionaries of these, or objects with ``state_dict`` and
``load_state_dict``, such as a model or an optimiser.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

from ..core.grad_mode import no_grad
from ..core.tensor import Tensor
from ..errors import ArgumentError, StateError
from ..random import get_rng_state, set_rng_state
from ..utils.serialization import load as read_file
from ..utils.serialization import save as write_file
from .collectives import barrier
from .group import get_rank, get_world_size, is_initialized
from .objects import all_gather_object

INDEX = "index.json"
Keys = tuple[Any, ...]


def save(state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str], process_group: Any = None) -> None:
    """Write `state_dict` to the folder `checkpoint_id`; every rank calls it with what it has.

    >>> import minigrad as mg, tempfile
    >>> net = mg.nn.Linear(2, 1)
    >>> folder = tempfile.mkdtemp() + "/first"
    >>> save({"net": net, "epoch": 3}, checkpoint_id=folder)
    >>> found = {"net": mg.nn.Linear(2, 1), "epoch": 0}
    >>> load(found, checkpoint_id=folder)
    >>> found["epoch"], bool((found["net"].weight == net.weight).all())
    (3, True)
    """
    folder = Path(checkpoint_id)
    partial = folder.with_name(folder.name + ".partial")
    rank, size = _place(process_group)
    entries = _flat({name: _state_of(value) for name, value in state_dict.items()})
    sizes = {
        keys: value.numel() * value.element_size() if isinstance(value, Tensor) else 0
        for keys, value in entries.items()
    }
    every: list[Any] = [sizes]
    if size > 1:
        every = [None] * size
        all_gather_object(every, sizes, process_group)
    writers = _writers(every)
    if rank == 0:
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
    _together(process_group, size)
    write_file(
        [[list(keys), value] for keys, value in entries.items() if writers[keys] == rank],
        partial / f"{rank}.safetensors",
    )
    if rank == 0:
        index = {"ranks": size, "entries": [[list(keys), writer] for keys, writer in writers.items()]}
        (partial / INDEX).write_text(json.dumps(index))
    _together(process_group, size)
    if rank == 0:
        shutil.rmtree(folder, ignore_errors=True)
        partial.rename(folder)
    _together(process_group, size)


def load(state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike[str], process_group: Any = None) -> None:
    """Read a checkpoint into `state_dict`: tensors and objects in place, plain data by its key.

    Raises StateError if an entry of `state_dict` is not in the checkpoint, or has another shape there.
    """
    whole = read(checkpoint_id)
    for name, value in state_dict.items():
        if name not in whole:
            raise StateError(f"Missing key in checkpoint state_dict: {name}. It has: {', '.join(map(str, whole))}")
        if hasattr(value, "load_state_dict"):
            value.load_state_dict(whole[name])
        else:
            state_dict[name] = _filled(value, whole[name], name)


def read(checkpoint_id: str | os.PathLike[str]) -> dict[str, Any]:
    """The whole dictionary of a checkpoint, as all ranks together wrote it."""
    folder = Path(checkpoint_id)
    if not (folder / INDEX).is_file():
        raise ArgumentError(f"{folder} is no checkpoint: it has no {INDEX}")
    index = json.loads((folder / INDEX).read_text())
    found: dict[Keys, Any] = {}
    for writer in sorted({writer for _, writer in index["entries"]}):
        found.update({tuple(keys): value for keys, value in read_file(folder / f"{writer}.safetensors")})
    return _nested([(tuple(keys), found[tuple(keys)]) for keys, _ in index["entries"]])


def save_step(folder: str | os.PathLike[str], step: int, keep: int = 2, **parts: Any) -> None:
    """Write a checkpoint of `parts` after `step`, with every rank's random state. Only the `keep` newest are kept.

    Example: ``save_step("runs/mlp", step, net=net, optimizer=optimizer)``, and `resume` when the program starts anew.
    """
    rank, size = _place(None)
    random = {f"{rank} of {size}": get_rng_state()}
    save({**parts, "step": step, "random": random}, checkpoint_id=Path(folder) / f"step-{step:08d}")
    if rank == 0:
        for old in _steps(folder)[:-keep]:
            shutil.rmtree(old)


def resume(folder: str | os.PathLike[str], **parts: Any) -> int:
    """Load the newest checkpoint of `folder` into `parts`. Returns the step to continue with, 0 if there is none.

    With the same number of ranks as wrote it, the program continues with the same random numbers.
    """
    _, size = _place(None)
    _together(None, size)  # no rank is still writing
    found = _steps(folder)
    if not found:
        return 0
    whole = read(found[-1])
    rank, _ = _place(None)
    load(parts, checkpoint_id=found[-1])
    own = whole["random"].get(f"{rank} of {size}")
    if own is not None:
        set_rng_state(own)
    return int(whole["step"]) + 1


def _steps(folder: str | os.PathLike[str]) -> list[Path]:
    """The complete checkpoints, oldest first."""
    return sorted(each.parent for each in Path(folder).glob(f"step-*/{INDEX}") if each.parent.suffix != ".partial")


def _place(group: Any) -> tuple[int, int]:
    return (get_rank(group), get_world_size(group)) if is_initialized() else (0, 1)


def _together(group: Any, size: int) -> None:
    if size > 1:
        barrier(group)


def _state_of(value: Any) -> Any:
    """The part of a value that is written to the checkpoint."""
    if hasattr(value, "sharded_state_dict"):
        return value.sharded_state_dict()
    return value.state_dict() if hasattr(value, "state_dict") else value


def _flat(value: Any, keys: Keys = ()) -> dict[Keys, Any]:
    """The leaves of nested dictionaries, by the keys that lead to them."""
    if not isinstance(value, dict) or not value:
        return {keys: value}
    return {path: leaf for key, inner in value.items() for path, leaf in _flat(inner, (*keys, key)).items()}


def _nested(entries: list[tuple[Keys, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for keys, value in entries:
        inner = whole
        for key in keys[:-1]:
            inner = inner.setdefault(key, {})
            if not isinstance(inner, dict):
                raise StateError(f"the checkpoint has both a value and entries at {'.'.join(map(str, keys[:-1]))}")
        if not (keys[-1] in inner and value == {}):  # one rank has no entries here, another has some
            inner[keys[-1]] = value
    return whole


def _writers(every: list[dict[Keys, int]]) -> dict[Keys, int]:
    """The rank that writes each entry: of the ranks that have it, the one with the least to write."""
    owners: dict[Keys, list[int]] = {}
    sizes: dict[Keys, int] = {}
    for rank, entries in enumerate(every):
        for keys, size in entries.items():
            owners.setdefault(keys, []).append(rank)
            sizes[keys] = size
    load = [0] * len(every)
    chosen = {}
    for keys in sorted(owners, key=lambda keys: -sizes[keys]):
        rank = min(owners[keys], key=lambda rank: load[rank])
        load[rank] += sizes[keys]
        chosen[keys] = rank
    return {keys: chosen[keys] for keys in owners}


def _filled(value: Any, found: Any, name: str) -> Any:
    """`value` with the elements that were found; a tensor keeps its memory."""
    if isinstance(value, Tensor):
        if not isinstance(found, Tensor) or tuple(found.shape) != tuple(value.shape):
            shape = tuple(found.shape) if isinstance(found, Tensor) else found
            raise StateError(f"{name}: {tuple(value.shape)} was asked for, the checkpoint has {shape}")
        with no_grad():
            value.copy_(found)
        return value
    if isinstance(value, dict) and isinstance(found, dict):
        missing = [key for key in value if key not in found]
        if missing:
            raise StateError(f"Missing key in checkpoint state_dict: {name}.{missing[0]}.")
        return {key: _filled(inner, found[key], f"{name}.{key}") for key, inner in value.items()}
    return found

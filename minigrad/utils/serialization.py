"""`save` and `load`, and the conversion of state dicts to PyTorch and back.

Files have the safetensors format. A state dict is saved as it is, so that every reader of the format can use it. A
nested object (such as a dictionary with the states of a model and its optimiser, and the epoch) is split: its tensors
are saved under their paths, and a plan of the structure in the metadata, from which `load` restores the object.

Pickles are never read: loading one can run any code that its author put in.
"""

from __future__ import annotations

import importlib
import json
import os
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from .. import dtypes
from ..core.tensor import Tensor
from ..errors import ArgumentError, ArgumentTypeError
from ..ops.create.factories import as_tensor
from .safetensors import decode, encode
from .shared_memory import noted, tied

PLAN = "minigrad.plan"
"""The key of the plan of a nested object in the metadata."""

File = str | os.PathLike[str] | BinaryIO


def save(obj: Any, f: File) -> None:
    """Save tensors, or dictionaries, lists, numbers, strings and None that contain them, to a file.

    The arguments of a program, an `argparse.Namespace`, may stand beside them.

    >>> import io
    >>> import minigrad as mg
    >>> file = io.BytesIO()
    >>> mg.save({"weight": mg.ones(2), "epoch": 3}, file)
    >>> _ = file.seek(0)
    >>> mg.load(file)
    {'weight': tensor([1., 1.]), 'epoch': 3}
    """
    if isinstance(obj, Mapping) and obj and all(_plain(name, value) for name, value in obj.items()):
        tensors, metadata = dict(obj), {}
    else:
        tensors = {}
        metadata = {PLAN: json.dumps(_taken_apart(obj, "", tensors))}
    _write(f, encode(tensors, metadata | noted(tensors)))


def _plain(name: Any, value: Any) -> bool:
    return isinstance(name, str) and isinstance(value, Tensor)


def load(
    f: File, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool = True, mmap: Any = None,
    **pickle_load_args: Any,
) -> Any:  # fmt: skip
    """Load an object that `save` wrote, or the named tensors of any safetensors file, to the device `map_location`.

    Nothing is unpickled: `pickle_module`, `mmap` and further arguments have no effect.

    ArgumentError if the file is a pickle, as written by `torch.save`; the error says how to convert it.
    """
    raw = _read(f)
    where = f if isinstance(f, (str, os.PathLike)) else "the file"
    _refuse_pickle(raw, where)
    tensors, metadata = decode(raw, where)
    try:
        tensors = tied(tensors, metadata)
        whole = _put_together(json.loads(metadata[PLAN]), tensors) if PLAN in metadata else tensors
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ArgumentError(f"{where} is damaged: what its header says of its tensors is not so ({error!r})") from None
    return whole if map_location is None else _mapped(whole, Tensor, lambda tensor: tensor.to(map_location))


def _refuse_pickle(raw: bytes, where: Any) -> None:
    """Raise if a file is a zip, as from `torch.save`, or a bare pickle, which begins with the opcode PROTO, 0x80."""
    is_pickle = raw[:1] == b"\x80" and int.from_bytes(raw[:8], "little") > len(raw)  # else a header's length
    if raw[:4] == b"PK\x03\x04" or is_pickle:
        raise ArgumentError(
            f"{where} is a pickle, which minigrad does not read: loading one can run any code that its author put in. "
            "Convert it where you trust it, with PyTorch: "
            "safetensors.torch.save_file(torch.load(path, weights_only=True), 'model.safetensors')"
        )


# The plan of a nested object ------------------------------------------------------------------------------------------


def _taken_apart(value: Any, path: str, tensors: dict[str, Tensor]) -> Any:
    """Return `value` as JSON that describes its structure, and add its tensors to `tensors`."""
    if isinstance(value, Tensor):
        tensors[path or "tensor"] = value
        return {"tensor": path or "tensor"}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"value": value}
    if isinstance(value, Mapping):
        items = [[key, _taken_apart(each, f"{path}.{key}".strip("."), tensors)] for key, each in value.items()]
        if not all(isinstance(key, (str, int)) for key, _ in items):
            raise ArgumentTypeError(f"save() takes dictionaries whose keys are strings or ints, not those at '{path}'")
        return {"dict": items}
    if isinstance(value, Namespace):
        return {"arguments": _taken_apart(vars(value), path, tensors)["dict"]}
    if isinstance(value, (list, tuple)):
        parts = [_taken_apart(each, f"{path}.{i}".strip("."), tensors) for i, each in enumerate(value)]
        return {type(value).__name__ if type(value) in (list, tuple) else "tuple": parts}
    raise ArgumentTypeError(
        f"save() takes tensors, dictionaries, lists, numbers, strings and None; found "
        f"{type(value).__name__}{f' at {path!r}' if path else ''}. Save a module's state_dict(), not the module."
    )


def _put_together(plan: Any, tensors: Mapping[str, Tensor]) -> Any:
    ((what, content),) = plan.items()
    if what == "tensor":
        return tensors[content]
    if what == "value":
        return content
    if what == "dict":
        return {key: _put_together(each, tensors) for key, each in content}
    if what == "arguments":
        return Namespace(**{key: _put_together(each, tensors) for key, each in content})
    parts = [_put_together(each, tensors) for each in content]
    return tuple(parts) if what == "tuple" else parts


# Files ----------------------------------------------------------------------------------------------------------------


def _write(f: File, parts: list[bytes]) -> None:
    """Write the whole file or nothing: a program that dies while saving leaves the old file unchanged."""
    if not isinstance(f, (str, os.PathLike)):
        f.writelines(parts)
        return
    path = Path(f)
    unfinished = path.with_name(path.name + ".part")
    with unfinished.open("wb") as file:
        file.writelines(parts)
    unfinished.replace(path)


def _read(f: File) -> bytes:
    return Path(f).read_bytes() if isinstance(f, (str, os.PathLike)) else f.read()


# Conversion to PyTorch and back ---------------------------------------------------------------------------------------


def to_torch(state: Any) -> Any:
    """Replace the minigrad tensors in `state` by PyTorch tensors. On the CPU they share memory."""
    torch = importlib.import_module("torch")

    def converted(tensor: Tensor) -> Any:
        host = tensor._backend.to_host(tensor._array)
        if tensor.dtype.name == "bfloat16":  # PyTorch accepts only NumPy's own dtypes
            return torch.from_numpy(host.view("int16")).view(torch.bfloat16)
        return torch.from_numpy(host)

    return _mapped(state, Tensor, converted)


def from_torch(state: Any) -> Any:
    """Replace the PyTorch tensors in `state` by minigrad tensors. On the CPU they share memory."""
    torch = importlib.import_module("torch")

    def converted(tensor: Any) -> Tensor:
        tensor = tensor.detach().cpu()
        if tensor.dtype == torch.bfloat16:
            return as_tensor(tensor.view(torch.int16).numpy().view(dtypes.bfloat16.numpy))
        return as_tensor(tensor.numpy())

    return _mapped(state, torch.Tensor, converted)


def _mapped(value: Any, kind: type, fn: Any) -> Any:
    """Return `value` with every instance of `kind` in it replaced by `fn` of it."""
    if isinstance(value, kind):
        return fn(value)
    if isinstance(value, Mapping):
        return {key: _mapped(each, kind, fn) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_mapped(each, kind, fn) for each in value)
    return value

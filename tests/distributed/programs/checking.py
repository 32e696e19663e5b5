"""Run the checks of a program on every rank, one after another, and print the result of each."""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from datetime import timedelta

torch = importlib.import_module(os.environ.get("LIBRARY", "minigrad"))
"""The library under test: the same program runs on both."""
dist = importlib.import_module(f"{torch.__name__}.distributed")
ON_MINIGRAD = torch.__name__ == "minigrad"


def main(names: dict[str, object]) -> None:
    """Run each function whose name begins with ``check_``."""
    dist.init_process_group("gloo", timeout=timedelta(seconds=60))
    for name, check in list(names.items()):
        if name.startswith("check_") and callable(check):
            trouble = ""
            try:
                check()
            except Exception:
                trouble = traceback.format_exc()
            line = json.dumps({"check": name, "rank": dist.get_rank(), "trouble": trouble})
            sys.stdout.write(line + "\n")
            sys.stdout.flush()
    dist.destroy_process_group()


def same(found: object, wanted: object, within: float = 1e-6) -> None:
    """AssertionError unless both have the same elements."""
    found, wanted = torch.as_tensor(found), torch.as_tensor(wanted)
    assert tuple(found.shape) == tuple(wanted.shape), (found.shape, wanted.shape)
    assert torch.allclose(found.double(), wanted.double(), atol=within, rtol=within), (found, wanted)


def refused(kind: type[BaseException], words: str, call: object, *args: object, **kwargs: object) -> None:
    """AssertionError unless the call raises an error of this kind with these words."""
    try:
        call(*args, **kwargs)
    except kind as error:
        assert words in str(error), str(error)
    else:
        raise AssertionError("nothing was raised")

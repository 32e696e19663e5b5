"""A module with hooks is copied and pickled as a whole: the hooks of the copy belong to the copy."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad import nn


class Counts(nn.Module):
    """Counts how often its state is loaded."""

    def __init__(self, with_module: bool) -> None:
        super().__init__()
        self.weight = nn.Parameter(mg.ones(2))
        self.loaded = 0
        self._register_load_state_dict_pre_hook(self.noted, with_module)

    def noted(self, *args: Any) -> None:
        self.loaded += 1


@pytest.mark.parametrize("with_module", [False, True])
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))])
def test_a_copy_has_its_own_hooks_of_loading(copied: Callable[[Any], Any], with_module: bool) -> None:
    first = Counts(with_module)
    second = copied(first)
    second.load_state_dict(first.state_dict())
    assert (first.loaded, second.loaded) == (0, 1)

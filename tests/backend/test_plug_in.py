"""What a backend must bring, and who says so when it does not."""

from __future__ import annotations

import pytest

from minigrad.backend import Backend, device
from minigrad.backend.cupy import CupyBackend
from minigrad.backend.numpy import NumpyBackend


def test_a_backend_that_leaves_something_out_is_told_what() -> None:
    class Half(Backend):
        def to_host(self, array: object) -> object:
            return array

    with pytest.raises(TypeError, match=r"abstract methods.*as_strided.*scatter_add"):
        Half(None, device("half"), list)  # type: ignore[abstract]


@pytest.mark.parametrize("backend", [NumpyBackend, CupyBackend])
def test_our_own_leave_nothing_out(backend: type[Backend]) -> None:
    assert not backend.__abstractmethods__

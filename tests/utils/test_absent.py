"""What PyTorch has at the top and minigrad has not."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad.absent import ABSENT


@pytest.mark.parametrize("name", ABSENT)
def test_what_is_not_there_is_refused_with_advice(name: str) -> None:
    with pytest.raises(AttributeError) as error:
        getattr(mg, name)
    assert str(error.value) == f"module 'minigrad' has no attribute {name!r}. {ABSENT[name]}"

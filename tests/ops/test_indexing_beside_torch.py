"""What an index means: lists that stand for tuples, bytes that stand for truths, and sequences of every kind."""

from __future__ import annotations

import warnings
from collections import UserList, deque
from typing import Any

import numpy as np
import pytest

import minigrad as mg

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.parity

KEYS = """
[0, 1]
[[0, 1], [1, 2]]
[[0, 1]]
[[[0, 1], [1, 2]]]
[(0, 1)]
[range(2)]
[np.array([0, 1])]
[np.array(1), np.array(0)]
[np.int64(1), np.int64(0)]
np.array([[0, 1], [1, 2]])
[t.tensor([0, 1]), t.tensor([1, 2])]
[t.tensor(0), t.tensor(1)]
[1, t.tensor(0)]
[t.tensor([True, False, True])]
[[True, False, True]]
[True, False, True]
[[0, 1], 0]
[slice(0, 2), 1]
[None, 0]
[..., 0]
(..., ...)
(..., 0, ...)
[]
([], [])
()
([0, 1], [1, 2])
range(2)
deque([0, 2])
deque([[0, 1], [1, 2]])
UserList([0, 1])
t.tensor([1, 0, 1], dtype=t.uint8)
np.array([1, 0, 1], dtype=np.uint8)
(slice(None), t.tensor([1, 0, 1, 0], dtype=t.uint8))
(t.arange(12).reshape(3, 4) > 4).byte()
~t.tensor([0, 1, 0], dtype=t.uint8)
t.tensor(1, dtype=t.uint8)
t.tensor([1, 0], dtype=t.int32)
t.tensor([1, 0], dtype=t.int8)
t.tensor([1, 0], dtype=t.int16)
t.tensor([1.0, 0.0])
{}
b"a"
"a"
1.5
""".strip().splitlines()


def outcome(t: Any, key: str) -> Any:
    x = t.arange(12.0).reshape(3, 4).requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        index = eval(key, {"t": t, "np": np, "deque": deque, "UserList": UserList})
        try:
            picked = x[index]
            picked.sum().backward()
        except Exception as error:
            return "TypeError" if isinstance(error, TypeError) else "IndexError"
    return tuple(picked.shape), picked.tolist(), x.grad.tolist()


@pytest.mark.parametrize("key", KEYS)
def test_an_index_picks_what_it_does_in_pytorch(key: str) -> None:
    ours, theirs = outcome(mg, key), outcome(torch, key)
    if isinstance(theirs, str):
        assert isinstance(ours, str)
    else:
        assert ours == theirs


def test_what_is_ambiguous_warns(recwarn: pytest.WarningsRecorder) -> None:
    x = mg.arange(12.0).reshape(3, 4)
    x[[0, 1]], x[(0, 1)], x[mg.tensor([True, False, True])]
    assert not recwarn.list
    with pytest.warns(UserWarning, match="Using a non-tuple sequence") as found:
        assert x[[[0, 1], [1, 2]]].tolist() == [1.0, 6.0]
    assert found[0].filename == __file__
    with pytest.warns(UserWarning, match="Using a non-tuple sequence"):
        x[[[0, 1], [1, 2]]] = 7.0
    assert x.tolist() == [[0.0, 7.0, 2.0, 3.0], [4.0, 5.0, 7.0, 7.0], [8.0, 9.0, 10.0, 11.0]]
    with pytest.warns(UserWarning, match="uint8 is now deprecated"):
        assert x[mg.tensor([1, 0, 0], dtype=mg.uint8)].shape == (1, 4)

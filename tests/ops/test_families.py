"""Families of ops are imported when one of their names is first asked for, in whatever way."""

from __future__ import annotations

import subprocess
import sys

import pytest

import minigrad as mg
from minigrad import ops
from minigrad.ops import names

START = """
import sys
import minigrad as mg
assert not [name for name in sys.modules if name.startswith("minigrad.ops.elementwise")], "imported too early"
"""


def run(program: str) -> None:
    """`program` in a fresh interpreter, where no family is imported yet."""
    done = subprocess.run([sys.executable, "-c", START + program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr


def test_the_table_names_what_the_families_offer() -> None:
    for name in names.FAMILIES:
        family = ops.family(name)
        methods = {*getattr(family, "METHODS", {}), *getattr(family, "INPLACE", {}), *getattr(family, "OPERATORS", {})}
        assert set(getattr(family, "__all__", ())) == of(name, names.FUNCTIONS)
        assert methods == of(name, names.METHODS)
        assert set(getattr(family, "PROPERTIES", {})) == of(name, names.PROPERTIES)


def of(family: str, table: dict[str, str]) -> set[str]:
    """The names that a table gives to a family."""
    return {name for name, owner in table.items() if owner == family}


@pytest.mark.parametrize(
    "program",
    [
        "assert mg.tanh(mg.ones(2)).shape == (2,) and mg.tanh is mg.tanh",
        "from minigrad import tanh; assert tanh is mg.tanh",
        "assert mg.Tensor.__add__.__name__ == 'add' and (mg.ones(2) + 1).tolist() == [2, 2]",
        "assert hasattr(mg.Tensor, 'lerp_') and not hasattr(mg.Tensor, 'lerb_') and not hasattr(mg, 'lerb')",
        "assert repr(mg.Tensor([1.0])) == 'tensor([1.])' and len(mg.ones(3)) == 3 and bool(mg.ones(()))",
        "names = dir(mg); assert {'tanh', 'exp_', 'nn'} <= set(names) and 'tanh' in dir(mg.Tensor)",
        "import copy; assert copy.deepcopy(mg.ones(2)).tolist() == [1, 1]",
        "import numpy; assert numpy.asarray(mg.ones(2)).tolist() == [1, 1]",
        "import inspect; assert 'dim' in inspect.signature(mg.Tensor.sum).parameters and inspect.getdoc(mg.Tensor.mT)",
    ],
)
def test_however_a_name_is_first_asked_for_it_is_there(program: str) -> None:
    run(program)


def test_a_star_brings_every_public_function() -> None:
    run("from minigrad import *; assert tanh is mg.tanh and exp_ is mg.exp_ and float32 is mg.float32")


def test_a_property_can_be_set_before_it_is_read() -> None:
    run("x = mg.ones(2); x.real = mg.zeros(2); assert x.tolist() == [0, 0]")


def test_the_method_that_a_subclass_overrides_is_found_by_super() -> None:
    run("""
class Loud(mg.Tensor):
    def tanh(self):
        return super().tanh() + 1

assert Loud([0.0]).tanh().tolist() == [1]
""")


def test_two_threads_may_ask_at_once() -> None:
    run("""
import threading
start, found = threading.Barrier(4), []
def ask():
    start.wait()
    found.append((mg.eye(2) @ mg.ones(2, 1)).cumsum(0).tolist())
threads = [threading.Thread(target=ask) for _ in range(4)]
for each in threads: each.start()
for each in threads: each.join()
assert found == [[[1], [2]]] * 4, found
""")


def test_a_second_name_for_a_function_is_the_same_object() -> None:
    assert mg.functional.cdist is mg.cdist

"""What ``import minigrad`` changes in a program that only imports it: nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest

ROOMS = "minigrad, minigrad.nn, minigrad.optim, minigrad.func, minigrad.observe.draw"


def output_of(program: str, *options: str) -> str:
    done = subprocess.run([sys.executable, *options, "-c", program], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_changes_neither_the_collector_nor_the_filters_of_warnings() -> None:
    program = f"""
import gc, warnings, numpy, numpy.random, numpy.linalg
import inspect, ctypes, threading, dataclasses, typing
before = gc.get_threshold(), list(warnings.filters), numpy.geterr()
import {ROOMS}
assert (gc.get_threshold(), list(warnings.filters), numpy.geterr()) == before, "changed"
assert "ml_dtypes" not in __import__("sys").modules
"""
    output_of(program)


def test_the_first_recorded_op_lets_the_collector_look_less_often() -> None:
    program = """
import gc
import minigrad as mg
x = mg.ones(2)
x + x
print(gc.get_threshold()[0], end=" ")
x.requires_grad_() * 2
print(gc.get_threshold()[0])
"""
    before, after = output_of(program).split()
    assert int(after) > int(before)
    assert output_of(f"import os; os.environ['MINIGRAD_KEEP_MEMORY'] = '0'{program}").split() == [before, before]


@pytest.mark.parametrize(
    "first", ["mg.tensor([0.0]).log()", "1 / mg.zeros(1)", "mg.tensor(0.0) / 0", "mg.nn.Parameter(mg.zeros(2)) / 0"]
)
def test_an_inf_is_no_reason_for_a_warning_not_even_in_the_first_op(first: str) -> None:
    output_of(f"import minigrad as mg\n{first}", "-W", "error")


def test_the_core_works_without_ml_dtypes_and_bfloat16_says_what_to_install() -> None:
    program = f"""
import sys
sys.modules["ml_dtypes"] = None
import {ROOMS}
import minigrad as mg
net = mg.nn.Linear(2, 1)
net(mg.ones(3, 2)).sum().backward()
assert mg.finfo(mg.float16).bits == 16
for use in (lambda: mg.zeros(2, dtype=mg.bfloat16), lambda: net.bfloat16(), lambda: mg.finfo(mg.bfloat16)):
    try:
        use()
    except ImportError as error:
        print("pip install ml_dtypes" in str(error), isinstance(error, mg.MinigradError))
"""
    assert output_of(program).split() == ["True"] * 6


def test_an_array_of_bfloat16_that_somebody_else_made_is_known() -> None:
    program = """
import minigrad as mg, ml_dtypes, numpy as np
print(mg.from_numpy(np.ones(2, ml_dtypes.bfloat16)).dtype is mg.bfloat16)
"""
    assert output_of(program) == "True"


@pytest.mark.parametrize(
    ("package", "use"),
    [("websockets", "import minigrad as mg; mg.watch()"), ("typer", "import minigrad.cli; minigrad.cli.main(['ops'])")],
)
def test_what_needs_another_package_says_what_to_install(package: str, use: str) -> None:
    program = f"""
import sys
sys.modules["{package}"] = None
try:
    {use}
except ImportError as error:
    print(error, file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert f"package {package}" in done.stderr and "pip install" in done.stderr
    assert "Traceback" not in done.stderr

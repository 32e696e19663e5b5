"""The mutator changes one place at a time, and everything that it changes still parses."""

from __future__ import annotations

import ast

from .mutants import mutant, places

SOURCE = '''
def clamp(x, low=0):
    """No less than `low`."""
    if x < low and not x is None:
        return low
    log(x)
    return x + 1
'''


def test_each_place_gives_another_program() -> None:
    found = [mutant(SOURCE, number) for number, _ in places(SOURCE)]
    assert len(found) == len(set(found)) == 11
    assert all(ast.dump(ast.parse(each)) != ast.dump(ast.parse(SOURCE)) for each in found)
    for changed in ("x <= low and", "x < low or", "x is not None", "return x - 1", "low=1", "if not (x < low"):
        assert sum(changed in each for each in found) == 1, changed


def test_a_place_is_named_by_its_line() -> None:
    assert {SOURCE.splitlines()[line - 1].strip() for _, line in places(SOURCE)} == {
        "def clamp(x, low=0):", "if x < low and not x is None:", "return low", "log(x)", "return x + 1",
    }  # fmt: skip

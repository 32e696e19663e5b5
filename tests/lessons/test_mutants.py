"""A check finds every small change to its solution, but for those that mean the same."""

from __future__ import annotations

import pytest

from minigrad.classroom import parse
from minigrad.classroom.mutants import equivalent, mutants, survivors

from ..classroom.lessons import SMALL
from .course import COURSE

QUICK = [1, 2, 4, 5, 6, 8, 9, 10, 15]
"""Lessons of which all mutants take a few seconds; `minigrad lesson test --mutants` tries the others."""


def test_only_the_solution_is_changed() -> None:
    (exercise,) = parse(SMALL).find("exercise", "double")
    changes = [mutant.change for mutant in mutants(exercise)]
    assert "return 2 * x  ->  return 2 / x" in changes
    assert "return 2 * x  ->  return 3 * x" in changes
    assert all(change.startswith("return 2 * x") for change in changes)


def test_a_check_that_asks_little_is_found_out() -> None:
    lazy = parse(
        SMALL.replace("expect(double, 3, gives=6)\nexpect(double, known, gives=42)", "expect(double, 0, gives=0)")
    )
    assert "return 2 * x  ->  return 3 * x" in {mutant.change for mutant in survivors(lazy, COURSE.find(1).path)}


@pytest.mark.slow
@pytest.mark.parametrize("number", QUICK)
def test_no_mutant_of_a_solution_passes(number: int) -> None:
    entry = COURSE.find(number)
    assert [mutant[:2] for mutant in survivors(entry.read(), entry.path)] == []


def test_what_is_listed_as_equivalent_is_a_mutant() -> None:
    for entry in COURSE:
        made = {
            (cell.id, mutant.change)
            for cell in entry.read().cells
            if cell.tag == "exercise"
            for mutant in mutants(cell)
        }
        assert equivalent(entry.path) <= made, entry.slug

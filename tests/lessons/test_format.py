"""The format of a lesson: what is read, what a learner gets, and what is said about a file that is not a lesson."""

from __future__ import annotations

import re
import textwrap

import pytest

import minigrad as mg
from minigrad.classroom import CheckFailedError, LessonError, blank, expect, parse

HEADER = "# ---\n# title: Twice\n# goal: Double a number: any.\n# minutes: 25\n# seconds: 1\n# ---\n"
BODY = """
# %% [markdown]
# # Twice
#
#     indented


# %% tags=["exercise"] id="double"
def double(x):
    ### BEGIN SOLUTION
    y = 2 * x

    return y
    ### END SOLUTION


# %% [markdown] tags=["hint"] id="double"
# Add it to itself.

# %% tags=["check"] id="double"
expect(double, 3, gives=6)
"""


def test_a_lesson_is_a_header_and_cells() -> None:
    lesson = parse(HEADER + BODY)
    assert lesson.header["goal"] == "Double a number: any."
    assert [(cell.kind, cell.tag, cell.id) for cell in lesson.cells] == [
        ("markdown", "", ""),
        ("code", "exercise", "double"),
        ("markdown", "hint", "double"),
        ("code", "check", "double"),
    ]
    assert lesson.cells[0].text == "# Twice\n\n    indented"
    assert lesson.exercises == ["double"]
    assert lesson.find("check", "double")[0].text == "expect(double, 3, gives=6)"


def test_a_cell_knows_its_line() -> None:
    lines = (HEADER + BODY).splitlines()
    assert [lines[cell.line - 1][:4] for cell in parse(HEADER + BODY).cells] == ["# %%"] * 4


def test_a_prediction_is_a_question_an_answer_and_what_is_then_revealed() -> None:
    marker = '# %% [markdown] tags=["predict"] id="at-2" answer="1.26" within="0.01"\n'
    lesson = parse(HEADER + marker + "# How fast?\n#\n# ---\n# **1.26**, see:\n\n# %%\nprint(1.26)\n")
    (cell,) = lesson.find("predict", "at-2")
    assert (cell.question, cell.reveal) == ("How fast?", "**1.26**, see:")
    assert [cell.fits(guess) for guess in (1.25, 1.27, 1.26, 1.24, 1.28)] == [True, True, True, False, False]
    assert lesson.predictions == ["at-2"]
    assert lesson.exercises == []


def test_blank_takes_the_solution_away_and_nothing_else() -> None:
    given = blank(HEADER + BODY)
    assert "def double(x):\n    ...  # your code here\n\n\n# %% [markdown]" in given
    assert "y = 2" not in given
    assert len(parse(given).cells) == 4
    assert blank(given) == given


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("x = 1\n", "begins with a header"),
        ("# ---\n# title: T\n# ---\n", "lacks goal, minutes, seconds"),
        ("# ---\n# title\n# ---\n", "line 2: the header holds `# key: value`"),
        (HEADER + "x = 1\n# %%\n", "line 7: 'x = 1' stands before the first cell"),
        (HEADER + "x = 1\n", "line 7: 'x = 1' stands before the first cell"),
        (HEADER + "# %% exercise\n", "line 7: '# %% exercise' is no marker"),
        (HEADER + "# %% [markdown]\nx = 1\n", "line 8: text is written in comments"),
        (HEADER + '# %% tags=["check"]\n', "line 7: a tagged cell has one tag"),
        (HEADER + '# %% tags=["quiz"] id="a"\n', "line 7: a tagged cell has one tag"),
        (HEADER + '# %% id="a"\n', "line 7: a tagged cell has one tag"),
        (
            HEADER + '# %% [markdown] tags=["predict"] id="a" answer="1"\n# Guess.\n',
            "line 7: the prediction 'a' must be text",
        ),
        (HEADER + '# %% tags=["predict"] id="a" answer="1"\n---\n', "line 7: the prediction 'a' must be text"),
        (
            HEADER + '# %% [markdown] tags=["predict"] id="a" answer="?"\n# ---\n',
            "line 7: the prediction 'a' needs a number",
        ),
        (HEADER + '# %% [markdown] tags=["predict"] id="a"\n# ---\n', "line 7: the prediction 'a' needs a number"),
    ],
)
def test_what_is_no_lesson_is_told_by_its_line(source: str, says: str) -> None:
    with pytest.raises(LessonError) as error:
        parse(source)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("marks", "line"), [(["END"], 1), (["BEGIN"], 1), (["BEGIN", "BEGIN"], 2), (["BEGIN", "END", "END"], 3)]
)
def test_a_solution_region_without_its_other_end_is_an_error(marks: list[str], line: int) -> None:
    with pytest.raises(LessonError, match=f"line {line}:"):
        blank("\n".join(f"### {mark} SOLUTION" for mark in marks))


def double(x: object) -> object:
    return x


@pytest.mark.parametrize(
    ("argument", "gives"),
    [(1.0, 1.0 + 1e-9), (3, 3.0), ([1.0, 2.0], (1.0, 2.0)), ("a", "a"), (None, None), (mg.tensor(2.0), 2.0)],
)
def test_a_right_answer_passes(argument: object, gives: object) -> None:
    expect(double, argument, gives=gives)


@pytest.mark.parametrize(
    ("argument", "gives"),
    [
        (1.0, 1.001),
        (None, 1.0),
        (1.0, None),
        ((1.0,), (1.0, 2.0)),
        (mg.ones(3), mg.ones(1, 3)),
        (mg.ones(3), mg.zeros(3)),
        ([1.0], mg.ones(1)),
        (float("nan"), 1.0),
        (..., [1.0]),
    ],
)
def test_a_wrong_answer_fails(argument: object, gives: object) -> None:
    with pytest.raises(CheckFailedError):
        expect(double, argument, gives=gives)


def test_a_failed_check_says_what_was_called_what_came_back_and_what_was_expected() -> None:
    with pytest.raises(CheckFailedError) as error:
        expect(double, mg.tensor([1.0, 2.0]), gives=mg.tensor([2.0, 4.0]))
    assert str(error.value) == textwrap.dedent("""\
        not yet: all of it is 2 times as small as it should be
          called     double(tensor([1.0, 2.0]))
          expected   [2.0, 4.0]
          came back  [1.0, 2.0]
                      ^^^""")


def test_an_error_in_the_answer_is_told_and_kept_as_the_cause() -> None:
    def broken(x: float) -> float:
        return x / 0

    with pytest.raises(CheckFailedError, match="came back  ZeroDivisionError: float division by zero") as error:
        expect(broken, 1.0, gives=2.0)
    assert isinstance(error.value.__cause__, ZeroDivisionError)


def test_a_long_value_is_shortened() -> None:
    with pytest.raises(CheckFailedError) as error:
        expect(double, list(range(10_000)), gives=[])
    assert len(str(error.value)) < 1_000


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (
            {"b", "a"},
            "this is a set of 2, not an empty list\n  called     double(...)\n  expected   []\n  came back  {'a', 'b'}",
        ),
        (
            set(),
            "this is an empty set, not an empty list\n  called     double(...)\n  expected   []\n  came back  set()",
        ),
    ],
)
def test_a_set_is_written_as_a_learner_writes_one(answer: set[str], says: str) -> None:
    with pytest.raises(CheckFailedError) as error:
        expect(double, answer, gives=[])
    told = re.sub(r"double\(.*\)", "double(...)", str(error.value))
    assert says in told

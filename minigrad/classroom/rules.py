"""The rules for every lesson: solved it passes, blank it fails, and it prints what it says.

A rule is a generator of problems, and its docstring says what the lesson must do. `minigrad lesson test` and the
project's own tests apply all rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import parse_qsl

from ..errors import MinigradError
from .draft import Draft
from .figure import problems_of, programs_in
from .lesson import BEGIN, PLACEHOLDER

Rule = Callable[[Draft], Iterator[str]]

SAID = re.compile(r"^ *print\(.*\)  # (.+)$", re.MULTILINE)
"""A print, with a comment that shows its output."""

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

MISTAKES = 4
"""The least number of known wrong answers for each exercise."""

VIEW = {"step", "at", "cam", "sel", "el", "open", "fold", "q", "tree", "way", "wide", "curves", "by", "tour", "theme"}
"""The keys of a view in the explorer's address, apart from the run."""


def header(draft: Draft) -> Iterator[str]:
    """It takes 25 to 60 minutes and at most 60 seconds of computing, and says what to look at in the explorer."""
    told = draft.lesson.header
    if not 25 <= int(told["minutes"]) <= 60:
        yield f"a lesson takes 25 to 60 minutes, not {told['minutes']}"
    if not 0 < draft.seconds <= 60:
        yield f"a lesson runs in at most 60 seconds, not {told['seconds']}"
    if not told.get("explorer"):
        yield "the header has no `explorer`, a sentence about what to look at in the live graph"
    for key, _ in parse_qsl(told.get("view", ""), keep_blank_values=True):
        if key not in VIEW:
            yield f"the header's `view` has {key!r}; the explorer knows {', '.join(sorted(VIEW))}"


def question(draft: Draft) -> Iterator[str]:
    """It begins with its title and the question it answers, in bold type."""
    first = draft.texts[0].text if draft.texts else ""
    if not first.startswith(f"# {draft.lesson.header['title']}\n"):
        yield f"the first text does not begin with the title: # {draft.lesson.header['title']}"
    if not re.search(r"\*\*[^*]+\?[^*]*\*\*", first):
        yield "the first text has no question in bold type, which the lesson answers"


def figure(draft: Draft) -> Iterator[str]:
    """Its first text has a figure to play with, and each of its formulas can be computed where it begins."""
    programs = programs_in(draft.texts[0].text) if draft.texts else []
    if len(programs) != 1:
        yield f"the first text has {len(programs)} figures, not one: lines between ```figure and ```"
    for program in programs:
        yield from problems_of(program)


def ending(draft: Draft) -> Iterator[str]:
    """Check that the lesson ends with a summary and two open questions, and names no missing folder."""
    last = draft.texts[-1].text if draft.texts else ""
    if "\n## Summary\n" not in f"\n{last}":
        yield "the last text has no heading ## Summary"
    numbers = re.findall(r"^(\d)\. ", last.partition("## Two open questions\n")[2], re.MULTILINE)
    if numbers != ["1", "2"]:
        yield "the last text has no two questions, 1. and 2., under the heading ## Two open questions"
    if "minigrad run lessons/" in draft.source:
        yield "there may be no folder `lessons` where it is read: say `minigrad lesson run` and its number"


def exercises(draft: Draft) -> Iterator[str]:
    """Each exercise has a solution to write, then hints, then a check."""
    lesson, ids = draft.lesson, draft.lesson.exercises
    if not ids:
        yield "it has no exercise"
    for id in sorted({id for id in ids if ids.count(id) > 1}):
        yield f"there are several exercises {id!r}"
    for id in dict.fromkeys(cell.id for cell in lesson.cells if cell.tag not in ("", "predict")):
        order = [cell.tag for cell in lesson.cells if cell.id == id and cell.tag != "predict"]
        if order != ["exercise", *["hint"] * (len(order) - 2), "check"] or len(order) < 3:
            yield f"{id!r} must be an exercise, at least one hint, and one check, in this order; it is {order}"


def solutions(draft: Draft) -> Iterator[str]:
    """Exercises, and nothing else, hold solutions, and more than a solution; hints are text."""
    for cell in draft.lesson.cells:
        where = f"line {cell.line}"
        if (BEGIN in cell.text) != (cell.tag == "exercise"):
            yield f"{where}: {'no' if cell.tag == 'exercise' else 'a'} solution in this cell"
        if cell.tag == "exercise" and cell.text.strip().startswith(BEGIN):
            yield f"{where}: nothing is given before the solution, not even the function's first line"
        if cell.tag == "hint" and cell.kind != "markdown":
            yield f"{where}: a hint must be text"
        if PLACEHOLDER in cell.text:
            yield f"{where}: {PLACEHOLDER!r} is what a learner gets; here the solution must stand"


def runs_solved(draft: Draft) -> Iterator[str]:
    """Solved it runs as a script within its seconds, without a warning, and prints what it says it prints."""
    ran = draft.solved
    if ran.status is None or ran.seconds > draft.seconds:
        yield f"as a script it takes {ran.seconds:.0f} seconds, longer than the {draft.seconds:g} of its header"
    if ran.status:
        yield f"as a script it fails: {ran.errors.strip()[-600:]}"
    if ran.status == 0:
        printed = iter(ran.printed.splitlines())
        for said in SAID.findall(draft.source):
            if said not in printed:
                yield f"it says that it prints {said!r}, which is not so, or not in this order"
                return


def runs_without_checks(draft: Draft) -> Iterator[str]:
    """It runs without its checks, as on the page, which takes over nothing from a check but its functions."""
    last = draft.outcomes[-1]
    if not last.well:
        yield f"without its checks, the cell at line {draft.lesson.cells[last.index].line} fails: {last.sentence}"


def fails_blank(draft: Draft) -> Iterator[str]:
    """Blank it fails as a script, at a check that says what was called, what came back and what was expected."""
    ran = draft.unsolved
    if ran.status != 1 or "CheckFailedError: not yet:" not in ran.errors:
        yield f"blank it does not fail at a check, but ends with status {ran.status}: {ran.errors.strip()[-600:]}"
    elif not all(f"\n  {word}" in ran.errors for word in ("called", "came back", "expected")):
        yield "the first check does not say what was called, what came back and what was expected"


def solutions_pass(draft: Draft) -> Iterator[str]:
    """The judge whom learners meet finds each solution right, whatever inputs are drawn."""
    for trial in draft.trials:
        for verdict in trial.solved:
            if not verdict.passed:
                yield f"the lesson's own answer to {trial.exercise!r}: {verdict.result} {verdict.message}"


def checks_find_blanks(draft: Draft) -> Iterator[str]:
    """Each exercise that is left blank, with all others solved, is found by its own check, with `expect`."""
    for trial in draft.trials:
        if trial.blank.result != "not yet":
            yield f"the exercise {trial.exercise!r} left blank: {trial.blank.result} {trial.blank.message}".rstrip()


def checks_know_mistakes(draft: Draft) -> Iterator[str]:
    """Each exercise has at least four wrong answers, and each of them fails with its own sentence."""
    for trial in draft.trials:
        if len(trial.wrong) < MISTAKES:
            yield (
                f"the exercise {trial.exercise!r} has {len(trial.wrong)} known wrong answers, and needs {MISTAKES}, "
                f"in mistakes/{draft.path.name}"
            )
        for sentence, verdict in trial.wrong:
            if verdict.result != "not yet" or not verdict.message.startswith(f"not yet: {sentence}\n"):
                told = verdict.message.partition("\n")[0]
                yield f"{trial.exercise!r}, {sentence!r}: its author is told {verdict.result} {told!r}"


def predictions(draft: Draft) -> Iterator[str]:
    """The answer of each prediction is printed by the next code cell."""
    ids = [*draft.lesson.predictions, *draft.lesson.exercises]
    yield from (f"there are several cells {id!r}" for id in sorted(set(ids)) if ids.count(id) > 1)
    printed = {outcome.index: outcome.output for outcome in draft.outcomes} if draft.lesson.predictions else {}
    for at, cell in enumerate(draft.lesson.cells):
        if cell.tag != "predict":
            continue
        following = next((index for index in sorted(printed) if index > at), None)
        said = printed.get(following, "") if following is not None else ""
        if not any(cell.fits(float(number)) for number in NUMBER.findall(said.replace(",", ""))):
            said = said.strip()[:200]
            yield f"the prediction {cell.id!r}: the next cell does not print {cell.answer:g}, but {said!r}"


RULES: dict[str, Rule] = {
    rule.__name__.replace("_", " "): rule
    for rule in (
        header, question, figure, ending, exercises, solutions, runs_solved, runs_without_checks, fails_blank,
        solutions_pass, checks_find_blanks, checks_know_mistakes, predictions,
    )
}  # fmt: skip
"""All rules by name."""


def broken(draft: Draft) -> list[tuple[str, str]]:
    """The rules that do not hold, each with a problem; empty for a good lesson."""
    return [(name, problem) for name, rule in RULES.items() for problem in _asked(rule, draft)]


def _asked(rule: Rule, draft: Draft) -> list[str]:
    """The problems that a rule finds. A lesson that does not run at all is a problem, too."""
    try:
        return list(rule(draft))
    except MinigradError as error:
        return [str(error)]

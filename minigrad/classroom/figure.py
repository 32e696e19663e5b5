"""The figure at the beginning of a lesson: a small program that learners can play with on the lesson's page.

    ```figure
    w = 2 from -1 to 4
    y = tanh(w * 3 - 5)
    show slope by trying = measured
    show slope by the rules = slope
    ```

The page draws it. Here it is only parsed, to report mistakes to the author.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

BLOCK = re.compile(r"^```figure\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INPUT = re.compile(r"(\w+) = (\S+)(?: from (\S+) to (\S+))?")
SHOW = re.compile(r"show .+? = (.+)")
VALUE = re.compile(r"([A-Za-z_]\w*) = (.+)")

FUNCTIONS: dict[str, Callable[[float], float]] = {
    "tanh": math.tanh, "exp": math.exp, "log": math.log, "sin": math.sin, "cos": math.cos, "sqrt": math.sqrt,
    "abs": abs, "ceil": math.ceil, "floor": math.floor, "relu": lambda x: max(0.0, x),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)), "step": lambda x: float(x > 0),
}  # fmt: skip


def programs_in(text: str) -> list[str]:
    """The programs of the figures in a text.

    >>> programs_in("Drag it.\\n\\n```figure\\nx = 1 from 0 to 2\\ny = x * x\\n```\\n")
    ['x = 1 from 0 to 2\\ny = x * x\\n']
    """
    return BLOCK.findall(text)


def problems_of(program: str) -> Iterator[str]:
    """The error in a figure's program.

    >>> list(problems_of("x = 1 from 2 to 3\\ny = x * z"))
    ['x begins at 1, outside of 2 to 3', "'x * z' cannot be computed: name 'z' is not defined"]
    """
    known: dict[str, float] = {}
    inputs: list[str] = []
    later: list[str] = []
    for line in filter(None, map(str.strip, program.split("\n"))):
        given = INPUT.fullmatch(line)
        if line == "forward":
            continue
        if given and _number(given[2]) is not None:
            start, low, high = (_number(each) for each in (given[2], given[3] or given[2], given[4] or given[2]))
            known[given[1]] = start or 0.0
            inputs.append(given[1])
            if start is None or low is None or high is None or not low <= start <= high:
                yield f"{given[1]} begins at {given[2]}, outside of {given[3]} to {given[4]}"
        elif line.startswith("mark ") or SHOW.fullmatch(line):
            later.append(line.removeprefix("mark ") if line.startswith("mark ") else line.rpartition(" = ")[2])
        elif value := VALUE.fullmatch(line):
            yield from _computed(value[2], known, value[1])
        else:
            yield f"{line!r} is no line of a figure"
    if not inputs or len(known) == len(inputs):
        yield "a figure needs an input, such as `w = 2 from -1 to 4`, and a value that is computed from it"
    facts = {"slope", "curvature", "measured", *(f"{user}_to_{name}" for user in known for name in known)}
    for formula in later:
        yield from _computed(formula, {**dict.fromkeys(facts, 1.0), **known})


def _computed(formula: str, known: dict[str, float], name: str = "") -> Iterator[str]:
    """Compute a formula of the author's file and store its value as `name`. Yields a problem if that fails."""
    try:
        found = float(eval(formula, {"__builtins__": {}, **FUNCTIONS}, known))
    except (ArithmeticError, NameError, SyntaxError, TypeError, ValueError) as error:
        yield f"{formula!r} cannot be computed: {error}"
        found = 1.0
    if name:
        known[name] = found


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None

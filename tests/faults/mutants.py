"""``python -m tests.faults.mutants SECONDS [SEED] [heart|ops]``: a small change, which the tests must notice.

One operator, comparison, constant, condition or statement of the core's heart, or of the ops, is changed at a time, at
places drawn from all, in a copy of the project; then tests run until the first that fails: those of the core and of
autograd, or, for an op, those of the registry that name it, and only then all tests of ops. A mutant that none notices
is printed with its line: either a test is missing, or the change makes no difference (those that were looked at are in
EQUIVALENT).
"""

from __future__ import annotations

import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
HEART = ("op", "tensor", "graph", "engine", "accumulate", "saving", "dispatch", "state")
PARTS = {
    "heart": [f"minigrad/core/{name}.py" for name in HEART],
    "ops": sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "minigrad" / "ops").rglob("*.py")),
}
TESTS = {
    "heart": ("tests/autograd", "tests/core", "tests/ops/test_inplace_forms.py", "tests/ops/test_fast_kernels.py"),
    "ops": ("tests/ops", "tests/nn"),
}
LIMIT = 400
"""Seconds for the tests: a mutant that makes them hang is noticed, too."""

NONE_COLLECTED = 5
"""Pytest's status where no test was chosen."""

OTHER_OPERATOR: dict[type, type] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt,
    ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip

EQUIVALENT = frozenset({
    "settle()  ->  None",  # asks the system to keep freed memory
    "if dtype is not F32 and dtype is not F64:  ->  if not (dtype is not F32 and dtype is not F64):",  # the long road
    "if following is None:  ->  if not following is None:",  # every ready node goes through the queue
    "left: int = -1  ->  left: int = -2",  # before every node, too
})  # fmt: skip
"""``old line  ->  new line`` of mutants that do what the code does, or say the same in another word."""


def places(source: str) -> Iterator[tuple[int, int]]:
    """Where something can be changed: the number of the node in `ast.walk`, and of its line."""
    for number, node in enumerate(ast.walk(ast.parse(source))):
        if _change(node):
            yield number, getattr(node, "lineno", 0)


def mutant(source: str, number: int) -> str:
    """The source with the node of that number changed."""
    tree = ast.parse(source)
    _change(next(node for i, node in enumerate(ast.walk(tree)) if i == number))
    return ast.unparse(ast.fix_missing_locations(tree))


def _change(node: ast.AST) -> bool:
    """Change this one place; False where there is nothing to change."""
    match node:
        case ast.BinOp(op=op) | ast.AugAssign(op=op) | ast.BoolOp(op=op) if type(op) in OTHER_OPERATOR:
            node.op = OTHER_OPERATOR[type(op)]()  # type: ignore[assignment]
        case ast.Compare(ops=[op, *rest]) if type(op) in OTHER_OPERATOR:
            node.ops = [OTHER_OPERATOR[type(op)](), *rest]
        case ast.UnaryOp(op=ast.Not()):
            node.op = ast.UAdd()
        case ast.Constant(value=bool(value)):
            node.value = not value
        case ast.Constant(value=int(value)):
            node.value = value + 1
        case ast.If(test=test) | ast.While(test=test):
            node.test = ast.UnaryOp(ast.Not(), test)
        case ast.Expr(value=ast.Call()):
            node.value = ast.Constant(None)
        case ast.Return(value=value) if value is not None:
            node.value = ast.Constant(None)
        case _:
            return False
    return True


def main(seconds: str, seed: str = "0", part: str = "heart") -> int:
    dice, end = random.Random(int(seed)), time.monotonic() + float(seconds)
    sources = {name: (ROOT / name).read_text() for name in PARTS[part]}
    drawn = [(name, *place) for name, source in sources.items() for place in places(source)]
    dice.shuffle(drawn)
    tried, survivors = 0, []
    with tempfile.TemporaryDirectory(prefix="minigrad-mutants-") as folder:
        for name in ("minigrad", "tests", "pyproject.toml"):
            _copy(ROOT / name, Path(folder) / name)
        if _noticed(folder, *TESTS[part]):
            print("the tests fail without a change: mend that first")
            return 1
        for name, number, line in drawn:
            if time.monotonic() > end:
                break
            path = Path(folder) / name
            path.write_text(changed := mutant(sources[name], number))
            tried += 1
            op = _op_at(sources[name], line) if part == "ops" else None
            quick = op is not None and _noticed(folder, "tests/ops/test_registry.py", "-k", op)
            if not quick and not _noticed(folder, *TESTS[part]):
                survivors.append(difference := _difference(sources[name], changed))
                print(f"  nobody notices: {name}:{line}  {difference}", flush=True)
            path.write_text(sources[name])
    unknown = [each for each in survivors if each not in EQUIVALENT]
    print(f"{tried} of {len(drawn)} mutants tried, {tried - len(survivors)} noticed, {len(unknown)} to look at")
    return 1 if unknown else 0


def _op_at(source: str, line: int) -> str | None:
    """The name of the class around a line."""
    classes = [node for node in ast.parse(source).body if isinstance(node, ast.ClassDef)]
    return next((each.name for each in classes if each.lineno <= line <= (each.end_lineno or line)), None)


def _copy(here: Path, there: Path) -> None:
    if here.is_dir():
        shutil.copytree(here, there, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(here, there)


def _noticed(folder: str, *tests: str) -> bool:
    """Whether a test fails, or they do not end. That none is called so is no failure."""
    command = [sys.executable, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *tests]
    environment = {**os.environ, "PYTHONPATH": folder, "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return True
    return done.returncode not in (0, NONE_COLLECTED)


def _difference(source: str, changed: str) -> str:
    """The first line that the mutant has otherwise."""
    before, after = ast.unparse(ast.parse(source)).splitlines(), changed.splitlines()
    pairs = ((a, b) for a, b in zip(before, after, strict=False) if a != b)
    old, new = next(pairs, ("", ""))
    return f"{old.strip()}  ->  {new.strip()}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Change a solution in small ways, one at a time. A change that passes the check shows what the check does not test.

A change that does not change the meaning is listed, with its reason, in `mistakes/equivalent.toml` beside the lessons.
"""

from __future__ import annotations

import ast
import copy
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from .judge import Judge, LessonBrokenError
from .lesson import BEGIN, END, Cell, Lesson
from .limits import Limits

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OPERATORS: Mapping[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or,
    ast.Or: ast.And,
}  # fmt: skip
"""Each operator, with the one that replaces it."""


class Mutant(NamedTuple):
    """A changed solution. `change` describes the change: the line before and after it."""

    exercise: str
    change: str
    source: str


def mutants(cell: Cell) -> Iterator[Mutant]:
    """All small changes to the solution in an exercise's cell."""
    lines = cell.text.split("\n")
    inside = set[int]()
    within = False
    for number, line in enumerate(lines, 1):
        within = (within or line.strip() == BEGIN) and line.strip() != END
        if within:
            inside.add(number)
    tree = ast.parse(cell.text)
    before = ast.unparse(tree).split("\n")
    places = [at for at, node in enumerate(ast.walk(tree)) if getattr(node, "lineno", 0) in inside]
    seen = {ast.unparse(tree)}
    for at in places:
        for way in range(len(list(_changes(list(ast.walk(tree))[at])))):
            changed = copy.deepcopy(tree)
            node = list(ast.walk(changed))[at]
            list(_changes(node))[way]()
            source = ast.unparse(ast.fix_missing_locations(changed))
            if source not in seen:
                seen.add(source)
                yield Mutant(cell.id, _said(before, source.split("\n")), source)


def _said(before: Sequence[str], after: Sequence[str]) -> str:
    differing = [(old.strip(), new.strip()) for old, new in zip(before, after, strict=False) if old != new]
    old, new = differing[0] if differing else (before[-1].strip(), "")
    return f"{old}  ->  {new}"


def _put(owner: Any, field: str, value: Any) -> Any:
    return lambda: setattr(owner, field, value)


def _changes(node: Any) -> Iterator[Any]:
    """The possible changes of a node, as functions that make the change."""
    put = _put
    if isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)) and type(node.op) in OPERATORS:
        yield put(node, "op", OPERATORS[type(node.op)]())
    if isinstance(node, ast.Compare) and type(node.ops[0]) in OPERATORS:
        yield put(node, "ops", [OPERATORS[type(node.ops[0])](), *node.ops[1:]])
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        if isinstance(node.value, bool):
            yield put(node, "value", not node.value)
        else:
            others = {node.value + 1, node.value - 1, 0} - {node.value}
            yield from (put(node, "value", value) for value in sorted(others))
    if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
        yield lambda: setattr(node, "op", ast.UAdd())
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            yield put(node, "keywords", [each for each in node.keywords if each is not keyword])
        if len(node.args) == 2:
            yield put(node, "args", node.args[::-1])
    if isinstance(node, ast.Tuple) and len(node.elts) == 2 and isinstance(node.ctx, ast.Load):
        yield put(node, "elts", node.elts[::-1])
    if isinstance(getattr(node, "body", None), list):
        yield from _deletions(node)
    yield from _shortcuts(node)


def _shortcuts(node: Any) -> Iterator[Any]:
    """Changes that replace an expression by a part of it, or force the result of a condition."""
    for field, value in ast.iter_fields(node):
        for at, each in enumerate(value) if isinstance(value, list) else ((None, value),):
            for part in _parts(each):
                rest = part if at is None else [*value[:at], part, *value[at + 1 :]]
                yield _put(node, field, rest)
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        yield _put(node, "test", ast.UnaryOp(ast.Not(), node.test))
    if isinstance(node, ast.Slice):
        yield from (_put(node, end, None) for end in ("lower", "upper") if getattr(node, end) is not None)


def _parts(node: Any) -> Sequence[ast.AST]:
    """The parts of an expression that could replace it: one side, the object of a method call, an argument."""
    if isinstance(node, ast.BinOp):
        return [node.left, node.right]
    if isinstance(node, ast.Call):
        receiver = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*receiver, *node.args[:1]]
    if isinstance(node, ast.AugAssign):
        return [ast.Assign([node.target], node.value)]
    if isinstance(node, ast.Return) and node.value is not None:
        return [ast.Return(None)]
    if isinstance(node, ast.UnaryOp):
        return [node.operand]
    return []


def _deletions(node: Any) -> Iterator[Any]:
    for at, statement in enumerate(node.body):
        if isinstance(statement, (ast.Expr, ast.AugAssign, ast.Assign, ast.If)):
            rest = [*node.body[:at], *node.body[at + 1 :]] or [ast.Pass()]
            yield lambda rest=rest: setattr(node, "body", rest)


def equivalent(lesson: Path) -> set[tuple[str, str]]:
    """The listed changes that keep the meaning, as pairs of an exercise and a change."""
    file = lesson.parent / "mistakes" / "equivalent.toml"
    if not file.is_file():
        return set()
    told = tomllib.loads(file.read_text(encoding="utf-8")).get(lesson.stem, {})
    return {(id, each["change"]) for id, changes in told.items() for each in changes}


def survivors(lesson: Lesson, path: Path, most: int | None = None) -> Iterator[Mutant]:
    """The mutants that the judge passes and that are not listed. Tries at most `most` for each exercise."""
    known = equivalent(path)
    limits = Limits(seconds=max(10.0, 2 * float(lesson.header["seconds"])), grace=0.5)
    with closing(Judge(replace(lesson, mistakes=()), limits)) as judge:
        for cell in lesson.cells:
            if cell.tag != "exercise":
                continue
            for mutant in list(mutants(cell))[:most]:
                if (cell.id, mutant.change) not in known and _passes(judge, mutant):
                    yield mutant


def _passes(judge: Judge, mutant: Mutant) -> bool:
    try:
        return judge.verdict(mutant.exercise, {mutant.exercise: mutant.source}).passed
    except LessonBrokenError:
        return False

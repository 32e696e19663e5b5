"""Read the imports of a Python package or of the front end from its source, and check them against a list of layers
("floors").

A room is a direct part of a package: a folder, or a file by its name without the ending. Floors list rooms from
the ground up. Every import counts: at the top, inside a function, for type checkers only, or by a name in a string.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

Floors = Sequence[Sequence[str]]


@dataclass(frozen=True)
class Import:
    """File `source` imports file `target` on `line`; both are named by their paths below the root."""

    source: str
    target: str
    line: int

    def __str__(self) -> str:
        return f"{self.source}:{self.line} imports {self.target}"


@dataclass(frozen=True)
class House:
    """The files below `root`, and the imports among them."""

    root: Path
    files: tuple[str, ...]
    imports: tuple[Import, ...]

    def room(self, file: str) -> str:
        """The folder below the root that contains `file`; a file directly below the root is its own room."""
        return file.split("/")[0].split(".")[0]

    def unlisted(self, floors: Floors) -> list[str]:
        """Rooms that no floor lists, and listed ones that do not exist."""
        listed, found = {room for floor in floors for room in floor}, {self.room(file) for file in self.files}
        return sorted([f"{room}: add it to a floor" for room in found - listed]) + sorted(
            [f"{room}: no such room" for room in listed - found]
        )

    def upward(self, floors: Floors, allowed: Collection[tuple[str, str]] = ()) -> list[str]:
        """Imports of a room on a higher floor. `allowed` lists pairs of files; each must still be needed."""
        height = {room: number for number, floor in enumerate(floors) for room in floor}
        found = [
            each
            for each in self.imports
            if height.get(self.room(each.target), 0) > height.get(self.room(each.source), len(floors))
        ]
        pairs = {(each.source, each.target) for each in found}
        unneeded = [f"{source} no longer imports {target}: delete the exception" for source, target in allowed]
        return [str(each) for each in found if (each.source, each.target) not in allowed] + [
            text for text, pair in zip(unneeded, allowed, strict=True) if pair not in pairs
        ]

    def circles(self) -> list[list[str]]:
        """Cycles of imports between files of more than one folder."""
        return [circle for circle in circles(self.imports) if len({file.rpartition("/")[0] for file in circle}) > 1]


# Python ---------------------------------------------------------------------------------------------------------------


def python_house(root: Path) -> House:
    """The package in folder `root`: its files and the imports among them."""
    paths = sorted(path for path in root.rglob("*.py"))
    modules = {module_name(path, root): path.relative_to(root).as_posix() for path in paths}
    found = []
    for path in paths:
        here = path.relative_to(root).as_posix()
        for name, line in named_modules(path, root, modules):
            target = nearest(name, modules)
            if target is not None and modules[target] != here:
                found.append(Import(here, modules[target], line))
    return House(root, tuple(modules.values()), tuple(found))


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file, read once."""
    return ast.parse(path.read_text(encoding="utf-8"))


def module_name(path: Path, root: Path) -> str:
    parts = (root.name, *path.relative_to(root).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def named_modules(path: Path, root: Path, modules: Collection[str] = ()) -> Iterator[tuple[str, int]]:
    """(absolute name, line) of every import in a file. ``from a import b`` names a.b where that is a module."""
    here = module_name(path, root)
    package = here if path.name == "__init__.py" else here.rpartition(".")[0]
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = absolute("." * node.level + (node.module or ""), package)
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield (inner if inner in modules else base), node.lineno
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "__import__") and node.args:
            given = node.args[0]
            if isinstance(given, ast.Constant) and isinstance(given.value, str):
                yield absolute(given.value, package), node.lineno


def absolute(name: str, package: str) -> str:
    """The absolute name, where leading dots count the packages to go up from `package`."""
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parts = package.split(".")
    return ".".join([*parts[: len(parts) - level + 1], *filter(None, [name[level:]])])


def called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def nearest(name: str, modules: Collection[str]) -> str | None:
    """The last module that importing `name` reads, or None if it belongs to another package."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or None


def private_uses(house: House, room: str) -> list[tuple[str, str, int]]:
    """(name, file, line) of uses of attributes with a leading underscore outside `room`, the only room that defines
    them."""
    theirs = private_names(house, room)
    rooms = {house.room(file) for file in house.files} - {room}
    own = {each: private_names(house, each) for each in rooms}
    found = []
    for file in house.files:
        if house.room(file) == room:
            continue
        for node in ast.walk(parsed(house.root / file)):
            if not isinstance(node, ast.Attribute) or node.attr not in theirs - own[house.room(file)]:
                continue
            if not of_self(node):
                found.append((node.attr, file, node.lineno))
    return found


def private_names(house: House, room: str) -> set[str]:
    """The names with one leading underscore that a room's files define: functions, classes, attributes, slots."""
    names: set[str] = set()
    for file in house.files:
        if house.room(file) != room:
            continue
        for node in ast.walk(parsed(house.root / file)):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                names.add(node.name)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names.update(target.id for target in targets if isinstance(target, ast.Name))
                names.update(each.attr for each in targets if isinstance(each, ast.Attribute) and of_self(each))
                if any(isinstance(target, ast.Name) and target.id == "__slots__" for target in targets):
                    strings = ast.walk(node.value) if node.value else ()
                    names.update(str(each.value) for each in strings if isinstance(each, ast.Constant))
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def of_self(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


# TypeScript and Svelte ------------------------------------------------------------------------------------------------

IMPORTS = re.compile(
    r"""(?:\bfrom\s*|\bimport\s*\(?\s*|\bnew\s+URL\(\s*)(?P<quote>["'])(?P<name>\.{1,2}/[^"'?]*)(?:\?[^"']*)?(?P=quote)"""
)
COMMENTS = re.compile(r"/\*.*?\*/|(?<![:\"'])//[^\n]*", re.DOTALL)
ENDINGS = ("", ".ts", ".svelte", ".svelte.ts", "/index.ts")


def frontend_house(root: Path) -> House:
    """The TypeScript and Svelte files below `root`, and the imports among them."""
    paths = sorted(path for ending in ("*.ts", "*.svelte") for path in root.rglob(ending) if ".d." not in path.name)
    files = {path.relative_to(root).as_posix() for path in paths}
    found = []
    for path in paths:
        here = path.relative_to(root)
        text = COMMENTS.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(encoding="utf-8"))
        for match in IMPORTS.finditer(text):
            name = (here.parent / match["name"]).as_posix()
            target = next((name + ending for ending in ENDINGS if flat(name + ending) in files), None)
            if target is not None:
                found.append(Import(here.as_posix(), flat(target), text.count("\n", 0, match.start("name")) + 1))
    return House(root, tuple(sorted(files)), tuple(found))


def flat(path: str) -> str:
    """`path` without its dots: a/../b is b."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts[-1:] = []
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


# Cycles


def circles(imports: Iterable[Import]) -> list[list[str]]:
    """Strongly connected components of more than one file, by Tarjan's algorithm (1972) with a stack of its own."""
    after: dict[str, list[str]] = {}
    for each in imports:
        after.setdefault(each.source, []).append(each.target)
        after.setdefault(each.target, [])
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    path: list[str] = []
    done: set[str] = set()
    found = []
    for start in after:
        todo = [(start, iter(after[start]))] if start not in number else []
        while todo:
            file, rest = todo[-1]
            if file not in number:
                number[file] = low[file] = len(number)
                path.append(file)
            following = next(rest, None)
            if following is None:
                todo.pop()
                if todo:
                    low[todo[-1][0]] = min(low[todo[-1][0]], low[file])
                if low[file] == number[file]:
                    at = path.index(file)
                    circle, path[at:] = path[at:], []
                    done.update(circle)
                    found += [sorted(circle)] if len(circle) > 1 else []
            elif following not in number:
                todo.append((following, iter(after[following])))
            elif following not in done:
                low[file] = min(low[file], number[following])
    return found
